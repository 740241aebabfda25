/* SPDX-License-Identifier: MIT */
/*
 * A queue for each memory node, whose workers share what is in it. A few tasks of it are kept ready, with their data
 * moved ahead; the others can be stolen by nodes that have none.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_ws_nodes = {
	.name = "tree-ws-nodes",
	.summary = "a queue per memory node; idle nodes steal",
	.expression = "work-stealing"
		      " | each node { prio(ntasks=8, ready) | eager | each worker { best-implementation } }",
};
