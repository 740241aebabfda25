/* SPDX-License-Identifier: MIT */
/* Queues: order, lanes, constrained tasks, and what happens to a task that is being passed on. */
#include "queue_bed.h"

static void an_empty_queue_has_nothing(void **state)
{
	(void)state;
	assert_int_equal(xy_queue_count(&queue), 0);
	assert_null(xy_queue_take(&queue, &cpu0));
	assert_null(xy_queue_take_newest(&queue, &cpu0));
	assert_null(xy_queue_first(&queue));
}

static void gives_tasks_in_order_of_arrival_whatever_their_priority_when_not_ordered(void **state)
{
	struct xy_task *a = insert(make(CPU, 1)), *b = insert(make(CPU, 5)), *c = insert(make(CPU, -5));

	(void)state;
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), c);
	assert_null(xy_queue_take(&queue, &cpu0));
}

static void gives_the_highest_priority_first_and_the_oldest_among_equals(void **state)
{
	struct xy_task *a, *b, *c, *d, *e, *f;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU, -1)), b = insert(make(CPU, 0)), c = insert(make(CPU, 7));
	d = insert(make(CPU, 7)), e = insert(make(CPU, 0)), f = insert(make(CPU, 9));
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), f);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), e);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
	assert_int_equal(xy_queue_count(&queue), 0);
	assert_int_equal(queue.used, 0);
}

static void never_gives_a_task_to_another_architecture(void **state)
{
	struct xy_task *a = insert(make(CUDA, 0)), *b = insert(make(CPU, 0));

	(void)state;
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_null(xy_queue_take(&queue, &cpu0));
	assert_null(xy_queue_take_newest(&queue, &cpu0));
	assert_int_equal(xy_queue_count(&queue), 1);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cuda0), a);
}

static void keeps_the_order_across_lanes(void **state)
{
	struct xy_task *a, *b, *c, *d, *e;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU | CUDA, 0)), b = insert(make(CPU, 0)), c = insert(make_pinned(0, 0));
	d = insert(make(CPU, 3)), e = insert(make(CPU | CUDA, 4));
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), e);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), c);
}

static void gives_the_owner_the_newest_of_priority_0(void **state)
{
	struct xy_task *a, *b, *c, *d, *e, *f, *g;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU, 0)), b = insert(make(CPU | CUDA, 0)), c = insert(make(CPU, 2));
	d = insert(make(CPU, 2)), e = insert(make(CPU, -2)), f = insert(make(CPU, -1));
	g = insert(make(CPU, 0));
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), g);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), a);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), f);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), e);
	assert_null(xy_queue_take_newest(&queue, &cpu0));
}

static void gives_a_pinned_task_to_its_worker_only(void **state)
{
	struct xy_task *a = insert(make_pinned(1, 0)), *b = insert(make_pinned(0, 0));
	struct xy_task *c = insert(make_pinned(1, 0));

	(void)state;
	assert_null(xy_queue_take(&queue, &cuda0));
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
	assert_null(xy_queue_take(&queue, &cpu0));
	assert_ptr_equal(xy_queue_take(&queue, &cpu1), a);
	assert_ptr_equal(xy_queue_take(&queue, &cpu1), c);
}

static void gives_pinned_tasks_in_order_at_both_ends(void **state)
{
	struct xy_task *low, *old, *young, *high;

	(void)state;
	queue.ordered = true;
	low = insert(make_pinned(0, -1)), old = insert(make_pinned(0, 0));
	young = insert(make_pinned(0, 0)), high = insert(make_pinned(0, 1));
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), high);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), young);
	insert(young), insert(high);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), high);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), old);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), young);
	assert_ptr_equal(xy_queue_take_newest(&queue, &cpu0), low);
}

static void gives_the_application_nothing(void **state)
{
	struct xy_agent application = { .worker = -1 };

	(void)state;
	insert(make(XY_ON_ALL, 0)), insert(make_pinned(0, 0));
	assert_null(xy_queue_take(&queue, &application));
	assert_int_equal(xy_queue_count(&queue), 2);
}

