/* SPDX-License-Identifier: MIT */
/* Hooks of components: seal finds who has which, and they are called for what is below. Ticks come by the clock. */
#include "../../components/recording.h"

#include <errno.h>
#include <math.h>

enum { CPU = XY_ON_CPU, CALLS = 64 };

/* --- components that write down what they hear --- */

struct call {
	char hook;
	unsigned component, worker;
	uint64_t detail;
};

static struct call calls[CALLS];
static unsigned ncalls;
static double again_us; /* tick asks for another one then, if not 0 */

static void note(struct xy_component *self, char hook, unsigned worker, uint64_t detail)
{
	assert_in_range(ncalls, 0, CALLS - 1);
	calls[ncalls++] = (struct call){ hook, self->id, worker, detail };
}

static void teller_tick(struct xy_component *self, struct xy_agent *by)
{
	(void)by;
	note(self, 't', 0, (uint64_t)xy_component_now_us(self));
	if (again_us != 0)
		xy_component_at(self, again_us);
}

static void teller_started(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	note(self, 's', (unsigned)by->worker, xy_task_number(task));
}

static void teller_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	(void)by;
	note(self, 'e', report->worker, (uint64_t)-report->status);
}

static void teller_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	(void)by;
	note(self, 'u', 0, xy_task_number(task));
}

static void teller_iteration(struct xy_component *self, uint64_t number, struct xy_agent *by)
{
	(void)by;
	note(self, 'i', 0, number);
}

static void teller_workers_changed(struct xy_component *self, unsigned worker, bool present, struct xy_agent *by)
{
	(void)by;
	note(self, 'w', worker, present);
}

static const struct xy_component_ops teller_ops = {
	.name = "teller",
	.size = sizeof(struct xy_component),
	.tick = teller_tick,
	.started = teller_started,
	.ended = teller_ended,
	.submitted = teller_submitted,
	.iteration = teller_iteration,
	.workers_changed = teller_workers_changed,
};

static const struct xy_component_ops graph_ops = {
	.name = "graph-teller",
	.size = sizeof(struct xy_component),
	.submitted = teller_submitted,
};

#define ASSERT_CALL(i, h, c, w, d) \
	do { \
		assert_int_equal(calls[i].hook, h); \
		assert_int_equal(calls[i].component, (c)->id); \
		assert_int_equal(calls[i].worker, w); \
		assert_int_equal(calls[i].detail, d); \
	} while (0)

/* fifo | teller | eager { teller | worker 0, teller | worker 1 } */
static struct bed *open_tellers(struct xy_component *tellers[3])
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *eager;

	tellers[0] = bed_add(bed, root, &teller_ops);
	eager = bed_add(bed, tellers[0], &xy__eager_ops);
	for (unsigned i = 0; i < 2; i++) {
		tellers[1 + i] = bed_add(bed, eager, &teller_ops);
		bed_add_worker(bed, tellers[1 + i], i);
	}
	bed_seal(bed);
	bed->engine.alarm = NULL;
	ncalls = 0;
	again_us = 0;
	return bed;
}

/* --- who is called --- */

static void a_tree_without_hooks_has_none(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "fifo | eager | each worker { best-implementation }");

	(void)state;
	assert_int_equal(bed->tree->hooks.have, 0);
	assert_int_equal(bed->tree->hooks.count, 0);
	assert_null(bed->tree->hooks.tellers);
	assert_null(bed->tree->ticks.line);
	assert_true(isinf(xy__ticks_next_us(bed->tree)));
	assert_false(xy__ticks_may_move(bed->tree));
	bed_close(bed);
}

static void a_start_and_an_end_reach_those_above_the_worker(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);
	struct xy_task *task = bed_task(bed, CPU);
	const struct xy_report report = { .task = task, .worker = 1, .status = -EIO };

	(void)state;
	xy__hooks_started(bed->tree, task, 1, &bed->workers[1]);
	xy__hooks_ended(bed->tree, &report, &bed->workers[1]);
	assert_int_equal(ncalls, 4);
	ASSERT_CALL(0, 's', tellers[0], 1, 1);
	ASSERT_CALL(1, 's', tellers[2], 1, 1);
	ASSERT_CALL(2, 'e', tellers[0], 1, EIO);
	ASSERT_CALL(3, 'e', tellers[2], 1, EIO);
	bed_close(bed);
}

