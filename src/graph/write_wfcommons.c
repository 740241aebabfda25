/* SPDX-License-Identifier: MIT */
/*
 * Graphs as WfCommons JSON (WfFormat 1.5): data as files, edges as parents and children, known lengths as running
 * times. Access modes other than reading and writing, priorities by task and costs by processor have no place there.
 */
#include "graph/graph.h"

#include <errno.h>

static void wf_write_text(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
			fprintf(file, "\\u%04x", (unsigned char)*text);
		else
			fputc(*text, file);
	fputc('"', file);
}

static const char *wf_kernel(const struct graph *g, const struct graph_task *task)
{
	return task->kernel == GRAPH_NO_KERNEL ? "nothing" : g->kernels[task->kernel].name;
}

static void wf_write_list(FILE *file, const char *key, const uint32_t *tasks, size_t n)
{
	fprintf(file, ", \"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s\"t%u\"", i ? ", " : "", tasks[i]);
	fputc(']', file);
}

static void wf_write_files(const struct graph *g, const struct graph_task *task, const char *key, unsigned mode,
			   FILE *file)
{
	const char *between = "";

	fprintf(file, ", \"%s\": [", key);
	for (uint32_t i = task->first_access; i < task->first_access + task->naccesses; i++) {
		unsigned own = g->accesses[i].mode == XY_REDUX ? XY_RW : (unsigned)g->accesses[i].mode;

		if (!(own & mode) || own == XY_SCRATCH)
			continue;
		fprintf(file, "%s\"d%u\"", between, g->accesses[i].data);
		between = ", ";
	}
	fputc(']', file);
}

static void wf_write_specification(const struct graph *g, const struct graph_edges *e, FILE *file)
{
	fputs("    \"specification\": {\n      \"tasks\": [", file);
	for (uint32_t t = 0; t < g->ntasks; t++) {
		const struct graph_task *task = &g->tasks[t];

		fprintf(file, "%s\n        {\"id\": \"t%u\", \"name\": ", t ? "," : "", t);
		wf_write_text(file, task->name ? task->name : wf_kernel(g, task));
		wf_write_list(file, "parents", &e->before[e->before_at[t]], e->before_at[t + 1] - e->before_at[t]);
		wf_write_list(file, "children", &e->after[e->after_at[t]], e->after_at[t + 1] - e->after_at[t]);
		wf_write_files(g, task, "inputFiles", XY_R, file);
		wf_write_files(g, task, "outputFiles", XY_W, file);
		fputc('}', file);
	}
	fputs("\n      ],\n      \"files\": [", file);
	for (uint32_t i = 0; i < g->ndata; i++)
		fprintf(file, "%s\n        {\"id\": \"d%u\", \"sizeInBytes\": %llu}", i ? "," : "", i,
			(unsigned long long)g->data[i].bytes);
	fputs("\n      ]\n    }", file);
}

static void wf_write_execution(const struct graph *g, FILE *file)
{
	fputs(",\n    \"execution\": {\n      \"tasks\": [", file);
	for (uint32_t t = 0; t < g->ntasks; t++) {
		fprintf(file, "%s\n        {\"id\": \"t%u\", \"runtimeInSeconds\": %.17g, \"command\": {\"program\": ",
			t ? "," : "", t, graph_task_length(g, t) * 1e-6);
		wf_write_text(file, wf_kernel(g, &g->tasks[t]));
		fputs("}}", file);
	}
	fputs("\n      ]\n    }", file);
}

int graph_write_wfcommons(const struct graph *g, FILE *file)
{
	struct graph_edges edges;
	int error = graph_edges_init(&edges, g);
	bool known = true;

	if (error)
		return error;
	for (uint32_t t = 0; t < g->ntasks; t++)
		known = known && (g->tasks[t].kernel == GRAPH_NO_KERNEL || graph_task_length(g, t) > 0);
	fputs("{\n  \"name\": ", file);
	wf_write_text(file, g->name ? g->name : "graph");
	fputs(",\n  \"schemaVersion\": \"1.5\",\n  \"workflow\": {\n", file);
	wf_write_specification(g, &edges, file);
	if (known) /* a length of 0 would mean that a task does nothing */
		wf_write_execution(g, file);
	fputs("\n  }\n}\n", file);
	graph_edges_fini(&edges);
	return fflush(file) || ferror(file) ? -EIO : 0;
}
