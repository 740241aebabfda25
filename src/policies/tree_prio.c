/* SPDX-License-Identifier: MIT */
/*
 * As tree-eager, but the most urgent task goes first.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_prio = {
	.name = "tree-prio",
	.summary = "one queue by priority, from which whoever is free takes the next task",
	.expression = "prio | eager | each worker { best-implementation }",
};
