/* SPDX-License-Identifier: MIT */
/*
 * As tree-dmda; of the tasks of a worker, the one that misses the least data is next.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_dmdar = {
	.name = "tree-dmdar",
	.summary = "tree-dmda with each worker's tasks by local data",
	.expression = "perfmodel-select { known: mct | each worker { fifo(ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: fifo(ready) | eager | each worker { best-implementation } }",
};
