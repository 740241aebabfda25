/* SPDX-License-Identifier: MIT */
/*
 * prio: a reservoir in order of priority.
 */
#include "components/reservoir.h"

const struct xy_component_ops xy__prio_ops = {
	.name = "prio",
	.summary = "holds tasks in order of priority",
	.manual = "Like fifo, but tasks of higher priority leave first, and among equals the oldest. A task\n"
		  "already pushed to a reservoir below is not called back when a more urgent one arrives.\n"
		  "Tasks of priority 0 cost no more than in a fifo, others a heap operation. With ready,\n"
		  "the choice is among the tasks of the highest priority present.\n",
	.flags = XY_STORES | XY_PUMPS | XY_ORDERS | XY_SHARES,
	.size = sizeof(struct xy__reservoir),
	.options = xy__reservoir_options,
	.init = xy__reservoir_init_prio,
	.fini = xy__reservoir_fini,
	.push = xy__reservoir_push,
	.push_many = xy__reservoir_push_many,
	.pull = xy__reservoir_pull,
	.can_push = xy__reservoir_can_push,
	.is_bounded = xy__reservoir_is_bounded,
	.depth = xy__reservoir_depth,
	.stored_us = xy__reservoir_stored_us,
	.each_task = xy__reservoir_each_task,
	.each_distinct = xy__reservoir_each_distinct,
};
