/* SPDX-License-Identifier: MIT */
/* xylem graph: writes a graph, by name or from a file, in one of the formats that programs read. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "tools/tool.h"

enum graph_option { GRAPH_OUT, GRAPH_DOT, GRAPH_JSON };

static enum tool_status graph_save(const struct graph *g, const struct tool_arguments *a)
{
	const char *path = a->options[GRAPH_OUT];
	FILE *file = path ? fopen(path, "we") : stdout;
	int error;

	if (!file) {
		tool_say("%s: %s", path, strerror(errno));
		return TOOL_FAILED;
	}
	error = a->options[GRAPH_DOT]    ? graph_write_dot(g, file)
		: a->options[GRAPH_JSON] ? graph_write_wfcommons(g, file)
					 : graph_write(g, file);
	if (path && fclose(file) && !error)
		error = -errno;
	if (error)
		tool_say("%s: %s", path ? path : "output", strerror(-error));
	return error ? TOOL_FAILED : TOOL_OK;
}

static enum tool_status graph_run(const struct tool_arguments *a)
{
	char message[512] = "";
	enum tool_status status;
	struct graph g;
	int error;

	if (a->options[GRAPH_DOT] && a->options[GRAPH_JSON]) {
		tool_say("graph: --dot and --json exclude each other");
		return TOOL_USAGE;
	}
	error = graph_open(&g, a->operand, message, sizeof(message));
	if (error) {
		tool_say("%s", message);
		return error == -ENOMEM ? TOOL_FAILED : tool_status_of(error);
	}
	status = graph_save(&g, a);
	graph_fini(&g);
	return status;
}

const struct tool_command tool_graph = {
	.name = "graph",
	.operand = "a graph",
	.needs_operand = true,
	.usage = "GRAPH [OPTION...]",
	.summary = "write a task graph to a file",
	.help = "GRAPH is one of those below or a file: Xylem's own format, STG, DOT, WfCommons JSON, a recorded\n"
	        "run. It is written in Xylem's own format, which keeps everything and which xylem sim and\n"
	        "xylem bound read, or with --dot or --json.\n",
	.options = {
		[GRAPH_OUT] = { "out", "FILE", "instead of stdout; also -o" },
		[GRAPH_DOT] = { "dot", NULL, "as DOT, with the edges that follow from data" },
		[GRAPH_JSON] = { "json", NULL, "as WfCommons JSON (WfFormat 1.5)" },
	},
	.list = "Graphs",
	.line = graph_make_help,
	.run = graph_run,
};
