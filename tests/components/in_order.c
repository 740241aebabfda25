/* SPDX-License-Identifier: MIT */
/* in-order: who may go when, and who is told. */
#include "recording.h"

enum { CPU = XY_ON_CPU, FIRST = -1000000000 };

/* A task at a position. */
static struct xy_task *at(struct bed *bed, int position)
{
	return bed_task_with_priority(bed, CPU, FIRST - position);
}

/* in-order above one worker. */
static struct bed *open_alone(void)
{
	struct bed *bed = bed_open("cpu:1");

	bed_add_worker(bed, bed_add(bed, NULL, &xy__in_order_ops), 0);
	bed_seal(bed);
	return bed;
}

static void holds_a_task_until_all_before_it_have_gone(void **state)
{
	struct bed *bed = open_alone();
	struct xy_task *tasks[] = { at(bed, 0), at(bed, 1), at(bed, 2), at(bed, 3) };

	(void)state;
	bed_submit(bed, tasks[2]);
	assert_null(bed_pull(bed, 0));
	bed_submit(bed, tasks[1]);
	assert_null(bed_pull(bed, 0));
	bed_submit(bed, tasks[0]);
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(bed_pull(bed, 0), tasks[i]);
	assert_null(bed_pull(bed, 0));
	bed_submit(bed, tasks[3]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[3]);
	bed_close(bed);
}

static void wakes_a_worker_only_for_who_may_go(void **state)
{
	struct bed *bed = open_alone();

	(void)state;
	bed_submit(bed, at(bed, 1));
	assert_int_equal(bed->nwoken, 0);
	bed_submit(bed, at(bed, 0));
	assert_in_range(bed->nwoken, 1, 2);
	bed_close(bed);
}

static void lets_tasks_without_a_position_go_first(void **state)
{
	struct bed *bed = open_alone();
	struct xy_task *first = at(bed, 0), *early = at(bed, 2);
	struct xy_task *low = bed_task_with_priority(bed, CPU, FIRST + 1);
	struct xy_task *high = bed_task_with_priority(bed, CPU, 5);
	struct xy_task *lowest = bed_task_with_priority(bed, CPU, INT32_MIN);

	(void)state;
	bed_submit(bed, early);
	bed_submit(bed, lowest);
	bed_submit(bed, first);
	bed_submit(bed, low);
	bed_submit(bed, high);
	assert_ptr_equal(bed_pull(bed, 0), high);
	assert_ptr_equal(bed_pull(bed, 0), low);
	assert_ptr_equal(bed_pull(bed, 0), first);
	assert_ptr_equal(bed_pull(bed, 0), lowest);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void lets_a_task_that_comes_again_go_at_once(void **state)
{
	struct bed *bed = open_alone();
	struct xy_task *first = at(bed, 0), *second = at(bed, 1);

	(void)state;
	bed_submit(bed, first);
	assert_ptr_equal(bed_pull(bed, 0), first);
	bed_submit(bed, second);
	assert_ptr_equal(bed_pull(bed, 0), second);
	bed_submit(bed, first);
	assert_ptr_equal(bed_pull(bed, 0), first);
	bed_close(bed);
}

static void shows_what_waits(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *c = bed_add(bed, NULL, &xy__in_order_ops);
	size_t peak;

	(void)state;
	bed_add_worker(bed, c, 0);
	bed_seal(bed);
	for (int position = 4; position >= 2; position--)
		bed_submit(bed, at(bed, position));
	assert_int_equal(c->ops->depth(c, &peak), 3);
	bed_submit(bed, at(bed, 0));
	assert_int_equal(c->ops->depth(c, &peak), 4);
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(c->ops->depth(c, &peak), 3);
	assert_int_equal(peak, 4);
	bed_close(bed);
}

static void keeps_each_workers_order_in_the_policy(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "fifo | eager | each worker { in-order | best-implementation }");
	struct xy_task *tasks[6];

	(void)state;
	for (int i = 0; i < 6; i++) {
		tasks[i] = bed_task_pinned(bed, CPU, (unsigned)i % 2);
		tasks[i]->priority = FIRST - i / 2;
	}
	for (int i = 6; i-- > 2;)
		bed_submit(bed, tasks[i]);
	assert_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 1));
	bed_submit(bed, tasks[1]);
	assert_null(bed_pull(bed, 0));
	for (unsigned i = 1; i < 6; i += 2)
		assert_ptr_equal(bed_pull(bed, 1), tasks[i]);
	bed_submit(bed, tasks[0]);
	for (unsigned i = 0; i < 6; i += 2)
		assert_ptr_equal(bed_pull(bed, 0), tasks[i]);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_a_task_until_all_before_it_have_gone),
		cmocka_unit_test(wakes_a_worker_only_for_who_may_go),
		cmocka_unit_test(lets_tasks_without_a_position_go_first),
		cmocka_unit_test(lets_a_task_that_comes_again_go_at_once),
		cmocka_unit_test(shows_what_waits),
		cmocka_unit_test(keeps_each_workers_order_in_the_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
