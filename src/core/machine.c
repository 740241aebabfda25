/* SPDX-License-Identifier: MIT */
/*
 * Machines: a list of workers and the places they are at. Both are constant once made, so any
 * thread may look at them. Distances come from the tree of places, never from a matrix.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine.h"
#include "core/machine_plan.h"
#include "core/topology.h"
#include "core/util/text.h"

struct xy_machine {
	unsigned nworkers, nnodes, ncores;
	bool here;
	unsigned depth;                      /* of the deepest place */
	struct xy__place *places;
	unsigned *place_of;                  /* by worker */
	struct xy_worker_info *workers;
};

const char *xy_arch_name(enum xy_arch arch)
{
	static const char *const names[XY_NARCH] = { "cpu", "cuda", "opencl" };

	return (unsigned) arch < XY_NARCH ? names[arch] : NULL;
}

/* The cores that the plan wants. */
static int machine_topology(struct xy__topology *t, const struct xy__machine_plan *plan,
			    const char *text, char *error, size_t error_size)
{
	const char *at = plan->topology;
	char sentence[160];
	int status;

	switch (plan->cores) {
	case XY__CORES_TEXT:
		status = xy__topology_of_text(t, &at, plan->topology_end, sentence,
					      sizeof(sentence));
		if (status == -EINVAL || status == -ERANGE)
			return xy__machine_fail(status, text, at, sentence, error, error_size);
		break;
	case XY__CORES_HERE:
		status = xy__topology_of_here(t);
		break;
	default:
		status = xy__topology_init(t, plan->count[XY_CPU], 0);
		if (!status)
			status = xy__topology_build(t);
	}
	if (status)
		xy__text_print(error, error_size, "machine \"%s\": %s", text,
			       status == -ENOMEM ? "not enough memory"
						 : "this computer's cores can't be found out");
	return status;
}

static struct xy_worker_info *machine_add(struct xy_machine *m, enum xy_arch arch, unsigned place,
					  double speed)
{
	struct xy_worker_info *w = &m->workers[m->nworkers];
	unsigned index = 0;

	if (m->nworkers > 0 && w[-1].arch == arch)
		index = w[-1].index + 1;
	*w = (struct xy_worker_info) { .arch = arch, .index = index, .device = -1, .pu = -1, .speed = speed };
	snprintf(w->name, sizeof(w->name), "%s%u", xy_arch_name(arch), index);
	m->place_of[m->nworkers++] = place;
	return w;
}

/* CPU workers take the cores in turn, so more workers than cores share them evenly. */
static void machine_add_cpus(struct xy_machine *m, const struct xy__topology *t, unsigned count,
			     double speed)
{
	for (unsigned i = 0; i < count; i++) {
		const struct xy__core *core = xy__topology_core(t, m->nworkers % t->ncores);
		struct xy_worker_info *w = machine_add(m, XY_CPU, core->place, speed);

		w->node = core->node;
		if (m->here)
			w->pu = core->pu;
		if (m->nnodes <= core->node)
			m->nnodes = core->node + 1;
	}
}

/* Each device has its own memory and hangs on the machine. */
static void machine_add_devices(struct xy_machine *m, struct xy__topology *t,
				const struct xy__machine_item *item)
{
	for (unsigned i = 0; i < item->count; i++) {
		t->places[t->nplaces] = (struct xy__place) { 0, 1 };
		machine_add(m, item->arch, t->nplaces++, item->speed)->node = m->nnodes++;
		if (m->depth == 0)
			m->depth = 1;
	}
}

