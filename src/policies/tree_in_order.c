/* SPDX-License-Identifier: MIT */
/*
 * Runs a schedule that was made outside: tasks say their workers and their positions there.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_in_order = {
	.name = "tree-in-order",
	.summary = "each worker's tasks in the order given by the application",
	.expression = "fifo | eager | each worker { in-order | best-implementation }",
};
