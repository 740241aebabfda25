/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks go in pieces to several unequal devices; the environment (XYLEM_BATCH_*) gives the sizes, capacities
 * and priorities.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_batch_hybrid = {
	.name = "tree-batch-hybrid",
	.summary = "pieces of a batch go to several devices of given sizes and capacities",
	.expression = "prio | hybrid | each node { prio | eager | each worker { best-implementation } }",
};
