/* SPDX-License-Identifier: MIT */
/*
 * As tree-dmda; of the tasks of a worker, the one that misses the least data is next.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_dmdar = {
	.name = "tree-dmdar",
	.summary = "as tree-dmda, and each worker's tasks whose data is there first",
	.expression = "perfmodel-select { known: mct | each worker { fifo(ready) | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: fifo(ready) | eager | each worker { best-implementation } }",
};
