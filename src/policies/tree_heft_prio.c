/* SPDX-License-Identifier: MIT */
/*
 * Decides on a memory node only: the workers that compute there share a queue, and whoever is free takes the most
 * urgent task of it. So workers of one node never wait beside a task that another of them was expected to take.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heft_prio = {
	.name = "tree-heft-prio",
	.summary = "by priority, each task to the memory node where it is expected to end soonest",
	.expression = "prio | perfmodel-select {"
		      " known: mct | each node { prio(ready) | eager | each worker { best-implementation } },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
