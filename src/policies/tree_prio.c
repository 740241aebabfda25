/* SPDX-License-Identifier: MIT */
/*
 * As tree-eager, but the most urgent task goes first.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_prio = {
	.name = "tree-prio",
	.summary = "one priority queue, from which idle workers take the next task",
	.expression = "prio | eager | each worker { best-implementation }",
};
