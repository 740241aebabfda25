/* SPDX-License-Identifier: MIT */
/*
 * The graph of tasks that are not submitted yet.
 */
#ifndef XYLEM_CORE_GRAPH_H
#define XYLEM_CORE_GRAPH_H

#include "core/runtime.h"

/* Marks everything that waits for the task, directly or not, with xy__graph_last_mark. The task is not
 * submitted, so none of them can end meanwhile. The caller holds graph_lock. 0 or -ENOMEM. */
int xy__graph_mark(struct xy_runtime *rt, struct xy_task *task);

/* Never a queue's count of arrivals: it has the highest bit. */
static inline uint64_t xy__graph_last_mark(const struct xy_runtime *rt)
{
	return rt->graph_mark | (uint64_t)1 << 63;
}

bool xy__graph_has_successors(struct xy_task *task);

/* What is wrong with a task, for messages. */
const char *xy__task_problem(int error);

#endif
