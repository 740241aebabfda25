/* SPDX-License-Identifier: MIT */
/*
 * The program chooses for each task: those with choice 2 go the way of tree-heft, others that of
 * tree-heteroprio.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heteroprio_heft = {
	.name = "tree-heteroprio-heft",
	.summary = "tree-heft for tasks with choice 2, tree-heteroprio for the others",
	.expression = "userchoice { heteroprio | each worker { best-implementation },"
		      " prio | perfmodel-select {"
		      " known: mct | each worker { prio(ntasks=30, ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } } }",
};
