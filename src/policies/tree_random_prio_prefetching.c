/* SPDX-License-Identifier: MIT */
/*
 * As tree-random-prefetching, in order of priority in the queue above and at each worker.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_random_prio_prefetching = {
	.name = "tree-random-prio-prefetching",
	.summary = "one queue by priority, a worker drawn for each task, two tasks kept ready for each",
	.expression = "prio(ready) | random | each worker { prio(ntasks=2, ready) | best-implementation }",
};
