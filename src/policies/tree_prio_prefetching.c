/* SPDX-License-Identifier: MIT */
/*
 * As tree-prio, but tasks are given to workers a little ahead of time, so that the data of the next
 * one can be moved while the current one runs.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_prio_prefetching = {
	.name = "tree-prio-prefetching",
	.summary = "one priority queue, and two tasks ahead for each worker",
	.expression = "prio(ready) | eager | each worker { prio(ntasks=2, ready) | best-implementation }",
};
