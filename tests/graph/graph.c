/* SPDX-License-Identifier: MIT */
/* Graphs: what can be added, edges against a search over all pairs, what the builders build, ranks. */
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

#include "graph/graph.h"

/* --- building --- */

static void refuses_what_does_not_fit(void **state)
{
	struct graph g = { 0 };
	uint32_t later = 0;
	struct graph_access nowhere = { 1, XY_R }, modeless = { 0, XY_COMMUTE };

	(void)state;
	assert_int_equal(graph_add_kernel(&g, "", 0), -EINVAL);
	assert_int_equal(graph_add_kernel(&g, "k", -1), -EINVAL);
	assert_int_equal(graph_add_kernel(&g, "k", NAN), -EINVAL);
	assert_int_equal(graph_add_kernel(&g, "k", 5), 0);
	assert_int_equal(graph_add_kernel(&g, "l", 0), 1);
	assert_int_equal(graph_add_kernel(&g, "k", 0), 0);
	assert_int_equal(graph_add_data(&g, "d", 8), 0);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .kernel = 2 }), -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .length_us = INFINITY }), -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .accesses = &nowhere, .naccesses = 1 }),
			 -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .accesses = &modeless, .naccesses = 1 }),
			 -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .before = &later, .nbefore = 1 }), -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .kernel = 1 }), 0);
	assert_int_equal(graph_set_processors(&g, 2), -EINVAL);
	assert_int_equal(graph_check(&g, NULL, 0), 0);
	graph_fini(&g);
	assert_int_equal(graph_set_processors(&g, 2), 0);
	assert_int_equal(graph_add_kernel(&g, "k", 0), 0);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ 0 }), -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .costs = (double[]){ 1, 0 } }), -EINVAL);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .costs = (double[]){ 1, 2 } }), 0);
	assert_true(graph_task_length(&g, 0) == 1.5);
	graph_fini(&g);
}

