/* SPDX-License-Identifier: MIT */
/*
 * fifo: a reservoir in order of arrival.
 */
#include "components/reservoir.h"

const struct xy_component_ops xy__fifo_ops = {
	.name = "fifo",
	.summary = "holds tasks in order of arrival",
	.manual =
		"Tasks leave in the order in which they came, except that a worker gets the first one\n"
		"that it can run. Without a bound, fifo takes every task and is fit for the top of a\n"
		"tree. With a bound it refuses what is too much, and the task stays in the reservoir\n"
		"above: fifo(ntasks=2) above a worker keeps two tasks ready for it. length_us bounds the\n"
		"sum of the expected lengths; a task that is longer than that is taken by an empty fifo.\n"
		"\n"
		"Where all workers below compute in one memory node and there are others, the data of a\n"
		"task begins to move there before the task is stored, so that it comes while other tasks\n"
		"run (XYLEM_PREFETCH=0 switches that off). With ready, a worker gets the task that misses\n"
		"the fewest bytes where it computes, of the first 64 that it can run; among equals the\n"
		"oldest. Tasks whose data is elsewhere may then wait for long while others keep coming.\n"
		"\n"
		"When something below takes pushes (a bounded reservoir, a mapper that decides), fifo\n"
		"pumps: it passes tasks down as they arrive and whenever there is room again. Once a task\n"
		"is refused, the ones behind it that the same workers can run wait too, those for other\n"
		"architectures are still tried; so are all tasks that are pinned or have a can_execute\n"
		"hook. Otherwise the workers below are told, and pull.\n",
	.flags = XY_STORES | XY_PUMPS,
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
	.each_kind = xy__reservoir_each_kind,
};
