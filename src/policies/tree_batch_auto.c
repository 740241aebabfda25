/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks go to all devices in pieces whose sizes follow from measurements, and all devices end together.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_batch_auto = {
	.name = "tree-batch-auto",
	.summary = "pieces of a batch go to all devices, in sizes that are measured",
	.expression = "prio | balance | each node { prio | eager | each worker { best-implementation } }",
};
