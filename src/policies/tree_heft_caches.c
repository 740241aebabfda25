/* SPDX-License-Identifier: MIT */
/*
 * Predictions choose the last-level cache, or the device; there, whichever worker is free takes the most urgent task.
 * So a prediction that was wrong delays nobody while another worker of the cache has time.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_heft_caches = {
	.name = "tree-heft-caches",
	.summary = "each task to the last-level cache with the earliest expected finish time, then to an idle worker "
		   "there",
	.expression = "prio | perfmodel-select {"
		      " known: mct | each cache { prio(ready) | eager | each worker { best-implementation } },"
		      " calibrating: eager-calibration | each worker { },"
		      " none: prio | eager | each worker { best-implementation } }",
};
