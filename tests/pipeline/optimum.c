/* SPDX-License-Identifier: MIT */
/*
 * Every solver finds what trying everything finds, on random small problems. Times and sizes are multiples
 * of powers of two, so that sums are exact and ties are frequent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"

enum { LAYERS = 6, TYPES = 3, HOSTS = 3, CASES = 6000, DEVICES = TYPES * HOSTS };

struct bed {
	struct pipeline_problem problem;
	struct pipeline_type types[TYPES];
	struct pipeline_device devices[DEVICES];
	unsigned ndevices;
	double time_s[TYPES][LAYERS], mem_MB[LAYERS];
	uint64_t parameters_out[LAYERS];
};

static uint64_t bed_random(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % below;
}

/* Two types with the same figures are still two types. */
static void bed_copy_figures(struct bed *bed, unsigned to, unsigned from)
{
	bed->types[to].bw_Mbps = bed->types[from].bw_Mbps;
	bed->types[to].mem_MB = bed->types[from].mem_MB;
	memcpy(bed->time_s[to], bed->time_s[from], sizeof(bed->time_s[to]));
}

/* A problem in which memory, links and the number of hosts all matter now and then. */
static void bed_fill(struct bed *bed, uint64_t seed)
{
	static const double bandwidths[] = { 0, 16, 64, 1024 };

	*bed = (struct bed){ 0 };
	bed->problem = (struct pipeline_problem){
		.nlayers = 1 + (unsigned)bed_random(&seed, LAYERS),
		.ntypes = 1 + (unsigned)bed_random(&seed, TYPES),
		.mem_MB = bed->mem_MB,
		.parameters_out = bed->parameters_out,
		.types = bed->types,
		.parameters_in = bed_random(&seed, 4) << 18,
		.dtype_size = 1u << bed_random(&seed, 3),
		.batch_size = 1 + bed_random(&seed, 2),
		.buffers_in = bed_random(&seed, 3),
		.buffers_out = bed_random(&seed, 3),
	};
	for (unsigned i = 0; i < bed->problem.nlayers; i++) {
		bed->mem_MB[i] = (double)bed_random(&seed, 8);
		bed->parameters_out[i] = bed_random(&seed, 6) << 18;
	}
	for (unsigned t = 0; t < bed->problem.ntypes; t++) {
		bed->types[t] = (struct pipeline_type){
			.bw_Mbps = bandwidths[bed_random(&seed, 20) ? 1 + bed_random(&seed, 3) : 0],
			.mem_MB = (double)(8 + bed_random(&seed, 40)),
			.time_s = bed->time_s[t],
			.nhosts = (unsigned)bed_random(&seed, HOSTS + 1),
		};
		for (unsigned i = 0; i < bed->problem.nlayers; i++)
			bed->time_s[t][i] = (double)bed_random(&seed, 12) / 8;
		if (t && bed_random(&seed, 3) == 0)
			bed_copy_figures(bed, t, (unsigned)bed_random(&seed, t));
		for (unsigned h = 0; h < bed->types[t].nhosts; h++)
			bed->devices[bed->ndevices++] = (struct pipeline_device){ t, h };
	}
	for (unsigned i = bed->ndevices; i > 1; i--) {
		unsigned other = (unsigned)bed_random(&seed, i);
		struct pipeline_device device = bed->devices[other];

		bed->devices[other] = bed->devices[i - 1];
		bed->devices[i - 1] = device;
	}
}

/* --- the cost model once more, straight from its definition --- */

static double bytes_out(const struct bed *bed, unsigned layer)
{
	uint64_t parameters = layer ? bed->parameters_out[layer - 1] : bed->problem.parameters_in;

	return (double)(parameters * bed->problem.dtype_size * bed->problem.batch_size);
}

static bool fits(const struct bed *bed, unsigned type, unsigned first, unsigned last)
{
	double in = bytes_out(bed, first - 1), out = bytes_out(bed, last), sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += bed->mem_MB[i - 1] * 1048576;
	if (first > 1)
		sum += in * (double)bed->problem.buffers_in;
	sum += out * (double)bed->problem.buffers_out + in + out;
	return bed->types[type].mem_MB * 1048576 > sum;
}

static double compute(const struct bed *bed, unsigned type, unsigned first, unsigned last)
{
	double sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += bed->time_s[type][i - 1];
	return sum;
}

