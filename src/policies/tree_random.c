/* SPDX-License-Identifier: MIT */
/*
 * The worker of a task is drawn, faster ones more often: something to compare other policies with.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_random = {
	.name = "tree-random",
	.summary = "one queue, and a random worker for each task",
	.expression = "fifo | random | each worker { best-implementation }",
};
