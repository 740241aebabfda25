/* SPDX-License-Identifier: MIT */
/* prio: the order in which tasks leave, by pulls and by pushes. The rest is fifo's. */
#include "recording.h"

enum { CPU = XY_ON_CPU };

static void gives_the_highest_priority_first_and_the_oldest_among_equals(void **state)
{
	static const int priorities[] = { 0, 5, -1, 5, 0, 9 };
	static const unsigned order[] = { 5, 1, 3, 0, 4, 2 };
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *prio = bed_add(bed, NULL, &xy__prio_ops);

	(void)state;
	bed_add_worker(bed, prio, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, bed_task_with_priority(bed, CPU, priorities[i]));
	for (unsigned i = 0; i < 6; i++)
		assert_ptr_equal(bed_pull(bed, 0), bed->tasks[order[i]]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

/* prio | basin | worker 0 */
static struct bed *open_pumped(struct xy_component **basin)
{
	struct bed *bed = bed_open("cpu:1");

	*basin = bed_add(bed, bed_add(bed, NULL, &xy__prio_ops), &basin_ops);
	bed_add_worker(bed, *basin, 0);
	bed_seal(bed);
	return bed;
}

static void pumps_the_highest_priority_first(void **state)
{
	struct xy_component *basin;
	struct bed *bed = open_pumped(&basin);

	(void)state;
	for (int priority = 1; priority <= 3; priority++)
		bed_submit(bed, bed_task_with_priority(bed, CPU, priority));
	recorder(basin)->room = 2;
	assert_true(xy_can_push_parents(basin, &bed->workers[0]));
	assert_int_equal(recorder(basin)->npushed, 2);
	assert_ptr_equal(recorder(basin)->pushed[0], bed->tasks[2]);
	assert_ptr_equal(recorder(basin)->pushed[1], bed->tasks[1]);
	bed_close(bed);
}

static void tries_a_more_urgent_task_although_others_wait(void **state)
{
	struct xy_component *basin;
	struct bed *bed = open_pumped(&basin);

	(void)state;
	bed_submit(bed, bed_task_with_priority(bed, CPU, 1));
	assert_int_equal(recorder(basin)->nrefused, 1);
	bed_submit(bed, bed_task_with_priority(bed, CPU, 1));
	assert_int_equal(recorder(basin)->nrefused, 1);
	bed_submit(bed, bed_task_with_priority(bed, CPU, 2));
	assert_int_equal(recorder(basin)->nrefused, 2);
	bed_close(bed);
}

static void a_bound_keeps_the_rest_above_in_order(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *upper = bed_add(bed, NULL, &xy__prio_ops);
	struct xy_component *lower = bed_add_with(bed, upper, &xy__prio_ops, "ntasks", "1");
	static const unsigned order[] = { 0, 3, 1, 2 };

	(void)state;
	bed_add_worker(bed, lower, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task_with_priority(bed, CPU, i == 3 ? 7 : 1));
	assert_true(lower->ops->is_bounded(lower));
	assert_false(upper->ops->is_bounded(upper));
	for (unsigned i = 0; i < 4; i++)
		assert_ptr_equal(bed_pull(bed, 0), bed->tasks[order[i]]);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_highest_priority_first_and_the_oldest_among_equals),
		cmocka_unit_test(pumps_the_highest_priority_first),
		cmocka_unit_test(tries_a_more_urgent_task_although_others_wait),
		cmocka_unit_test(a_bound_keeps_the_rest_above_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
