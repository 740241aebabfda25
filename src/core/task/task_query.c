/* SPDX-License-Identifier: MIT */
/* Queries about a task, for components. */
#include <errno.h>
#include <math.h>
#include <xylem/component.h>

#include "core/task/handle.h"
#include "core/task/pool.h"
#include "core/task/task.h"
#include "core/util/arch.h"

static bool pinned_elsewhere(const struct xy_task *task, unsigned worker)
{
	const struct xy__task_extra *extra = task->extra;

	if (!extra || !extra->nworkers)
		return false;
	for (unsigned i = 0; i < extra->nworkers; i++)
		if (extra->workers[i] == worker)
			return false;
	return true;
}

/* See runtime/decline.h. */
static bool declined_by(const struct xy_task *task, unsigned worker)
{
	const struct xy__task_extra *extra = task->extra;
	uint64_t nodes = extra ? extra->declined | extra->passed : 0;

	return nodes && (nodes >> task->pool->places->nodes[worker] & 1);
}

int xy_task_priority(const struct xy_task *task)
{
	return task->priority;
}

unsigned xy_task_choice(const struct xy_task *task)
{
	return task->extra ? task->extra->choice : 0;
}

void *xy_task_sched_data(const struct xy_task *task)
{
	return task->extra ? task->extra->sched_data : NULL;
}

double xy_task_deadline_us(const struct xy_task *task)
{
	return task->extra && task->extra->deadline_s > 0 ? task->extra->deadline_s * 1e6 : INFINITY;
}

unsigned xy_task_archs(const struct xy_task *task)
{
	return task->archs;
}

/* How many workers had died when this one did; 0 while it lives. */
static unsigned death_of(const struct xy_task *task, unsigned worker)
{
	if (!xy__pool_has_deaths(task->pool))
		return 0;
	return atomic_load_explicit(&task->pool->deaths->of[worker], memory_order_relaxed);
}

/* Whether a worker could run it, dead or alive. */
static bool fits_with(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct xy_worker_info *info = xy_machine_worker(task->pool->machine, worker);
	const struct xy_codelet *codelet = xy__task_codelet(task);

	if (!info || !(task->archs & 1u << info->arch) || implementation >= XY_NIMPLEMENTATIONS)
		return false;
	if (!codelet)
		return implementation == 0;
	if (!xy__arch_functions(codelet, info->arch)[implementation])
		return false;
	if (!task->constrained)
		return true;
	return !pinned_elsewhere(task, worker) && !declined_by(task, worker) &&
	       (!codelet->can_execute || codelet->can_execute(task, worker, implementation));
}

static bool fits(const struct xy_task *task, unsigned worker)
{
	const struct xy_worker_info *info = xy_machine_worker(task->pool->machine, worker);

	if (!info || !(task->archs & 1u << info->arch))
		return false;
	if (!task->constrained)
		return true;
	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++)
		if (fits_with(task, worker, i))
			return true;
	return false;
}

/* Tasks that could come to a worker that is dead are constrained, or become so when it sends them away. */
static bool can_run_alive(const struct xy_task *task, unsigned worker)
{
	return fits(task, worker) && !(task->constrained && death_of(task, worker));
}

bool xy__task_can_run_alive(const struct xy_task *task)
{
	unsigned n = xy_machine_nworkers(task->pool->machine);

	for (unsigned i = 0; i < n; i++)
		if (can_run_alive(task, i))
			return true;
	return false;
}

/* No live worker can run it, and this dead one has not given it back yet. */
static bool is_last_resort(const struct xy_task *task, unsigned worker)
{
	unsigned n = xy_machine_nworkers(task->pool->machine);

	if (!xy__task_can_take(task, worker))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (can_run_alive(task, i))
			return false;
	return true;
}

bool xy_task_can_run_with(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	return fits_with(task, worker, implementation) &&
	       (!(task->constrained && death_of(task, worker)) || is_last_resort(task, worker));
}

bool xy_task_can_run(const struct xy_task *task, unsigned worker)
{
	return fits(task, worker) && (!(task->constrained && death_of(task, worker)) || is_last_resort(task, worker));
}

bool xy__task_can_take(const struct xy_task *task, unsigned worker)
{
	return fits(task, worker) &&
	       !(task->flags & XY__TASK_SENT && death_of(task, worker) && task->sent_at >= death_of(task, worker));
}

