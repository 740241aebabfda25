/* SPDX-License-Identifier: MIT */
/*
 * HEFT (Topcuoglu, Hariri and Wu 2002): tasks in the order of upward ranks, each where it ends first.
 */
#include "graph/static.h"

#include <errno.h>
#include <stdlib.h>

int graph_heft(const struct graph_problem *problem, struct graph_schedule *schedule)
{
	double *ranks = malloc((problem->edges->ntasks + (size_t)1) * sizeof(*ranks));
	struct graph__means means;
	int error = ranks ? graph__means_init(&means, problem) : -ENOMEM;

	*schedule = (struct graph_schedule){ 0 };
	if (!error) {
		graph__upward_ranks(problem, &means, ranks);
		for (uint32_t t = 0; t < problem->edges->ntasks; t++)
			ranks[t] = graph__rounded(ranks[t]);
		error = graph__static_schedule(problem, &(struct graph__static){ .ranks = ranks }, schedule);
		graph__means_fini(&means);
	}
	free(ranks);
	return error;
}
