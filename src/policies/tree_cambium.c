/* SPDX-License-Identifier: MIT */
/*
 * The best of four policies for the submitted graph, by simulating it. The one that costs least comes second, and is
 * used where tasks are too short for that. eager comes first: it hands tasks to faster workers as if it were alone.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_cambium = {
	.name = "tree-cambium",
	.summary = "uses the best of four policies, by simulating the submitted graph with each",
	.expression = "perfmodel-select { known: rehearse(first=2) {"
		      " fifo(ready) | eager | each worker { best-implementation },"
		      " heft(window=1) | each worker { prio(ready) | best-implementation },"
		      " prio | mct | each worker { prio(ntasks=30, ready) | best-implementation },"
		      " cambium | each worker { best-implementation } },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: work-stealing | each worker { best-implementation } }",
};
