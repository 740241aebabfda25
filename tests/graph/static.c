/* SPDX-License-Identifier: MIT */
/* Static schedulers: the published results on the published graphs, the best possible schedules by a search over
 * all, and schedules that are valid on anything else. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "graph/static.h"
#include "../helper.h"

/* A graph with its edges and costs. */
struct bench {
	struct graph g;
	struct graph_edges edges;
	double *costs;
	struct graph_problem problem;
};

static void bench_connect(struct bench *bench)
{
	assert_int_equal(graph_edges_init(&bench->edges, &bench->g), 0);
	bench->costs = graph_costs(&bench->g);
	assert_non_null(bench->costs);
	bench->problem = (struct graph_problem){
		.edges = &bench->edges, .nprocessors = bench->g.nprocessors, .costs = bench->costs, .us_per_byte = 1
	};
}

static void bench_open(struct bench *bench, const char *name)
{
	char path[1024], error[256] = "";

	snprintf(path, sizeof(path), TEST_GRAPHS "/%s", name);
	if (graph_read(&bench->g, path, error, sizeof(error)))
		fail_msg("%s", error);
	bench_connect(bench);
}

static void bench_close(struct bench *bench)
{
	free(bench->costs);
	graph_edges_fini(&bench->edges);
	graph_fini(&bench->g);
}

typedef int scheduler(const struct graph_problem *problem, struct graph_schedule *schedule);

/* The makespan of a schedule that is valid. */
static double makespan(struct bench *bench, scheduler *schedule)
{
	struct graph_schedule result;
	char error[128] = "";
	double length;

	assert_int_equal(schedule(&bench->problem, &result), 0);
	if (graph_schedule_check(&bench->problem, &result, error, sizeof(error)))
		fail_msg("%s", error);
	length = result.makespan;
	graph_schedule_fini(&result);
	return length;
}

static void the_graph_of_the_heft_paper_gives_80_86_and_85(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, "topcuoglu.xyg");
	assert_true(makespan(&bench, graph_heft) == 80);
	assert_true(makespan(&bench, graph_cpop) == 86);
	assert_true(makespan(&bench, graph_peft) == 85);
	bench_close(&bench);
}

static void the_graph_of_the_peft_paper_gives_133_167_and_122(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, "arabnejad.xyg");
	assert_true(makespan(&bench, graph_heft) == 133);
	assert_true(makespan(&bench, graph_cpop) == 167);
	assert_true(makespan(&bench, graph_peft) == 122);
	bench_close(&bench);
}

/* --- ties --- */

/* Copies a graph with two adjacent tasks swapped; neither may wait for the other. */
static void swap_tasks(struct graph *to, const struct graph *from, uint32_t first)
{
	*to = (struct graph){ 0 };
	assert_int_equal(graph_set_processors(to, from->nprocessors), 0);
	assert_int_equal(graph_add_kernel(to, "work", 0), 0);
	for (uint32_t d = 0; d < from->ndata; d++)
		assert_int_equal(graph_add_data(to, NULL, from->data[d].bytes), d);
	for (uint32_t i = 0; i < from->ntasks; i++) {
		const struct graph_task *task = &from->tasks[i == first ? i + 1 : i == first + 1 ? first : i];

		assert_int_equal(
			graph_add_task(to, &(struct graph_task_desc){ .name = task->name,
								      .accesses = &from->accesses[task->first_access],
								      .naccesses = task->naccesses,
								      .costs = task->costs }),
			i);
	}
}

static void the_other_order_of_the_two_tasks_that_tie_gives_heft_86(void **state)
{
	struct bench bench, swapped;
	struct graph__means means;
	double ranks[10];

	(void)state;
	bench_open(&bench, "topcuoglu.xyg");
	assert_int_equal(graph__means_init(&means, &bench.problem), 0);
	graph__upward_ranks(&bench.problem, &means, ranks);
	graph__means_fini(&means);
	assert_true(ranks[2] == 3 * 80 && ranks[3] == 3 * 80); /* n3 and n4; ranks are times three processors */
	swap_tasks(&swapped.g, &bench.g, 2);
	assert_string_equal(swapped.g.tasks[2].name, "n4");
	bench_connect(&swapped);
	assert_true(makespan(&swapped, graph_heft) == 86);
	bench_close(&swapped);
	bench_close(&bench);
}

