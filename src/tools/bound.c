/* SPDX-License-Identifier: MIT */
/*
 * xylem bound: how short a graph can be on a machine, and how near to that a recorded run was.
 */
#include <math.h>
#include <stdio.h>

#include "tools/sim.h"

enum bound_option { BOUND_OPTION_MACHINE, BOUND_OPTION_KIND, BOUND_OPTION_LIMIT, BOUND_OPTION_JSON };

/* From the first start, or the moment when it could have been, to the last end; 0: it is no recorded run. */
static double bound_recorded_s(const struct graph *g)
{
	double first = INFINITY, last = 0;

	for (uint32_t i = 0; i < g->ntasks; i++) {
		const struct graph_record *record = g->tasks[i].record;

		if (!record || record->worker < 0)
			continue;
		first = fmin(first, fmin(record->ready_us, record->start_us));
		last = fmax(last, record->end_us);
	}
	return last > first ? (last - first) * 1e-6 : 0;
}

static enum tool_status bound_run(const struct tool_arguments *a)
{
	struct sim_request request = {
		.machine = a->options[BOUND_OPTION_MACHINE],
		.graph = a->operand,
		.repeat = 1,
		.transfers = true,
		.bound = BOUND_LP,
		.limit_s = 10,
		.json = a->options[BOUND_OPTION_JSON],
	};
	enum tool_status status;
	struct sim_case c;

	if (!sim_read_number("limit", a->options[BOUND_OPTION_LIMIT], 0, 1e6, &request.limit_s) ||
	    !sim_read_bound(a->options[BOUND_OPTION_KIND], &request.bound))
		return TOOL_USAGE;
	if (!request.machine) {
		tool_say("bound: needs --machine; see xylem bound --help");
		return TOOL_USAGE;
	}
	if (xy__settings_init(&request.settings, NULL))
		return TOOL_USAGE;
	status = sim_case_init(&c, &request);
	if (status == TOOL_OK && request.json)
		sim_print_bounds_json(&c, bound_recorded_s(&c.graph));
	else if (status == TOOL_OK)
		sim_print_bounds(&c, bound_recorded_s(&c.graph));
	sim_case_fini(&c);
	xy__settings_fini(&request.settings);
	return status;
}

const struct tool_command tool_bound = {
	.name = "bound",
	.operand = "a graph",
	.needs_operand = true,
	.usage = "GRAPH --machine MACHINE [OPTION...]",
	.summary = "lower bounds on a task graph's makespan, compared with a recorded run",
	.help = "Prints lower bounds on the makespan of any schedule, without transfers: area (all work, divided\n"
	        "among the workers), path (the longest chain, each task on its fastest worker), mixed (both, for\n"
	        "that one chain), and lp (both, for all chains).\n"
	        "\n"
	        "GRAPH and MACHINE are as for xylem sim. For a recorded run (XYLEM_RECORD), its makespan is printed\n"
	        "too. MACHINE may be a file that names the models of this computer.\n",
	.options = {
		[BOUND_OPTION_MACHINE] = { "machine", "MACHINE", "mirage, or the path of a machine file" },
		[BOUND_OPTION_KIND] = { "bound", "KIND", "reference of percentages: lp (default), area, "
							 "path, mixed" },
		[BOUND_OPTION_LIMIT] = { "limit", "S", "timeout of lp in seconds (default 10)" },
		[BOUND_OPTION_JSON] = { "json", NULL, "print JSON" },
	},
	.list = "Graphs",
	.line = graph_make_help,
	.run = bound_run,
};