/* Allocates for all workers and fills them in: CPUs, then the other kinds in order. */
static int machine_fill(struct xy_machine *m, struct xy__topology *t,
			const struct xy__machine_plan *plan)
{
	unsigned ndevices = plan->count[XY_CUDA] + plan->count[XY_OPENCL];
	unsigned nworkers = (plan->all ? t->ncores : plan->count[XY_CPU]) + ndevices;
	struct xy__place *places = realloc(t->places, (t->nplaces + ndevices) * sizeof(*places));

	if (!places)
		return -ENOMEM;
	t->places = places;
	m->workers = malloc(nworkers * sizeof(*m->workers));
	m->place_of = malloc(nworkers * sizeof(*m->place_of));
	if (!m->workers || !m->place_of)
		return -ENOMEM;
	m->here = plan->here;
	m->ncores = plan->here ? t->ncores : 0;
	m->depth = t->depth;
	m->nnodes = 1;
	if (plan->all)
		machine_add_cpus(m, t, t->ncores, 1);
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		for (unsigned i = 0; i < plan->nitems; i++)
			if (plan->items[i].arch != arch)
				continue;
			else if (arch == XY_CPU)
				machine_add_cpus(m, t, plan->items[i].count, plan->items[i].speed);
			else
				machine_add_devices(m, t, &plan->items[i]);
	assert(m->nworkers == nworkers);
	m->places = t->places;
	t->places = NULL;
	return 0;
}

int xy__machine_create(struct xy_machine **machine, const char *text, unsigned ncpu, char *error,
		       size_t error_size)
{
	struct xy__machine_plan plan;
	struct xy__topology t;
	struct xy_machine *m;
	int status;

	*machine = NULL;
	text = text ? text : "";
	status = xy__machine_plan(&plan, text, ncpu, error, error_size);
	if (!status)
		status = machine_topology(&t, &plan, text, error, error_size);
	if (status)
		return status;
	m = calloc(1, sizeof(*m));
	if (plan.all && t.ncores > XY__CORES_MAX - plan.count[XY_CUDA] - plan.count[XY_OPENCL])
		status = xy__machine_fail(-ERANGE, text, text,
					  "a machine has at most 100000 workers", error,
					  error_size);
	else if (!m || machine_fill(m, &t, &plan))
		status = xy__machine_fail(-ENOMEM, text, text, "not enough memory", error,
					  error_size);
	xy__topology_fini(&t);
	if (status)
		xy_machine_destroy(m);
	else
		*machine = m;
	return status;
}

int xy_machine_create(struct xy_machine **machine, const char *text, char *error, size_t error_size)
{
	return xy__machine_create(machine, text, 0, error, error_size);
}

void xy_machine_destroy(struct xy_machine *machine)
{
	if (!machine)
		return;
	free(machine->places);
	free(machine->place_of);
	free(machine->workers);
	free(machine);
}

unsigned xy_machine_nworkers(const struct xy_machine *machine)
{
	return machine->nworkers;
}

unsigned xy_machine_nnodes(const struct xy_machine *machine)
{
	return machine->nnodes;
}

const struct xy_worker_info *xy_machine_worker(const struct xy_machine *machine, unsigned worker)
{
	return worker < machine->nworkers ? &machine->workers[worker] : NULL;
}

unsigned xy_machine_distance(const struct xy_machine *machine, unsigned a, unsigned b)
{
	const struct xy__place *places = machine->places;
	unsigned x, y;

	assert(a < machine->nworkers && b < machine->nworkers);
	if (a == b)
		return 0;
	x = machine->place_of[a];
	y = machine->place_of[b];
	while (x != y) {
		unsigned dx = places[x].depth, dy = places[y].depth;

		if (dx >= dy)
			x = places[x].parent;
		if (dy >= dx)
			y = places[y].parent;
	}
	return machine->depth - places[x].depth + 1;
}

bool xy_machine_is_here(const struct xy_machine *machine)
{
	return machine->here;
}

unsigned xy_machine_ncores(const struct xy_machine *machine)
{
	return machine->ncores;
}

int xy__machine_bind(const struct xy_machine *machine, unsigned worker)
{
	const struct xy_worker_info *w = xy_machine_worker(machine, worker);
	cpu_set_t *set;
	size_t size;
	int error;

	assert(w);
	if (w->pu < 0)
		return 0;
	set = CPU_ALLOC((size_t) w->pu + 1);
	if (!set)
		return -ENOMEM;
	size = CPU_ALLOC_SIZE((size_t) w->pu + 1);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t) w->pu, size, set);
	error = pthread_setaffinity_np(pthread_self(), size, set);
	CPU_FREE(set);
	return -error;
}
