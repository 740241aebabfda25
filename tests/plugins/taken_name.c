/* SPDX-License-Identifier: MIT */
/* A plug-in with a policy that is called as a component of the library. */
#include <xylem/component.h>

static const struct xy_policy policy = { .name = "fifo", .summary = "", .expression = "fifo" };

const struct xy_plugin xy_plugin = {
	.abi = XY_ABI,
	.name = "taken",
	.policies = (const struct xy_policy *const[]){ &policy, NULL },
};
