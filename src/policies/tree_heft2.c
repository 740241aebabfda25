/* SPDX-License-Identifier: MIT */
/*
 * As tree-heft, but tasks are kept back until a worker asks, so that of those that become ready together the most
 * urgent chooses first. With few tasks ahead for each worker, what waits above would not count in the estimates.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heft2 = {
	.name = "tree-heft2",
	.summary = "tree-heft, but holds tasks back so that the most urgent are mapped first",
	.expression = "perfmodel-select {"
		      " known: heft(window=32) | each worker { prio(ntasks=30, ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