static void check_names_the_task_that_is_broken(void **state)
{
	struct graph g = { 0 };
	struct graph_access access = { 0, XY_RW };
	uint32_t first = 0;
	char error[128];

	(void)state;
	assert_int_equal(graph_add_data(&g, NULL, 1), 0);
	assert_int_equal(graph_add_kernel(&g, "k", 1), 0);
	assert_int_equal(
		graph_add_task(&g, &(struct graph_task_desc){ .name = "one", .accesses = &access, .naccesses = 1 }), 0);
	assert_int_equal(graph_add_task(&g, &(struct graph_task_desc){ .name = "two", .before = &first, .nbefore = 1 }),
			 1);
	g.before[0] = 1;
	assert_int_equal(graph_check(&g, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "task 1, two: it waits for a task that does not come before it");
	g.before[0] = 0;
	g.accesses[0].data = 7;
	assert_int_equal(graph_check(&g, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "task 0, one: it uses data that does not exist");
	g.accesses[0].data = 0;
	g.kernels[0].length_us = NAN;
	assert_int_equal(graph_check(&g, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "kernel k: its length is not a number of microseconds");
	graph_fini(&g);
}

/* --- edges --- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static enum xy_mode mode_of(const struct graph *g, uint32_t t, uint32_t d)
{
	for (uint32_t i = 0; i < g->tasks[t].naccesses; i++)
		if (g->accesses[g->tasks[t].first_access + i].data == d)
			return g->accesses[g->tasks[t].first_access + i].mode;
	return 0;
}

/* Whether two accesses of a datum may come in any order. */
static bool are_alike(enum xy_mode a, enum xy_mode b)
{
	return a == b && (a == XY_R || a == XY_REDUX || a == (XY_RW | XY_COMMUTE));
}

/* Whether t must wait for s because of datum d, by the definition: their accesses conflict, or they are in groups
 * with a conflicting access between them. Filled into waits[s][t]. */
static void mark_conflicts(const struct graph *g, uint32_t d, bool *waits)
{
	for (uint32_t t = 0; t < g->ntasks; t++)
		for (uint32_t s = 0; s < t; s++) {
			enum xy_mode a = mode_of(g, s, d), b = mode_of(g, t, d);
			bool separated = false;

			if (!a || !b || a == XY_SCRATCH || b == XY_SCRATCH)
				continue;
			for (uint32_t u = s + 1; u < t; u++) {
				enum xy_mode c = mode_of(g, u, d);

				separated |= c && c != XY_SCRATCH && !are_alike(a, c);
			}
			if (!are_alike(a, b) || separated)
				waits[s * g->ntasks + t] = true;
		}
}

static void close_transitively(bool *waits, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; waits[i * n + k] && j < n; j++)
				waits[i * n + j] |= waits[k * n + j];
}

static void make_random_program(struct graph *g, uint64_t *seed)
{
	static const enum xy_mode modes[] = {
		XY_R, XY_R, XY_R, XY_RW, XY_W, XY_SCRATCH, XY_RW | XY_COMMUTE, XY_RW | XY_COMMUTE, XY_REDUX, XY_REDUX
	};
	uint32_t ndata = 1 + (uint32_t)next_random(seed) % 4, ntasks = 1 + (uint32_t)next_random(seed) % 24;

	graph_add_kernel(g, "k", 1);
	for (uint32_t d = 0; d < ndata; d++)
		graph_add_data(g, NULL, 1u << d);
	for (uint32_t t = 0; t < ntasks; t++) {
		struct graph_access accesses[4];
		uint32_t n = 0, before = t ? (uint32_t)next_random(seed) % t : 0;

		for (uint32_t d = 0; d < ndata; d++)
			if (next_random(seed) % 2)
				accesses[n++] = (struct graph_access){ d, modes[next_random(seed) % 10] };
		assert_int_equal(
			graph_add_task(g, &(struct graph_task_desc){ .accesses = accesses,
								     .naccesses = n,
								     .before = &before,
								     .nbefore = t && next_random(seed) % 5 == 0 }),
			t);
	}
}

/* Bytes that s writes and t reads without a write between them. */
static uint64_t flow_between(const struct graph *g, uint32_t s, uint32_t t)
{
	uint64_t bytes = 0;

	for (uint32_t d = 0; d < g->ndata; d++) {
		bool flows = (mode_of(g, s, d) & XY_W) && (mode_of(g, t, d) & XY_R);

		for (uint32_t u = s + 1; u < t; u++)
			flows = flows && !(mode_of(g, u, d) & XY_W);
		if (flows)
			bytes += g->data[d].bytes;
	}
	return bytes;
}

static void check_edges(const struct graph *g)
{
	uint32_t n = g->ntasks;
	bool *wanted = calloc((size_t)n * n, 1), *found = calloc((size_t)n * n, 1);
	struct graph_edges edges;

	assert_int_equal(graph_edges_init(&edges, g), 0);
	for (uint32_t d = 0; d < g->ndata; d++)
		mark_conflicts(g, d, wanted);
	for (uint32_t t = 0; t < n; t++) {
		for (uint32_t i = 0; i < g->tasks[t].nbefore; i++)
			wanted[g->before[g->tasks[t].first_before + i] * n + t] = true;
		for (size_t i = edges.before_at[t]; i < edges.before_at[t + 1]; i++) {
			assert_false(found[edges.before[i] * n + t]);
			assert_true(i == edges.before_at[t] || edges.before[i - 1] < edges.before[i]);
			found[edges.before[i] * n + t] = true;
		}
	}
	/* No edge but where the definition has one, and all of them follow from the edges. */
	for (uint32_t i = 0; i < n * n; i++)
		assert_true(!found[i] || wanted[i]);
	close_transitively(wanted, n);
	close_transitively(found, n);
	assert_memory_equal(wanted, found, (size_t)n * n);
	for (uint32_t s = 0; s < n; s++)
		for (size_t i = edges.after_at[s]; i < edges.after_at[s + 1]; i++) {
			uint32_t t = edges.after[i];
			size_t back = edges.before_at[t];

			while (edges.before[back] != s)
				back++;
			assert_true(back < edges.before_at[t + 1]);
			assert_int_equal(edges.after_bytes[i], edges.before_bytes[back]);
		}
	assert_int_equal(edges.after_at[n], edges.nedges);
	graph_edges_fini(&edges);
	free(wanted);
	free(found);
}

static void edges_are_those_of_a_search_over_all_pairs(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct graph g = { 0 };

		make_random_program(&g, &seed);
		check_edges(&g);
		graph_fini(&g);
	}
}

static void bytes_flow_from_who_wrote_to_who_reads(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		struct graph g = { 0 };
		struct graph_edges edges;

		make_random_program(&g, &seed);
		for (uint32_t i = 0; i < g.naccesses; i++) /* groups that commute are another test's */
			if (g.accesses[i].mode == XY_REDUX || (g.accesses[i].mode & XY_COMMUTE))
				g.accesses[i].mode = XY_RW;
		assert_int_equal(graph_edges_init(&edges, &g), 0);
		for (uint32_t t = 0; t < g.ntasks; t++)
			for (size_t i = edges.before_at[t]; i < edges.before_at[t + 1]; i++)
				assert_int_equal(edges.before_bytes[i], flow_between(&g, edges.before[i], t));
		graph_edges_fini(&edges);
		graph_fini(&g);
	}
}

