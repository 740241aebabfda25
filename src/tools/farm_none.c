/* SPDX-License-Identifier: MIT */
/* xylem farm where libyaml or SQLite was missing: it says so, whatever it is asked for. */
#include <stdio.h>
#include <string.h>

#include "tools/tool.h"

static enum tool_status farm_forward(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("usage: xylem farm COMMAND [FARM.yml]\n"
		       "\n"
		       "Not in this build, because configure did not find libyaml or SQLite.\n"
		       "\n"
		       "Exit status: 3\n");
		return TOOL_OK;
	}
	tool_say("farm: not in this build, as libyaml or SQLite was not found when it was configured");
	return TOOL_FAILED;
}

const struct tool_command tool_farm = {
	.name = "farm",
	.usage = "COMMAND [FARM.yml]",
	.summary = "(left out: needs libyaml and SQLite)",
	.forward = farm_forward,
};
