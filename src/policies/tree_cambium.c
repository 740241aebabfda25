/* SPDX-License-Identifier: MIT */
/*
 * Late binding with a view of what follows: see the component.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_cambium = {
	.name = "tree-cambium",
	.summary = "decides when a worker asks, looking ahead in the submitted graph",
	.expression = "perfmodel-select { known: cambium | each worker { best-implementation },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: work-stealing | each worker { best-implementation } }",
};
