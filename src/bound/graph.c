/* SPDX-License-Identifier: MIT */
/*
 * The checked form of a problem: order, types, longest paths. After bound_graph_init each type has a class that
 * can run it and the order follows all edges.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/parts.h"

__attribute__((format(printf, 2, 3))) static int graph_wrong(char *message, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(message, BOUND_MESSAGE, format, list);
	va_end(list);
	return -EINVAL;
}

static const double *graph_row(const struct bound_problem *problem, unsigned task)
{
	return problem->duration_us + (size_t)task * problem->nclasses;
}

static int graph_check_task(const struct bound_problem *problem, unsigned task, char *message)
{
	const double *row = graph_row(problem, task);
	bool runs = false;

	for (unsigned c = 0; c < problem->nclasses; c++) {
		if (!(row[c] >= 0))
			return graph_wrong(message, "task %u takes %g us on class %u", task, row[c], c);
		runs = runs || (problem->workers[c] && isfinite(row[c]));
	}
	if (!runs)
		return graph_wrong(message, "task %u can't run anywhere", task);
	for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++)
		if (problem->predecessors[e] >= problem->ntasks)
			return graph_wrong(message, "task %u comes after task %u, which does not exist", task,
					   problem->predecessors[e]);
	return 0;
}

/* --- the order --- */

/* Kahn's algorithm over successor lists made from the predecessors. */
static int graph_sort(struct bound_graph *graph, size_t *begin, unsigned *successors, unsigned *missing, char *message)
{
	const struct bound_problem *problem = graph->problem;
	unsigned n = problem->ntasks, nordered = 0;

	for (size_t e = 0; e < problem->first[n]; e++)
		begin[problem->predecessors[e] + 1]++;
	for (unsigned i = 0; i < n; i++)
		begin[i + 1] += begin[i];
	for (unsigned i = n; i-- > 0;) {
		missing[i] = (unsigned)(problem->first[i + 1] - problem->first[i]);
		for (size_t e = problem->first[i]; e < problem->first[i + 1]; e++)
			successors[--begin[problem->predecessors[e] + 1]] = i;
	}
	/* begin[i + 1] is now where the successors of i begin: they end where those of i + 1 begin. */
	for (unsigned i = 0; i < n; i++)
		if (!missing[i])
			graph->order[nordered++] = i;
	for (unsigned done = 0; done < nordered; done++) {
		unsigned task = graph->order[done];
		size_t end = task + 1 < n ? begin[task + 2] : problem->first[n];

		for (size_t s = begin[task + 1]; s < end; s++)
			if (!--missing[successors[s]])
				graph->order[nordered++] = successors[s];
	}
	return nordered == n ? 0 : graph_wrong(message, "the tasks depend on each other in a cycle");
}

static int graph_order(struct bound_graph *graph, char *message)
{
	const struct bound_problem *problem = graph->problem;
	size_t nedges = problem->first[problem->ntasks];
	size_t *begin = calloc((size_t)problem->ntasks + 2, sizeof(*begin));
	unsigned *successors = malloc((nedges + 1) * sizeof(*successors));
	unsigned *missing = malloc(((size_t)problem->ntasks + 1) * sizeof(*missing));
	int error = begin && successors && missing ? graph_sort(graph, begin, successors, missing, message) : -ENOMEM;

	free(begin);
	free(successors);
	free(missing);
	return error;
}

/* --- the types --- */

static size_t graph_hash(const struct bound_problem *problem, unsigned task)
{
	const double *row = graph_row(problem, task);
	uint64_t hash = 14695981039346656037u;

	for (unsigned c = 0; c < problem->nclasses; c++) {
		uint64_t bits;
		double value = row[c] + 0.0; /* -0 is 0 */

		memcpy(&bits, &value, sizeof(bits));
		hash = (hash ^ bits) * 1099511628211u;
		hash ^= hash >> 29;
	}
	return (size_t)hash;
}