static double comm(const struct bed *bed, unsigned layer, unsigned a, unsigned b)
{
	double bw = fmin(bed->types[a].bw_Mbps, bed->types[b].bw_Mbps), bytes = bytes_out(bed, layer);

	return bytes > 0 ? bytes / (bw * 1048576 / 8) : 0;
}

/* --- trying everything, in order, so that the first of the best stays --- */

struct brute {
	const struct bed *bed;
	bool latency, ordered;
	unsigned used[TYPES], n;
	struct pipeline_stage stages[LAYERS], best[LAYERS];
	unsigned nbest; /* 0: none yet */
	double least;
};

static void brute_add(struct brute *brute, double value, double *cost)
{
	*cost = brute->latency ? *cost + value : fmax(*cost, value);
}

static void brute_go(struct brute *brute, unsigned behind, unsigned from, double cost);

static void brute_stages(struct brute *brute, unsigned behind, struct pipeline_device device, unsigned next,
			 double cost)
{
	for (unsigned last = behind + 1; last <= brute->bed->problem.nlayers; last++) {
		double sum = cost;

		if (!fits(brute->bed, device.type, behind + 1, last))
			continue;
		if (behind)
			brute_add(brute, comm(brute->bed, behind, brute->stages[brute->n - 1].type, device.type), &sum);
		brute_add(brute, compute(brute->bed, device.type, behind + 1, last), &sum);
		brute->stages[brute->n++] = (struct pipeline_stage){ device.type, device.host, behind + 1, last };
		brute->used[device.type]++;
		brute_go(brute, last, next, sum);
		brute->used[device.type]--;
		brute->n--;
	}
}

static void brute_go(struct brute *brute, unsigned behind, unsigned from, double cost)
{
	const struct bed *bed = brute->bed;

	if (behind == bed->problem.nlayers) {
		if (cost < brute->least || (cost == brute->least && cost < INFINITY && brute->n < brute->nbest)) {
			brute->least = cost;
			brute->nbest = brute->n;
			memcpy(brute->best, brute->stages, sizeof(brute->stages));
		}
		return;
	}
	for (unsigned d = from; brute->ordered && d < bed->ndevices; d++)
		brute_stages(brute, behind, bed->devices[d], d + 1, cost);
	for (unsigned t = 0; !brute->ordered && t < bed->problem.ntypes; t++)
		if (brute->used[t] < bed->types[t].nhosts)
			brute_stages(brute, behind, (struct pipeline_device){ t, brute->used[t] }, 0, cost);
}

static void same(const struct brute *brute, const struct pipeline_schedule *schedule, uint64_t seed)
{
	if (brute->nbest == schedule->nstages &&
	    !memcmp(brute->best, schedule->stages, brute->nbest * sizeof(brute->best[0])))
		return;
	print_error("seed %llu: %u stages instead of %u for %g\n", (unsigned long long)seed, schedule->nstages,
		    brute->nbest, brute->least);
	for (unsigned s = 0; s < schedule->nstages || s < brute->nbest; s++)
		print_error("%u: type %u host %u to %u, best: type %u host %u to %u\n", s, schedule->stages[s].type,
			    schedule->stages[s].host, schedule->stages[s].last, brute->best[s].type,
			    brute->best[s].host, brute->best[s].last);
	fail();
}

/* How often there was a schedule with several stages: else the test would show little. */
static void run(bool latency, bool ordered)
{
	unsigned several = 0, none = 0;

	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct pipeline_schedule schedule;
		struct pipeline_table table;
		struct brute brute;
		struct bed bed;
		int error;

		bed_fill(&bed, seed);
		brute = (struct brute){ .bed = &bed, .latency = latency, .ordered = ordered, .least = INFINITY };
		brute_go(&brute, 0, 0, 0);
		assert_int_equal(pipeline_table_init(&table, &bed.problem), 0);
		assert_true(pipeline_schedule_init(&schedule, &bed.problem));
		if (ordered)
			error = (latency ? pipeline_order_latency : pipeline_order)(&table, bed.devices, bed.ndevices,
										    &schedule);
		else
			error = (latency ? pipeline_latency : pipeline_search)(&bed.problem, &table, &schedule);
		assert_int_equal(error, 0);
		same(&brute, &schedule, seed);
		several += schedule.nstages > 1;
		none += schedule.nstages == 0;
		pipeline_schedule_fini(&schedule);
		pipeline_table_fini(&table);
	}
	assert_true(several > CASES / 10);
	assert_true(none > CASES / 50);
}

