/* SPDX-License-Identifier: MIT */
/*
 * A worker runs first what it has made ready itself, newest first, and steals the oldest task of its
 * nearest neighbour that has one when it has none: little contention, and data stays in its cache.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_ws = {
	.name = "tree-ws",
	.summary = "a queue per worker; idle workers steal",
	.expression = "work-stealing | each worker { best-implementation }",
};
