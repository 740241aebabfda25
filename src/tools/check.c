/* SPDX-License-Identifier: MIT */
/* xylem check: whether a tree keeps all rules; if not, every broken one. */
#include <stdio.h>

#include "tools/tool.h"

static enum tool_status check_run(const struct tool_arguments *arguments)
{
	struct tool_world world;
	struct xy_tree *tree;
	enum tool_status status = tool_world_init(&world, arguments->options[0]);

	if (status != TOOL_OK)
		return status;
	tree = tool_world_tree(&world, arguments->operand, &status);
	if (tree)
		printf("valid: %u components for %u workers, no rule is broken\n", xy_tree_ncomponents(tree),
		       xy_machine_nworkers(world.machine));
	xy_tree_destroy(tree);
	tool_world_fini(&world);
	return status;
}

const struct tool_command tool_check = {
	.name = "check",
	.operand = "EXPRESSION",
	.needs_operand = true,
	.usage = "POLICY|EXPRESSION|@FILE [--machine TEXT]",
	.summary = "check whether an expression makes a valid tree",
	.help = "Parses the expression, builds the tree for the machine that a runtime would have here, or for\n"
		"another one, and checks all rules: every worker is reached, no task can get stuck, options are in\n"
		"range. Each violation is a line on stderr.\n",
	.options = { TOOL_OPTION_MACHINE },
	.run = check_run,
};
