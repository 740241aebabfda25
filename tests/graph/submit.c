/* SPDX-License-Identifier: MIT */
/* Graphs in the simulator: everything runs, in order, and static schedules take exactly as long as they say. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/static.h"
#include "../helper.h"

/* What the watcher saw. */
struct seen {
	const struct graph *g;
	struct graph_run *run;
	uint32_t count;
	uint32_t *worker;
	double *start_us, *end_us; /* by task */
};

static void seen_ended(void *arg, const struct xy_report *report)
{
	struct seen *seen = arg;
	const struct graph_task *own = xy_task_argument(report->task);
	size_t t = own ? (size_t)(own - seen->g->tasks) : seen->g->ntasks;

	if (t >= seen->g->ntasks)
		return;
	seen->count++;
	seen->worker[t] = report->worker;
	seen->start_us[t] = report->start_s * 1e6;
	seen->end_us[t] = report->end_s * 1e6;
}

static struct seen *seen_create(const struct graph *g)
{
	struct seen *seen = test_calloc(1, sizeof(*seen));

	*seen = (struct seen){ .g = g,
			       .worker = test_calloc(g->ntasks + 1, sizeof(uint32_t)),
			       .start_us = test_calloc(g->ntasks + 1, sizeof(double)),
			       .end_us = test_calloc(g->ntasks + 1, sizeof(double)) };
	return seen;
}

static void seen_destroy(struct seen *seen)
{
	test_free(seen->worker);
	test_free(seen->start_us);
	test_free(seen->end_us);
	test_free(seen);
}

/* Simulates a graph to its end. */
static struct seen *simulate(const struct graph *g, const char *machine, const char *sched,
			     const struct graph_options *options)
{
	struct seen *seen = seen_create(g);
	struct xy_watch watch = { .arg = seen, .ended = seen_ended };
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sim = machine, .machines = TEST_MACHINES, .sched = sched, .watch = &watch });
	uint32_t count = 0;

	assert_int_equal(graph_submit(&seen->run, g, h->rt, options), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(graph_retract(&seen->run), 0);
	assert_int_equal(helper_stop(h), 0);
	for (uint32_t t = 0; t < g->ntasks; t++) /* of tasks that do nothing no report is made */
		count += g->tasks[t].kernel != GRAPH_NO_KERNEL;
	assert_int_equal(seen->count, count);
	return seen;
}

/* No task begins before those that it waits for have ended. */
static void expect_order(const struct graph *g, struct seen *seen)
{
	struct graph_edges edges;

	assert_int_equal(graph_edges_init(&edges, g), 0);
	for (uint32_t t = 0; t < g->ntasks; t++)
		for (size_t i = edges.before_at[t]; i < edges.before_at[t + 1]; i++)
			if (g->tasks[t].kernel == GRAPH_NO_KERNEL)
				seen->end_us[t] = fmax(seen->end_us[t], seen->end_us[edges.before[i]]);
			else
				assert_true(seen->end_us[edges.before[i]] <= seen->start_us[t] + 1e-6);
	graph_edges_fini(&edges);
}

static void all_builders_run_on_all_kinds_of_workers(void **state)
{
	static const char *const texts[] = { "cholesky:6",
					     "lu:4",
					     "qr:4",
					     "stencil:6x5",
					     "forkjoin:5x3",
					     "random:layers=6:width=8:seed=5",
					     "random:layers=6:width=8:kernels=qr",
					     "independent:20",
					     "chain:9" };

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct seen *seen;
		struct graph g;

		assert_int_equal(graph_make(&g, texts[i], NULL, 0), 0);
		seen = simulate(&g, "mirage", "tree-eager", NULL);
		expect_order(&g, seen);
		seen_destroy(seen);
		graph_fini(&g);
	}
}

