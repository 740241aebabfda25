/* SPDX-License-Identifier: MIT */
/*
 * For ranks on one host that have a device each: a rank sends its pieces to the device of its number on the host,
 * modulo the number of devices.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_batch_mpi = {
	.name = "tree-batch-mpi",
	.summary = "pieces of a batch go to the device of this MPI rank",
	.expression = "prio | hybrid(ranks) | each node { prio | eager | each worker { best-implementation } }",
};
