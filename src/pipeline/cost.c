/* SPDX-License-Identifier: MIT */
/*
 * The cost model. All sums run from left to right in double, like those of PipeEdge's scheduler, so that equal figures
 * give bitwise equal schedules.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"

#define COST_MEGA (1024.0 * 1024.0)

void pipeline_say(const struct pipeline_report *report, const char *format, ...)
{
	va_list args;

	fprintf(report->file, "%s: ", report->program);
	va_start(args, format);
	vfprintf(report->file, format, args);
	va_end(args);
	fputc('\n', report->file);
}

void pipeline_problem_fini(struct pipeline_problem *problem)
{
	for (unsigned t = 0; t < problem->ntypes; t++) {
		struct pipeline_type *type = &problem->types[t];

		for (unsigned h = 0; h < type->nhosts; h++)
			free(type->hosts[h]);
		free(type->hosts);
		free(type->time_s);
		free(type->name);
	}
	free(problem->types);
	free(problem->parameters_out);
	free(problem->mem_MB);
	free(problem->model);
	*problem = (struct pipeline_problem){ 0 };
}

bool pipeline_type_is_same(const struct pipeline_problem *problem, unsigned a, unsigned b)
{
	const struct pipeline_type *x = &problem->types[a], *y = &problem->types[b];

	return x->bw_Mbps == y->bw_Mbps && x->mem_MB == y->mem_MB &&
	       !memcmp(x->time_s, y->time_s, problem->nlayers * sizeof(x->time_s[0]));
}

bool pipeline_schedule_init(struct pipeline_schedule *schedule, const struct pipeline_problem *problem)
{
	schedule->nstages = 0;
	schedule->stages = calloc(problem->nlayers + 1u, sizeof(schedule->stages[0]));
	return schedule->stages;
}

void pipeline_schedule_fini(struct pipeline_schedule *schedule)
{
	free(schedule->stages);
	schedule->stages = NULL;
}

void pipeline_schedule_add(struct pipeline_schedule *schedule, unsigned type, unsigned last)
{
	unsigned n = schedule->nstages++;

	schedule->stages[n] = (struct pipeline_stage){
		.type = type,
		.first = n ? schedule->stages[n - 1].last + 1 : 1,
		.last = last,
	};
}

void pipeline_schedule_name_hosts(struct pipeline_schedule *schedule)
{
	unsigned used[PIPELINE_TYPES_MAX] = { 0 };

	for (unsigned s = 0; s < schedule->nstages; s++)
		schedule->stages[s].host = used[schedule->stages[s].type]++;
}

double pipeline_compute(const struct pipeline_problem *problem, unsigned type, unsigned first, unsigned last)
{
	double sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += problem->types[type].time_s[i - 1];
	return sum;
}

/* Output bytes of a layer for one microbatch; layer 0 is the input of the model. */
static uint64_t cost_bytes(const struct pipeline_problem *problem, unsigned layer)
{
	uint64_t parameters = layer ? problem->parameters_out[layer - 1] : problem->parameters_in;

	return problem->dtype_size * parameters * problem->batch_size;
}

double pipeline_comm(const struct pipeline_problem *problem, unsigned layer, double bw_Mbps)
{
	uint64_t bytes = cost_bytes(problem, layer);

	return bytes ? (double)bytes / (bw_Mbps * 1024 * 1024 / 8) : 0;
}

double pipeline_buffers(const struct pipeline_problem *problem, unsigned first, unsigned last)
{
	uint64_t in = cost_bytes(problem, first - 1), out = cost_bytes(problem, last);
	uint64_t buffers = out * problem->buffers_out + in + out;

	if (first > 1)
		buffers += in * problem->buffers_in;
	return (double)buffers;
}

double pipeline_memory(const struct pipeline_problem *problem, unsigned first, unsigned last)
{
	double layers = 0;

	for (unsigned i = first; i <= last; i++)
		layers += problem->mem_MB[i - 1] * COST_MEGA;
	return layers + pipeline_buffers(problem, first, last);
}

double pipeline_stage_comm(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule,
			   unsigned stage)
{
	const struct pipeline_stage *s = &schedule->stages[stage];

	if (stage + 1 >= schedule->nstages)
		return 0;
	return pipeline_comm(problem, s->last,
			     fmin(problem->types[s->type].bw_Mbps, problem->types[s[1].type].bw_Mbps));
}

struct pipeline_cost pipeline_cost(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule)
{
	struct pipeline_cost cost = { .bottleneck = -1 };

	for (unsigned s = 0; s < schedule->nstages; s++) {
		const struct pipeline_stage *stage = &schedule->stages[s];
		double times[2] = {
			pipeline_compute(problem, stage->type, stage->first, stage->last),
			pipeline_stage_comm(problem, schedule, s),
		};

		for (unsigned k = 0; k < 2; k++) {
			cost.latency += times[k];
			if (times[k] <= cost.bottleneck)
				continue;
			cost.bottleneck = times[k];
			cost.stage = s;
			cost.comm = k;
		}
	}
	return cost;
}
