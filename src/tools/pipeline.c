/* SPDX-License-Identifier: MIT */
/* xylem pipeline: sched-pipeline as a subcommand, with its options, output and exit status. */
#include <stdio.h>

#include "pipeline/pipeline.h"
#include "tools/tool.h"

static enum tool_status pipeline_forward(int argc, char **argv)
{
	struct pipeline_report report = { .file = stderr, .program = "xylem pipeline" };

	return pipeline_command(argc, argv, stdout, &report) ? TOOL_WRONG : TOOL_OK;
}

const struct tool_command tool_pipeline = {
	.name = "pipeline",
	.usage = "[OPTION...]",
	.summary = "assign a model's layers to devices, like sched-pipeline",
	.forward = pipeline_forward,
};