static void only_those_with_a_hook_are_called(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *teller = bed_add(bed, root, &graph_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, teller, 0);
	bed_seal(bed);
	ncalls = 0;
	assert_int_equal(bed->tree->hooks.have, XY__HOOK_SUBMITTED);
	assert_null(bed->tree->hooks.first);
	xy__hooks_submitted(bed->tree, task, &bed->application);
	xy__hooks_iteration(bed->tree, 3, &bed->application);
	xy__hooks_workers_changed(bed->tree, 0, true, &bed->application);
	xy_component_at(teller, 5); /* it has no tick */
	assert_true(isinf(xy__ticks_next_us(bed->tree)));
	assert_int_equal(ncalls, 1);
	ASSERT_CALL(0, 'u', teller, 0, 1);
	bed_close(bed);
}

static void a_submission_and_an_iteration_reach_all(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);

	(void)state;
	xy__hooks_submitted(bed->tree, bed_task(bed, CPU), &bed->application);
	xy__hooks_iteration(bed->tree, 7, &bed->application);
	assert_int_equal(ncalls, 6);
	for (unsigned i = 0; i < 3; i++) {
		ASSERT_CALL(i, 'u', tellers[i], 0, 1);
		ASSERT_CALL(3 + i, 'i', tellers[i], 0, 7);
	}
	bed_close(bed);
}

static void a_change_of_workers_reaches_all(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);

	(void)state;
	xy__hooks_workers_changed(bed->tree, 0, false, &bed->application);
	xy__hooks_workers_changed(bed->tree, 1, true, &bed->application);
	assert_int_equal(ncalls, 6);
	for (unsigned i = 0; i < 3; i++) {
		ASSERT_CALL(i, 'w', tellers[i], 0, 0);
		ASSERT_CALL(3 + i, 'w', tellers[i], 1, 1);
	}
	bed_close(bed);
}

static void the_members_of_a_team_are_below_it_once(void **state)
{
	struct bed *bed = bed_open("topology(numa:2 core:2)");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *teller = bed_add(bed, root, &teller_ops);
	struct xy_component *eager = bed_add(bed, teller, &xy__eager_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(xy_tree_link(eager, xy_tree_team(bed->tree, i)), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_add_worker(bed, eager, i);
	bed_seal(bed);
	assert_true(teller->nteams > 0);
	ncalls = 0;
	for (unsigned i = 0; i < 4; i++)
		xy__hooks_started(bed->tree, task, i, &bed->workers[i]);
	assert_int_equal(ncalls, 4);
	bed_close(bed);
}

/* eager { teller | eager { team 0-1, worker 2, worker 3 }, worker 0, worker 1 } */
static void the_members_of_a_team_are_below_it_without_their_leaves(void **state)
{
	struct bed *bed = bed_open("topology(numa:2 core:2)");
	struct xy_component *top = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);
	struct xy_component *teller = bed_add(bed, top, &teller_ops), *eager = bed_add(bed, teller, &xy__eager_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	assert_int_equal(xy_tree_link(eager, xy_tree_team(bed->tree, 0)), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_add_worker(bed, i < 2 ? top : eager, i);
	bed_seal(bed);
	assert_int_equal(teller->nteams, 1);
	assert_int_equal(teller->nworkers, 2);
	ncalls = 0;
	for (unsigned i = 0; i < 4; i++)
		xy__hooks_started(bed->tree, task, i, &bed->workers[i]);
	assert_int_equal(ncalls, 4);
	for (unsigned i = 0; i < 4; i++)
		ASSERT_CALL(i, 's', teller, i, 1);
	bed_close(bed);
}

static void a_task_given_back_has_ended_for_those_above(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 0), task);
	xy_give_back(tellers[1]->parents[0], task, &bed->workers[0]);
	assert_int_equal(ncalls, 1);
	ASSERT_CALL(0, 'e', tellers[0], XY_NONE, EAGAIN);
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

/* --- ticks --- */

static unsigned rung;

static void ring(struct xy__tree_engine *engine)
{
	(void)engine;
	rung++;
}

static void ticks_come_in_the_order_of_their_times(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);

	(void)state;
	rung = 0;
	bed->engine.alarm = ring;
	xy_component_at(tellers[2], 30);
	xy_component_at(tellers[0], 20);
	xy_component_at(tellers[1], 20);
	assert_int_equal(rung, 2); /* the third is no earlier */
	bed->now_us = 19;
	assert_false(xy__ticks_run(bed->tree, &bed->application));
	bed->now_us = 30;
	assert_true(xy__ticks_run(bed->tree, &bed->application));
	assert_int_equal(ncalls, 3);
	ASSERT_CALL(0, 't', tellers[0], 0, 30);
	ASSERT_CALL(1, 't', tellers[1], 0, 30);
	ASSERT_CALL(2, 't', tellers[2], 0, 30);
	assert_false(xy__ticks_run(bed->tree, &bed->application));
	assert_false(xy__ticks_may_move(bed->tree)); /* none is begun and not ended */
	bed_close(bed);
}

static void of_several_requests_the_earliest_counts(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);

	(void)state;
	xy_component_at(tellers[0], 50);
	xy_component_at(tellers[1], 40);
	xy_component_at(tellers[0], 10);
	xy_component_at(tellers[0], 60);
	xy_component_at(tellers[0], INFINITY);
	xy_component_at(tellers[0], NAN);
	xy_component_at(tellers[2], INFINITY);
	assert_int_equal(tellers[2]->tick_place, 0);
	assert_true(xy__ticks_next_us(bed->tree) == 10);
	bed->now_us = 100;
	assert_true(xy__ticks_run(bed->tree, &bed->application));
	assert_int_equal(ncalls, 2);
	ASSERT_CALL(0, 't', tellers[0], 0, 100);
	ASSERT_CALL(1, 't', tellers[1], 0, 100);
	bed_close(bed);
}

