/* SPDX-License-Identifier: MIT */
/*
 * `xylem check`: whether an expression makes a valid tree, and with --run, whether its components keep their rules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check_run.h"

enum { MACHINE, RUN, PLUGINS, SEEDS, SEED, TASKS, SWITCHES };
enum { USUAL_SEEDS = 1000 };

/* A number of an option, if it is given; false after a message. */
static bool check_number(const struct tool_arguments *arguments, unsigned option, unsigned long long most,
			 unsigned long long *number)
{
	const char *text = arguments->options[option];
	char *end;

	if (!text)
		return true;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number <= most)
		return true;
	tool_say("check: --%s takes a number up to %llu, not \"%s\"", tool_check.options[option].name, most, text);
	return false;
}

/* Options that only a run has. */
static bool check_is_static(const struct tool_arguments *arguments)
{
	for (unsigned i = SEEDS; i <= SWITCHES; i++)
		if (arguments->options[i]) {
			tool_say("check: --%s needs --run", tool_check.options[i].name);
			return false;
		}
	return true;
}

static enum tool_status check_run_cases(const struct tool_arguments *arguments, const struct tool_world *world)
{
	unsigned long long seed = 1, nseeds = USUAL_SEEDS, ntasks = 0, switches = 0;
	struct xy_check check = {
		.sched = arguments->operand,
		.plugins = world->settings.plugins,
		.machine = arguments->options[MACHINE],
	};

	if (!check_number(arguments, SEEDS, UINT32_MAX, &nseeds) || !check_number(arguments, SEED, UINT64_MAX, &seed) ||
	    !check_number(arguments, TASKS, 64, &ntasks) || !check_number(arguments, SWITCHES, UINT32_MAX, &switches))
		return TOOL_USAGE;
	if (arguments->options[SEED] && !arguments->options[SEEDS])
		nseeds = 1;
	check.seed = seed;
	check.ntasks = (unsigned)ntasks;
	check.switches = (unsigned)switches;
	return tool_check_run(&check, nseeds, nseeds > 1, arguments->options[PLUGINS]);
}

/* Says what a valid tree does that its author may not want. */
static void check_advise(const struct xy_tree *tree)
{
	for (unsigned i = 0; i < xy_tree_ncomponents(tree); i++) {
		const struct xy_component *c = xy_tree_component(tree, i);

		for (unsigned k = 0; !strcmp(c->ops->name, "pipeline") && k < c->nchildren; k++) {
			const struct xy_component *below = c->children[k];

			if ((below->ops->flags & XY_STORES) &&
			    !(below->ops->is_bounded && below->ops->is_bounded(below))) {
				printf("note: %s#%u below pipeline#%u is unlimited and takes all tasks at once, "
				       "so that earlier stages are not held back\n",
				       below->ops->name, below->id, c->id);
				break;
			}
		}
	}
}

static enum tool_status check_shape(const struct tool_arguments *arguments, const struct tool_world *world)
{
	enum tool_status status;
	struct xy_tree *tree = tool_world_tree(world, arguments->operand, &status);

	if (tree) {
		printf("valid: %u components for %u workers, no rule is broken\n", xy_tree_ncomponents(tree),
		       xy_machine_nworkers(world->machine));
		check_advise(tree);
	}
	xy_tree_destroy(tree);
	return status;
}

static enum tool_status check_run(const struct tool_arguments *arguments)
{
	struct tool_world world;
	enum tool_status status;

	if (!arguments->options[RUN] && !check_is_static(arguments))
		return TOOL_USAGE;
	if (arguments->options[PLUGINS] && setenv("XYLEM_PLUGINS", arguments->options[PLUGINS], 1)) {
		tool_say("not enough memory");
		return TOOL_FAILED;
	}
	status = tool_world_init(&world, arguments->options[RUN] ? "cpu:1" : arguments->options[MACHINE]);
	if (status != TOOL_OK)
		return status;
	status = arguments->options[RUN] ? check_run_cases(arguments, &world) : check_shape(arguments, &world);
	tool_world_fini(&world);
	return status;
}

const struct tool_command tool_check = {
	.name = "check",
	.operand = "EXPRESSION",
	.needs_operand = true,
	.usage = "POLICY|EXPRESSION|@FILE [--machine TEXT] [--plugins FILES] [--run [--seeds N] [--seed N]]",
	.summary = "check whether an expression makes a valid tree, or run it to find wrong components",
	.help = "Parses the expression, builds the tree for the machine that a runtime would have here, or for\n"
		"another one, and checks all rules: every worker is reached, no task can get stuck, options are in\n"
		"range. Each violation is a line on stderr.\n"
		"\n"
		"With --run it is a self-test for authors of components: random tasks go through the tree on small\n"
		"machines, in one thread. At each verb, lock and sleep, a seed decides which worker continues. The\n"
		"output names the first broken rule and the component, with the last steps and a command that\n"
		"reproduces the smallest failing case. doc/components.md lists the rules.\n",
	.options = { TOOL_OPTION_MACHINE,
		     { "run", NULL, "run random tasks under many interleavings" },
		     { "plugins", "FILES", "instead of XYLEM_PLUGINS: shared objects, separated by ':'" },
		     { "seeds", "N", "with --run: how many cases (default 1000)" },
		     { "seed", "N", "with --run: the first one (default 1); alone, the only one" },
		     { "tasks", "N", "with --run: tasks in each case (default: up to 12)" },
		     { "switches", "N", "with --run: interrupt workers at most this often in each case" } },
	.run = check_run,
};
