/* SPDX-License-Identifier: MIT */
/* heft: what is kept back and for how long, the order of mapping, refusals. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* heft(window=...) { basin | worker i, ... } with room for `room` tasks each */
static struct bed *open_heft(const char *machine, const char *window, struct xy_component **basins, unsigned room)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *heft = bed_add_with(bed, NULL, &xy__heft_ops, "window", window);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		basins[i] = bed_add(bed, heft, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		recorder(basins[i])->room = room;
	return bed;
}

static size_t depth(struct xy_component *c)
{
	return c->ops->depth(c, &(size_t){ 0 });
}

static struct xy_task *submit(struct bed *bed, const double *lengths, int priority)
{
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	task->priority = priority;
	bed_submit(bed, task);
	return task;
}

static void keeps_a_window_of_tasks_until_a_worker_asks(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy_component *basins[2];
	struct bed *bed = open_heft("cpu:2", "3", basins, 99);
	struct xy_component *heft = xy_tree_root(bed->tree);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		submit(bed, lengths, 0);
	assert_int_equal(depth(heft), 3);
	assert_int_equal(recorder(basins[0])->npushed + recorder(basins[1])->npushed, 0);
	assert_true(bed->nwoken > 0);
	assert_null(bed_pull(bed, 0)); /* a basin looks again only when it is asked again */
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(depth(heft), 0);
	bed_close(bed);
}

static void maps_the_most_urgent_of_them_first(void **state)
{
	static const double lengths[] = { 30, 10 };
	struct xy_component *basins[2];
	struct bed *bed = open_heft("cpu:1 cuda:1", "8", basins, 1);
	struct xy_task *low = submit(bed, lengths, 1), *high = submit(bed, lengths, 5);

	(void)state;
	assert_null(bed_pull(bed, 1));
	assert_ptr_equal(bed_pull(bed, 1), high);
	assert_int_equal(recorder(basins[0])->npushed, 0); /* it would end later there */
	assert_true(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_ptr_equal(bed_pull(bed, 1), low);
	bed_close(bed);
}

static void beyond_the_window_the_most_urgent_is_mapped_for_each_that_comes(void **state)
{
	static const double lengths[] = { 10 };
	struct xy_component *basins[1];
	struct bed *bed = open_heft("cpu:1", "2", basins, 99);
	struct xy_task *second;

	(void)state;
	submit(bed, lengths, 1);
	second = submit(bed, lengths, 2);
	bed_forget(bed);
	submit(bed, lengths, 0);
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_ptr_equal(recorder(basins[0])->pushed[0], second);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 2);
	assert_int_equal(bed->nwoken, 1); /* the one that came stays here, and is offered */
	bed_forget(bed);
	submit(bed, lengths, 3);
	assert_int_equal(recorder(basins[0])->npushed, 2);
	assert_int_equal(bed->nwoken, 0);
	bed_close(bed);
}

static void without_a_window_it_maps_at_once(void **state)
{
	static const double lengths[] = { 10, 20 };
	struct xy_component *basins[2];
	struct bed *bed = open_heft("cpu:2", "0", basins, 1);

	(void)state;
	submit(bed, lengths, 0);
	submit(bed, lengths, 0);
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_int_equal(recorder(basins[1])->npushed, 0); /* it waits for the better place */
	assert_int_equal(depth(xy_tree_root(bed->tree)), 1);
	bed_close(bed);
}

static void keeps_what_all_refuse_until_there_is_room(void **state)
{
	static const double lengths[] = { 10, 25 };
	struct xy_component *basins[2];
	struct bed *bed = open_heft("cpu:2", "4", basins, 0);
	struct xy_component *heft = xy_tree_root(bed->tree);
	struct xy_task *low = submit(bed, lengths, 0), *high = submit(bed, lengths, 3);

	(void)state;
	assert_null(bed_pull(bed, 0));
	assert_int_equal(depth(heft), 2);
	recorder(basins[1])->room = 1;
	assert_false(xy_can_push(heft, basins[1], &bed->workers[1])); /* it would end later there */
	recorder(basins[0])->room = 1;
	assert_true(xy_can_push(heft, basins[0], &bed->workers[0]));
	assert_ptr_equal(recorder(basins[0])->pushed[0], high);
	basin_empty(basins[0]);
	assert_true(xy_can_push(heft, basins[0], &bed->workers[0]));
	assert_ptr_equal(recorder(basins[0])->pushed[1], low);
	assert_int_equal(depth(heft), 0);
	bed_close(bed);
}

static void a_branch_that_is_full_does_not_hide_another(void **state)
{
	static const double here[] = { 10, 90 }, there[] = { 90, 10 };
	struct xy_component *basins[2];
	struct bed *bed = open_heft("cpu:2", "9", basins, 1);
	struct xy_task *first = submit(bed, here, 2), *second;

	(void)state;
	submit(bed, here, 1);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(recorder(basins[0])->pushed[0], first);
	assert_int_equal(recorder(basins[0])->nrefused, 1);
	second = submit(bed, there, 3);
	assert_null(bed_pull(bed, 1));
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_ptr_equal(recorder(basins[1])->pushed[0], second);
	bed_close(bed);
}

static void maps_again_when_time_has_passed(void **state)
{
	static const double lengths[] = { 10, 25 };
	struct xy_component *basins[2];
	struct bed *bed = open_heft("cpu:2", "4", basins, 1);

	(void)state;
	bed->free_us[0] = 10;
	submit(bed, lengths, 0);
	submit(bed, lengths, 0);
	assert_null(bed_pull(bed, 0)); /* the second one would end there at 20, and there is no room */
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_int_equal(recorder(basins[1])->npushed, 0);
	bed->free_us[0] = 200;
	assert_null(bed_pull(bed, 1)); /* nothing has changed at this time */
	assert_int_equal(recorder(basins[1])->npushed, 0);
	bed->now_us = 100;
	assert_null(bed_pull(bed, 1));
	assert_int_equal(recorder(basins[1])->npushed, 1);
	bed_close(bed);
}

static void pinned_tasks_wake_and_reach_their_worker(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_heft("cpu:3", "4", basins, 9);
	struct xy_task *task = bed_task_pinned(bed, CPU, 2);

	(void)state;
	bed_submit(bed, task);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 2);
	assert_null(bed_pull(bed, 2));
	assert_ptr_equal(bed_pull(bed, 2), task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_a_window_of_tasks_until_a_worker_asks),
		cmocka_unit_test(maps_the_most_urgent_of_them_first),
		cmocka_unit_test(beyond_the_window_the_most_urgent_is_mapped_for_each_that_comes),
		cmocka_unit_test(without_a_window_it_maps_at_once),
		cmocka_unit_test(keeps_what_all_refuse_until_there_is_room),
		cmocka_unit_test(a_branch_that_is_full_does_not_hide_another),
		cmocka_unit_test(maps_again_when_time_has_passed),
		cmocka_unit_test(pinned_tasks_wake_and_reach_their_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
