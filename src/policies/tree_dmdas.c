/* SPDX-License-Identifier: MIT */
/*
 * As tree-dmda, with the tasks of each worker in order of priority; among equals the one that misses the least data is
 * next. A task is held until another one or a worker comes, so that of two that become ready together the more urgent
 * chooses first.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_dmdas = {
	.name = "tree-dmdas",
	.summary = "tree-dmda with each worker's tasks by priority, then by local data",
	.expression = "perfmodel-select { known: heft(window=1) | each worker { prio(ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio(ready) | eager | each worker { best-implementation } }",
};