/* --- builders --- */

static void builders_have_as_many_tasks_as_they_should(void **state)
{
	static const struct {
		const char *text;
		uint32_t tasks, data, kernels;
	} cases[] = {
		{ "cholesky:1", 1, 1, 4 },
		{ "cholesky:4", 20, 16, 4 },
		{ "cholesky:16", 816, 256, 4 },
		{ "lu:1", 1, 1, 4 },
		{ "lu:5", 55, 25, 4 },
		{ "lu:16", 1496, 256, 4 },
		{ "qr:1", 1, 3, 4 },
		{ "qr:3", 14, 16, 4 },
		{ "qr:12", 650, 223, 4 },
		{ "stencil:16x200", 3200, 32, 1 },
		{ "stencil:1x3", 3, 2, 1 },
		{ "forkjoin:10x3", 36, 11, 3 },
		{ "independent:17", 17, 17, 1 },
		{ "chain:5", 5, 1, 1 },
		{ "random:layers=4:width=1", 4, 4, 1 },
	};
	char error[128] = "";

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph g;

		assert_int_equal(graph_make(&g, cases[i].text, error, sizeof(error)), 0);
		assert_int_equal(g.ntasks, cases[i].tasks);
		assert_int_equal(g.ndata, cases[i].data);
		assert_int_equal(g.nkernels, cases[i].kernels);
		assert_int_equal(graph_check(&g, error, sizeof(error)), 0);
		assert_string_equal(g.name, cases[i].text);
		graph_fini(&g);
	}
}

static void tiles_have_the_size_that_is_asked_for(void **state)
{
	struct graph g;

	(void)state;
	assert_int_equal(graph_make(&g, "cholesky:3", NULL, 0), 0);
	assert_string_equal(g.kernels[g.tasks[0].kernel].name, "spotrf");
	assert_string_equal(g.kernels[g.tasks[1].kernel].name, "strsm");
	assert_int_equal(graph_task_bytes(&g, 0), 960 * 960 * 4);
	assert_int_equal(graph_task_bytes(&g, 1), 2 * 960 * 960 * 4);
	graph_fini(&g);
	assert_int_equal(graph_make(&g, "lu:2:tile=100", NULL, 0), 0);
	assert_int_equal(g.ntasks, 5);
	assert_string_equal(g.kernels[g.tasks[3].kernel].name, "dgemm");
	assert_int_equal(graph_task_bytes(&g, 3), 3 * 100 * 100 * 8);
	graph_fini(&g);
	assert_int_equal(graph_make(&g, "chain:2:bytes=2K:us=7.5", NULL, 0), 0);
	assert_int_equal(graph_task_bytes(&g, 1), 2048);
	assert_true(graph_task_length(&g, 1) == 7.5);
	graph_fini(&g);
}

