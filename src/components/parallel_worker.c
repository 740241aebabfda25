/* SPDX-License-Identifier: MIT */
/*
 * parallel-worker: the leaf where several workers take a task together. Like a worker it has room for
 * one task that is pushed at it; members also pull for it when they have nothing else. Invariant: the
 * first task here has a ticket, and each member that has not joined for it is called.
 */
#include "components/parallel_worker.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/task/queue.h"
#include "core/util/futex.h"

static struct xy__team *team_of(struct xy_component *self)
{
	return (struct xy__team *)self;
}

static struct xy__tree_teams *team_all(const struct xy__team *team)
{
	return team->base.tree->teams;
}

static void team_lock(struct xy__team *team, struct xy_agent *by)
{
	xy_lock_take(&team_all(team)->lock, &team->base, by);
}

static void team_unlock(struct xy__team *team, struct xy_agent *by)
{
	xy_lock_drop(&team_all(team)->lock, &team->base, by);
}

/* --- calling --- */

/* Gives the first task its ticket. The lock is held. */
static void team_call(struct xy__team *team)
{
	_Atomic unsigned *calls = team_all(team)->calls;

	team->ticket = ++team_all(team)->tickets;
	team->narrived = 0;
	memset(team->arrived, 0, team->base.nmembers * sizeof *team->arrived);
	for (unsigned i = 0; i < team->base.nmembers; i++)
		atomic_fetch_add_explicit(&calls[team->base.members[i]], 1, memory_order_relaxed);
}

/* Wakes the members that sleep. The others see that they are called before they sleep. */
static void team_wake(struct xy__team *team)
{
	struct xy__tree_engine *engine = team->base.tree->engine;

	if (!engine)
		return;
	xy__fence(); /* the members were called before; pairs with the fence of a worker going to sleep */
	for (unsigned i = 0; i < team->base.nmembers; i++)
		engine->wake(engine, team->base.members[i]);
}

/* Keeps a task; the caller holds the lock, and wakes the members without it if this is the first. */
static bool team_keep(struct xy__team *team, struct xy_task *task)
{
	bool first = !xy_queue_count(&team->queue);

	xy__queue_insert(&team->queue, task);
	if (first)
		team_call(team);
	return first;
}

static bool team_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__team *team = team_of(self);
	bool taken;

	team_lock(team, by);
	taken = !xy_queue_count(&team->queue);
	if (taken)
		team_keep(team, task);
	else
		team->turned_away = true;
	team_unlock(team, by);
	if (taken)
		team_wake(team);
	return taken;
}

/* --- coming together --- */

static unsigned team_rank(const struct xy__team *team, unsigned worker)
{
	unsigned rank = 0;

	while (team->base.members[rank] != worker)
		rank++;
	return rank;
}

/* The team with the lowest ticket, NULL without one. The lock is held. */
static struct xy__team *team_first(struct xy__team *const *teams, unsigned nteams)
{
	struct xy__team *first = NULL;

	for (unsigned i = 0; i < nteams; i++)
		if (teams[i]->ticket && (!first || teams[i]->ticket < first->ticket))
			first = teams[i];
	return first;
}

/* All have come: the task leaves, and the next one calls, if there is one. The lock is held. */
static void team_begin(struct xy__team *team)
{
	xy_queue_remove(&team->queue, xy_queue_first(&team->queue));
	team->rounds++;
	team->ticket = 0;
	if (xy_queue_count(&team->queue))
		team_call(team);
}

/* Tells the parents that there is room, repeatedly until it is filled, like a worker. */
static void team_refill(struct xy__team *team, struct xy_agent *by)
{
	bool full = false;

	while (!full && xy_can_push_parents(&team->base, by)) {
		team_lock(team, by);
		full = xy_queue_count(&team->queue);
		if (full)
			team->turned_away = true;
		team_unlock(team, by);
	}
}

bool xy__team_join(struct xy__team *const *teams, unsigned nteams, struct xy__team_place *place, struct xy_agent *by)
{
	struct xy__tree_teams *all = nteams ? team_all(teams[0]) : NULL;
	unsigned worker = (unsigned)by->worker;
	struct xy__team *team;
	bool refill = false;

	if (!all || !xy__team_calls(all, worker))
		return false;
	team_lock(teams[0], by);
	team = team_first(teams, nteams);
	*place = (struct xy__team_place){ .team = team };
	if (team) {
		place->task = xy_queue_first(&team->queue);
		place->rank = team_rank(team, worker);
		place->round = team->rounds;
		team->arrived[place->rank] = true;
		place->last = ++team->narrived == team->base.nmembers;
		atomic_fetch_sub_explicit(&all->calls[worker], 1, memory_order_relaxed);
		if (place->last) {
			team_begin(team);
			refill = team->turned_away && !xy_queue_count(&team->queue);
			if (refill)
				team->turned_away = false;
		}
	}
	team_unlock(teams[0], by);
	if (refill)
		team_refill(team, by);
	return team != NULL;
}

