/* SPDX-License-Identifier: MIT */
/*
 * As tree-random, but two tasks wait at each worker, so that the data of the next one can be moved
 * while the current one runs.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_random_prefetching = {
	.name = "tree-random-prefetching",
	.summary = "one queue, a random worker for each task, two tasks ahead for each worker",
	.expression = "fifo(ready) | random | each worker { fifo(ntasks=2, ready) | best-implementation }",
};
