/* SPDX-License-Identifier: MIT */
/*
 * As tree-random, but the most urgent task is drawn for first.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_random_prio = {
	.name = "tree-random-prio",
	.summary = "one priority queue, and a random worker for each task",
	.expression = "prio | random | each worker { best-implementation }",
};
