/* SPDX-License-Identifier: MIT */
/*
 * The simplest policy that keeps every worker busy: a queue that all share. Nobody waits while a task
 * that they could run is there. With several memories, who takes a task prefers one whose data is near; with
 * one, `ready` means nothing and costs nothing.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_eager = {
	.name = "tree-eager",
	.summary = "one queue, from which whoever is free takes the next task",
	.expression = "fifo(ready) | eager | each worker { best-implementation }",
};
