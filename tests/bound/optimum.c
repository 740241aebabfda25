/* SPDX-License-Identifier: MIT */
/*
 * No bound is above the shortest schedule, which trying everything finds on random small problems; small cases
 * that can be done by hand; input that makes no sense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "bound/bound.h"

enum { TASKS = 6, CLASSES = 3, WORKERS = 2, CASES = 1500, EDGES = TASKS * TASKS };

struct bed {
	struct bound_problem problem;
	unsigned workers[CLASSES];
	double duration_us[TASKS * CLASSES];
	size_t first[TASKS + 1];
	unsigned predecessors[EDGES];
};

static unsigned bed_random(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % below);
}

/* Few different durations, so that types are shared; numbers of tasks don't follow the edges. */
static void bed_fill(struct bed *bed, uint64_t seed)
{
	unsigned nedges = 0, n = 1 + bed_random(&seed, TASKS), nclasses = 1 + bed_random(&seed, CLASSES);
	unsigned density = bed_random(&seed, 5), place[TASKS];

	*bed = (struct bed){ 0 };
	for (unsigned c = 0; c < nclasses; c++)
		bed->workers[c] = c ? bed_random(&seed, WORKERS + 1) : 1 + bed_random(&seed, WORKERS);
	for (unsigned i = 0; i < n; i++) {
		unsigned type = bed_random(&seed, 3), other = bed_random(&seed, i + 1);
		uint64_t types = seed % 2 ? 77 + type : seed;

		for (unsigned c = 0; c < nclasses; c++) {
			double us = bed_random(&types, 12) * (c ? 1 : 3) * 0.7;

			bed->duration_us[i * nclasses + c] = c && !bed_random(&types, 6) ? INFINITY : us;
		}
		place[i] = place[other];
		place[other] = i;
	}
	for (unsigned i = 0; i < n; i++) {
		bed->first[i] = nedges;
		for (unsigned j = 0; j < n; j++)
			if (place[j] < place[i] && bed_random(&seed, 5) < density)
				bed->predecessors[nedges++] = j;
	}
	bed->first[n] = nedges;
	bed->problem = (struct bound_problem){
		n, nclasses, bed->workers, bed->duration_us, bed->first, bed->predecessors,
	};
}

/* --- the shortest schedule --- */

struct search {
	const struct bound_problem *problem;
	double end_us[TASKS], free_us[CLASSES][WORKERS], best_us;
	bool done[TASKS];
};

static bool search_ready(const struct search *search, unsigned task, double *ready_us)
{
	const struct bound_problem *problem = search->problem;

	*ready_us = 0;
	for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++) {
		if (!search->done[problem->predecessors[e]])
			return false;
		*ready_us = fmax(*ready_us, search->end_us[problem->predecessors[e]]);
	}
	return !search->done[task];
}

/* Every order and every worker: each task as early as it can behind those placed before it. */
static void search_from(struct search *search, unsigned ndone, double longest_us)
{
	const struct bound_problem *problem = search->problem;
	double ready;

	if (longest_us >= search->best_us)
		return;
	if (ndone == problem->ntasks)
		search->best_us = longest_us;
	for (unsigned i = 0; i < problem->ntasks; i++) {
		if (!search_ready(search, i, &ready))
			continue;
		for (unsigned c = 0; c < problem->nclasses; c++) {
			double us = problem->duration_us[i * problem->nclasses + c];

			for (unsigned w = 0; w < problem->workers[c] && isfinite(us); w++) {
				double before = search->free_us[c][w];

				search->end_us[i] = search->free_us[c][w] = fmax(ready, before) + us;
				search->done[i] = true;
				search_from(search, ndone + 1, fmax(longest_us, search->end_us[i]));
				search->done[i] = false;
				search->free_us[c][w] = before;
			}
		}
	}
}

static double shortest(const struct bound_problem *problem)
{
	struct search search = { .problem = problem, .best_us = INFINITY };

	search_from(&search, 0, 0);
	return search.best_us;
}

static struct bound_set compute(const struct bound_problem *problem)
{
	struct bound_set set;
	char message[BOUND_MESSAGE] = "";

	assert_int_equal(bound_compute(problem, 10, &set, message), 0);
	assert_string_equal(message, "");
	return set;
}

