/* SPDX-License-Identifier: MIT */
/*
 * As tree-dmda, with the tasks of each worker in order of priority.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_dmdap = {
	.name = "tree-dmdap",
	.summary = "tree-dmda with each worker's tasks by priority",
	.expression = "perfmodel-select { known: mct | each worker { prio | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
