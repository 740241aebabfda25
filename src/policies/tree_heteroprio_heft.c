/* SPDX-License-Identifier: MIT */
/*
 * The program chooses for each task: those with choice 0 go the way of tree-heteroprio, others that of tree-heft.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heteroprio_heft = {
	.name = "tree-heteroprio-heft",
	.summary = "tree-heteroprio for tasks with choice 0, tree-heft for the others",
	.expression = "userchoice { heteroprio | each worker { best-implementation },"
		      " prio | perfmodel-select {"
		      " known: mct | each worker { prio(ntasks=30, ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } } }",
};