static void knows_the_first_task_for_anybody_and_for_those_below_a_component(void **state)
{
	unsigned below[] = { 1 };
	struct xy_component cpu = { .archs = CPU, .nworkers = 1, .workers = below };
	struct xy_component cuda = { .archs = CUDA };
	struct xy_task *a = insert(make(CUDA, 0)), *b = insert(make_pinned(0, 0));
	struct xy_task *c = insert(make_pinned(1, 0)), *d = insert(make(CPU, 0));

	(void)state;
	assert_ptr_equal(xy_queue_first(&queue), a);
	assert_ptr_equal(xy_queue_first_for(&queue, &cuda), a);
	assert_ptr_equal(xy_queue_first_for(&queue, &cpu), c);
	xy_queue_remove(&queue, c);
	assert_ptr_equal(xy_queue_first_for(&queue, &cpu), d);
	xy_queue_remove(&queue, a);
	assert_ptr_equal(xy_queue_first(&queue), b);
	assert_null(xy_queue_first_for(&queue, &cuda));
}

static void adds_up_lengths_and_remembers_the_peak(void **state)
{
	struct xy_task *a = make(CPU, 0), *b = make(CPU, 0);

	(void)state;
	a->length_us = 0.1f;
	b->length_us = 1e9f;
	insert(a), insert(b);
	assert_true(queue.length_us > 1e9 && queue.length_us < 1e9 + 1);
	xy_queue_remove(&queue, b);
	xy_queue_remove(&queue, a);
	assert_true(queue.length_us == 0);
	insert(a);
	assert_int_equal(xy_queue_peak(&queue), 2);
	assert_int_equal(xy_queue_count(&queue), 1);
}

static void inserts_several_tasks_as_it_would_one_by_one(void **state)
{
	struct xy_task *some[6];

	(void)state;
	queue.ordered = true;
	for (unsigned i = 0; i < 6; i++)
		some[i] = make(i == 4 ? CUDA : CPU, i == 2 ? 5 : 0);
	for (unsigned round = 0; round < 3;
	     round++) { /* the first has no lane, the others a peak below which it is quick */
		xy__queue_insert_many(&queue, some, 6);
		assert_int_equal(xy_queue_count(&queue), 6);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[2]);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[0]);
		assert_ptr_equal(xy__queue_take_newest(&queue, &cpu0), some[5]);
		assert_ptr_equal(xy__queue_take(&queue, &cuda0), some[4]);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[1]);
		assert_ptr_equal(xy__queue_take(&queue, &cpu0), some[3]);
		assert_null(xy__queue_take(&queue, &cpu0));
	}
	assert_int_equal(xy_queue_peak(&queue), 6);
}

static void a_task_counts_until_it_has_been_passed_on(void **state)
{
	struct xy_task *a = insert(make(CPU, 0)), *b = insert(make(CPU, 0));

	(void)state;
	taken_archs = CPU;
	assert_true(xy_queue_pass(&queue, a, &receiver, &cpu0));
	assert_int_equal(count_meanwhile, 2);
	assert_int_equal(xy_queue_count(&queue), 1);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), b);
}

static void a_refused_task_keeps_its_place(void **state)
{
	struct xy_task *in[8];

	(void)state;
	queue.ordered = true;
	taken_archs = 0;
	in[0] = insert(make(CPU, 2)), in[1] = insert(make(CPU, 1)), in[2] = insert(make(CPU, 0));
	in[3] = insert(make_pinned(0, 0)), in[4] = insert(make_pinned(0, 0)), in[5] = insert(make(CPU, 0));
	in[6] = insert(make(CPU, -1)), in[7] = insert(make(CPU, -1));
	for (int i = 0; i < 8; i++) {
		assert_false(xy_queue_pass(&queue, in[i], &receiver, &cpu0));
		assert_int_equal(xy_queue_count(&queue), 8);
	}
	for (int i = 0; i < 8; i++)
		assert_ptr_equal(xy_queue_take(&queue, &cpu0), in[i]);
}