static void explicit_predecessors_and_tasks_that_do_nothing_keep_the_order(void **state)
{
	static const char text[] = "6\n0 0 0\n1 20 1 0\n2 5 1 0\n3 3 2 1 2\n4 9 1 2\n5 0 1 3\n6 7 2 5 4\n7 0 1 6\n";
	struct seen *seen;
	struct graph g;
	double end = 0;

	(void)state;
	assert_int_equal(graph_read_text(&g, text, strlen(text), "f", NULL, 0), 0);
	seen = simulate(&g, "cpu:2", "tree-eager", NULL);
	expect_order(&g, seen);
	for (uint32_t t = 0; t < g.ntasks; t++)
		end = fmax(end, seen->end_us[t]);
	assert_true(fabs(end - 30) < 1e-6); /* 1, 3, 6 */
	seen_destroy(seen);
	graph_fini(&g);
}

static void reductions_and_commuting_accesses_are_simulated(void **state)
{
	static const char text[] =
		"xygraph 1\nkernel k us=10\ndata sum 100K\ndata x 1K\ntask first k w=sum\n"
		"task a k redux=sum\ntask b k redux=sum\ntask c k redux=sum\ntask d k r=sum commute=x\n"
		"task e k commute=x\ntask f k rw=x scratch=sum\n";
	struct seen *seen;
	struct graph g;

	(void)state;
	assert_int_equal(graph_read_text(&g, text, strlen(text), "f", NULL, 0), 0);
	seen = simulate(&g, "cpu:4", "tree-eager", NULL);
	expect_order(&g, seen);
	seen_destroy(seen);
	graph_fini(&g);
}

/* In a schedule, one might hold the data while it waits for the turn of another. */
static void commuting_tasks_of_a_schedule_keep_their_order(void **state)
{
	static const char text[] = "xygraph 1\nkernel k us=10\ndata x 1K\ntask a k commute=x\ntask b k commute=x\n"
				   "task c k commute=x\ntask d k r=x\n";
	static const struct graph_place places[] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
	struct graph_edges edges;
	struct seen *seen;
	struct graph g;

	(void)state;
	assert_int_equal(graph_read_text(&g, text, strlen(text), "f", NULL, 0), 0);
	seen = simulate(&g, "cpu:2", "tree-in-order", &(struct graph_options){ .places = places });
	assert_int_equal(graph_edges_init_ordered(&edges, &g), 0);
	assert_int_equal(edges.nedges, 3);
	for (uint32_t t = 1; t < g.ntasks; t++)
		assert_true(fabs(seen->end_us[t] - seen->end_us[t - 1] - 10) < 1e-6);
	graph_edges_fini(&edges);
	seen_destroy(seen);
	graph_fini(&g);
}

/* A graph with costs on so many processors, from a random one. */
static void make_with_costs(struct graph *to, unsigned seed, uint32_t n)
{
	struct graph from;
	char text[80];
	uint64_t random = seed;

	*to = (struct graph){ 0 };
	snprintf(text, sizeof(text), "random:layers=%u:width=8:seed=%u", 2 + seed % 7, seed);
	assert_int_equal(graph_make(&from, text, NULL, 0), 0);
	assert_int_equal(graph_set_processors(to, n), 0);
	assert_int_equal(graph_add_kernel(to, "work", 0), 0);
	for (uint32_t d = 0; d < from.ndata; d++)
		assert_int_equal(graph_add_data(to, NULL, from.data[d].bytes), d);
	for (uint32_t t = 0; t < from.ntasks; t++) {
		double costs[8];

		for (uint32_t p = 0; p < n; p++)
			costs[p] = 1 + helper_below(&random, 1000);
		assert_int_equal(
			graph_add_task(
				to, &(struct graph_task_desc){ .costs = costs,
							       .kernel = t % 11 == 7 ? GRAPH_NO_KERNEL : 0,
							       .accesses = &from.accesses[from.tasks[t].first_access],
							       .naccesses = from.tasks[t].naccesses }),
			t);
	}
	graph_fini(&from);
}

