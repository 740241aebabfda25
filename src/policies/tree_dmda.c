/* SPDX-License-Identifier: MIT */
/*
 * Each task goes to where it is expected to end soonest, when it becomes ready. Tasks that still have to be measured
 * are spread over the workers; those without a model go to whoever is free.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_dmda = {
	.name = "tree-dmda",
	.summary = "each task to where it is expected to end soonest",
	.expression = "perfmodel-select { known: mct | each worker { fifo | best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: fifo | eager | each worker { best-implementation } }",
};
