/* SPDX-License-Identifier: MIT */
/*
 * As tree-random-prefetching, but a task of a parallel codelet may also be drawn for a team of workers, the
 * more often the larger the team is.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_parallel_random = {
	.name = "tree-parallel-random",
	.summary = "one queue, and a random worker or team for each task",
	.expression = "fifo | random { each worker { fifo(ntasks=2) | best-implementation }, "
		      "each team { fifo(ntasks=2) | best-implementation } }",
};
