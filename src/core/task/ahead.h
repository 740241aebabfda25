/* SPDX-License-Identifier: MIT */
/*
 * Looking ahead in the graph of submitted tasks, for components that hold a ready task. While a component holds
 * one, the task can't end, so that those who wait for it can't either, nor those who wait for them: all of them,
 * and the lists in which they hang, stay where they are. Submission adds to the lists meanwhile.
 */
#ifndef XYLEM_CORE_AHEAD_H
#define XYLEM_CORE_AHEAD_H

#include "core/lockfree/successors.h"
#include "core/task/task.h"

struct xy__tree_engine;

/* A position in the list of those who wait for a task. */
struct xy__ahead {
	struct xy__edge *edge;
};

/* Begins with a task that the caller holds, or that waits for such a task. */
static inline struct xy__ahead xy__ahead_of(const struct xy_task *task)
{
	/* acquire: pairs with the release in xy__successors_add; so the edges and what they point to are visible */
	uint64_t head = atomic_load_explicit(&((struct xy_task *)task)->successors, memory_order_acquire);

	return (struct xy__ahead){ head & XY__HEAD_CLOSED ? NULL : xy__head_edge(head) };
}

/* The next task that waits for it, NULL if there is none; once for each edge. Tasks that are still being submitted
 * are left out: they are not constant yet. */
static inline struct xy_task *xy__ahead_next(struct xy__ahead *ahead)
{
	while (ahead->edge) {
		uintptr_t target = atomic_load_explicit(&ahead->edge->target, memory_order_relaxed);
		struct xy_task *task = (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS);

		ahead->edge = atomic_load_explicit(&ahead->edge->next, memory_order_relaxed);
		/* acquire: pairs with the end of submission in xy__deps_submitted */
		if (!(target & XY__EDGE_WAITER) &&
		    atomic_load_explicit(&task->missing, memory_order_acquire) < XY__SUBMITTING / 2)
			return task;
	}
	return NULL;
}

/* How many tasks have ever been submitted, for whoever wants to know whether there are new ones; and whether
 * somebody waits to submit more. */
uint64_t xy__ahead_submitted(struct xy__tree_engine *engine, bool *more);

#endif