static void no_bound_is_above_the_shortest_schedule(void **state)
{
	unsigned tight = 0, better = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct bed bed;
		struct bound_set set;
		double optimum;

		bed_fill(&bed, i);
		set = compute(&bed.problem);
		optimum = shortest(&bed.problem);
		for (unsigned kind = 0; kind < BOUND_NKINDS; kind++)
			if (set.us[kind] > optimum)
				fail_msg("case %u: %s %.17g, but there is a schedule of %.17g", i, bound_name(kind),
					 set.us[kind], optimum);
		assert_true(set.us[BOUND_MIXED] >= set.us[BOUND_AREA] && set.us[BOUND_MIXED] >= set.us[BOUND_PATH]);
		assert_true(set.us[BOUND_LP] >= set.us[BOUND_MIXED]);
		if (bound_solver())
			assert_int_equal(set.end, BOUND_OPTIMAL);
		tight += set.us[BOUND_LP] > optimum * (1 - 1e-6);
		better += set.us[BOUND_LP] > set.us[BOUND_MIXED] * (1 + 1e-6);
	}
	/* A bound of 0 would be valid too. */
	assert_true(tight > CASES / 4);
	assert_true(better > CASES / 50 || !bound_solver());
}

/* --- by hand --- */

static void close_to(double value, double expected)
{
	if (!(value <= expected && value >= expected * (1 - 1e-8)))
		fail_msg("%.12g instead of %.12g", value, expected);
}

static void areas_of_one_class_are_sums(void **state)
{
	const double us[] = { 3, 4, 8 };
	struct bound_set set = compute(&(struct bound_problem){
		3,
		1,
		(unsigned[]){ 2 },
		us,
		(size_t[]){ 0, 0, 0, 0 },
		NULL,
	});

	(void)state;
	close_to(set.us[BOUND_AREA], 7.5);
	close_to(set.us[BOUND_PATH], 8);
	close_to(set.us[BOUND_LP], 8);
	assert_int_equal(set.ntypes, 3);
}

/* Ten tasks that take 12 or 1, two that take 4 either way, on two slow workers and a fast one: the fast one
 * has 10 - x + y of work, the slow ones 12 x + 4 (2 - y). */
static void areas_divide_types_between_classes(void **state)
{
	double us[24];
	size_t first[13] = { 0 };
	struct bound_set set;

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		us[2 * i] = i < 10 ? 12 : 4;
		us[2 * i + 1] = i < 10 ? 1 : 4;
	}
	set = compute(&(struct bound_problem){ 12, 2, (unsigned[]){ 2, 1 }, us, first, NULL });
	/* Both short ones on the slow workers (8 of 2 T), and x of the others: 10 - x = (8 + 12 x) / 2 = T. */
	close_to(set.us[BOUND_AREA], 64.0 / 7);
	close_to(set.us[BOUND_PATH], 4);
	assert_int_equal(set.ntypes, 2);
}

static void areas_use_three_classes(void **state)
{
	/* One type that takes 1, 2 or 4: all three classes together do 1 + 1/2 + 1/4 a microsecond. */
	const double us[] = { 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4 };
	size_t first[8] = { 0 };
	struct bound_set set = compute(&(struct bound_problem){ 7, 3, (unsigned[]){ 1, 1, 1 }, us, first, NULL });

	(void)state;
	close_to(set.us[BOUND_AREA], 4);
	close_to(set.us[BOUND_LP], 4);
}

static void chains_are_as_long_as_their_fastest_tasks(void **state)
{
	const double us[] = { 5, 2, 5, 7, INFINITY, 3 };
	struct bound_set set = compute(&(struct bound_problem){
		3,
		2,
		(unsigned[]){ 4, 4 },
		us,
		(size_t[]){ 0, 0, 1, 2 },
		(unsigned[]){ 0, 1 },
	});

	(void)state;
	close_to(set.us[BOUND_PATH], 10);
	close_to(set.us[BOUND_LP], 10);
}

/* A chain of four tasks that take 8 or 2 beside four others, on one slow and one fast worker. */
static void paths_and_areas_hold_at_once(void **state)
{
	double us[16];
	struct bound_set set;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		us[2 * i] = i < 4 ? 8 : 4;
		us[2 * i + 1] = 2;
	}
	set = compute(&(struct bound_problem){
		8,
		2,
		(unsigned[]){ 1, 1 },
		us,
		(size_t[]){ 0, 0, 1, 2, 3, 3, 3, 3, 3 },
		(unsigned[]){ 0, 1, 2 },
	});
	/* The slow worker takes s of the four others: 8 + 2 (4 - s) = 4 s at s = 8/3; the chain fits beside it. */
	close_to(set.us[BOUND_AREA], 32.0 / 3);
	close_to(set.us[BOUND_PATH], 8);
	us[9] = us[11] = us[13] = us[15] = 12;
	/* Now they take 4 or 12 and belong to the slow worker: half of one goes over, 16 - 2 = 8 + 6. */
	set = compute(&(struct bound_problem){
		8,
		2,
		(unsigned[]){ 1, 1 },
		us,
		(size_t[]){ 0, 0, 1, 2, 3, 3, 3, 3, 3 },
		(unsigned[]){ 0, 1, 2 },
	});
	close_to(set.us[BOUND_AREA], 14);
	close_to(set.us[BOUND_LP], 14);
}

