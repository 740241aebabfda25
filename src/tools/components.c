/* SPDX-License-Identifier: MIT */
/* xylem components: the kinds that trees are made of, and the manual page of each, from its ops. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/tool.h"

static void components_list(const struct xy_registry *registry)
{
	const struct xy_component_ops *ops;

	for (unsigned i = 0; (ops = xy_registry_component_at(registry, i)); i++)
		printf("%-22s%s\n", ops->name, ops->summary);
}

static void components_flags(unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *words;
	} sentences[] = {
		{ XY_STORES, "Reservoir: stores tasks." },
		{ XY_PUMPS, "Pump: pushes its tasks down when there is room below." },
		{ XY_MAPS, "Mapper: can have several branches below it." },
		{ XY_DECIDES, "Decides when a task is pushed, so pulls don't pass through it." },
		{ XY_LEAF, "Leaf: a worker, with nothing below it." },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (flags & sentences[i].flag) {
			printf("  %s\n", sentences[i].words);
			any = true;
		}
	if (!any)
		printf("  Forwards tasks: has one branch below it and stores nothing.\n");
}

static void components_option(const struct xy_option *option)
{
	static const char *const types[] = {
		[XY_OPTION_BOOL] = "0 or 1",
		[XY_OPTION_UNSIGNED] = "a whole number",
		[XY_OPTION_DOUBLE] = "a number",
		[XY_OPTION_TEXT] = "text",
	};

	printf("  %-14s%s\n  %-14s%s", option->name, option->help, "", types[option->type]);
	if (option->type == XY_OPTION_TEXT) {
		printf("; default: empty\n");
		return;
	}
	if (option->type != XY_OPTION_BOOL && isinf(option->max))
		printf(", at least %.15g", option->min);
	else if (option->type != XY_OPTION_BOOL)
		printf(" from %.15g to %.15g", option->min, option->max);
	if (isinf(option->initial))
		printf("; default: no limit\n");
	else
		printf("; default: %.15g\n", option->initial);
}

static void components_page(const struct xy_component_ops *ops)
{
	const char *bold = tool_bold(), *plain = tool_plain();

	printf("%s%s%s: %s\n\n", bold, ops->name, plain, ops->summary);
	components_flags(ops->flags);
	if (ops->options && ops->options->name)
		printf("\n%sOptions%s\n", bold, plain);
	for (const struct xy_option *o = ops->options; o && o->name; o++)
		components_option(o);
	if (ops->labels)
		printf("\n%sBranches%s\n ", bold, plain);
	for (const char *const *label = ops->labels; label && *label; label++)
		printf(" %s%s", *label, label[1] ? "," : "\n");
	if (ops->manual)
		printf("\n%s", ops->manual);
}

/* Says which kinds were meant. */
static void components_unknown(const struct xy_registry *registry, const char *name)
{
	const struct xy_component_ops *ops;
	char suggestion[160] = "";
	const char **names;
	unsigned n = 0;

	while (xy_registry_component_at(registry, n))
		n++;
	names = calloc(n + 1, sizeof(*names));
	for (unsigned i = 0; names && (ops = xy_registry_component_at(registry, i)); i++)
		names[i] = ops->name;
	if (names)
		tool_suggest(suggestion, sizeof(suggestion), name, names);
	free(names);
	tool_say("unknown component \"%s\"%s", name, suggestion);
}

static enum tool_status components_run(const struct tool_arguments *arguments)
{
	const struct xy_component_ops *ops;
	struct tool_world world;
	enum tool_status status = tool_world_init(&world, "cpu:1");

	if (status != TOOL_OK)
		return status;
	if (!arguments->operand) {
		components_list(world.registry);
	} else if ((ops = xy_registry_component(world.registry, arguments->operand))) {
		components_page(ops);
	} else {
		components_unknown(world.registry, arguments->operand);
		status = TOOL_WRONG;
	}
	tool_world_fini(&world);
	return status;
}

const struct tool_command tool_components = {
	.name = "components",
	.operand = "NAME",
	.usage = "[NAME]",
	.summary = "list the components, or print the manual of one",
	.help = "Lists the components, including those of the plug-ins in XYLEM_PLUGINS. With NAME, prints its\n"
		"manual: what it does, its options and its branches.\n",
	.run = components_run,
};
