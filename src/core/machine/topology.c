/* SPDX-License-Identifier: MIT */
/*
 * From cores and the parts that they belong to, a tree of places. A level has a place for each part
 * that its neighbours above and below don't describe already, so no place has a single child.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/machine/topology.h"

int xy__topology_init(struct xy__topology *t, unsigned ncores, unsigned nlevels)
{
	assert(ncores <= XY__CORES_MAX && nlevels <= XY__LEVELS_MAX);
	*t = (struct xy__topology){ .ncores = ncores, .nlevels = nlevels };
	t->cores = calloc(ncores ? ncores : 1, xy__core_size(nlevels));
	if (!t->cores)
		return -ENOMEM;
	for (unsigned i = 0; i < ncores; i++)
		xy__topology_core(t, i)->pu = -1;
	return 0;
}

void xy__topology_fini(struct xy__topology *t)
{
	free(t->cores);
	free(t->places);
	*t = (struct xy__topology){ 0 };
}

/* The coarsest level at which a core is in another part than the one before it. */
static unsigned topology_change(const struct xy__topology *t, unsigned core)
{
	const struct xy__core *a = xy__topology_core(t, core - 1), *b = xy__topology_core(t, core);
	unsigned level = 0;

	while (level < t->nlevels && a->part[level] == b->part[level])
		level++;
	return level;
}

/* Chooses the levels that get places; depth[level] is that of its places, or 0 for none. Returns
 * how many places there will be. */
static unsigned topology_choose(struct xy__topology *t, unsigned depth[])
{
	unsigned nparts[XY__LEVELS_MAX + 1] = { 0 };
	unsigned last = 1, nplaces = 1 + t->ncores;

	for (unsigned i = 1; i < t->ncores; i++)
		nparts[topology_change(t, i)]++;
	for (unsigned level = 0, sum = 1; level < t->nlevels; level++) {
		sum += nparts[level];
		depth[level] = 0;
		if (sum > last && sum < t->ncores) {
			depth[level] = ++t->depth;
			nplaces += sum;
			last = sum;
		}
	}
	if (t->ncores > 0)
		t->depth++;
	return nplaces;
}

static unsigned topology_place(struct xy__topology *t, unsigned parent)
{
	t->places[t->nplaces] = (struct xy__place){ parent, t->places[parent].depth + 1 };
	return t->nplaces++;
}

/* Numbers the memory nodes in the order in which the cores show them. */
static int topology_number_nodes(struct xy__topology *t)
{
	unsigned highest = 0;
	unsigned *number; /* of each node, from 1; 0: not seen yet */

	for (unsigned i = 0; i < t->ncores; i++)
		if (xy__topology_core(t, i)->node > highest)
			highest = xy__topology_core(t, i)->node;
	number = calloc((size_t)highest + 1, sizeof(*number));
	if (!number)
		return -ENOMEM;
	for (unsigned i = 0; i < t->ncores; i++) {
		struct xy__core *core = xy__topology_core(t, i);

		if (!number[core->node])
			number[core->node] = ++t->nnodes;
		core->node = number[core->node] - 1;
	}
	if (t->nnodes == 0)
		t->nnodes = 1;
	free(number);
	return 0;
}

int xy__topology_build(struct xy__topology *t)
{
	unsigned depth[XY__LEVELS_MAX], current[XY__LEVELS_MAX + 1] = { 0 };
	unsigned nplaces = topology_choose(t, depth);

	t->places = malloc(nplaces * sizeof(*t->places));
	if (!t->places)
		return -ENOMEM;
	t->places[0] = (struct xy__place){ 0, 0 };
	t->nplaces = 1;
	for (unsigned i = 0; i < t->ncores; i++) {
		unsigned change = i == 0 ? 0 : topology_change(t, i);

		for (unsigned level = change; level < t->nlevels; level++)
			if (depth[level])
				current[depth[level]] = topology_place(t, current[depth[level] - 1]);
		xy__topology_core(t, i)->place = topology_place(t, current[t->depth - 1]);
	}
	assert(t->nplaces == nplaces);
	return topology_number_nodes(t);
}