/* Two slow workers beside a fast one that can't do everything in time: what is in the chain has to be fast. */
static void mixed_bound_keeps_the_chain_fast(void **state)
{
	/* Three tasks in a chain and three beside it, all the same: 10 on the slow worker, 5 on the fast one. */
	const double us[] = { 10, 5, 10, 5, 10, 5, 10, 5, 10, 5, 10, 5 };
	struct bound_set set = compute(&(struct bound_problem){
		6,
		2,
		(unsigned[]){ 5, 1 },
		us,
		(size_t[]){ 0, 0, 1, 2, 2, 2, 2 },
		(unsigned[]){ 0, 1 },
	});

	(void)state;
	/* All workers together do 0.7 a time unit, so the area is 60/7. The chain with f of its three tasks on the
	 * fast worker takes 30 - 5 f, and the fast worker has 5 f of work: 15 is reached with f = 3 only. */
	close_to(set.us[BOUND_AREA], 60.0 / 7);
	close_to(set.us[BOUND_MIXED], 15);
	close_to(set.us[BOUND_LP], 15);
}

/* --- what makes no sense --- */

static void nothing_takes_no_time(void **state)
{
	struct bound_set set = compute(&(struct bound_problem){
		0,
		2,
		(unsigned[]){ 1, 1 },
		NULL,
		(size_t[]){ 0 },
		NULL,
	});

	(void)state;
	for (unsigned kind = 0; kind < BOUND_NKINDS; kind++)
		assert_true(set.us[kind] == 0);
	set = compute(&(struct bound_problem){ 2, 1, (unsigned[]){ 1 }, (double[]){ 0, 0 }, (size_t[]){ 0, 0, 1 },
					       (unsigned[]){ 0 } });
	for (unsigned kind = 0; kind < BOUND_NKINDS; kind++)
		assert_true(set.us[kind] == 0);
}

static void refuses(const struct bound_problem *problem, const char *expected)
{
	struct bound_set set;
	char message[BOUND_MESSAGE] = "";

	assert_int_equal(bound_compute(problem, 1, &set, message), -EINVAL);
	assert_string_equal(message, expected);
}

static void says_what_is_wrong_with_a_problem(void **state)
{
	const unsigned workers[] = { 1, 0 };
	const size_t none[] = { 0, 0, 0 };

	(void)state;
	refuses(&(struct bound_problem){ 2, 2, workers, (double[]){ 1, 1, INFINITY, 1 }, none, NULL },
		"task 1 can't run anywhere");
	refuses(&(struct bound_problem){ 2, 2, workers, (double[]){ 1, 1, -1, 1 }, none, NULL },
		"task 1 takes -1 us on class 0");
	refuses(&(struct bound_problem){ 1, 1, workers, (double[]){ NAN }, none, NULL },
		"task 0 takes nan us on class 0");
	refuses(&(struct bound_problem){ 2, 1, workers, (double[]){ 1, 1 }, (size_t[]){ 0, 1, 2 },
					 (unsigned[]){ 1, 0 } },
		"the tasks depend on each other in a cycle");
	refuses(&(struct bound_problem){ 1, 1, workers, (double[]){ 1 }, (size_t[]){ 0, 1 }, (unsigned[]){ 0 } },
		"the tasks depend on each other in a cycle");
	refuses(&(struct bound_problem){ 1, 1, workers, (double[]){ 1 }, (size_t[]){ 0, 1 }, (unsigned[]){ 7 } },
		"task 0 comes after task 7, which does not exist");
	refuses(&(struct bound_problem){ 1, 0, workers, (double[]){ 1 }, none, NULL }, "task 0 can't run anywhere");
}

static void bounds_have_names(void **state)
{
	enum bound_kind kind;

	(void)state;
	for (unsigned k = 0; k < BOUND_NKINDS; k++) {
		assert_true(bound_kind_of(bound_name(k), &kind));
		assert_int_equal(kind, k);
	}
	assert_false(bound_kind_of("surface", &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_bound_is_above_the_shortest_schedule),
		cmocka_unit_test(areas_of_one_class_are_sums),
		cmocka_unit_test(areas_divide_types_between_classes),
		cmocka_unit_test(areas_use_three_classes),
		cmocka_unit_test(chains_are_as_long_as_their_fastest_tasks),
		cmocka_unit_test(paths_and_areas_hold_at_once),
		cmocka_unit_test(mixed_bound_keeps_the_chain_fast),
		cmocka_unit_test(nothing_takes_no_time),
		cmocka_unit_test(says_what_is_wrong_with_a_problem),
		cmocka_unit_test(bounds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
