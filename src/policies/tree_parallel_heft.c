/* SPDX-License-Identifier: MIT */
/*
 * As tree-heft, but a task of a parallel codelet may also go to a team of workers, if it is expected to end sooner
 * there: its length divided by the members of the team, once all of them are free.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_parallel_heft = {
	.name = "tree-parallel-heft",
	.summary = "by priority, each task to the worker or team with the earliest expected finish time",
	.expression =
		"prio | perfmodel-select {"
		" known: mct { each worker { prio(ntasks=30, ready) | best-implementation },"
		" each team { prio(ntasks=2, ready) | best-implementation } },"
		" calibrating: eager-calibration | each worker { },"
		" none: prio | eager { each worker { best-implementation }, each team { best-implementation } } }",
};
