/* SPDX-License-Identifier: MIT */
/*
 * As tree-prio-prefetching, with the queue and the mapper above the workers in one component.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_eager_prio = {
	.name = "tree-eager-prio",
	.summary = "a queue by priority that serves whoever is free, and two tasks kept ready for each worker",
	.expression = "eager-prio | each worker { prio(ntasks=2) | best-implementation }",
};