bool xy__team_fetch(struct xy__team *team, struct xy_agent *by)
{
	unsigned archs = by->archs;
	struct xy_task *task;
	bool first;

	by->archs = XY_ON_TEAM;
	by->team = &team->base;
	task = xy_pull_parents(&team->base, by);
	by->archs = archs;
	by->team = NULL;
	if (!task)
		return false;
	atomic_fetch_add_explicit(&team->base.shards[by->shard].pulled, 1, memory_order_relaxed);
	team_lock(team, by);
	first = team_keep(team, task);
	team_unlock(team, by);
	if (first)
		team_wake(team);
	return true;
}

/* --- offers and looking --- */

/* One member that looks is enough: it asks for the team, and calls the others. */
static bool team_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;

	if (offer->task && !xy_task_can_run_below(offer->task, self))
		return false;
	for (unsigned i = 0; i < self->nmembers; i++) {
		enum xy__wake wake = XY__WAKE_BUSY;

		if (by->worker == (int)self->members[i] && xy_agent_keep_offer(by, offer->task ? 0 : offer->archs))
			return true;
		if (engine)
			wake = engine->wake(engine, self->members[i]);
		if (wake == XY__WAKE_WOKEN || (wake == XY__WAKE_LOOKING && !offer->task))
			return true;
	}
	return false;
}

/* A pull at the leaf itself never returns a team's task, but asks the parents for one. */
static struct xy_task *team_pull(struct xy_component *self, struct xy_agent *by)
{
	if (by->worker >= 0)
		xy__team_fetch(team_of(self), by);
	return NULL;
}

static bool team_is_bounded(const struct xy_component *self)
{
	(void)self;
	return true;
}

static size_t team_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&team_of(self)->queue);
	return xy_queue_count(&team_of(self)->queue);
}

static double team_stored_us(struct xy_component *self)
{
	return xy_queue_length_us(&team_of(self)->queue);
}

static void team_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	team_lock(team_of(self), &nobody);
	xy_queue_each(&team_of(self)->queue, visit, arg);
	team_unlock(team_of(self), &nobody);
}

void xy__team_missing(struct xy__team *team, void (*visit)(void *arg, const struct xy_task *task, const bool *arrived),
		      void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	team_lock(team, &nobody);
	if (team->ticket)
		visit(arg, xy_queue_first(&team->queue), team->arrived);
	team_unlock(team, &nobody);
}

static int team_init(struct xy_component *self)
{
	struct xy__team *team = team_of(self);

	if (self->predicted)
		xy_queue_predict(&team->queue);
	team->arrived = calloc(self->nmembers, sizeof *team->arrived);
	return team->arrived ? 0 : -ENOMEM;
}

static void team_fini(struct xy_component *self)
{
	free(team_of(self)->arrived);
	team_of(self)->arrived = NULL;
}

static const struct xy_option team_options[] = { { .name = "id",
						   .help = "number of the team",
						   .type = XY_OPTION_UNSIGNED,
						   .offset = offsetof(struct xy__team, id),
						   .initial = 0,
						   .min = 0,
						   .max = INFINITY },
						 { 0 } };

const struct xy_component_ops xy__parallel_worker_ops = {
	.name = "parallel-worker",
	.summary = "the leaf where a team of workers takes a task",
	.manual = "The leaf of a team: CPU workers that share a cache, a memory node, a package or the\n"
		  "whole machine. `each team { ... }` makes one for each team of the machine. It accepts\n"
		  "only tasks of a codelet with parallel = XY_FORK_JOIN or XY_SPMD whose most_ranks is 0 or\n"
		  "at least the size of the team.\n"
		  "\n"
		  "An arriving task calls the members. Each joins when it has finished its current task,\n"
		  "and waits, asleep after a short while, until the last one has joined; then the task\n"
		  "starts. A member joins the team that called it first, so overlapping teams never wait\n"
		  "for each other. Between two tasks of teams, a member runs one of its own, if it has any.\n"
		  "\n"
		  "The leaf has room for one pushed task. Idle members also pull one from above it.\n",
	.flags = XY_LEAF,
	.size = sizeof(struct xy__team),
	.options = team_options,
	.init = team_init,
	.fini = team_fini,
	.push = team_push,
	.pull = team_pull,
	.can_pull = team_can_pull,
	.is_bounded = team_is_bounded,
	.depth = team_depth,
	.stored_us = team_stored_us,
	.each_task = team_each_task,
};
