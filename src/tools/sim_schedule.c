/* SPDX-License-Identifier: MIT */
/* Simulated schedules as CSV, with all digits: which worker ran each task, and when; what moved where, and when. */
#include <errno.h>
#include <string.h>

#include "tools/sim.h"

static void schedule_task(FILE *out, const struct sim_case *c, const struct sim_row *row, uint32_t i)
{
	const struct sim_event *event = &row->first.events[i];
	const struct graph_task *task = i < c->graph.ntasks ? &c->graph.tasks[i] : NULL;

	sim_print_field(out, row->policy);
	fprintf(out, ",%u,", i);
	if (task && task->name)
		sim_print_field(out, task->name);
	putc(',', out);
	sim_print_field(out, !task                             ? "reduction"
			     : task->kernel == GRAPH_NO_KERNEL ? ""
							       : c->graph.kernels[task->kernel].name);
	putc(',', out);
	if (event->worker != UINT32_MAX)
		fputs(c->infos[event->worker].name, out);
	fprintf(out, ",%.17g,%.17g,%.17g,%.17g,,,,\n", event->ready_s * 1e6, event->begin_s * 1e6, event->start_s * 1e6,
		event->end_s * 1e6);
}

static void schedule_move(FILE *out, const struct sim_case *c, const struct sim_row *row, size_t i)
{
	const struct sim_move *move = &row->first.moves[i];
	bool own = move->datum < c->graph.ndata;

	sim_print_field(out, row->policy);
	fputs(",,", out);
	if (own && c->graph.data[move->datum].name)
		sim_print_field(out, c->graph.data[move->datum].name);
	fprintf(out, ",,,%.17g,,%.17g,%.17g,", move->issued_s * 1e6, move->start_s * 1e6, move->end_s * 1e6);
	if (own)
		fprintf(out, "%u", move->datum);
	fprintf(out, ",%s,%s,%llu\n", c->node_names[move->from], c->node_names[move->to], move->bytes);
}

static void schedule_row(FILE *out, const struct sim_case *c, const struct sim_row *row)
{
	for (uint32_t i = 0; row->first.events && i < row->first.nevents; i++)
		schedule_task(out, c, row, i);
	for (size_t i = 0; row->first.moves && i < row->first.nmoves; i++)
		schedule_move(out, c, row, i);
}

enum tool_status sim_schedule(const struct sim_case *c, const struct sim_row *rows, unsigned nrows, const char *path)
{
	FILE *out = fopen(path, "we");
	bool failed;

	if (!out) {
		tool_say("%s: %s", path, strerror(errno));
		return TOOL_FAILED;
	}
	fputs("policy,task,name,kernel,worker,ready_us,fetch_us,start_us,end_us,data,from,to,bytes\n", out);
	for (unsigned i = 0; i < nrows; i++)
		schedule_row(out, c, &rows[i]);
	failed = ferror(out);
	if (fclose(out) || failed) {
		tool_say("%s: can't be written", path);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}
