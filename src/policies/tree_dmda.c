/* SPDX-License-Identifier: MIT */
/*
 * Each task goes to the worker with the earliest expected finish time when it becomes ready. Tasks that still have to
 * be measured are spread over the workers; those without a model go to idle workers.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_dmda = {
	.name = "tree-dmda",
	.summary = "each task to the worker with the earliest expected finish time",
	.expression = "perfmodel-select { known: mct | each worker { fifo | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: fifo | eager | each worker { best-implementation } }",
};
