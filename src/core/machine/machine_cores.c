/* SPDX-License-Identifier: MIT */
/* The cores of CPU workers and of device workers. */
#include "core/machine/machine_cores.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static unsigned cores_count_others(const struct xy__machine_request *request)
{
	unsigned count = 0;

	for (unsigned i = 0; i < request->ndevices; i++)
		count += request->devices[i].nworkers;
	return count;
}

/* A free core near the device if there is one, else any: the last, as the first ones are the busiest. */
static unsigned cores_choose(const struct xy__topology *t, const bool *taken, const char *pci)
{
	unsigned best = t->ncores;

	for (unsigned i = t->ncores; i-- > 0;) {
		if (taken[i])
			continue;
		if (pci && *pci && xy__topology_is_near("/sys", pci, xy__topology_core(t, i)->pu))
			return i;
		if (best == t->ncores)
			best = i;
	}
	return best;
}

int xy__machine_cores_order(struct xy__core_order *cores, const struct xy__topology *t,
			    const struct xy__machine_layout *layout, const struct xy__machine_request *request)
{
	unsigned nothers = cores_count_others(request), k = 0;
	unsigned least = layout->all ? 1 : layout->count[XY_CPU]; /* that CPU workers need */
	bool *taken = calloc(t->ncores + 1, sizeof(*taken));
	bool apart = layout->here && request->device_cores && nothers && least + nothers <= t->ncores;

	*cores = (struct xy__core_order){ .nothers = apart ? nothers : 0 };
	cores->nfree = t->ncores - cores->nothers;
	cores->ncpus = layout->all ? cores->nfree : layout->count[XY_CPU];
	cores->order = malloc((t->ncores + 1) * sizeof(*cores->order));
	if (!taken || !cores->order) {
		free(taken);
		free(cores->order);
		return -ENOMEM;
	}
	for (unsigned i = 0; apart && i < request->ndevices; i++)
		for (unsigned w = 0; w < request->devices[i].nworkers; w++) {
			unsigned core = cores_choose(t, taken, request->devices[i].pci);

			taken[core] = true;
			cores->order[cores->nfree + k++] = core;
		}
	k = 0;
	for (unsigned i = 0; i < t->ncores; i++)
		if (!taken[i])
			cores->order[k++] = i;
	free(taken);
	return 0;
}
