/* SPDX-License-Identifier: MIT */
/*
 * The settings, the machine and the kinds that a runtime would have here, so that what the tool
 * shows is what runs.
 */
#include <errno.h>
#include <stdlib.h>

#include "tools/tool.h"

#define WORLD_ERROR_MAX 65536

enum tool_status tool_status_of(int error)
{
	return error == -EINVAL || error == -ENOENT || error == -ERANGE || error == -ENOTSUP ? TOOL_WRONG : TOOL_FAILED;
}

/* The number of CPU workers as a program would ask for it. */
static unsigned world_ncpu(const struct xy__settings *s, const char *machine)
{
	if (s->ncpu < 0 || !xy__settings_use_ncpu(machine))
		return 0;
	return s->ncpu == 0 ? XY_NONE : (unsigned)s->ncpu;
}

static void world_log(void *arg, const char *line)
{
	(void)arg;
	tool_say("%s", line);
}

static enum tool_status world_machine(struct tool_world *world, const char *text)
{
	const struct xy__settings *s = &world->settings;
	struct xy_config config = {
		.machine = text,
		.machines = s->machines,
		.ncpu = world_ncpu(s, text),
		.drivers = s->drivers,
		.ignore_environment = true,
		.log = world_log,
	};
	int status;

	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		config.arch[arch].devices = s->arch[arch].devices;
		config.arch[arch].workers = s->arch[arch].workers;
	}
	status = xy_machine_of_config(&world->machine, &config);
	return status ? tool_status_of(status) : TOOL_OK;
}

enum tool_status tool_world_init(struct tool_world *world, const char *machine)
{
	char error[1024] = "";
	enum tool_status status;

	*world = (struct tool_world){ 0 };
	switch (xy__settings_init(&world->settings, NULL)) {
	case 0:
		break;
	case -EINVAL:
		return TOOL_USAGE;
	default:
		return TOOL_FAILED;
	}
	status = world_machine(world, machine ? machine : world->settings.machine);
	if (status == TOOL_OK && xy_registry_create(&world->registry, world->settings.plugins, error, sizeof(error))) {
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

struct xy_tree *tool_world_tree(const struct tool_world *world, const char *text, enum tool_status *status)
{
	static const char no_memory[] = "not enough memory";
	char *error = calloc(1, WORLD_ERROR_MAX);
	struct xy_tree *tree = NULL;
	int code = error ? xy_tree_parse(&tree, text, world->machine, world->registry, error, WORLD_ERROR_MAX)
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
