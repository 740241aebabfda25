/* SPDX-License-Identifier: MIT */
/*
 * The settings, the machine and the kinds that a runtime would have here, so that what the tool
 * shows is what runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"

#define WORLD_ERROR_MAX 65536

enum tool_status tool_status_of(int error)
{
	return error == -EINVAL || error == -ENOENT || error == -ERANGE || error == -ENOTSUP
		       ? TOOL_WRONG
		       : TOOL_FAILED;
}

/* The machine's text with XYLEM_NCPU in it, to be freed; NULL without memory. */
static char *world_machine_text(const struct xy__settings *s, const char *text)
{
	const char *here = strstr(text, "this");
	char *whole;

	if (s->ncpu == 0 || (here && here[4] == ':') || (!here && text[strspn(text, " \t")]))
		return strdup(text);
	if (!here)
		here = text + strlen(text);
	if (asprintf(&whole, "%.*sthis:%u%s", (int) (here - text), text, s->ncpu,
		     *here ? here + 4 : "") < 0)
		return NULL;
	return whole;
}

static enum tool_status world_machine(struct tool_world *world, const char *text)
{
	char error[1024] = "";
	char *whole = world_machine_text(&world->settings, text);
	int status = whole ? xy_machine_create(&world->machine, whole, error, sizeof(error))
			   : -ENOMEM;

	free(whole);
	if (!status)
		return TOOL_OK;
	tool_say("%s", status == -ENOMEM ? "not enough memory" : error);
	return tool_status_of(status);
}

enum tool_status tool_world_init(struct tool_world *world, const char *machine)
{
	char error[1024] = "";
	enum tool_status status;

	*world = (struct tool_world) { 0 };
	switch (xy__settings_init(&world->settings, NULL)) {
	case 0:
		break;
	case -EINVAL:
		return TOOL_USAGE;
	default:
		return TOOL_FAILED;
	}
	status = world_machine(world, machine ? machine : world->settings.machine);
	if (status == TOOL_OK &&
	    xy_registry_create(&world->registry, world->settings.plugins, error, sizeof(error))) {
		tool_say("%s", error);
		status = TOOL_FAILED;
	}
	if (status != TOOL_OK)
		tool_world_fini(world);
	return status;
}

void tool_world_fini(struct tool_world *world)
{
	if (world->registry)
		xy_registry_destroy(world->registry);
	xy_machine_destroy(world->machine);
	xy__settings_fini(&world->settings);
}

struct xy_tree *tool_world_tree(const struct tool_world *world, const char *text,
				enum tool_status *status)
{
	static const char no_memory[] = "not enough memory";
	char *error = calloc(1, WORLD_ERROR_MAX);
	struct xy_tree *tree = NULL;
	int code = error ? xy_tree_parse(&tree, text, world->machine, world->registry, error,
					 WORLD_ERROR_MAX)
			 : -ENOMEM;

	*status = TOOL_OK;
	if (code) {
		tool_say_lines(code == -ENOMEM ? no_memory : error);
		*status = tool_status_of(code);
		tree = NULL;
	}
	free(error);
	return tree;
}
