/* SPDX-License-Identifier: MIT */
/*
 * As tree-prio-prefetching, with the queue and the mapper above the workers in one component.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_eager_prio = {
	.name = "tree-eager-prio",
	.summary = "one priority queue for idle workers, and two tasks ahead for each worker",
	.expression = "eager-prio | each worker { prio(ntasks=2) | best-implementation }",
};
