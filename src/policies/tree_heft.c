/* SPDX-License-Identifier: MIT */
/*
 * The most urgent task first goes to where it is expected to end soonest; no more than 30 tasks are mapped ahead for
 * each worker, so that urgent ones that come later don't find everything taken.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heft = {
	.name = "tree-heft",
	.summary = "by priority, each task to the worker with the earliest expected finish time, 30 tasks "
		   "ahead per worker",
	.expression = "prio | perfmodel-select {"
		      " known: mct | each worker { prio(ntasks=30, ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
