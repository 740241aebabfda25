/* SPDX-License-Identifier: MIT */
/*
 * Bottom levels, and priorities from them. Tasks stand behind their predecessors, so one pass from the end does it.
 */
#include "graph/graph.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void graph_bottom_levels(const struct graph_edges *edges, const double *lengths, double *levels)
{
	for (uint32_t t = edges->ntasks; t-- > 0;) {
		double most = 0;

		for (size_t i = edges->after_at[t]; i < edges->after_at[t + 1]; i++)
			most = fmax(most, levels[edges->after[i]]);
		levels[t] = lengths[t] + most;
	}
}

/* The lengths of all tasks; true if any is known. */
static bool rank_lengths(const struct graph *g, const double *kernels_us, double *lengths)
{
	bool known = false;

	for (uint32_t t = 0; t < g->ntasks; t++) {
		uint32_t kernel = g->tasks[t].kernel;

		if (kernels_us && kernel != GRAPH_NO_KERNEL && !(g->tasks[t].length_us > 0) && !g->tasks[t].costs)
			lengths[t] = kernels_us[kernel];
		else
			lengths[t] = graph_task_length(g, t);
		known |= lengths[t] > 0;
	}
	return known;
}

int graph_rank(struct graph *g, const double *lengths_us)
{
	double *lengths = malloc((g->ntasks + (size_t)1) * sizeof(*lengths));
	double *levels = malloc((g->ntasks + (size_t)1) * sizeof(*levels));
	struct graph_edges edges;
	double most = 0;
	int error = -ENOMEM;

	if (!lengths || !levels)
		goto out;
	error = graph_edges_init(&edges, g);
	if (error)
		goto out;
	if (!rank_lengths(g, lengths_us, lengths))
		for (uint32_t t = 0; t < g->ntasks; t++)
			lengths[t] = 1;
	graph_bottom_levels(&edges, lengths, levels);
	graph_edges_fini(&edges);
	for (uint32_t t = 0; t < g->ntasks; t++)
		most = fmax(most, levels[t]);
	for (uint32_t t = 0; t < g->ntasks; t++)
		g->tasks[t].priority = most > 0 ? (int32_t)lround(levels[t] / most * 1e9) : 0;
	g->priorities = GRAPH_PRIORITIES_RANK;
out:
	free(lengths);
	free(levels);
	return error;
}