static void expect_replay(const struct graph *g, const char *machine,
			  int (*scheduler)(const struct graph_problem *problem, struct graph_schedule *schedule))
{
	struct graph_edges edges;
	struct graph_schedule schedule;
	double *costs = graph_costs(g), end = 0;
	struct seen *seen;

	assert_int_equal(graph_edges_init(&edges, g), 0);
	assert_int_equal(
		scheduler(&(struct graph_problem){ .edges = &edges, .nprocessors = g->nprocessors, .costs = costs },
			  &schedule),
		0);
	seen = simulate(g, machine, "tree-in-order", &(struct graph_options){ .places = schedule.places });
	for (uint32_t t = 0; t < g->ntasks; t++) {
		end = fmax(end, seen->end_us[t]);
		if (g->tasks[t].kernel == GRAPH_NO_KERNEL)
			continue;
		assert_int_equal(seen->worker[t], schedule.places[t].worker);
		assert_true(fabs(seen->end_us[t] - schedule.end[t]) < 1e-6 * schedule.makespan);
	}
	assert_true(fabs(end - schedule.makespan) < 1e-6 * schedule.makespan);
	seen_destroy(seen);
	graph_schedule_fini(&schedule);
	graph_edges_fini(&edges);
	free(costs);
}

static void a_static_schedule_takes_as_long_as_it_says(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 12; seed++) {
		struct graph g;

		make_with_costs(&g, seed, 4);
		expect_replay(&g, "cpu:4", graph_heft);
		expect_replay(&g, "cpu:4", graph_cpop);
		expect_replay(&g, "cpu:4", graph_peft);
		graph_fini(&g);
	}
}

static void published_graphs_take_as_long_without_transfers(void **state)
{
	static const char *const names[] = { TEST_GRAPHS "/topcuoglu.xyg", TEST_GRAPHS "/arabnejad.xyg" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct graph g;

		assert_int_equal(graph_read(&g, names[i], NULL, 0), 0);
		expect_replay(&g, "cpu:3", graph_heft);
		expect_replay(&g, "cpu:3", graph_peft);
		graph_fini(&g);
	}
}

static void too_few_costs_for_the_workers_are_refused(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = "cpu:5" });
	struct graph_run *run;
	struct graph g;

	(void)state;
	make_with_costs(&g, 1, 4);
	assert_int_equal(graph_submit(&run, &g, h->rt, NULL), -EINVAL);
	assert_null(run);
	assert_int_equal(helper_stop(h), 0);
	graph_fini(&g);
}

static void a_real_runtime_gets_an_error_not_a_result(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct graph_run *run;
	struct graph g;

	(void)state;
	assert_int_equal(graph_make(&g, "chain:3", NULL, 0), 0);
	assert_int_equal(graph_submit(&run, &g, h->rt, NULL), 0);
	assert_int_equal(helper_wait(h), -ENOSYS);
	graph_retract(&run);
	helper_stop_lines(h, HELPER_ANY_LINES);
	graph_fini(&g);
}

static void a_run_knows_its_tasks(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = "cpu:2" });
	struct xy_task *other;
	struct graph_run *run;
	struct graph g;

	(void)state;
	assert_int_equal(graph_make(&g, "chain:3", NULL, 0), 0);
	assert_int_equal(graph_submit(&run, &g, h->rt, NULL), 0);
	other = HELPER_CREATE(h, .codelet = NULL);
	assert_int_equal(graph_task_index(&g, other), UINT32_MAX);
	xy_task_release(other);
	other = HELPER_CREATE(h, .codelet = NULL, .arg = &g.tasks[2]);
	assert_int_equal(graph_task_index(&g, other), 2);
	xy_task_release(other);
	assert_int_equal(graph_retract(&run), 0);
	assert_int_equal(helper_stop(h), 0);
	graph_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_builders_run_on_all_kinds_of_workers),
		cmocka_unit_test(explicit_predecessors_and_tasks_that_do_nothing_keep_the_order),
		cmocka_unit_test(reductions_and_commuting_accesses_are_simulated),
		cmocka_unit_test(commuting_tasks_of_a_schedule_keep_their_order),
		cmocka_unit_test(a_static_schedule_takes_as_long_as_it_says),
		cmocka_unit_test(published_graphs_take_as_long_without_transfers),
		cmocka_unit_test(too_few_costs_for_the_workers_are_refused),
		cmocka_unit_test(a_real_runtime_gets_an_error_not_a_result),
		cmocka_unit_test(a_run_knows_its_tasks),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
