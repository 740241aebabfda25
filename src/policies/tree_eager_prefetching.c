/* SPDX-License-Identifier: MIT */
/*
 * As tree-eager, but tasks are given to workers a little ahead of time, so that the data of the next
 * one can be moved while the current one runs; those whose data is near come first.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_eager_prefetching = {
	.name = "tree-eager-prefetching",
	.summary = "one queue, and two tasks ahead for each worker",
	.expression = "fifo(ready) | eager | each worker { fifo(ntasks=2, ready) | best-implementation }",
};
