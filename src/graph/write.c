/* SPDX-License-Identifier: MIT */
/*
 * Graphs as text: our own format, complete, and DOT, with the edges that follow from data. Nothing depends on the
 * locale.
 */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number with as many digits as it needs, and a point. */
static void write_double(FILE *file, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (char *at = text; *at; at++)
		if (!strchr("0123456789+-einfa", *at))
			*at = '.';
	fputs(text, file);
}

/* A name, quoted so that it can have any character but the end of a line, which becomes a blank. */
static void write_quoted(FILE *file, const char *name)
{
	fputc('"', file);
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			fputc('\\', file);
		fputc(*name == '\n' || *name == '\r' ? ' ' : *name, file);
	}
	fputc('"', file);
}

static void write_field(FILE *file, const char *key, double value)
{
	fprintf(file, " %s=", key);
	write_double(file, value);
}

static const char *write_mode(enum xy_mode mode)
{
	switch ((unsigned)mode) {
	case XY_R:
		return "r";
	case XY_W:
		return "w";
	case XY_RW:
		return "rw";
	case XY_SCRATCH:
		return "scratch";
	case XY_REDUX:
		return "redux";
	default:
		return "commute";
	}
}

static void write_accesses(const struct graph *g, const struct graph_task *task, FILE *file)
{
	for (uint32_t i = task->first_access; i < task->first_access + task->naccesses; i++)
		if (i > task->first_access && g->accesses[i].mode == g->accesses[i - 1].mode)
			fprintf(file, ",d%u", g->accesses[i].data);
		else
			fprintf(file, " %s=d%u", write_mode(g->accesses[i].mode), g->accesses[i].data);
	for (uint32_t i = 0; i < task->nbefore; i++)
		fprintf(file, "%st%u", i ? "," : " after=", g->before[task->first_before + i]);
}

static void write_task(const struct graph *g, uint32_t t, FILE *file)
{
	const struct graph_task *task = &g->tasks[t];

	fprintf(file, "task t%u ", t);
	if (task->kernel == GRAPH_NO_KERNEL)
		fputc('-', file);
	else
		write_quoted(file, g->kernels[task->kernel].name);
	if (task->name) {
		fputs(" name=", file);
		write_quoted(file, task->name);
	}
	if (task->priority)
		fprintf(file, " priority=%d", task->priority);
	if (task->length_us > 0)
		write_field(file, "us", task->length_us);
	for (uint32_t p = 0; task->costs && p < g->nprocessors; p++) {
		fputs(p ? "," : " costs=", file);
		write_double(file, task->costs[p]);
	}
	write_accesses(g, task, file);
	if (task->record) {
		if (task->record->worker >= 0)
			fprintf(file, " worker=%d", task->record->worker);
		write_field(file, "ready", task->record->ready_us);
		write_field(file, "start", task->record->start_us);
		write_field(file, "end", task->record->end_us);
	}
	fputc('\n', file);
}

int graph_write(const struct graph *g, FILE *file)
{
	fputs("xygraph 1\n", file);
	if (g->name) {
		fputs("name ", file);
		write_quoted(file, g->name);
		fputc('\n', file);
	}
	if (g->nprocessors)
		fprintf(file, "processors %u\n", g->nprocessors);
	for (uint32_t i = 0; i < g->nkernels; i++) {
		fputs("kernel ", file);
		write_quoted(file, g->kernels[i].name);
		if (g->kernels[i].length_us > 0)
			write_field(file, "us", g->kernels[i].length_us);
		fputc('\n', file);
	}
	for (uint32_t i = 0; i < g->ndata; i++) {
		fprintf(file, "data d%u %llu", i, (unsigned long long)g->data[i].bytes);
		if (g->data[i].name) {
			fputs(" name=", file);
			write_quoted(file, g->data[i].name);
		}
		fputc('\n', file);
	}
	for (uint32_t t = 0; t < g->ntasks; t++)
		write_task(g, t, file);
	return fflush(file) || ferror(file) ? -EIO : 0;
}

/* In quotes, as numbers of DOT have no exponent. */
static void write_dot_duration(FILE *file, double length_us)
{
	fputs(", duration=\"", file);
	write_double(file, length_us);
	fputc('"', file);
}

int graph_write_dot(const struct graph *g, FILE *file)
{
	struct graph_edges edges;
	int error = graph_edges_init(&edges, g);

	if (error)
		return error;
	fputs("digraph ", file);
	write_quoted(file, g->name ? g->name : "graph");
	fputs(" {\n", file);
	for (uint32_t t = 0; t < g->ntasks; t++) {
		const struct graph_task *task = &g->tasks[t];
		bool works = task->kernel != GRAPH_NO_KERNEL;
		double length_us = graph_task_length(g, t);

		fprintf(file, "\tt%u [label=", t);
		write_quoted(file, task->name ? task->name : works ? g->kernels[task->kernel].name : "-");
		if (works) {
			fputs(", kernel=", file);
			write_quoted(file, g->kernels[task->kernel].name);
		}
		if (length_us > 0 || !works)
			write_dot_duration(file, length_us);
		if (task->priority)
			fprintf(file, ", priority=%d", task->priority);
		fputs("];\n", file);
	}
	for (uint32_t t = 0; t < g->ntasks; t++)
		for (size_t i = edges.before_at[t]; i < edges.before_at[t + 1]; i++) {
			fprintf(file, "\tt%u -> t%u", edges.before[i], t);
			if (edges.before_bytes[i])
				fprintf(file, " [size=%llu]", (unsigned long long)edges.before_bytes[i]);
			fputs(";\n", file);
		}
	fputs("}\n", file);
	graph_edges_fini(&edges);
	return fflush(file) || ferror(file) ? -EIO : 0;
}
