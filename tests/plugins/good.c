/* SPDX-License-Identifier: MIT */
/* A plug-in as it should be: a component that passes everything on, and a policy that uses it. */
#include <xylem/component.h>

static const struct xy_component_ops pipe_ops = {
	.name = "test-pipe",
	.summary = "passes everything on",
	.manual = "Every verb is the default one.\n",
	.size = sizeof(struct xy_component),
};

static const struct xy_policy policy = {
	.name = "test-policy",
	.summary = "a policy of a plug-in",
	.expression = "fifo | eager | each worker { test-pipe }",
};

const struct xy_plugin xy_plugin = {
	.abi = XY_ABI,
	.name = "good",
	.components = (const struct xy_component_ops *const[]){ &pipe_ops, NULL },
	.policies = (const struct xy_policy *const[]){ &policy, NULL },
};
