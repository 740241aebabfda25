/* SPDX-License-Identifier: MIT */
/*
 * Finding a task to launch behind others. The successors of the last launched task are candidates. A task that is taken
 * counts itself as missing, so that its last predecessor doesn't give it to the scheduler.
 */
#include "core/runtime/behind.h"

#include "core/data/copy.h"
#include "core/lockfree/successors.h"
#include "core/task/division.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/runtime.h"

enum { MOST_EDGES = 64, MOST_ACCESSES = 64 };

static const unsigned unfit = XY__TASK_COMMUTES | XY__TASK_ACQUIRE | XY__TASK_UNCOUNTED | XY__TASK_CHOICE |
			      XY__TASK_NESTED | XY__TASK_DATA | XY__TASK_CLOSES | XY__TASK_COMBINES | XY__TASK_REDUX;

/* Whether a task ends when its launch does, and well or for good. */
static bool behind_may_follow(struct xy_task *before)
{
	return !(before->flags & (XY__TASK_NESTED | XY__TASK_DATA)) && !xy__task_part(before) &&
	       !(before->extra && (before->extra->retries || before->extra->division || before->extra->places));
}

static bool behind_is_plain(const struct xy_task *task)
{
	return xy__task_codelet(task) && !xy__task_codelet(task)->never_behind && !(task->flags & unfit) &&
	       task->naccesses <= MOST_ACCESSES && !xy__task_part(task) &&
	       !(task->extra && (task->extra->division || task->extra->places)) &&
	       /* relaxed: its predecessors have told it */
	       !atomic_load_explicit(&((struct xy_task *)task)->status, memory_order_relaxed);
}

/* Whether it overwrites what is to be saved elsewhere before. */
static bool behind_overwrites(struct xy_task *task)
{
	for (unsigned i = 0; i < task->naccesses; i++) {
		uintptr_t access = xy__task_accesses(task)[i];
		const struct xy__copies *copies = xy__access_handle(access)->copies;

		if ((access & XY_W) && copies && atomic_load(&((struct xy__copies *)copies)->write_through))
			return true;
	}
	return false;
}

/* Whether it needs a buffer of its worker's own. */
static bool behind_uses_own(struct xy_task *task)
{
	for (unsigned i = 0; i < task->naccesses; i++)
		if (xy__task_accesses(task)[i] & XY_SCRATCH)
			return true;
	return false;
}

/* How many of the edges in the list of a task lead to another one. Too many: none. */
static int behind_count(struct xy_task *before, const struct xy_task *task)
{
	/* acquire: pairs with the release in xy__successors_add */
	struct xy__edge *edge = xy__head_edge(atomic_load_explicit(&before->successors, memory_order_acquire));
	int n = 0;

	for (unsigned i = 0; edge; i++) {
		uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);

		if (i == MOST_EDGES)
			return 0;
		n += (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS) == task &&
		     !(target & (XY__EDGE_WAITER | XY__EDGE_END));
		edge = atomic_load_explicit(&edge->next, memory_order_relaxed);
	}
	return n;
}

/* Whether all that the task waits for has been launched here: then only this thread can release it. */
static bool behind_is_next(struct xy_task *task, const struct xy__launched *launched)
{
	/* acquire: after the end of its submission, which removes a large bias */
	int missing = atomic_load_explicit(&task->missing, memory_order_acquire);

	if (missing < 1 || missing > XY__SUBMITTING / 2)
		return false;
	for (unsigned i = 0; i < launched->n; i++)
		missing -= behind_count(launched->tasks[i], task);
	return !missing;
}

/* Whether no other worker is known to run it faster, and none may be about to find out. */
static bool behind_is_at_home(const struct xy__worker *worker, struct xy_task *task)
{
	struct xy_prediction here = xy_task_length(task, worker->id, 0);

	if (here.kind == XY_PREDICTION_VALUE && worker->agent.runtime->accounts)
		xy_task_set_expected(task, here.us);
	for (unsigned i = 0; i < worker->agent.runtime->nworkers && here.kind == XY_PREDICTION_VALUE; i++) {
		struct xy_prediction there;

		if (i == worker->id || !xy_task_can_run_with(task, i, 0))
			continue;
		there = xy_task_length(task, i, 0);
		if (there.kind != XY_PREDICTION_VALUE || there.us < here.us)
			return false;
	}
	return here.kind != XY_PREDICTION_UNKNOWN;
}

static bool behind_is_possible(const struct xy__worker *worker, struct xy_task *task,
			       const struct xy__launched *launched)
{
	return behind_is_next(task, launched) && behind_is_plain(task) && !behind_overwrites(task) &&
	       !(launched->apart && behind_uses_own(task)) &&
	       xy__inbox_context(worker->agent.runtime, task) == worker->context &&
	       xy_task_can_run_with(task, worker->id, 0) && behind_is_at_home(worker, task);
}

/* The task whose edge was added first, as it was submitted first. */
static struct xy_task *behind_find(const struct xy__worker *worker, const struct xy__launched *launched)
{
	struct xy_task *last = launched->tasks[launched->n - 1], *found = NULL, *seen = NULL;
	/* acquire: pairs with the release in xy__successors_add */
	struct xy__edge *edge = xy__head_edge(atomic_load_explicit(&last->successors, memory_order_acquire));

	for (unsigned i = 0; edge && i < MOST_EDGES; i++) {
		uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);
		struct xy_task *task = (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS);

		if (!(target & (XY__EDGE_WAITER | XY__EDGE_END | XY__EDGE_ACQUIRE)) && task != seen &&
		    behind_is_possible(worker, task, launched))
			found = task;
		seen = task;
		edge = atomic_load_explicit(&edge->next, memory_order_relaxed);
	}
	return found;
}

struct xy_task *xy__behind_take(struct xy__worker *worker, const struct xy__launched *launched)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	if (!rt->shares || rt->awaits || rt->notes_runs || worker->member ||
	    atomic_load_explicit(&worker->choosy, memory_order_relaxed))
		return NULL;
	for (unsigned i = 0; i < launched->n; i++)
		if (!behind_may_follow(launched->tasks[i]))
			return NULL;
	task = behind_find(worker, launched);
	if (!task)
		return NULL;
	atomic_fetch_add_explicit(&task->missing, 1, memory_order_relaxed); /* only this thread decrements it */
	/* relaxed: as in xy__inbox_put */
	if (atomic_load_explicit(&rt->notes, memory_order_relaxed) & XY__NOTES_READY)
		xy__notes_ready(rt, task);
	xy__task_set_state(task, XY__TASK_RUNNING);
	return task;
}

uint64_t xy__behind_coming(struct xy_task *task, const struct xy__launched *launched)
{
	uint64_t coming = 0;

	for (unsigned i = 0; i < task->naccesses; i++) {
		uintptr_t access = xy__task_accesses(task)[i];

		for (unsigned k = 0; k < launched->n && !(access & XY_SCRATCH); k++)
			for (unsigned j = 0; j < launched->tasks[k]->naccesses; j++) {
				uintptr_t before = xy__task_accesses(launched->tasks[k])[j];

				if (xy__access_handle(before) == xy__access_handle(access) &&
				    (before & (XY_W | XY_SCRATCH | XY_REDUX)) == XY_W)
					coming |= (uint64_t)1 << i;
			}
	}
	return coming;
}