static void priorities_fall_along_every_edge(void **state)
{
	static const char *const texts[] = { "cholesky:7",   "lu:5",    "qr:5",         "stencil:5x6",
					     "forkjoin:4x3", "chain:9", "random:seed=3" };

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct graph g;
		struct graph_edges edges;

		assert_int_equal(graph_make(&g, texts[i], NULL, 0), 0);
		assert_int_equal(graph_edges_init(&edges, &g), 0);
		assert_true(edges.nedges > 0);
		for (uint32_t t = 0; t < g.ntasks; t++)
			for (size_t e = edges.before_at[t]; e < edges.before_at[t + 1]; e++)
				assert_true(g.tasks[edges.before[e]].priority > g.tasks[t].priority);
		graph_edges_fini(&edges);
		graph_fini(&g);
	}
}

static void random_graphs_follow_from_their_seed(void **state)
{
	struct graph a, b, c;

	(void)state;
	assert_int_equal(graph_make(&a, "random:layers=20:width=30:seed=7", NULL, 0), 0);
	assert_int_equal(graph_make(&b, "random:layers=20:width=30:seed=7", NULL, 0), 0);
	assert_int_equal(graph_make(&c, "random:layers=20:width=30:seed=8", NULL, 0), 0);
	assert_int_equal(a.ntasks, b.ntasks);
	assert_int_equal(a.naccesses, b.naccesses);
	assert_memory_equal(a.accesses, b.accesses, a.naccesses * sizeof(*a.accesses));
	assert_true(a.naccesses != c.naccesses || memcmp(a.accesses, c.accesses, a.naccesses * sizeof(*a.accesses)));
	assert_in_range(a.ntasks, 20, 600);
	check_edges(&a);
	graph_fini(&a);
	graph_fini(&b);
	graph_fini(&c);
}

static void random_graphs_can_have_the_kernels_of_factorisations(void **state)
{
	static const struct {
		const char *text;
		uint64_t tiles[4], bytes;
	} cases[] = {
		{ "random:kernels=cholesky:layers=40", { 1, 2, 2, 3 }, 960 * 960 * 4 },
		{ "random:kernels=lu:tile=100:layers=40", { 1, 2, 2, 3 }, 100 * 100 * 8 },
		{ "random:kernels=qr:tile=10:layers=40", { 2, 3, 3, 4 }, 10 * 10 * 4 },
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t count[4] = { 0 };
		struct graph_edges edges;
		struct graph g;

		assert_int_equal(graph_make(&g, cases[i].text, NULL, 0), 0);
		assert_int_equal(g.nkernels, 4);
		for (uint32_t t = 0; t < g.ntasks; t++) {
			count[g.tasks[t].kernel]++;
			assert_int_equal(graph_task_bytes(&g, t), cases[i].tiles[g.tasks[t].kernel] * cases[i].bytes);
		}
		assert_true(count[0] > 0 && count[1] > 0 && count[2] > 0 && count[3] > g.ntasks / 3);
		assert_int_equal(graph_edges_init(&edges, &g), 0);
		assert_true(edges.nedges > g.ntasks);
		graph_edges_fini(&edges);
		graph_fini(&g);
	}
}

