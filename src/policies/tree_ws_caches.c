/* SPDX-License-Identifier: MIT */
/*
 * A queue for each last-level cache, whose workers share it; when it is empty they steal from the nearest cache that
 * has tasks, so first from those of their own package.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_ws_caches = {
	.name = "tree-ws-caches",
	.summary = "a queue per last-level cache; idle caches steal from the nearest",
	.expression = "work-stealing | each cache { eager | each worker { best-implementation } }",
};
