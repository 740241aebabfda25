/* SPDX-License-Identifier: MIT */
/* xylem show: the tree that a policy or an expression makes of a machine. */
#include <errno.h>
#include <stdio.h>

#include "tools/tool.h"

enum { SHOW_MACHINE, SHOW_DOT, SHOW_JSON, SHOW_EXPRESSION };

/* The format that was asked for; -1 for more than one. */
static int show_format(const struct tool_arguments *arguments)
{
	static const enum xy_tree_format formats[] = {
		[SHOW_DOT] = XY_TREE_DOT,
		[SHOW_JSON] = XY_TREE_JSON,
		[SHOW_EXPRESSION] = XY_TREE_EXPRESSION,
	};
	int format = XY_TREE_DRAWING;

	for (int i = SHOW_DOT; i <= SHOW_EXPRESSION; i++) {
		if (!arguments->options[i])
			continue;
		if (format != XY_TREE_DRAWING)
			return -1;
		format = (int)formats[i];
	}
	return format;
}

/* What in the tree has no text. */
static void show_wordless(const struct tool_world *world, const struct xy_tree *tree)
{
	for (unsigned i = 0; i < xy_tree_ncomponents(tree); i++) {
		const char *name = xy_tree_component(tree, i)->ops->name;

		if (xy_registry_component(world->registry, name) != xy_tree_component(tree, i)->ops) {
			tool_say("no expression describes this tree: its component \"%s\" is not among those of a "
				 "plug-in",
				 name);
			return;
		}
	}
	tool_say("no expression describes this tree: it would be longer than 1 MiB, or siblings share a label");
}

static enum tool_status show_run(const struct tool_arguments *arguments)
{
	int error, format = show_format(arguments);
	struct tool_world world;
	enum tool_status status;
	struct xy_tree *tree;

	if (format < 0) {
		tool_say("show: --dot, --json and --expression are mutually exclusive");
		return TOOL_USAGE;
	}
	status = tool_world_init(&world, arguments->options[SHOW_MACHINE]);
	if (status != TOOL_OK)
		return status;
	tree = tool_world_tree(&world, arguments->operand, &status);
	if (tree) {
		error = xy_tree_print(tree, stdout, (enum xy_tree_format)format,
				      tool_has_colour() ? XY_PRINT_COLOUR : 0);
		if (error == -ENOTSUP) {
			show_wordless(&world, tree);
			status = TOOL_WRONG;
		} else if (error) {
			status = TOOL_FAILED;
		}
	}
	xy_tree_destroy(tree);
	tool_world_fini(&world);
	return status;
}

const struct tool_command tool_show = {
	.name = "show",
	.operand = "POLICY|EXPRESSION",
	.needs_operand = true,
	.usage = "POLICY|EXPRESSION|@FILE [--machine TEXT] [--dot|--json|--expression]",
	.summary = "draw the tree of a policy or an expression",
	.help = "Builds the tree for the machine that a runtime would have here, or for another one, and draws it.\n",
	.options = {
		[SHOW_MACHINE] = TOOL_OPTION_MACHINE,
		[SHOW_DOT] = { "dot", NULL, "as a graph for dot(1)" },
		[SHOW_JSON] = { "json", NULL, "as JSON" },
		[SHOW_EXPRESSION] = { "expression", NULL, "as an expression" },
	},
	.run = show_run,
};
