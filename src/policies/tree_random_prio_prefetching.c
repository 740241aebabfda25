/* SPDX-License-Identifier: MIT */
/*
 * As tree-random-prefetching, in order of priority in the queue above and at each worker.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_random_prio_prefetching = {
	.name = "tree-random-prio-prefetching",
	.summary = "one priority queue, a random worker for each task, two tasks ahead for each worker",
	.expression = "prio(ready) | random | each worker { prio(ntasks=2, ready) | best-implementation }",
};
