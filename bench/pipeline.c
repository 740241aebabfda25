/* SPDX-License-Identifier: MIT */
/*
 * How fast schedules of pipelines are found, beside the plain dynamic program over the same states. The
 * problems are made here, like a vision transformer on boards of several speeds; both must find the same
 * bottleneck, else nothing is printed and the bench fails.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/pipeline.h"

enum { LAYERS_MAX = 96, TYPES = 5 };

struct bed {
	struct pipeline_problem problem;
	struct pipeline_type types[TYPES];
	double time_s[TYPES][LAYERS_MAX], mem_MB[LAYERS_MAX];
	uint64_t parameters_out[LAYERS_MAX];
};

/* Between 0 and 1, the same in every run. */
static double bed_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 40) / (double)(1 << 24);
}

static void bed_fill(struct bed *bed, unsigned layers, unsigned types, unsigned hosts)
{
	static const double times[] = { 0.56, 0.14, 0.6, 0.53 }, memory[] = { 31, 22, 35, 34 };
	static const uint64_t outputs[] = { 403456, 403456, 1008640, 201728 };
	static const double bandwidth[TYPES] = { 1000, 100, 500, 1000, 200 };
	static const double capacity[TYPES] = { 512, 2048, 1024, 8192, 900 };
	uint64_t seed = 1;

	*bed = (struct bed){ 0 };
	bed->problem = (struct pipeline_problem){
		.nlayers = layers,
		.mem_MB = bed->mem_MB,
		.parameters_in = 150528,
		.parameters_out = bed->parameters_out,
		.dtype_size = 4,
		.batch_size = 8,
		.buffers_in = 2,
		.buffers_out = 2,
		.ntypes = types,
		.types = bed->types,
	};
	for (unsigned i = 0; i < layers; i++) {
		bed->mem_MB[i] = memory[i % 4];
		bed->parameters_out[i] = outputs[i % 4];
	}
	for (unsigned t = 0; t < types; t++) {
		bed->types[t] = (struct pipeline_type){
			.bw_Mbps = bandwidth[t],
			.mem_MB = capacity[t],
			.time_s = bed->time_s[t],
			.nhosts = hosts,
		};
		for (unsigned i = 0; i < layers; i++)
			bed->time_s[t][i] = times[i % 4] * (1 + 0.35 * t) * (0.9 + 0.2 * bed_random(&seed));
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Milliseconds of the table and the search together, or of the plain program; the bottleneck in *result. */
static double measure(struct bed *bed, bool plain, double *result)
{
	const unsigned figures[TYPES] = { 0, 1, 2, 3, 4 };
	struct pipeline_schedule schedule;
	struct pipeline_table table;
	double began = now();
	int error;

	error = pipeline_table_init(&table, &bed->problem);
	if (error || !pipeline_schedule_init(&schedule, &bed->problem))
		exit(1);
	error = plain ? pipeline_plain(&bed->problem, &table, figures, &schedule)
		      : pipeline_search(&bed->problem, &table, &schedule);
	if (error || !schedule.nstages)
		exit(1);
	began = now() - began;
	*result = pipeline_cost(&bed->problem, &schedule).bottleneck;
	pipeline_schedule_fini(&schedule);
	pipeline_table_fini(&table);
	return began * 1e3;
}

/* The least of some rounds: what the machine's other work adds is no property of the program. */
static double least(struct bed *bed, bool plain, int rounds, double *result)
{
	double best = 1e99;

	for (int i = 0; i < rounds; i++) {
		double time = measure(bed, plain, result);

		best = time < best ? time : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	static const struct {
		unsigned layers, types, hosts;
	} cases[] = {
		{ 48, 2, 4 }, { 96, 2, 4 }, { 96, 3, 8 }, { 96, 5, 3 }, { 96, 4, 8 }, { 96, 4, 16 }, { 96, 5, 8 },
	};
	bool quick = argc > 1 && !strcmp(argv[1], "--quick"), all = argc > 1 && !strcmp(argv[1], "--all");
	size_t n = quick ? 2 : sizeof(cases) / sizeof(cases[0]);

	printf("layers  types x hosts   search ms    plain ms      ratio\n");
	for (size_t i = 0; i < n; i++) {
		double found, plain_found, time, plain_time;
		struct bed bed;

		bed_fill(&bed, cases[i].layers, cases[i].types, cases[i].hosts);
		time = least(&bed, false, quick ? 1 : 5, &found);
		printf("%6u  %5u x %-5u  %10.3f", cases[i].layers, cases[i].types, cases[i].hosts, time);
		if (i > 4 && !all) {
			printf("  (--all: takes minutes)\n");
			continue;
		}
		fflush(stdout);
		plain_time = least(&bed, true, 1, &plain_found);
		if (found != plain_found) {
			printf("\n%.17g is not %.17g\n", found, plain_found);
			return 1;
		}
		printf("  %10.3f  %9.1f\n", plain_time, plain_time / time);
	}
	return 0;
}