static void wrong_texts_are_explained(void **state)
{
	static const struct {
		const char *text;
		int status;
		const char *error;
	} cases[] = {
		{ "cholesk:4", -ENOENT, "unknown graph \"cholesk\"; did you mean \"cholesky\"?" },
		{ "cholesky:", -EINVAL, "expected a size instead of \"\"" },
		{ "cholesky:0", -EINVAL, "expected a size instead of \"0\"" },
		{ "cholesky:4:5", -EINVAL, "expected OPTION=VALUE instead of \"5\"" },
		{ "cholesky:4:tiles=5", -EINVAL, "cholesky has no option \"tiles\"; did you mean \"tile\"?" },
		{ "cholesky:4:tile=0", -EINVAL, "tile must be a number from 1 to 1048576, not \"0\"" },
		{ "cholesky:4:tile=4x", -EINVAL, "tile must be a number from 1 to 1048576, not \"4x\"" },
		{ "cholesky:4:us=4", -EINVAL, "cholesky has no option \"us\"" },
		{ "chain:4:us=0", -EINVAL, "us must be above 0 and at most 1e29, not \"0\"" },
		{ "chain:4:us=2e29", -EINVAL, "us must be above 0 and at most 1e29, not \"2e29\"" },
		{ "chain:4:priorities=some", -EINVAL, "priorities must be app, none or rank, not \"some\"" },
		{ "random:kernels=x", -EINVAL, "kernels must be work, cholesky, lu or qr, not \"x\"" },
		{ "chain:4:kernels=lu", -EINVAL, "chain has no option \"kernels\"" },
		{ "stencil:4", -EINVAL, "expected WIDTHxSTEPS, such as 16x200, instead of \"4\"" },
		{ "random:4", -EINVAL, "expected OPTION=VALUE instead of \"4\"" },
		{ "cholesky:5000", -E2BIG, "the graph would have more than 20000000 tasks" },
		{ "chain", -EINVAL,
		  "chain needs a size: "
		  "chain:TASKS[:us=100][:bytes=1M]: each task waits for the previous one" },
	};
	char error[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph g;

		assert_int_equal(graph_make(&g, cases[i].text, error, sizeof(error)), cases[i].status);
		assert_string_equal(error, cases[i].error);
		assert_int_equal(g.ntasks, 0);
	}
}

/* --- ranks --- */

static void ranks_are_bottom_levels(void **state)
{
	static const double lengths[] = { 1, 3, 2, 4 }; /* potrf, trsm, syrk, gemm */
	struct graph g;

	(void)state;
	assert_int_equal(graph_make(&g, "cholesky:2:priorities=rank", NULL, 0), 0);
	assert_int_equal(g.priorities, GRAPH_PRIORITIES_RANK);
	assert_int_equal(g.tasks[0].priority, 0);
	assert_int_equal(graph_rank(&g, lengths), 0); /* potrf, trsm, syrk, potrf: 7, 6, 3, 1 */
	assert_int_equal(g.tasks[0].priority, 1000000000);
	assert_int_equal(g.tasks[1].priority, lround(6e9 / 7));
	assert_int_equal(g.tasks[2].priority, lround(3e9 / 7));
	assert_int_equal(g.tasks[3].priority, lround(1e9 / 7));
	assert_int_equal(graph_rank(&g, NULL), 0); /* nothing is known: each counts 1 */
	assert_int_equal(g.tasks[1].priority, 750000000);
	graph_fini(&g);
}

static void a_million_tasks_are_built_and_connected_soon(void **state)
{
	struct timespec from, to;
	struct graph_edges edges;
	struct graph g;

	(void)state;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	assert_int_equal(graph_make(&g, "stencil:1000x1000", NULL, 0), 0);
	assert_int_equal(g.ntasks, 1000000);
	assert_int_equal(graph_edges_init(&edges, &g), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_true((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec) < 30);
	graph_edges_fini(&edges);
	graph_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_does_not_fit),
		cmocka_unit_test(check_names_the_task_that_is_broken),
		cmocka_unit_test(edges_are_those_of_a_search_over_all_pairs),
		cmocka_unit_test(bytes_flow_from_who_wrote_to_who_reads),
		cmocka_unit_test(builders_have_as_many_tasks_as_they_should),
		cmocka_unit_test(tiles_have_the_size_that_is_asked_for),
		cmocka_unit_test(priorities_fall_along_every_edge),
		cmocka_unit_test(random_graphs_follow_from_their_seed),
		cmocka_unit_test(random_graphs_can_have_the_kernels_of_factorisations),
		cmocka_unit_test(wrong_texts_are_explained),
		cmocka_unit_test(ranks_are_bottom_levels),
		cmocka_unit_test(a_million_tasks_are_built_and_connected_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
