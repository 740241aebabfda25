/* SPDX-License-Identifier: MIT */
/* xylem pipeline where there was no libyaml: it says so, whatever it is asked for. */
#include <stdio.h>
#include <string.h>

#include "tools/tool.h"

static enum tool_status pipeline_forward(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("usage: xylem pipeline [OPTION...]\n"
		       "\n"
		       "Not in this build, because configure did not find libyaml.\n"
		       "\n"
		       "Exit status: 3\n");
		return TOOL_OK;
	}
	tool_say("pipeline: not in this build, because configure did not find libyaml");
	return TOOL_FAILED;
}

const struct tool_command tool_pipeline = {
	.name = "pipeline",
	.usage = "[OPTION...]",
	.summary = "(not in this build: needs libyaml)",
	.forward = pipeline_forward,
};