static bool graph_same(const struct bound_problem *problem, unsigned a, unsigned b)
{
	const double *first = graph_row(problem, a), *second = graph_row(problem, b);

	for (unsigned c = 0; c < problem->nclasses; c++)
		if (first[c] != second[c])
			return false;
	return true;
}

static void graph_new_type(struct bound_graph *graph, unsigned task)
{
	unsigned type = graph->ntypes++;
	double fastest = INFINITY;

	graph->sample[type] = task;
	for (unsigned c = 0; c < graph->problem->nclasses; c++)
		fastest = fmin(fastest, bound_graph_duration(graph, type, c));
	graph->fastest_us[type] = fastest;
}

/* An open table of types, at most half full. */
static int graph_types(struct bound_graph *graph)
{
	unsigned n = graph->problem->ntasks;
	size_t size = 16;
	unsigned *table;

	while (size < 2 * (size_t)n)
		size *= 2;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		size_t at = graph_hash(graph->problem, i) & (size - 1);

		while (table[at] && !graph_same(graph->problem, graph->sample[table[at] - 1], i))
			at = (at + 1) & (size - 1);
		if (!table[at]) {
			graph_new_type(graph, i);
			table[at] = graph->ntypes;
		}
		graph->type[i] = table[at] - 1;
		graph->count[graph->type[i]]++;
		graph->total_us += graph->fastest_us[graph->type[i]];
	}
	free(table);
	return 0;
}

int bound_graph_init(struct bound_graph *graph, const struct bound_problem *problem, char *message)
{
	size_t n = (size_t)problem->ntasks + 1;
	int error = 0;

	*graph = (struct bound_graph){ .problem = problem };
	for (unsigned i = 0; i < problem->ntasks && !error; i++)
		error = graph_check_task(problem, i, message);
	if (error)
		return error;
	graph->order = malloc(n * sizeof(*graph->order));
	graph->type = malloc(n * sizeof(*graph->type));
	graph->sample = malloc(n * sizeof(*graph->sample));
	graph->count = calloc(n, sizeof(*graph->count));
	graph->fastest_us = malloc(n * sizeof(*graph->fastest_us));
	if (!graph->order || !graph->type || !graph->sample || !graph->count || !graph->fastest_us)
		error = -ENOMEM;
	if (!error)
		error = graph_order(graph, message);
	if (!error)
		error = graph_types(graph);
	if (error)
		bound_graph_fini(graph);
	return error;
}

void bound_graph_fini(struct bound_graph *graph)
{
	free(graph->order);
	free(graph->type);
	free(graph->sample);
	free(graph->count);
	free(graph->fastest_us);
}

double bound_graph_duration(const struct bound_graph *graph, unsigned type, unsigned class)
{
	return graph->problem->workers[class] ? graph_row(graph->problem, graph->sample[type])[class] : INFINITY;
}

/* --- paths --- */

double bound_graph_longest(const struct bound_graph *graph, const double *length_us, double *up_us)
{
	const struct bound_problem *problem = graph->problem;
	double longest = 0;

	for (unsigned k = 0; k < problem->ntasks; k++) {
		unsigned task = graph->order[k];
		double before = 0;

		for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++)
			before = fmax(before, up_us[problem->predecessors[e]]);
		up_us[task] = before + length_us[task];
		longest = fmax(longest, up_us[task]);
	}
	return longest;
}

unsigned bound_graph_path(const struct bound_graph *graph, const double *up_us, unsigned task, unsigned *path)
{
	const struct bound_problem *problem = graph->problem;
	unsigned length = 0;

	for (;;) {
		size_t best = problem->first[task];

		path[length++] = task;
		if (best == problem->first[task + 1])
			return length;
		for (size_t e = best; e < problem->first[task + 1]; e++)
			if (up_us[problem->predecessors[e]] > up_us[problem->predecessors[best]])
				best = e;
		task = problem->predecessors[best];
	}
}
