/* SPDX-License-Identifier: MIT */
/*
 * A short queue for each architecture and in it for each memory node, so that data can move ahead of the tasks without
 * binding them to single workers.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_prio_archs = {
	.name = "tree-prio-archs",
	.summary = "one priority queue, and tasks ahead for each architecture and memory node",
	.expression = "prio | eager | each arch { prio(ntasks=16) | eager"
		      " | each node { prio(ntasks=4, ready) | eager | each worker { best-implementation } } }",
};
