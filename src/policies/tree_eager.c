/* SPDX-License-Identifier: MIT */
/*
 * The simplest policy that keeps every worker busy: one shared queue. No worker idles while there is a task it could
 * run. With several memory nodes, a worker prefers a task whose data is near; with one, `ready` has no effect and no
 * cost.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_eager = {
	.name = "tree-eager",
	.summary = "one queue, from which idle workers take the next task",
	.expression = "fifo(ready) | eager | each worker { best-implementation }",
};
