/* SPDX-License-Identifier: MIT */
/* xylem env: every variable, its value, what it means, and whether a runtime would accept it. */
#include <stdio.h>

#include "tools/tool.h"

/* A value on one line, whatever is in it. */
static void env_print_value(const char *value)
{
	for (; *value; value++)
		putchar((unsigned char) *value < ' ' || *value == 0x7f ? ' ' : *value);
	putchar('\n');
}

static void env_print(const struct xy__variable *v)
{
	const char *value = xy__variable_value(v);

	printf("%s%s%s%s", tool_bold(), v->name, tool_plain(), value ? "=" : " is not set: ");
	env_print_value(value ? value : v->initial);
	printf("    %s\n    may be %s\n", v->meaning, v->values);
}

static enum tool_status env_run(const struct tool_arguments *arguments)
{
	enum tool_status status = TOOL_OK;
	struct tool_world world;

	(void) arguments;
	for (const struct xy__variable *v = xy__variables; v->name; v++) {
		const char *value = xy__variable_value(v);

		env_print(v);
		if (value && !xy__variable_allows(v, value)) {
			tool_say("%s=%s: it may be %s", v->name, value, v->values);
			status = TOOL_WRONG;
		}
	}
	if (status != TOOL_OK)
		return status;
	status = tool_world_init(&world, NULL);
	if (status == TOOL_OK) {
		xy_tree_destroy(tool_world_tree(&world, xy__settings_policy(&world.settings, world.machine), &status));
		tool_world_fini(&world);
	}
	return status;
}

const struct tool_command tool_env = {
	.name = "env",
	.usage = "",
	.summary = "the environment variables, their values and meanings",
	.help = "Lists every variable that Xylem reads. What a runtime would refuse is said on "
		"stderr: a value\n"
		"that a variable can't have, a machine or a policy that is wrong, a plug-in that "
		"can't be\n"
		"loaded; and variables that begin with XYLEM_ and are none. An empty variable "
		"counts as not\n"
		"set. A variable wins over what the program asks for.\n",
	.run = env_run,
};
