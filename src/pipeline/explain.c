/* SPDX-License-Identifier: MIT */
/* Why there is no schedule: no device, a layer that fits nowhere, the order, links that carry nothing, or memory. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"

#define EXPLAIN_MEGA (1024.0 * 1024.0)

static unsigned explain_hosts(const struct pipeline_problem *problem)
{
	unsigned n = 0;

	for (unsigned t = 0; t < problem->ntypes; t++)
		n += problem->types[t].nhosts;
	return n;
}

static double explain_largest(const struct pipeline_problem *problem)
{
	double largest = 0;

	for (unsigned t = 0; t < problem->ntypes; t++)
		if (problem->types[t].nhosts)
			largest = fmax(largest, problem->types[t].mem_MB);
	return largest;
}

/* The first layer that is in no stage which fits on some device, or 0. A layer with small neighbours may
 * fit in a longer stage only, as its buffers are not needed there. */
static unsigned explain_layer(const struct pipeline_problem *problem, const struct pipeline_table *table)
{
	for (unsigned layer = 1; layer <= problem->nlayers; layer++) {
		bool fits = false;

		for (unsigned t = 0; t < problem->ntypes && !fits; t++)
			for (unsigned behind = layer; problem->types[t].nhosts && behind-- > 0 && !fits;)
				for (unsigned last = layer; last <= problem->nlayers && !fits; last++)
					fits = pipeline_table_compute(table, t, behind, last) < INFINITY;
		if (!fits)
			return layer;
	}
	return 0;
}

/* 1 if there is a schedule with devices in any order, 0 if there is none, negative if the search can't tell. */
static int explain_finds(const struct pipeline_problem *problem, const struct pipeline_table *table)
{
	struct pipeline_schedule schedule;
	int result;

	if (!pipeline_schedule_init(&schedule, problem))
		return -ENOMEM;
	result = pipeline_search(problem, table, &schedule);
	if (!result)
		result = schedule.nstages > 0;
	pipeline_schedule_fini(&schedule);
	return result;
}

/* Whether there were a schedule if links had no limit; likewise. */
static int explain_is_link(const struct pipeline_problem *problem, const struct pipeline_table *table)
{
	struct pipeline_table open = *table;
	int result;

	open.link = calloc((size_t)table->ntypes * table->nlayers + 1, sizeof(double));
	result = open.link ? explain_finds(problem, &open) : -ENOMEM;
	free(open.link);
	return result;
}

void pipeline_explain(const struct pipeline_problem *problem, const struct pipeline_table *table, const char *otherwise,
		      const struct pipeline_report *report)
{
	unsigned hosts = explain_hosts(problem), layer;
	int found, link = 0;

	if (!problem->nlayers) {
		pipeline_say(report, "nothing to schedule: %s has no layers", problem->model);
		return;
	}
	if (!hosts) {
		pipeline_say(report,
			     problem->ntypes
				     ? "no schedule: devices: no host is left of the types that have a profile for %s"
				     : "no schedule: no device has a profile for %s with this dtype and batch size",
			     problem->model);
		return;
	}
	layer = explain_layer(problem, table);
	found = layer ? 0 : explain_finds(problem, table);
	if (!layer && !found)
		link = explain_is_link(problem, table);
	if (layer)
		pipeline_say(report,
			     "no schedule: memory: layer %u needs more than %.1f MB by itself, and the "
			     "largest device has %.1f MB",
			     layer, pipeline_memory(problem, layer, layer) / EXPLAIN_MEGA, explain_largest(problem));
	else if (found < 0 || link < 0)
		pipeline_say(report, "no schedule: the reason is unknown: %s",
			     found == -E2BIG || link == -E2BIG ? "too many layers, types and hosts to try them all"
							       : "no memory");
	else if (found)
		pipeline_say(report, "no schedule: %s", otherwise);
	else if (link)
		pipeline_say(report, "no schedule: bandwidth: the layers must be on several devices, and too "
				     "many have bw_Mbps 0");
	else
		pipeline_say(report, "no schedule: memory: %s does not fit on %u devices (%.1f MB without buffers)",
			     problem->model, hosts,
			     (pipeline_memory(problem, 1, problem->nlayers) -
			      pipeline_buffers(problem, 1, problem->nlayers)) /
				     EXPLAIN_MEGA);
}
