/* SPDX-License-Identifier: MIT */
/*
 * fifo: a reservoir in order of arrival.
 */
#include "components/reservoir.h"

const struct xy_component_ops xy__fifo_ops = {
	.name = "fifo",
	.summary = "holds tasks in order of arrival",
	.manual = "Tasks leave in order of arrival, except that a worker gets the first one it can run.\n"
		  "Without a limit, fifo accepts every task and can be the root of a tree. With a limit, it\n"
		  "refuses further tasks, which stay in the reservoir above: fifo(ntasks=2) above a worker\n"
		  "keeps two tasks ready for it. length_us limits the sum of the expected lengths: those of\n"
		  "the models, of the fastest implementation below, or of the tasks' descriptions. A task of\n"
		  "unknown length counts as 0; an empty fifo accepts even a task longer than the limit.\n"
		  "\n"
		  "If all workers below compute in one of several memory nodes, the data of a task is\n"
		  "prefetched before the task is stored, so that transfers overlap with other tasks\n"
		  "(XYLEM_PREFETCH=0 turns this off). With ready, a worker gets the task that misses the\n"
		  "fewest bytes on its node, among the first 64 it can run; among equals the oldest. Tasks\n"
		  "whose data is elsewhere may then wait long while others keep arriving.\n"
		  "\n"
		  "If a component below accepts pushes (a limited reservoir, a mapper that decides), fifo\n"
		  "pumps: it pushes tasks down as they arrive and whenever there is room again. After a\n"
		  "refusal, later tasks that the same workers can run wait too; those for other\n"
		  "architectures are still tried, and so are all tasks that are pinned or have a\n"
		  "can_execute hook. Otherwise the workers below are notified, and pull.\n",
	.flags = XY_STORES | XY_PUMPS | XY_SHARES,
	.size = sizeof(struct xy__reservoir),
	.options = xy__reservoir_options,
	.init = xy__reservoir_init_fifo,
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
