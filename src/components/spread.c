/* SPDX-License-Identifier: MIT */
/*
 * The order in which such mappers try their children. The only state is whose turn it is.
 */
#include "components/spread.h"

#include <errno.h>
#include <stdlib.h>

int xy__spread_init(struct xy__spread *spread, const struct xy_component *self)
{
	unsigned nworkers = xy_machine_nworkers(xy_component_machine(self));

	spread->own = malloc(nworkers * sizeof *spread->own);
	if (!spread->own)
		return -ENOMEM;
	for (unsigned worker = 0; worker < nworkers; worker++)
		spread->own[worker] = -1;
	/* backwards: the first child that leads to a worker counts */
	for (unsigned i = self->nchildren; i-- > 0;)
		for (unsigned k = 0; k < self->children[i]->nworkers; k++)
			spread->own[self->children[i]->workers[k]] = (int)i;
	return 0;
}

void xy__spread_fini(struct xy__spread *spread)
{
	free(spread->own);
}

static unsigned spread_begin(struct xy__spread *spread)
{
	return atomic_load_explicit(&spread->turn, memory_order_relaxed);
}

/* The child at i got something: the next one is the one after it. */
static void spread_end(struct xy__spread *spread, unsigned i, unsigned nchildren)
{
	atomic_store_explicit(&spread->turn, i + 1 < nchildren ? i + 1 : 0, memory_order_relaxed);
}

static bool spread_give(struct xy_component *child, struct xy_task *task, struct xy_agent *by)
{
	return child->takes_pushes && xy_task_can_run_below(task, child) && xy_push(child, task, by);
}

bool xy__spread_push(struct xy_component *self, struct xy__spread *spread, struct xy_task *task,
		     struct xy_agent *by)
{
	int own = xy__spread_own(spread, by);
	unsigned at = spread_begin(spread);

	if (own >= 0 && spread_give(self->children[own], task, by))
		return true;
	for (unsigned n = self->nchildren; n > 0; n--) {
		if ((int)at != own && spread_give(self->children[at], task, by)) {
			spread_end(spread, at, self->nchildren);
			return true;
		}
		if (++at == self->nchildren)
			at = 0;
	}
	return false;
}

bool xy__spread_offer(struct xy_component *self, struct xy__spread *spread, const struct xy_offer *offer,
		      struct xy_agent *by)
{
	int own = xy__spread_own(spread, by);
	unsigned at = spread_begin(spread);

	if (own >= 0 && xy_can_pull(self->children[own], offer, by))
		return true;
	for (unsigned n = self->nchildren; n > 0; n--) {
		if ((int)at != own && xy_can_pull(self->children[at], offer, by)) {
			spread_end(spread, at, self->nchildren);
			return true;
		}
		if (++at == self->nchildren)
			at = 0;
	}
	return false;
}