/* A graph whose costs and messages are whole numbers, with many ties. */
static void make_with_ties(struct graph *to, unsigned seed)
{
	struct graph from;
	char text[80];
	uint64_t random = seed;

	*to = (struct graph){ 0 };
	snprintf(text, sizeof(text), "random:layers=%u:width=5:seed=%u", 3 + seed % 6, seed);
	assert_int_equal(graph_make(&from, text, NULL, 0), 0);
	assert_int_equal(graph_set_processors(to, 3), 0);
	assert_int_equal(graph_add_kernel(to, "work", 0), 0);
	for (uint32_t d = 0; d < from.ndata; d++)
		assert_int_equal(graph_add_data(to, NULL, 1 + helper_below(&random, 3)), d);
	for (uint32_t t = 0; t < from.ntasks; t++) {
		double costs[3];

		for (uint32_t p = 0; p < 3; p++)
			costs[p] = 1 + helper_below(&random, 4);
		assert_int_equal(
			graph_add_task(
				to, &(struct graph_task_desc){ .costs = costs,
							       .accesses = &from.accesses[from.tasks[t].first_access],
							       .naccesses = from.tasks[t].naccesses }),
			t);
	}
	graph_fini(&from);
}

static void ties_do_not_depend_on_rounding(void **state)
{
	static scheduler *const schedulers[] = { graph_heft, graph_cpop, graph_peft };

	(void)state;
	for (unsigned seed = 1; seed <= 60; seed++) {
		struct bench bench;

		make_with_ties(&bench.g, seed);
		bench_connect(&bench);
		for (unsigned s = 0; s < HELPER_COUNT(schedulers); s++) {
			struct graph_schedule whole, tenths;
			struct graph_problem problem = bench.problem;
			size_t n = (size_t)bench.g.ntasks * bench.g.nprocessors;
			double *costs = malloc(n * sizeof(*costs));

			assert_int_equal(schedulers[s](&problem, &whole), 0);
			for (size_t i = 0; i < n; i++)
				costs[i] = bench.costs[i] * 0.1;
			problem.costs = costs;
			problem.us_per_byte *= 0.1;
			assert_int_equal(schedulers[s](&problem, &tenths), 0);
			for (uint32_t t = 0; t < bench.g.ntasks; t++)
				if (whole.places[t].worker != tenths.places[t].worker ||
				    whole.places[t].position != tenths.places[t].position)
					fail_msg("scheduler %u, seed %u, task %u", s, seed, t);
			graph_schedule_fini(&whole);
			graph_schedule_fini(&tenths);
			free(costs);
		}
		bench_close(&bench);
	}
}

/* --- the best possible --- */

/* A schedule in the making: tasks are begun in the order of time. */
struct search {
	const struct graph_problem *problem;
	double best;
	double tails[16]; /* of a task: the least time from its beginning to the end of the graph */
	double end[16], free[4];
	unsigned at[16];
	unsigned done; /* a bit for each task */
};

static double search_ready(const struct search *s, uint32_t t, uint32_t p)
{
	const struct graph_edges *e = s->problem->edges;
	double ready = s->free[p];

	for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++)
		ready = fmax(ready, s->end[e->before[i]] +
					    graph__static_comm(s->problem, s->at[e->before[i]], p, e->before_bytes[i]));
	return ready;
}

static bool search_can_begin(const struct search *s, uint32_t t)
{
	const struct graph_edges *e = s->problem->edges;
	bool can = !(s->done & 1u << t);

	for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++)
		can = can && (s->done & 1u << e->before[i]);
	return can;
}