static void a_tick_may_ask_for_the_next_one_which_comes_later(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);

	(void)state;
	bed->now_us = 100;
	again_us = 1; /* is past */
	xy_component_at(tellers[0], 0);
	assert_true(xy__ticks_next_us(bed->tree) == 101);
	bed->now_us = 101;
	assert_true(xy__ticks_run(bed->tree, &bed->application));
	assert_int_equal(ncalls, 1);
	assert_true(xy__ticks_next_us(bed->tree) == 102);
	bed_close(bed);
}

static void many_ticks_in_any_order_come_sorted(void **state)
{
	struct bed *bed = bed_open("cpu:40");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *eager = bed_add(bed, root, &xy__eager_ops);
	struct xy_component *tellers[40];

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		tellers[i] = bed_add(bed, eager, &teller_ops);
		bed_add_worker(bed, tellers[i], i);
	}
	bed_seal(bed);
	ncalls = 0;
	again_us = 0;
	for (unsigned i = 0; i < 40; i++)
		xy_component_at(tellers[i], 1000);
	for (unsigned i = 0; i < 40; i++)
		xy_component_at(tellers[i], 2 + (i * 17 + 5) % 40);
	for (double now = 2; now < 42; now++) {
		bed->now_us = now;
		assert_true(xy__ticks_run(bed->tree, &bed->application));
		assert_int_equal(ncalls, (unsigned)now - 1);
		assert_int_equal(calls[ncalls - 1].detail, (uint64_t)now);
	}
	assert_true(isinf(xy__ticks_next_us(bed->tree)));
	bed_close(bed);
}

static void a_waiting_tick_may_move_what_is_stored(void **state)
{
	struct xy_component *tellers[3];
	struct bed *bed = open_tellers(tellers);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, task);
	assert_false(xy__ticks_may_move(bed->tree));
	xy_component_at(tellers[0], 10);
	assert_true(xy__ticks_may_move(bed->tree));
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_false(xy__ticks_may_move(bed->tree)); /* nothing is left that it could move */
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_without_hooks_has_none),
		cmocka_unit_test(a_start_and_an_end_reach_those_above_the_worker),
		cmocka_unit_test(only_those_with_a_hook_are_called),
		cmocka_unit_test(a_submission_and_an_iteration_reach_all),
		cmocka_unit_test(a_change_of_workers_reaches_all),
		cmocka_unit_test(the_members_of_a_team_are_below_it_once),
		cmocka_unit_test(the_members_of_a_team_are_below_it_without_their_leaves),
		cmocka_unit_test(a_task_given_back_has_ended_for_those_above),
		cmocka_unit_test(ticks_come_in_the_order_of_their_times),
		cmocka_unit_test(of_several_requests_the_earliest_counts),
		cmocka_unit_test(a_tick_may_ask_for_the_next_one_which_comes_later),
		cmocka_unit_test(many_ticks_in_any_order_come_sorted),
		cmocka_unit_test(a_waiting_tick_may_move_what_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
