/* SPDX-License-Identifier: MIT */
/*
 * How many slots there are, and which GPUs and processors belong to each.
 */
#include "farm/slots.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/util/text.h"

#define SLOTS_ROUNDING 1e-9 /* 1 / 0.333333333333 is meant to be 3 */

static int slots_wrong_share(double share, unsigned ngpus, char *error, size_t size)
{
	if (!(share > 0) || !isfinite(share))
		xy__text_print(error, size, "%g GPUs for a repetition: it must be more than 0", share);
	else if (share > 1 && share != floor(share))
		xy__text_print(error, size, "%g GPUs for a repetition: from 1 on it must be a whole number", share);
	else if (ngpus == 0)
		xy__text_print(error, size, "%g GPUs for a repetition, but this job has no GPU", share);
	else if (share > ngpus)
		xy__text_print(error, size, "%g GPUs for a repetition, but this job has only %u: that makes 0 slots",
			       share, ngpus);
	else if (1 / share >= SLOTS_MAX)
		xy__text_print(error, size, "%g GPUs for a repetition are more than %u repetitions for a GPU", share,
			       SLOTS_MAX);
	else
		return 0;
	return -EINVAL;
}

/* Slots by GPUs: floor(1 / share) for each, or groups of whole ones. */
static int slots_by_gpus(struct slots_division *division, const struct slots_request *r, char *error, size_t size)
{
	double share = r->gpus_per_rep;
	int wrong = slots_wrong_share(share, r->ngpus, error, size);

	if (wrong)
		return wrong;
	division->divides_gpus = true;
	if (share < 1) {
		division->reps_per_gpu = (unsigned)floor(1 / share * (1 + SLOTS_ROUNDING));
		division->unused = fmax(0, 1 - division->reps_per_gpu * share);
		division->gpus_per_slot = 1;
		division->nslots = division->reps_per_gpu * r->ngpus;
	} else {
		division->gpus_per_slot = (unsigned)share;
		division->nslots = r->ngpus / division->gpus_per_slot;
		division->idle_gpus = r->ngpus % division->gpus_per_slot;
	}
	return 0;
}

/* Slots by processors, or as many as the user says. */
static int slots_by_cpus(struct slots_division *division, const struct slots_request *r, char *error, size_t size)
{
	division->gpus_per_slot = r->ngpus;
	if (r->cpus_per_rep == 0) {
		division->nslots = r->parallel ? r->parallel : 1;
		return 0;
	}
	division->nslots = r->ncpus / r->cpus_per_rep;
	if (division->nslots > 0)
		return 0;
	xy__text_print(error, size, "%u processors for a repetition, but this job may use only %u: that makes 0 slots",
		       r->cpus_per_rep, r->ncpus);
	return -EINVAL;
}

/* How many processors each slot gets. */
static int slots_share_cpus(struct slots_division *division, const struct slots_request *r, char *error, size_t size)
{
	if (r->share_cpus)
		return 0;
	division->cpus_per_slot = r->cpus_per_rep ? r->cpus_per_rep : r->ncpus / division->nslots;
	if (division->cpus_per_slot == 0) {
		xy__text_print(error, size,
			       "%u slots, but this job may use only %u processor%s: less than one "
			       "for each",
			       division->nslots, r->ncpus, r->ncpus == 1 ? "" : "s");
		return -EINVAL;
	}
	if ((uint64_t)division->nslots * division->cpus_per_slot > r->ncpus) {
		xy__text_print(error, size, "%u slots of %u processors need %llu, but this job may use only %u",
			       division->nslots, division->cpus_per_slot,
			       (unsigned long long)division->nslots * division->cpus_per_slot, r->ncpus);
		return -EINVAL;
	}
	division->idle_cpus = r->ncpus - division->nslots * division->cpus_per_slot;
	return 0;
}

static bool slots_are_near(const struct slots_division *division, const struct slots_request *r, unsigned slot,
			   unsigned cpu)
{
	unsigned first = slots_division_gpu(division, slot);

	for (unsigned gpu = first; gpu < first + division->gpus_per_slot; gpu++)
		if (r->near[gpu * r->ncpus + cpu])
			return true;
	return false;
}

/* Gives free processors to a slot until it has enough: only those near its GPUs, or any. */
static void slots_take_cpus(struct slots_division *division, const struct slots_request *r, unsigned slot, bool near,
			    bool *taken, unsigned *count)
{
	unsigned *cpus = division->cpus + slot * division->cpus_per_slot;

	for (unsigned cpu = 0; cpu < r->ncpus && *count < division->cpus_per_slot; cpu++)
		if (!taken[cpu] && (!near || slots_are_near(division, r, slot, cpu))) {
			taken[cpu] = true;
			cpus[(*count)++] = cpu;
		}
}

static int slots_compare(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

/* First every slot takes what is near, so that none takes what is near to another one only. */
static int slots_cut_cpus(struct slots_division *division, const struct slots_request *r)
{
	unsigned *counts = calloc(division->nslots, sizeof(*counts));
	bool *taken = calloc(r->ncpus, sizeof(*taken));
	int error = -ENOMEM;

	division->cpus = calloc((size_t)division->nslots * division->cpus_per_slot, sizeof(*division->cpus));
	if (!counts || !taken || !division->cpus)
		goto out;
	if (r->near && division->gpus_per_slot > 0)
		for (unsigned slot = 0; slot < division->nslots; slot++)
			slots_take_cpus(division, r, slot, true, taken, &counts[slot]);
	for (unsigned slot = 0; slot < division->nslots; slot++) {
		slots_take_cpus(division, r, slot, false, taken, &counts[slot]);
		qsort(division->cpus + slot * division->cpus_per_slot, division->cpus_per_slot, sizeof(*division->cpus),
		      slots_compare);
	}
	error = 0;
out:
	free(counts);
	free(taken);
	if (error)
		slots_division_fini(division);
	return error;
}

int slots_division_init(struct slots_division *division, const struct slots_request *r, char *error, size_t size)
{
	int failed;

	*division = (struct slots_division){ .reps_per_gpu = 1 };
	failed = r->gpus_per_rep != 0 ? slots_by_gpus(division, r, error, size)
				      : slots_by_cpus(division, r, error, size);
	if (failed)
		return failed;
	if (division->nslots > SLOTS_MAX) {
		xy__text_print(error, size, "%u slots are more than %u", division->nslots, SLOTS_MAX);
		return -EINVAL;
	}
	if (r->parallel && r->parallel != division->nslots) {
		xy__text_print(error, size, "%u repetitions in parallel are asked for, but there are %u slots",
			       r->parallel, division->nslots);
		return -EINVAL;
	}
	failed = slots_share_cpus(division, r, error, size);
	if (failed || division->cpus_per_slot == 0)
		return failed;
	failed = slots_cut_cpus(division, r);
	if (failed)
		xy__text_print(error, size, "not enough memory");
	return failed;
}

void slots_division_fini(struct slots_division *division)
{
	free(division->cpus);
	division->cpus = NULL;
}

unsigned slots_division_gpu(const struct slots_division *division, unsigned slot)
{
	return division->divides_gpus ? slot / division->reps_per_gpu * division->gpus_per_slot : 0;
}
