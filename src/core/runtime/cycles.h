/* SPDX-License-Identifier: MIT */
/*
 * Searches for cycles among explicit dependencies.
 */
#ifndef XYLEM_CORE_RUNTIME_CYCLES_H
#define XYLEM_CORE_RUNTIME_CYCLES_H

#include "core/runtime/runtime.h"

/* Marks everything that waits for the task, directly or not, with the next cycles_mark. The task is not
 * submitted, so none of them can end meanwhile. The caller holds cycles_lock. 0 or -ENOMEM. */
int xy__cycles_mark(struct xy_runtime *rt, struct xy_task *task);

/* Whether the goal waits for the task, directly or not: with its start, or with its end. The task, which may be the
 * goal itself, can't end meanwhile. The caller holds cycles_lock. False without memory. */
bool xy__cycles_reaches(struct xy_runtime *rt, struct xy_task *task, const struct xy_task *goal);

static inline bool xy__cycles_is_marked(struct xy_task *task, uint32_t mark)
{
	return atomic_load_explicit(&task->mark, memory_order_relaxed) == mark;
}

bool xy__cycles_has_successors(struct xy_task *task);

#endif
