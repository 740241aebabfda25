/* SPDX-License-Identifier: MIT */
/* xylem pipeline where there was no libyaml: it says so. */
#include "tools/tool.h"

static enum tool_status pipeline_run(const struct tool_arguments *arguments)
{
	(void) arguments;
	tool_say("pipeline: not in this build, as libyaml was not found when it was configured");
	return TOOL_FAILED;
}

const struct tool_command tool_pipeline = {
	.name = "pipeline",
	.usage = "",
	.summary = "(left out: needs libyaml)",
	.help = "This build is without it: libyaml was not found when it was configured.\n",
	.run = pipeline_run,
};