static void finds_the_least_bottleneck(void **state)
{
	(void)state;
	run(false, false);
}

static void finds_the_least_latency(void **state)
{
	(void)state;
	run(true, false);
}

static void finds_the_least_bottleneck_in_a_given_order(void **state)
{
	(void)state;
	run(false, true);
}

static void finds_the_least_latency_in_a_given_order(void **state)
{
	(void)state;
	run(true, true);
}

static void agrees_with_the_plain_program_on_the_bottleneck(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct pipeline_schedule search, plain;
		unsigned figures[TYPES] = { 0, 1, 2 };
		struct pipeline_table table;
		struct bed bed;

		bed_fill(&bed, seed);
		assert_int_equal(pipeline_table_init(&table, &bed.problem), 0);
		assert_true(pipeline_schedule_init(&search, &bed.problem));
		assert_true(pipeline_schedule_init(&plain, &bed.problem));
		assert_int_equal(pipeline_search(&bed.problem, &table, &search), 0);
		assert_int_equal(pipeline_plain(&bed.problem, &table, figures, &plain), 0);
		assert_int_equal(search.nstages > 0, plain.nstages > 0);
		assert_true(pipeline_cost(&bed.problem, &search).bottleneck ==
			    pipeline_cost(&bed.problem, &plain).bottleneck);
		assert_true(search.nstages <= plain.nstages);
		pipeline_schedule_fini(&search);
		pipeline_schedule_fini(&plain);
		pipeline_table_fini(&table);
	}
}

/* Most combinations of many types can't be used by few layers, so that states are numbered. */
static void agrees_with_the_plain_program_on_many_types(void **state)
{
	enum { MANY = 14, FEW = 3, ROUNDS = 150 };
	static double time_s[MANY][FEW], mem_MB[FEW];
	static uint64_t parameters_out[FEW];
	unsigned figures[MANY];

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct pipeline_schedule schedule, plain;
		struct pipeline_type types[MANY];
		struct pipeline_problem problem = { .nlayers = 1 + (unsigned)(round % FEW),
						    .mem_MB = mem_MB,
						    .parameters_out = parameters_out,
						    .dtype_size = 4,
						    .batch_size = 8,
						    .ntypes = MANY,
						    .types = types };
		struct pipeline_table table;
		uint64_t seed = round;

		for (unsigned i = 0; i < FEW; i++) {
			mem_MB[i] = (double)(1 + bed_random(&seed, 8));
			parameters_out[i] = bed_random(&seed, 6) << 16;
		}
		for (unsigned t = 0; t < MANY; t++) {
			figures[t] = t;
			types[t] = (struct pipeline_type){ .bw_Mbps = 1 << bed_random(&seed, 8),
							   .mem_MB = (double)(4 + bed_random(&seed, 60)),
							   .time_s = time_s[t],
							   .nhosts = 1 };
			for (unsigned i = 0; i < FEW; i++)
				time_s[t][i] = (double)(1 + bed_random(&seed, 64)) / 8;
		}
		assert_int_equal(pipeline_table_init(&table, &problem), 0);
		assert_true(pipeline_schedule_init(&schedule, &problem) && pipeline_schedule_init(&plain, &problem));
		assert_int_equal(pipeline_search(&problem, &table, &schedule), 0);
		assert_int_equal(pipeline_plain(&problem, &table, figures, &plain), 0);
		assert_int_equal(schedule.nstages > 0, plain.nstages > 0);
		if (plain.nstages &&
		    pipeline_cost(&problem, &schedule).bottleneck != pipeline_cost(&problem, &plain).bottleneck)
			fail_msg("round %u: another bottleneck", (unsigned)round);
		for (unsigned s = 0; s < schedule.nstages; s++)
			assert_int_equal(schedule.stages[s].host, 0);
		pipeline_schedule_fini(&schedule);
		pipeline_schedule_fini(&plain);
		pipeline_table_fini(&table);
	}
}

