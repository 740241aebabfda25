/* SPDX-License-Identifier: MIT */
/*
 * The simplest policy that keeps every worker busy: a queue that all share. Nobody waits while a task
 * that they could run is there.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_eager = {
	.name = "tree-eager",
	.summary = "one queue, from which whoever is free takes the next task",
	.expression = "fifo | eager | each worker { best-implementation }",
};
