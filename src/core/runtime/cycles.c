/* SPDX-License-Identifier: MIT */
/*
 * Explicit dependencies between tasks, and the search for cycles: only a task that is not submitted
 * and that others wait for already can close one.
 */
#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "core/runtime/task_build.h"
#include "core/runtime/deps.h"
#include "core/runtime/record.h"
#include "core/runtime/submit.h"

/* Tasks whose successors are still to be marked. */
struct walk {
	struct xy_task **tasks;
	size_t count, capacity;
	uint32_t mark;
	const struct xy_task *goal; /* or NULL */
	bool found;                 /* the goal waits for what the walk began with */
};

static int walk_add(struct walk *walk, struct xy_task *task)
{
	walk->found |= walk->goal && task == walk->goal;
	if (xy__cycles_is_marked(task, walk->mark))
		return 0;
	if (walk->count == walk->capacity) {
		size_t capacity = walk->capacity ? 2 * walk->capacity : 16;
		struct xy_task **more = realloc(walk->tasks, capacity * sizeof *more);

		if (!more)
			return -ENOMEM;
		walk->tasks = more;
		walk->capacity = capacity;
	}
	atomic_store_explicit(&task->mark, walk->mark, memory_order_relaxed);
	walk->tasks[walk->count++] = task;
	return 0;
}

/* Adds the ancestors of a task: each of them ends after it. */
static int walk_add_ancestors(struct walk *walk, const struct xy_task *task)
{
	int error = 0;

	for (struct xy_task *parent = xy__children_parent(task); parent && !error; parent = xy__children_parent(parent))
		error = walk_add(walk, parent);
	return error;
}

/* Whether the parent of a task that has this edge is known. A task that is being submitted has none yet; one that ends
 * after others got it under cycles_lock. */
static bool walk_knows_parent(const struct xy_task *task, uintptr_t edge)
{
	/* acquire: pairs with the end of the submission, in xy__deps_submitted */
	return edge & XY__EDGE_END ||
	       atomic_load_explicit(&((struct xy_task *)task)->missing, memory_order_acquire) < XY__SUBMITTING / 2;
}

static int walk_successors(struct walk *walk, struct xy_task *task)
{
	/* acquire: pairs with the release in xy__successors_add */
	struct xy__edge *edge = xy__head_edge(atomic_load_explicit(&task->successors, memory_order_acquire));
	int error = 0;

	while (edge && !error) {
		uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);

		if (!(target & XY__EDGE_WAITER)) {
			struct xy_task *successor = (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS);

			error = walk_add(walk, successor);
			if (!error && walk_knows_parent(successor, target))
				error = walk_add_ancestors(walk, successor);
		}
		edge = atomic_load_explicit(&edge->next, memory_order_relaxed);
	}
	return error;
}

static int walk_run(struct walk *walk, struct xy_task *from, const struct xy_task *goal)
{
	int error = walk_add(walk, from);

	walk->goal = goal;
	if (!error)
		error = walk_add_ancestors(walk, from);
	while (walk->count && !error && !walk->found)
		error = walk_successors(walk, walk->tasks[--walk->count]);
	free(walk->tasks);
	return error;
}

int xy__cycles_mark(struct xy_runtime *rt, struct xy_task *task)
{
	struct walk walk = { .mark = ++rt->cycles_mark };

	return walk_run(&walk, task, NULL);
}

bool xy__cycles_reaches(struct xy_runtime *rt, struct xy_task *task, const struct xy_task *goal)
{
	struct walk walk = { .mark = ++rt->cycles_mark };

	walk_run(&walk, task, goal);
	return walk.found;
}

bool xy__cycles_has_successors(struct xy_task *task)
{
	return xy__head_edge(atomic_load_explicit(&task->successors, memory_order_acquire)) != NULL;
}

static int task_after_locked(struct xy_task *task, struct xy_task *before, struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;
	int waits;

	if (atomic_load(&task->state) != XY__TASK_CREATED)
		return -EBUSY;
	if (before == task)
		return -ELOOP;
	if (xy__cycles_has_successors(task)) {
		int error = xy__cycles_mark(rt, task);

		if (error)
			return error;
		if (xy__cycles_is_marked(before, rt->cycles_mark))
			return -ELOOP;
	}
	if (!xy__task_extra(task))
		return -ENOMEM;
	waits = xy__deps_after(task, before, 0, agent);
	if (waits > 0)
		task->extra->nafter++;
	if (waits >= 0 && rt->record)
		xy__record_after(rt, task, before);
	return waits < 0 ? waits : 0;
}

int xy_task_after(struct xy_task *task, struct xy_task *before)
{
	struct xy_runtime *rt;
	struct xy__agent *agent;
	int error;

	if (!task || !before || task->pool->runtime != before->pool->runtime) {
		const struct xy_task *one = task ? task : before;

		xy__log(one ? &one->pool->runtime->settings.log : NULL,
			"xy_task_after: two tasks of one runtime are needed");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	agent = xy__agent_enter(rt);
	xy__lock_take(&rt->cycles_lock);
	error = task_after_locked(task, before, agent);
	xy__lock_drop(&rt->cycles_lock);
	xy__agent_leave(agent);
	if (error)
		xy__log(&rt->settings.log, "task '%s' can't wait for '%s': %s", xy_task_name(task),
			xy_task_name(before), error == -EBUSY ? "it is already submitted" : xy__submit_problem(error));
	return error;
}