/* There are two devices in all: number 0 is of type 0, number 1 of type 2. */
static void takes_the_figures_of_the_device_with_the_number_of_the_type(void **state)
{
	struct pipeline_type types[3] = { { .nhosts = 1 }, { .nhosts = 0 }, { .nhosts = 1 } };
	struct pipeline_problem problem = { .ntypes = 3, .types = types };
	unsigned figures[3];

	(void)state;
	pipeline_plain_figures(&problem, figures);
	assert_int_equal(figures[0], 0);
	assert_int_equal(figures[1], 2);
	assert_int_equal(figures[2], 3);
}

/* A hundred layers on four types with eight hosts each, of which most are needed. All types alike, or each its own
 * figures: the least latency is that of one type with all hosts, or is less than that of other schedules. */
static void finds_the_least_latency_of_a_large_problem(void **state)
{
	enum { MANY = 100 };
	static double time_s[4][MANY], mem_MB[MANY];
	static uint64_t parameters_out[MANY];
	struct pipeline_type types[4];
	struct pipeline_problem problem = {
		.nlayers = MANY,
		.mem_MB = mem_MB,
		.parameters_out = parameters_out,
		.dtype_size = 4,
		.batch_size = 8,
		.types = types,
	};
	double latency[4];

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		struct pipeline_schedule schedule;
		struct pipeline_table table;
		uint64_t seed = 7;

		problem.ntypes = round == 0 ? 1 : 4;
		for (unsigned t = 0; t < 4; t++) {
			types[t] = (struct pipeline_type){
				.bw_Mbps = 1000,
				.mem_MB = 80,
				.time_s = time_s[t],
				.nhosts = round == 0 ? 32 : 8,
			};
			for (unsigned i = 0; i < MANY; i++) {
				double own = (8 + (double)bed_random(&seed, 64)) / 64 * t;

				time_s[t][i] = 1 + i % 4 + (round < 2 ? 0 : own);
			}
		}
		for (unsigned i = 0; i < MANY; i++) {
			mem_MB[i] = (double)(10 + i % 4);
			parameters_out[i] = (1 + i % 3) << 14;
		}
		assert_int_equal(pipeline_table_init(&table, &problem), 0);
		assert_true(pipeline_schedule_init(&schedule, &problem));
		assert_int_equal((round < 3 ? pipeline_latency : pipeline_search)(&problem, &table, &schedule), 0);
		assert_true(schedule.nstages > 16);
		latency[round] = pipeline_cost(&problem, &schedule).latency;
		pipeline_schedule_fini(&schedule);
		pipeline_table_fini(&table);
	}
	assert_true(latency[0] == latency[1]);
	assert_true(latency[2] <= latency[3]);
}

static void refuses_what_would_take_too_much_memory(void **state)
{
	enum { MANY = 60, KINDS = 14 };
	static double time_s[MANY], mem_MB[MANY];
	static uint64_t parameters_out[MANY];
	struct pipeline_schedule schedule;
	struct pipeline_type types[KINDS];
	struct pipeline_problem problem = {
		.nlayers = MANY,
		.mem_MB = mem_MB,
		.parameters_out = parameters_out,
		.dtype_size = 4,
		.batch_size = 8,
		.ntypes = KINDS,
		.types = types,
	};
	struct pipeline_table table;

	(void)state;
	for (unsigned t = 0; t < KINDS; t++)
		types[t] = (struct pipeline_type){ .bw_Mbps = t + 1, .mem_MB = 1, .time_s = time_s, .nhosts = 1000 };
	assert_int_equal(pipeline_table_init(&table, &problem), 0);
	assert_true(pipeline_schedule_init(&schedule, &problem));
	assert_int_equal(pipeline_search(&problem, &table, &schedule), -E2BIG);
	assert_int_equal(pipeline_plain(&problem, &table, (unsigned[KINDS]){ 0 }, &schedule), -E2BIG);
	pipeline_schedule_fini(&schedule);
	pipeline_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_least_bottleneck),
		cmocka_unit_test(finds_the_least_latency),
		cmocka_unit_test(finds_the_least_bottleneck_in_a_given_order),
		cmocka_unit_test(finds_the_least_latency_in_a_given_order),
		cmocka_unit_test(agrees_with_the_plain_program_on_the_bottleneck),
		cmocka_unit_test(agrees_with_the_plain_program_on_many_types),
		cmocka_unit_test(takes_the_figures_of_the_device_with_the_number_of_the_type),
		cmocka_unit_test(finds_the_least_latency_of_a_large_problem),
		cmocka_unit_test(refuses_what_would_take_too_much_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
