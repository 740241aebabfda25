/* SPDX-License-Identifier: MIT */
/* Offering again what rests in reservoirs: for workers that leave tasks to others, and for components that had turned
 * some away. */
#include "core/tree/offer.h"

#include "core/task/task.h"
#include "core/util/futex.h"

/* The tasks resting in a reservoir. */
struct rest {
	const struct xy_component *reservoir;
	uint64_t kinds[4]; /* set of the archs, which are below 256, of unconstrained tasks */
	bool turned_away;  /* also those that only one worker can run: it may have been here */
};

/* A worker that was woken for this task may have taken another one: wakes the next that can run it. The component holds
 * the task. */
static void rest_see_task(void *arg, const struct xy_task *task)
{
	struct rest *rest = arg;
	const struct xy_component *reservoir = rest->reservoir;
	struct xy__tree_engine *engine = reservoir->tree->engine;

	if (!task->constrained) {
		rest->kinds[task->archs / 64] |= (uint64_t)1 << task->archs % 64;
		return;
	}
	if (task->extra && task->extra->nworkers == 1 && !rest->turned_away)
		return;
	for (unsigned i = 0; i < reservoir->nworkers && xy__any_worker_sleeps(engine); i++)
		if (xy_task_can_run(task, reservoir->workers[i]) &&
		    engine->wake(engine, reservoir->workers[i]) == XY__WAKE_WOKEN)
			return;
}

static void rest_offer(struct rest *rest, struct xy_component *reservoir, struct xy_agent *by)
{
	const struct xy_component_ops *ops = reservoir->ops;

	rest->reservoir = reservoir;
	(ops->each_distinct ? ops->each_distinct : ops->each_task)(reservoir, rest_see_task, rest);
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t kinds = rest->kinds[i]; kinds; kinds &= kinds - 1)
			xy_can_pull_children(reservoir,
					     &(struct xy_offer){ .archs = 64 * i + (unsigned)__builtin_ctzll(kinds) },
					     by);
}

void xy__offer_stored(struct xy_component *reservoir, struct xy_agent *by)
{
	struct rest rest = { .turned_away = false };

	rest_offer(&rest, reservoir, by);
}

/* --- after tasks or workers were turned away --- */

/* Without a look at the tasks: to some worker of each architecture. */
static void offer_anything(struct xy_component *reservoir, struct xy_agent *by)
{
	for (unsigned archs = reservoir->archs; archs; archs &= archs - 1)
		xy_can_pull_children(reservoir, &(struct xy_offer){ .archs = archs & -archs }, by);
}

/* What rests at or above c, up to a component that decides: no pull comes from beyond. */
static void offer_from(struct xy_component *c, struct xy_agent *by)
{
	size_t peak;

	if (c->ops->flags & XY_DECIDES)
		return;
	if ((c->ops->flags & XY_STORES) && c->ops->depth && c->ops->depth(c, &peak)) {
		struct rest rest = { .turned_away = true };

		if (c->ops->each_task)
			rest_offer(&rest, c, by);
		else
			offer_anything(c, by);
	}
	for (unsigned i = 0; i < c->nparents; i++)
		offer_from(c->parents[i], by);
}

void xy_offer_again(struct xy_component *self, struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;

	xy_can_push_parents(self, by);
	if (!engine)
		return;
	xy__fence(); /* room was made before; pairs with the fence of a worker going to sleep */
	if (!xy__any_worker_sleeps(engine))
		return;
	for (unsigned i = 0; i < self->nparents; i++)
		offer_from(self->parents[i], by);
}

struct xy_task *xy_pull_by_push(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
	return NULL;
}

struct offerer {
	struct xy_component *self;
	struct xy_agent *by;
};

static void offerer_see_task(void *arg, const struct xy_task *task)
{
	const struct offerer *offerer = arg;
	const struct xy_offer offer = xy_offer_of(task);

	xy_can_pull_children(offerer->self, &offer, offerer->by);
}

void xy_queue_offer(struct xy_queue *q, struct xy_component *self, struct xy_agent *by)
{
	struct offerer offerer = { self, by };

	xy_queue_each_distinct(q, offerer_see_task, &offerer);
}
