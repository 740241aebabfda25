/* SPDX-License-Identifier: MIT */
/*
 * PEFT (Arabnejad and Barbosa 2014): the optimistic cost table says for a task and a processor how long the rest
 * of the graph takes at least after it, if everything goes to its best processor. Its mean ranks the tasks, and it
 * counts in the choice of a processor.
 */
#include "graph/static.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A table of tasks and processors, and the least of a row by place and in all. */
struct peft {
	const struct graph_problem *problem;
	const struct graph__means *means;
	double *table;
	double *least; /* by place, of one task */
};

static uint32_t peft_place(const struct graph_problem *problem, uint32_t p)
{
	return problem->place ? problem->place[p] : p;
}

/* The least of table and cost of a successor: by place, and returned of all. */
static double peft_least(struct peft *peft, uint32_t t)
{
	const struct graph_problem *problem = peft->problem;
	uint32_t n = problem->nprocessors, nplaces = problem->place ? problem->nplaces : n;
	double all = INFINITY;

	for (uint32_t place = 0; place < nplaces; place++)
		peft->least[place] = INFINITY;
	for (uint32_t p = 0; p < n; p++) {
		double value = peft->table[(size_t)t * n + p] + problem->costs[(size_t)t * n + p];
		double *least = &peft->least[peft_place(problem, p)];

		*least = fmin(*least, value);
		all = fmin(all, value);
	}
	return all;
}

static void peft_fill(struct peft *peft)
{
	const struct graph_problem *problem = peft->problem;
	const struct graph_edges *e = problem->edges;
	uint32_t n = problem->nprocessors;

	for (uint32_t t = e->ntasks; t-- > 0;)
		for (size_t i = e->after_at[t]; i < e->after_at[t + 1]; i++) {
			/* Means are times n. */
			double comm = graph__mean_comm(peft->means, e->after_bytes[i]) / n;
			double all = peft_least(peft, e->after[i]);

			for (uint32_t p = 0; p < n; p++) {
				double *value = &peft->table[(size_t)t * n + p];

				*value = fmax(*value, fmin(peft->least[peft_place(problem, p)], all + comm));
			}
		}
}

int graph_peft(const struct graph_problem *problem, struct graph_schedule *schedule)
{
	uint32_t ntasks = problem->edges->ntasks, n = problem->nprocessors;
	struct graph__means means = { 0 };
	struct peft peft = { .problem = problem, .means = &means };
	double *ranks = calloc(ntasks + (size_t)1, sizeof(*ranks));
	int error = -ENOMEM;

	*schedule = (struct graph_schedule){ 0 };
	peft.table = calloc((ntasks + (size_t)1) * n, sizeof(*peft.table));
	peft.least = calloc(problem->place ? problem->nplaces : n, sizeof(*peft.least));
	if (ranks && peft.table && peft.least)
		error = graph__means_init(&means, problem);
	if (!error) {
		peft_fill(&peft);
		for (uint32_t t = 0; t < ntasks; t++) {
			for (uint32_t p = 0; p < n; p++)
				ranks[t] += peft.table[(size_t)t * n + p];
			ranks[t] = graph__rounded(ranks[t]);
		}
		error = graph__static_schedule(problem, &(struct graph__static){ .ranks = ranks, .bias = peft.table },
					       schedule);
		graph__means_fini(&means);
	}
	free(ranks);
	free(peft.table);
	free(peft.least);
	return error;
}
