/* SPDX-License-Identifier: MIT */
/*
 * Tasks say which stage of a pipeline they belong to, and each stage has a worker. With a schedule they say their
 * layer: pipeline(file=schedule.yml) | each worker { best-implementation }.
 */
#include "policies/all.h"

const struct xy_policy xy__policy_tree_pipeline = {
	.name = "tree-pipeline",
	.summary = "each task to the worker of its stage; slow stages hold back earlier ones",
	.expression = "pipeline | each worker { best-implementation }",
};
