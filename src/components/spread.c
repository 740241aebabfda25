/* SPDX-License-Identifier: MIT */
/*
 * The order in which such mappers try their children. The state is whose turn it is, and which children
 * are full, so that with many of them one task does not knock at all the doors.
 */
#include "components/spread.h"

#include <errno.h>
#include <stdlib.h>
#include "core/task/refusals.h"
#include "core/tree/tree.h"

int xy__spread_init(struct xy__spread *spread, const struct xy_component *self)
{
	unsigned nworkers = xy_machine_nworkers(xy_component_machine(self));

	spread->own = malloc(nworkers * sizeof *spread->own);
	spread->full = calloc(self->nchildren, XY__REFUSALS * sizeof *spread->full);
	if (!spread->own || !spread->full) {
		xy__spread_fini(spread);
		return -ENOMEM;
	}
	for (unsigned worker = 0; worker < nworkers; worker++)
		spread->own[worker] = -1;
	/* backwards: the first child that leads to a worker counts; teams do not */
	for (unsigned i = self->nchildren; i-- > 0;)
		for (unsigned k = 0; (self->children[i]->archs & XY_ON_ALL) && k < self->children[i]->nworkers; k++)
			spread->own[self->children[i]->workers[k]] = (int)i;
	return 0;
}

void xy__spread_fini(struct xy__spread *spread)
{
	free(spread->full);
	free(spread->own);
	spread->full = NULL;
	spread->own = NULL;
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

/* Whether the task should rather wait for room in another child, which needs no data from other devices. */
static bool spread_keeps(const struct xy_component *self, const struct xy__spread *spread, unsigned i,
			 const struct xy_task *task)
{
	if (!spread->keeps || !xy__task_is_elsewhere(task, self->children[i]->workers[0]))
		return false;
	for (unsigned k = 0; k < self->nchildren; k++)
		if (self->children[k]->takes_pushes && !xy__task_is_elsewhere(task, self->children[k]->workers[0]) &&
		    xy_task_can_run_below(task, self->children[k]))
			return true;
	return false;
}

/*
 * The mark is set before the push and cleared if that is taken. A child that refuses says can_push later,
 * and its lock puts that after the mark, so that no mark stays on a child that has room. All relaxed.
 */
static bool spread_give(struct xy_component *self, struct xy__spread *spread, unsigned i, struct xy_task *task,
			struct xy_agent *by)
{
	struct xy_component *child = self->children[i];
	_Atomic uint8_t *full = &spread->full[xy__refusal(i, task)];

	if (!child->takes_pushes || !xy_task_can_run_below(task, child) || spread_keeps(self, spread, i, task))
		return false;
	if (task->constrained) /* is not like others of its architectures */
		return xy_push(child, task, by);
	if (atomic_load_explicit(full, memory_order_relaxed) == task->archs)
		return false;
	atomic_store_explicit(full, task->archs, memory_order_relaxed);
	if (!xy_push(child, task, by))
		return false;
	atomic_store_explicit(full, 0, memory_order_relaxed);
	return true;
}

void xy__spread_room(struct xy_component *self, struct xy__spread *spread, const struct xy_component *child,
		     const struct xy_agent *by)
{
	int own = xy__spread_own(spread, by);
	unsigned i = 0;

	if (own >= 0 && self->children[own] == child)
		i = (unsigned)own;
	while (self->children[i] != child)
		i++;
	for (unsigned k = 0; k < XY__REFUSALS; k++)
		atomic_store_explicit(&spread->full[i * XY__REFUSALS + k], 0, memory_order_relaxed);
}

bool xy__spread_push(struct xy_component *self, struct xy__spread *spread, struct xy_task *task, struct xy_agent *by)
{
	int own = xy__spread_own(spread, by);
	unsigned at = spread_begin(spread);

	if (own >= 0 && spread_give(self, spread, (unsigned)own, task, by))
		return true;
	for (unsigned n = self->nchildren; n > 0; n--) {
		if ((int)at != own && spread_give(self, spread, at, task, by)) {
			spread_end(spread, at, self->nchildren);
			return true;
		}
		if (++at == self->nchildren)
			at = 0;
	}
	return false;
}

/*
 * The child of the worker alone that shares its processor with an application thread, which goes on running: to be
 * told last. -1: there is none.
 */
static int spread_neighbour(const struct xy_component *self, const struct xy__spread *spread, const struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;
	int worker = by->worker < 0 && engine && engine->neighbour ? engine->neighbour(engine) : -1;
	int child = worker < 0 ? -1 : spread->own[worker];

	return child >= 0 && self->children[child]->nworkers == 1 ? child : -1;
}

/* Tells those children in turn that have some of these architectures below, and none of the others; not `but`. */
static bool spread_tell(struct xy_component *self, struct xy__spread *spread, const struct xy_offer *offer,
			struct xy_agent *by, unsigned with, unsigned without, int but)
{
	unsigned at = spread_begin(spread);

	for (unsigned n = self->nchildren; n > 0; n--) {
		unsigned archs = self->children[at]->archs;

		if ((int)at != but && (archs & with) && !(archs & without) &&
		    xy_can_pull(self->children[at], offer, by)) {
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
	unsigned devices = XY_ON_ALL & ~XY_ON_CPU & self->archs;
	int own = xy__spread_own(spread, by), neighbour;

	if (own >= 0 && xy_can_pull(self->children[own], offer, by))
		return true;
	devices &= offer->archs;
	if (devices && spread_tell(self, spread, offer, by, devices, 0, own))
		return true;
	neighbour = spread_neighbour(self, spread, by);
	if (spread_tell(self, spread, offer, by, offer->archs, devices, neighbour < 0 ? own : neighbour))
		return true;
	return neighbour >= 0 && (self->children[neighbour]->archs & offer->archs) &&
	       xy_can_pull(self->children[neighbour], offer, by);
}