static void a_pump_tries_one_refused_task_of_each_lane_and_all_pinned_ones(void **state)
{
	struct xy_task *a = insert(make(CPU, 0)), *b, *c, *d, *e;

	(void)state;
	insert(make(CPU, 0));
	b = insert(make_pinned(0, 0)), c = insert(make(CUDA, 0)), d = insert(make_pinned(1, 0));
	b->archs = d->archs = CPU;
	e = insert(make(CUDA, 0));
	taken_archs = CUDA;
	assert_true(xy__queue_pump(&queue, xy_push, &receiver, &cpu0));
	assert_int_equal(ngiven, 5);
	assert_ptr_equal(given[0], a);
	assert_ptr_equal(given[1], b);
	assert_ptr_equal(given[2], c);
	assert_ptr_equal(given[3], d);
	assert_ptr_equal(given[4], e);
	assert_int_equal(xy_queue_count(&queue), 4);
	assert_ptr_equal(xy_queue_take(&queue, &cpu0), a);
}

static void a_pump_passes_on_in_the_order_of_the_queue(void **state)
{
	struct xy_task *a, *b, *c, *d;

	(void)state;
	queue.ordered = true;
	taken_archs = XY_ON_ALL;
	a = insert(make(CPU, 0)), b = insert(make_pinned(1, 3));
	c = insert(make(CUDA, 2)), d = insert(make(CPU, 3));
	assert_true(xy__queue_pump(&queue, xy_push, &receiver, &cpu0));
	assert_int_equal(ngiven, 4);
	assert_ptr_equal(given[0], b);
	assert_ptr_equal(given[1], d);
	assert_ptr_equal(given[2], c);
	assert_ptr_equal(given[3], a);
	assert_int_equal(xy_queue_count(&queue), 0);
	assert_false(xy__queue_pump(&queue, xy_push, &receiver, &cpu0));
}

static void a_task_leads_if_none_for_the_same_workers_comes_before_it(void **state)
{
	struct xy_task *a, *b, *c, *d, *e;

	(void)state;
	queue.ordered = true;
	a = insert(make(CPU, 0)), b = insert(make(CUDA, 0)), c = insert(make(CPU, -1));
	d = insert(make_pinned(0, -9));
	assert_true(xy__queue_leads(&queue, a));
	assert_true(xy__queue_leads(&queue, b));
	assert_false(xy__queue_leads(&queue, c));
	assert_true(xy__queue_leads(&queue, d));
	e = insert(make(CPU, 1));
	assert_true(xy__queue_leads(&queue, e));
	assert_false(xy__queue_leads(&queue, a));
}

/* --- ready tasks first --- */

static void gives_the_task_that_misses_least_and_the_oldest_among_equals(void **state)
{
	struct xy_task *a = insert(make_missing(CPU, 0, 30)), *b = insert(make_missing(XY_ON_ALL, 0, 20));
	struct xy_task *c = insert(make_missing(CPU, 0, 20)), *d = insert(make_missing(CPU, 0, 0));
	struct xy_task *e = insert(make_missing(CUDA, 0, 0));

	(void)state;
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), d);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), b);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), a);
	assert_null(xy_queue_take_ready(&queue, &cpu0));
	assert_ptr_equal(xy_queue_take_ready(&queue, &cuda0), e);
	assert_int_equal(xy_queue_count(&queue), 0);
}

static void a_higher_priority_comes_before_what_is_ready(void **state)
{
	static const int priorities[] = { 5, 0, -5 };
	struct xy_task *far[3], *near[3];

	(void)state;
	queue.ordered = true;
	for (unsigned i = 3; i-- > 0;) {
		far[i] = insert(make_missing(CPU, priorities[i], 30));
		near[i] = insert(make_missing(CPU, priorities[i], 10));
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), near[i]);
		assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), far[i]);
	}
}

static void a_pinned_task_is_ready_for_its_worker_only(void **state)
{
	struct xy_task *a = insert(make_missing(CPU, 0, 30)), *b = make_pinned(1, 0), *c = make_pinned(0, 0);

	(void)state;
	b->arg = (void *)10;
	c->arg = (void *)20;
	insert(b);
	insert(c);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), c);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), a);
	assert_null(xy_queue_take_ready(&queue, &cpu0));
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu1), b);
}

