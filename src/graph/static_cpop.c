/* SPDX-License-Identifier: MIT */
/*
 * CPOP (Topcuoglu, Hariri and Wu 2002): all tasks of one critical path go to the processor that runs the whole path
 * fastest, the others to the earliest finish time; the priority is the length of the longest path through the task.
 */
#include "graph/static.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Adds to each upward rank the longest way from the beginning of the graph to the task. */
static void cpop_add_downward(const struct graph_problem *problem, const struct graph__means *means, double *ranks,
			      double *down)
{
	const struct graph_edges *e = problem->edges;

	for (uint32_t t = 0; t < e->ntasks; t++) {
		down[t] = 0;
		for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++) {
			uint32_t from = e->before[i];

			down[t] = fmax(down[t],
				       down[from] + means->costs[from] + graph__mean_comm(means, e->before_bytes[i]));
		}
	}
	for (uint32_t t = 0; t < e->ntasks; t++)
		ranks[t] = graph__rounded(ranks[t] + down[t]);
}

/* Of the tasks without predecessors, or of the successors of one, the first with the highest rank. */
static uint32_t cpop_next(const struct graph_edges *e, const double *ranks, uint32_t from)
{
	uint32_t best = UINT32_MAX;

	if (from == UINT32_MAX) {
		for (uint32_t t = 0; t < e->ntasks; t++)
			if (e->before_at[t] == e->before_at[t + 1] && (best == UINT32_MAX || ranks[t] > ranks[best]))
				best = t;
		return best;
	}
	for (size_t i = e->after_at[from]; i < e->after_at[from + 1]; i++)
		if (best == UINT32_MAX || ranks[e->after[i]] > ranks[best])
			best = e->after[i];
	return best;
}

/* Marks the critical path with its processor; the others stay free. */
static void cpop_fix(const struct graph_problem *problem, const double *ranks, uint32_t *fixed)
{
	const struct graph_edges *e = problem->edges;
	uint32_t n = problem->nprocessors, chosen = UINT32_MAX;
	double least = INFINITY;

	for (uint32_t t = 0; t < e->ntasks; t++)
		fixed[t] = UINT32_MAX;
	for (uint32_t p = 0; p < n; p++) {
		double sum = 0;

		for (uint32_t t = cpop_next(e, ranks, UINT32_MAX); t != UINT32_MAX; t = cpop_next(e, ranks, t))
			sum += problem->costs[(size_t)t * n + p];
		sum = graph__rounded(sum);
		if (sum < least) {
			least = sum;
			chosen = p;
		}
	}
	for (uint32_t t = cpop_next(e, ranks, UINT32_MAX); t != UINT32_MAX; t = cpop_next(e, ranks, t))
		fixed[t] = chosen;
}

int graph_cpop(const struct graph_problem *problem, struct graph_schedule *schedule)
{
	size_t n = problem->edges->ntasks + (size_t)1;
	double *ranks = malloc(n * sizeof(*ranks)), *down = malloc(n * sizeof(*down));
	uint32_t *fixed = malloc(n * sizeof(*fixed));
	struct graph__means means;
	int error = ranks && down && fixed ? graph__means_init(&means, problem) : -ENOMEM;

	*schedule = (struct graph_schedule){ 0 };
	if (!error) {
		graph__upward_ranks(problem, &means, ranks);
		cpop_add_downward(problem, &means, ranks, down);
		cpop_fix(problem, ranks, fixed);
		error = graph__static_schedule(problem, &(struct graph__static){ .ranks = ranks, .fixed = fixed },
					       schedule);
		graph__means_fini(&means);
	}
	free(ranks);
	free(down);
	free(fixed);
	return error;
}
