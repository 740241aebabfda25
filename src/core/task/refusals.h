/* SPDX-License-Identifier: MIT */
/*
 * Where a component remembers that a child refused tasks of a set of architectures: in a few places for each child,
 * which hold the set. Sets that share a place forget each other, which costs another push and nothing else.
 */
#ifndef XYLEM_CORE_TASK_REFUSALS_H
#define XYLEM_CORE_TASK_REFUSALS_H

#include "core/task/task.h"

enum { XY__REFUSALS = 8 };

/* The place of a task's set among those of a child. */
static inline size_t xy__refusal(unsigned child, const struct xy_task *task)
{
	return (size_t)child * XY__REFUSALS + task->archs % XY__REFUSALS;
}

#endif