unsigned xy__task_team_implementation(const struct xy_task *task, const struct xy_component *team)
{
	unsigned i, j;

	for (i = 0; i < XY_NIMPLEMENTATIONS; i++) {
		for (j = 0; j < team->nmembers && xy_task_can_run_with(task, team->members[j], i); j++)
			;
		if (j == team->nmembers)
			break;
	}
	return i;
}

static bool can_run_in_team(const struct xy_task *task, const struct xy_component *team)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);

	if (!(task->archs & XY_ON_TEAM) || !codelet || (codelet->most_ranks && codelet->most_ranks < team->nmembers))
		return false;
	return xy__task_team_implementation(task, team) < XY_NIMPLEMENTATIONS;
}

static bool can_run_below(const struct xy_task *task, const struct xy_component *c,
			  bool (*can_run)(const struct xy_task *task, unsigned worker))
{
	if (!(task->archs & c->archs))
		return false;
	if (!task->constrained)
		return true;
	for (unsigned i = 0; (c->archs & XY_ON_ALL) && i < c->nworkers; i++)
		if (can_run(task, c->workers[i]))
			return true;
	for (unsigned i = 0; i < c->nteams; i++)
		if (can_run_in_team(task, c->teams[i]))
			return true;
	return false;
}

bool xy__task_has_live_below(const struct xy_task *task, const struct xy_component *c)
{
	if (!xy__pool_has_deaths(task->pool))
		return xy_task_can_run_below(task, c);
	for (unsigned i = 0; (c->archs & XY_ON_ALL) && i < c->nworkers; i++)
		if (fits(task, c->workers[i]) && !death_of(task, c->workers[i]))
			return true;
	return false;
}

bool xy_task_can_run_below(const struct xy_task *task, const struct xy_component *c)
{
	return can_run_below(task, c, xy_task_can_run);
}

bool xy__task_can_run_alive_below(const struct xy_task *task, const struct xy_component *c)
{
	return can_run_below(task, c, can_run_alive);
}

size_t xy_task_missing_bytes(const struct xy_task *task, unsigned worker)
{
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	size_t bytes = 0;

	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		unsigned node = task->pool->places->nodes[worker];

		if ((accesses[i] & (XY_R | XY_REDUX)) == XY_R && h->copies && xy__task_brings(task, i, &node) &&
		    !(atomic_load_explicit(&h->valid, memory_order_relaxed) >> node & 1))
			bytes += h->size_bytes;
	}
	return bytes;
}

bool xy__task_is_elsewhere(const struct xy_task *task, unsigned worker)
{
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);

	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);
		uint64_t valid = atomic_load_explicit(&h->valid, memory_order_relaxed);
		unsigned node = task->pool->places->nodes[worker];

		if ((accesses[i] & (XY_R | XY_REDUX)) == XY_R && h->copies && valid &&
		    xy__task_brings(task, i, &node) && !(valid & task->pool->places->common) && !(valid >> node & 1))
			return true;
	}
	return false;
}

unsigned xy_call_node(const struct xy_call *call, unsigned i)
{
	const struct xy__place *places = xy__task_places(call->task);

	return places ? places[i].node : xy_machine_worker(call->task->pool->machine, call->worker)->node;
}

void *xy_task_argument(const struct xy_task *task)
{
	return task->arg;
}

unsigned xy_task_nhandles(const struct xy_task *task)
{
	return task->naccesses;
}

const struct xy_handle *xy_task_handle(const struct xy_task *task, unsigned i)
{
	return i < task->naccesses ? xy__access_handle(xy__task_accesses((struct xy_task *)task)[i]) : NULL;
}

void xy_task_set_implementation(struct xy_task *task, unsigned implementation)
{
	task->implementation = (uint8_t)implementation;
}

void xy_task_set_expected(struct xy_task *task, double us)
{
	task->expected_us = us > 0 && us < INFINITY ? (float)us : 0;
}

const char *xy_task_name(const struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	/* acquire: pairs with the release in xy__task_set_name */
	if (atomic_load_explicit(&((struct xy_task *)task)->codelet, memory_order_acquire) & XY__NAMED)
		return atomic_load_explicit(&((struct xy_task *)task)->name, memory_order_relaxed);
	return codelet && codelet->name ? codelet->name : "without a name";
}

unsigned long long xy_task_number(const struct xy_task *task)
{
	return atomic_load_explicit(&((struct xy_task *)task)->number, memory_order_relaxed);
}
