/* SPDX-License-Identifier: MIT */
/*
 * As tree-parallel-random, in order of priority in the queue above, at each worker and at each team.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_parallel_random_prio = {
	.name = "tree-parallel-random-prio",
	.summary = "one priority queue, and a random worker or team for each task",
	.expression = "prio | random { each worker { prio(ntasks=2) | best-implementation }, "
		      "each team { prio(ntasks=2) | best-implementation } }",
};
