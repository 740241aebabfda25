/* SPDX-License-Identifier: MIT */
/*
 * Looking ahead in the graph of submitted tasks, for components that hold a ready task. A held task can't end, so
 * neither can its successors, nor theirs: all of them, and their lists, stay where they are. Submission may add to the
 * lists meanwhile.
 */
#ifndef XYLEM_CORE_TASK_LOOKAHEAD_H
#define XYLEM_CORE_TASK_LOOKAHEAD_H

#include "core/lockfree/successors.h"
#include "core/task/task.h"

/* A position in a task's list of successors. */
struct xy__lookahead {
	struct xy__edge *edge;
};

/* Begins with a task that the caller holds, or that waits for such a task. */
static inline struct xy__lookahead xy__lookahead_of(const struct xy_task *task)
{
	/* acquire: pairs with the release in xy__successors_add; so the edges and what they point to are visible */
	uint64_t head = atomic_load_explicit(&((struct xy_task *)task)->successors, memory_order_acquire);

	return (struct xy__lookahead){ head & XY__HEAD_CLOSED ? NULL : xy__head_edge(head) };
}

/*
 * The next successor, NULL at the end; once per edge. Tasks still being submitted are skipped: they are not constant
 * yet.
 */
static inline struct xy_task *xy__lookahead_next(struct xy__lookahead *ahead)
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

#endif
