/* SPDX-License-Identifier: MIT */
/*
 * Passes a stored task on to a component, for authors of reservoirs.
 */
#include "core/task/queue.h"

bool xy_queue_pass(struct xy_queue *q, struct xy_task *task, struct xy_component *to, struct xy_agent *by)
{
	return xy__queue_give(q, task, xy_push, to, by);
}
