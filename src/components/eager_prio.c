/* SPDX-License-Identifier: MIT */
/*
 * eager-prio: prio and eager in one component, a reservoir with several children.
 */
#include "components/reservoir.h"

const struct xy_component_ops xy__eager_prio_ops = {
	.name = "eager-prio",
	.summary = "holds tasks in order of priority and gives the next to an idle worker",
	.manual = "Does what `prio | eager` does, in one component and so in fewer steps: an unlimited\n"
		  "priority queue above several branches. See the manuals of both.\n",
	.flags = XY_STORES | XY_PUMPS | XY_ORDERS | XY_MAPS | XY_SHARES,
	.size = sizeof(struct xy__reservoir),
	.init = xy__reservoir_init_prio,
	.fini = xy__reservoir_fini,
	.push = xy__reservoir_push,
	.push_many = xy__reservoir_push_many,
	.pull = xy__reservoir_pull,
	.can_push = xy__reservoir_can_push,
	.can_pull = xy__reservoir_can_pull,
	.is_bounded = xy__reservoir_is_bounded,
	.depth = xy__reservoir_depth,
	.stored_us = xy__reservoir_stored_us,
	.each_task = xy__reservoir_each_task,
	.each_distinct = xy__reservoir_each_distinct,
};
