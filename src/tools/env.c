/* SPDX-License-Identifier: MIT */
/* xylem env: every variable, its value, what it means, and whether a runtime would accept it. */
#include <dlfcn.h>
#include <stdio.h>

#include "tools/tool.h"

/* A value on one line, whatever is in it. */
static void env_print_value(const char *value)
{
	for (; *value; value++)
		putchar((unsigned char)*value < ' ' || *value == 0x7f ? ' ' : *value);
	putchar('\n');
}

static void env_print(const struct xy__variable *v)
{
	const char *value = xy__variable_value(v);

	printf("%s%s%s%s", tool_bold(), v->name, tool_plain(), value ? "=" : " is not set: ");
	env_print_value(value ? value : v->initial);
	printf("    %s\n"
	       "    value: %s\n",
	       v->meaning, v->values);
}

static void env_print_given(void)
{
	printf("\n%sSet by Xylem for programs that it starts%s\n", tool_bold(), tool_plain());
	for (const struct xy__given_variable *v = xy__given_variables; v->name; v++)
		printf("%-24s %s\n", v->name, v->meaning);
}

/* The library with StarPU's interface has the tables. */
static enum tool_status env_print_starpu(void)
{
	void *library = dlopen("libxylem-starpu.so.0", RTLD_NOW | RTLD_LOCAL);
	void (*print)(FILE *) = NULL;

	if (library)
		*(void **)&print = dlsym(library, "starpu_xylem_print_environment");
	if (!print) {
		tool_say("libxylem-starpu can't be loaded: %s", dlerror());
		return TOOL_FAILED;
	}
	print(stdout);
	return TOOL_OK;
}

static enum tool_status env_run(const struct tool_arguments *arguments)
{
	enum tool_status status = TOOL_OK;
	struct tool_world world;

	if (arguments->options[0])
		return env_print_starpu();
	for (struct xy__variables each = { 0 }; xy__variables_next(&each);) {
		const struct xy__variable *v = &each.now;
		const char *value = xy__variable_value(v);

		env_print(v);
		if (value && !xy__variable_allows(v, value)) {
			tool_say("%s=%s: expected %s", v->name, value, v->values);
			status = TOOL_WRONG;
		}
	}
	env_print_given();
	if (status != TOOL_OK)
		return status;
	status = tool_world_init(&world, NULL);
	if (status == TOOL_OK) {
		const char *sched = world.settings.sched;

		xy_tree_destroy(tool_world_tree(&world, *sched ? sched : xy_policy_default(world.machine), &status));
		tool_world_fini(&world);
	}
	return status;
}

const struct tool_command tool_env = {
	.name = "env",
	.usage = "[--starpu]",
	.summary = "list the environment variables, their values and meanings",
	.help = "Lists every variable that Xylem reads. On stderr, reports what a runtime would refuse: an invalid\n"
		"value, machine or policy, or a plug-in that can't be loaded; and unknown variables that start with\n"
		"XYLEM_. An empty variable counts as unset. A variable overrides the program's setting.\n"
		"At the end it lists the variables that Xylem sets for programs it starts.\n",
	.options = { { "starpu", NULL, "the variables and policies of StarPU that have an effect in its programs" } },
	.run = env_run,
};
