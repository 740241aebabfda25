/* SPDX-License-Identifier: MIT */
/*
 * Each worker takes the tasks that it is comparatively best at: GPUs those that they accelerate most, cores those that
 * gain least.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heteroprio = {
	.name = "tree-heteroprio",
	.summary = "each worker takes the tasks it is comparatively best at",
	.expression = "perfmodel-select { known: heteroprio | each worker { best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