static void looks_at_the_oldest_ones_only(int priority)
{
	struct xy_task *last = NULL;

	queue_setup(NULL);
	queue.ordered = true;
	for (unsigned i = 0; i < XY_QUEUE_READY + 1; i++)
		last = insert(make_missing(CPU, priority, XY_QUEUE_READY + 1 - i));
	assert_ptr_not_equal(xy_queue_take_ready(&queue, &cpu0), last);
	assert_ptr_equal(xy_queue_take_ready(&queue, &cpu0), last);
}

static void a_ready_task_behind_many_waits_for_its_turn(void **state)
{
	(void)state;
	looks_at_the_oldest_ones_only(0);
	looks_at_the_oldest_ones_only(1);
}

static void shows_one_task_of_each_set_of_architectures_and_each_that_is_constrained(void **state)
{
	struct xy_task *a, *b, *c, *d;

	(void)state;
	queue.ordered = true;
	insert(make(CPU, 0)), insert(make(CPU, -1)), b = insert(make(CUDA, 0)), a = insert(make(CPU, 2));
	c = insert(make_pinned(0, 0)), d = insert(make_pinned(0, -4));
	ngiven = 0;
	xy_queue_each_distinct(&queue, visit_next, NULL);
	assert_int_equal(ngiven, 4);
	assert_ptr_equal(given[0], a);
	assert_ptr_equal(given[1], b);
	assert_ptr_equal(given[2], c);
	assert_ptr_equal(given[3], d);
	assert_int_equal(xy_queue_count(&queue), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_queue_has_nothing, queue_setup),
		cmocka_unit_test_setup(gives_tasks_in_order_of_arrival_whatever_their_priority_when_not_ordered,
				       queue_setup),
		cmocka_unit_test_setup(gives_the_highest_priority_first_and_the_oldest_among_equals, queue_setup),
		cmocka_unit_test_setup(never_gives_a_task_to_another_architecture, queue_setup),
		cmocka_unit_test_setup(keeps_the_order_across_lanes, queue_setup),
		cmocka_unit_test_setup(gives_the_owner_the_newest_of_priority_0, queue_setup),
		cmocka_unit_test_setup(gives_a_pinned_task_to_its_worker_only, queue_setup),
		cmocka_unit_test_setup(gives_pinned_tasks_in_order_at_both_ends, queue_setup),
		cmocka_unit_test_setup(gives_the_application_nothing, queue_setup),
		cmocka_unit_test_setup(knows_the_first_task_for_anybody_and_for_those_below_a_component, queue_setup),
		cmocka_unit_test_setup(adds_up_lengths_and_remembers_the_peak, queue_setup),
		cmocka_unit_test_setup(inserts_several_tasks_as_it_would_one_by_one, queue_setup),
		cmocka_unit_test_setup(a_task_counts_until_it_has_been_passed_on, receiver_setup),
		cmocka_unit_test_setup(a_refused_task_keeps_its_place, receiver_setup),
		cmocka_unit_test_setup(a_pump_tries_one_refused_task_of_each_lane_and_all_pinned_ones, receiver_setup),
		cmocka_unit_test_setup(a_pump_passes_on_in_the_order_of_the_queue, receiver_setup),
		cmocka_unit_test_setup(a_task_leads_if_none_for_the_same_workers_comes_before_it, receiver_setup),
		cmocka_unit_test_setup(gives_the_task_that_misses_least_and_the_oldest_among_equals, queue_setup),
		cmocka_unit_test_setup(a_higher_priority_comes_before_what_is_ready, queue_setup),
		cmocka_unit_test_setup(a_pinned_task_is_ready_for_its_worker_only, queue_setup),
		cmocka_unit_test_setup(a_ready_task_behind_many_waits_for_its_turn, queue_setup),
		cmocka_unit_test_setup(shows_one_task_of_each_set_of_architectures_and_each_that_is_constrained,
				       receiver_setup),
	};

	return cmocka_run_group_tests(tests, machine_setup, machine_teardown);
}
