/* SPDX-License-Identifier: MIT */
/*
 * Decides on the memory node only: its workers share a queue, and an idle one takes the most urgent task. So workers of
 * one node never wait beside a task that another of them was expected to take.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heft_prio = {
	.name = "tree-heft-prio",
	.summary = "by priority, each task to the memory node with the earliest expected finish time",
	.expression = "prio | perfmodel-select {"
		      " known: mct | each node { prio(ready) | eager | each worker { best-implementation } },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
