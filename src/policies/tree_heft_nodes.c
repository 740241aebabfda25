/* SPDX-License-Identifier: MIT */
/*
 * Two decisions: which memory node, then which of the workers there. Each looks only at its own children, so that this
 * is the one for machines with many workers.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heft_nodes = {
	.name = "tree-heft-nodes",
	.summary = "each task to the memory node with the earliest expected finish time, then to the "
		   "worker",
	.expression = "prio | perfmodel-select { known: mct"
		      " | each node { prio(ready) | mct"
		      " | each worker { prio(ntasks=2, ready) | best-implementation } },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
