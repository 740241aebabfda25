/* SPDX-License-Identifier: MIT */
/* xylem policies: the policies that SCHED can name, with their expressions. */
#include <stdio.h>
#include <string.h>

#include "tools/tool.h"

/* Where it is the one that is used when nothing is asked for. */
static const char *policies_default(const struct xy_policy *policy, const struct xy_machine *with_devices)
{
	if (!strcmp(policy->name, xy_policy_default(NULL)))
		return " (default)";
	return strcmp(policy->name, xy_policy_default(with_devices)) ? "" : " (default with devices)";
}

static enum tool_status policies_run(const struct tool_arguments *arguments)
{
	const struct xy_policy *policy;
	struct tool_world world;
	enum tool_status status = tool_world_init(&world, "cpu:1 cuda:1");

	(void)arguments;
	if (status != TOOL_OK)
		return status;
	for (unsigned i = 0; (policy = xy_registry_policy_at(world.registry, i)); i++)
		printf("%s%s%s%s\n    %s\n    %s\n", tool_bold(), policy->name, tool_plain(),
		       policies_default(policy, world.machine), policy->summary,
		       policy->expression ? policy->expression : "(built by calls: see xylem show)");
	tool_world_fini(&world);
	return TOOL_OK;
}

const struct tool_command tool_policies = {
	.name = "policies",
	.usage = "",
	.summary = "list the policies that SCHED can name",
	.help = "Lists each policy with its summary and expression, including those of the plug-ins in\n"
		"XYLEM_PLUGINS. modular-NAME is an alias of tree-NAME; modular-prandom, modular-prandom-prio,\n"
		"modular-pheft and modular-gemm are aliases of the nearest policies.\n",
	.run = policies_run,
};