/* Whether everything that is left can end before the best one: by paths, and by the work that is left. */
static bool search_can_win(const struct search *s, double last)
{
	const struct graph_edges *e = s->problem->edges;
	uint32_t n = s->problem->nprocessors;
	double work = 0, early[16];

	for (uint32_t p = 0; p < n; p++)
		work += fmax(s->free[p], last);
	for (uint32_t t = 0; t < e->ntasks; t++) {
		double least = INFINITY;

		if (s->done & 1u << t) {
			early[t] = s->end[t];
			continue;
		}
		for (uint32_t p = 0; p < n; p++)
			least = fmin(least, s->problem->costs[t * n + p]);
		early[t] = last;
		for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++)
			early[t] = fmax(early[t], early[e->before[i]]);
		if (early[t] + s->tails[t] >= s->best)
			return false;
		early[t] += least;
		work += least;
	}
	return work / n < s->best;
}

static void search_from(struct search *s, double last)
{
	uint32_t n = s->problem->nprocessors, ntasks = s->problem->edges->ntasks;

	if (s->done == (1u << ntasks) - 1) {
		double end = 0;

		for (uint32_t t = 0; t < ntasks; t++)
			end = fmax(end, s->end[t]);
		s->best = fmin(s->best, end);
		return;
	}
	if (!search_can_win(s, last))
		return;
	for (uint32_t t = 0; t < ntasks; t++)
		for (uint32_t p = 0; p < n && search_can_begin(s, t); p++) {
			double start = search_ready(s, t, p), before = s->free[p];

			if (start < last || start + s->tails[t] >= s->best)
				continue;
			s->done |= 1u << t;
			s->at[t] = p;
			s->end[t] = s->free[p] = start + s->problem->costs[t * n + p];
			search_from(s, start);
			s->free[p] = before;
			s->done &= ~(1u << t);
		}
}

static double best_possible(const struct bench *bench)
{
	const struct graph_edges *e = &bench->edges;
	struct search s = { .problem = &bench->problem, .best = INFINITY };
	double least[16];

	for (uint32_t t = 0; t < e->ntasks; t++) {
		least[t] = INFINITY;
		for (uint32_t p = 0; p < bench->problem.nprocessors; p++)
			least[t] = fmin(least[t], bench->costs[t * bench->problem.nprocessors + p]);
	}
	graph_bottom_levels(e, least, s.tails);
	s.best = 200;
	search_from(&s, 0);
	return s.best;
}

static void no_schedule_of_the_heft_graph_is_shorter_than_73(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, "topcuoglu.xyg");
	assert_true(best_possible(&bench) == 73);
	bench_close(&bench);
}

static void no_schedule_of_the_peft_graph_is_shorter_than_113(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, "arabnejad.xyg");
	assert_true(best_possible(&bench) == 113);
	bench_close(&bench);
}

/* --- anything else --- */

static void schedules_are_valid_on_random_graphs_and_machines(void **state)
{
	static scheduler *const schedulers[] = { graph_heft, graph_cpop, graph_peft };

	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		uint32_t place[7] = { 0, 0, 0, 1, 1, 2, 2 }, n = 1 + seed % 7;
		double latencies[9], per_bytes[9];
		struct bench bench = { 0 };
		char text[80];
		uint64_t random = seed;

		snprintf(text, sizeof(text), "random:layers=%u:width=9:degree=4:seed=%u", 1 + seed % 9, seed);
		assert_int_equal(graph_make(&bench.g, text, NULL, 0), 0);
		assert_int_equal(graph_edges_init(&bench.edges, &bench.g), 0);
		bench.costs = malloc(bench.g.ntasks * n * sizeof(double));
		for (uint32_t i = 0; i < bench.g.ntasks * n; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			bench.costs[i] = i % n && random >> 61 == 0 ? INFINITY : 1 + (double)(random >> 40) * 1e-5;
		}
		for (unsigned i = 0; i < 9; i++) {
			latencies[i] = i * 3.5;
			per_bytes[i] = 1e-5 * (1 + i);
		}
		bench.problem = (struct graph_problem){ .edges = &bench.edges,
							.nprocessors = n,
							.costs = bench.costs,
							.nplaces = 3,
							.place = seed % 3 ? place : NULL,
							.us_per_byte = 1e-4,
							.latency_us = 10,
							.latencies_us = seed % 3 == 1 ? latencies : NULL,
							.us_per_bytes = seed % 3 == 1 ? per_bytes : NULL };
		for (unsigned i = 0; i < 3; i++)
			assert_true(makespan(&bench, schedulers[i]) > 0);
		bench_close(&bench);
	}
}

