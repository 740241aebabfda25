/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks go to one device in pieces of equal size: the first device that is no CPU, unless XYLEM_BATCH_DEVICES
 * names another. Best to find the size that suits a device, and for ranks that have one device each.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_batch_simple = {
	.name = "tree-batch-simple",
	.summary = "pieces of a batch go to one device",
	.expression = "prio | hybrid(one) | each node { prio | eager | each worker { best-implementation } }",
};
