/* SPDX-License-Identifier: MIT */
/*
 * Schedules made before the first task begins, by the list schedulers of src/graph, for the simulator to follow.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/static.h"
#include "tools/sim.h"

#define STATIC_COSTS_MAX 200000000u /* tasks times workers */

static const struct static_scheduler {
	const char *name;
	int (*schedule)(const struct graph_problem *problem, struct graph_schedule *schedule);
} static_schedulers[] = { { "heft", graph_heft }, { "cpop", graph_cpop }, { "peft", graph_peft } };
#define STATIC_N (sizeof(static_schedulers) / sizeof(static_schedulers[0]))

static const struct static_scheduler *static_find(const char *policy)
{
	for (size_t i = 0; i < STATIC_N; i++)
		if (!strcmp(static_schedulers[i].name, policy))
			return &static_schedulers[i];
	return NULL;
}

bool sim_is_static(const char *policy)
{
	return static_find(policy);
}

/* Whether the data of a task exceeds the memory of a worker. Disks extend main memory. */
static bool static_is_too_large(const struct sim_case *c, uint64_t bytes, unsigned worker)
{
	return c->infos[worker].arch != XY_CPU && c->node_bytes[c->node[worker]] &&
	       bytes > c->node_bytes[c->node[worker]];
}

static double *static_costs(const struct sim_case *c)
{
	double *costs = (double)c->graph.ntasks * c->nworkers > STATIC_COSTS_MAX
				? NULL
				: malloc((size_t)c->graph.ntasks * c->nworkers * sizeof(*costs));

	for (uint32_t i = 0; i < c->graph.ntasks && costs; i++) {
		uint64_t bytes = graph_task_bytes(&c->graph, i);

		for (unsigned w = 0; w < c->nworkers; w++)
			costs[(size_t)i * c->nworkers + w] = static_is_too_large(c, bytes, w)
								     ? INFINITY
								     : sim_case_us(c, i, c->class[w]);
	}
	return costs;
}

struct graph_place *sim_static_places(const struct sim_case *c, const char *policy, double *planned_s)
{
	struct graph_schedule schedule = { 0 };
	struct graph_edges edges;
	struct graph_problem problem = {
		.edges = &edges,
		.nprocessors = c->nworkers,
		.costs = static_costs(c),
		.nplaces = c->nnodes,
		.place = c->node,
		.latencies_us = c->latency_us,
		.us_per_bytes = c->us_per_byte,
	};
	int error = graph_edges_init_ordered(&edges, &c->graph);
	struct graph_place *places;

	if (!error && !problem.costs)
		error = -ENOMEM;
	if (!error)
		error = static_find(policy)->schedule(&problem, &schedule);
	places = schedule.places;
	graph_edges_fini(&edges);
	free((double *)problem.costs);
	if (error) {
		tool_say("%s: %s", policy, error == -ENOMEM ? "too many tasks and workers" : strerror(-error));
		return NULL;
	}
	*planned_s = schedule.makespan * 1e-6;
	schedule.places = NULL;
	graph_schedule_fini(&schedule);
	return places;
}