static void many_independent_tasks_are_placed_soon(void **state)
{
	struct timespec from, to;
	struct bench bench = { 0 };

	(void)state;
	assert_int_equal(graph_make(&bench.g, "independent:200000", NULL, 0), 0);
	assert_int_equal(graph_edges_init(&bench.edges, &bench.g), 0);
	bench.costs = malloc(bench.g.ntasks * 4 * sizeof(double));
	for (uint32_t i = 0; i < bench.g.ntasks * 4; i++)
		bench.costs[i] = 1 + i % 7;
	bench.problem = (struct graph_problem){ .edges = &bench.edges, .nprocessors = 4, .costs = bench.costs };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_true(makespan(&bench, graph_heft) > 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_true(to.tv_sec - from.tv_sec < 30);
	bench_close(&bench);
}

static void a_task_that_can_run_nowhere_is_refused(void **state)
{
	struct graph_schedule schedule;
	struct bench bench;

	(void)state;
	bench_open(&bench, "topcuoglu.xyg");
	for (unsigned p = 0; p < 3; p++)
		bench.costs[4 * 3 + p] = INFINITY;
	assert_int_equal(graph_heft(&bench.problem, &schedule), -EINVAL);
	assert_int_equal(graph_cpop(&bench.problem, &schedule), -EINVAL);
	assert_int_equal(graph_peft(&bench.problem, &schedule), -EINVAL);
	assert_null(schedule.places);
	bench_close(&bench);
}

static void check_finds_what_is_wrong_with_a_schedule(void **state)
{
	struct graph_schedule schedule;
	struct bench bench;
	char error[128];

	(void)state;
	bench_open(&bench, "topcuoglu.xyg");
	assert_int_equal(graph_heft(&bench.problem, &schedule), 0);
	assert_int_equal(graph_schedule_check(&bench.problem, &schedule, error, sizeof(error)), 0);
	schedule.start[3] -= 1;
	schedule.end[3] -= 1;
	assert_int_equal(graph_schedule_check(&bench.problem, &schedule, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "task 3 starts too early after task 0");
	schedule.end[3] += 1;
	assert_int_equal(graph_schedule_check(&bench.problem, &schedule, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "task 3 has another duration than it should");
	schedule.start[3] += 1;
	schedule.makespan = 79;
	assert_int_equal(graph_schedule_check(&bench.problem, &schedule, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "task 9 ends after the makespan");
	schedule.makespan = 80;
	schedule.places[9].position++;
	assert_int_equal(graph_schedule_check(&bench.problem, &schedule, error, sizeof(error)), -EINVAL);
	graph_schedule_fini(&schedule);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_graph_of_the_heft_paper_gives_80_86_and_85),
		cmocka_unit_test(the_graph_of_the_peft_paper_gives_133_167_and_122),
		cmocka_unit_test(ties_do_not_depend_on_rounding),
		cmocka_unit_test(the_other_order_of_the_two_tasks_that_tie_gives_heft_86),
		cmocka_unit_test(no_schedule_of_the_heft_graph_is_shorter_than_73),
		cmocka_unit_test(no_schedule_of_the_peft_graph_is_shorter_than_113),
		cmocka_unit_test(schedules_are_valid_on_random_graphs_and_machines),
		cmocka_unit_test(many_independent_tasks_are_placed_soon),
		cmocka_unit_test(a_task_that_can_run_nowhere_is_refused),
		cmocka_unit_test(check_finds_what_is_wrong_with_a_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
