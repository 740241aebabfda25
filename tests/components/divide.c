/* SPDX-License-Identifier: MIT */
/* divide: a reservoir that gives divisible tasks away in pieces. */
#include "recording.h"

#include <errno.h>

enum { CPU = XY_ON_CPU };

/* divide(items) | recorder | worker 0 */
static struct bed *open_pulled(const char *items, struct xy_component **divide)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *below;

	*divide = bed_add_with(bed, NULL, &xy__divide_ops, "items", items);
	below = bed_add(bed, *divide, &recorder_ops);
	bed_add_worker(bed, below, 0);
	bed_seal(bed);
	return bed;
}

static void expect_range(const struct xy_task *piece, uint64_t start, uint64_t stop)
{
	assert_non_null(piece);
	assert_int_equal(xy_task_range(piece).start, start);
	assert_int_equal(xy_task_range(piece).stop, stop);
	assert_false(xy_task_is_divisible(piece));
}

static void gives_pieces_in_order_and_the_task_last(void **state)
{
	struct xy_component *divide;
	struct bed *bed = open_pulled("40", &divide);
	struct xy_task *task = bed_task_divisible(bed, CPU, 100), *piece;
	size_t peak;

	(void)state;
	bed_submit(bed, task);
	assert_true(xy_task_is_divisible(task));
	expect_range(bed_pull(bed, 0), 0, 40);
	assert_int_equal(divide->ops->depth(divide, &peak), 1);
	expect_range(bed_pull(bed, 0), 40, 80);
	piece = bed_pull(bed, 0);
	assert_ptr_equal(piece, task);
	expect_range(piece, 80, 100);
	assert_int_equal(divide->ops->depth(divide, &peak), 0);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static struct xy_component *watched;
static size_t depth_seen;
static struct xy_task *(*cut_as_before)(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);

static struct xy_task *cut_and_look(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by)
{
	size_t peak;

	depth_seen = watched->ops->depth(watched, &peak);
	return cut_as_before(engine, task, by);
}

/* Another worker that looks meanwhile would sleep. */
static void what_is_being_cut_is_still_there(void **state)
{
	struct bed *bed = open_pulled("40", &watched);

	(void)state;
	cut_as_before = bed->engine.cut;
	bed->engine.cut = cut_and_look;
	bed_submit(bed, bed_task_divisible(bed, CPU, 100));
	expect_range(bed_pull(bed, 0), 0, 40);
	assert_int_equal(depth_seen, 1);
	bed_pull(bed, 0);
	bed_pull(bed, 0);
	bed_close(bed);
}

static void a_task_of_one_piece_is_not_cut(void **state)
{
	struct xy_component *divide;
	struct bed *bed = open_pulled("100", &divide);
	struct xy_task *task = bed_task_divisible(bed, CPU, 100), *other = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, task);
	bed_submit(bed, other);
	assert_ptr_equal(bed_pull(bed, 0), task);
	expect_range(task, 0, 100);
	assert_ptr_equal(bed_pull(bed, 0), other);
	assert_int_equal(xy_task_range(other).stop, 0);
	assert_int_equal(bed->ntasks, 2);
	bed_close(bed);
}

static void divisible_tasks_take_turns(void **state)
{
	struct xy_component *divide;
	struct bed *bed = open_pulled("10", &divide);
	struct xy_task *first = bed_task_divisible(bed, CPU, 20), *second = bed_task_divisible(bed, CPU, 20);

	(void)state;
	bed_submit(bed, first);
	bed_submit(bed, second);
	assert_ptr_equal(xy__task_piece(bed_pull(bed, 0))->whole, first);
	assert_ptr_equal(xy__task_piece(bed_pull(bed, 0))->whole, second);
	assert_ptr_equal(bed_pull(bed, 0), first);
	assert_ptr_equal(bed_pull(bed, 0), second);
	bed_close(bed);
}

static void after_a_failure_the_rest_is_empty(void **state)
{
	struct xy_component *divide;
	struct bed *bed = open_pulled("10", &divide);
	struct xy_task *task = bed_task_divisible(bed, CPU, 1000), *piece;

	(void)state;
	bed_submit(bed, task);
	piece = bed_pull(bed, 0);
	expect_range(piece, 0, 10);
	bed_end(bed, piece, 0, -EIO);
	assert_ptr_equal(bed_pull(bed, 0), task);
	expect_range(task, 1000, 1000);
	assert_int_equal(task->status, -EIO);
	bed_close(bed);
}

/* divide(items=10) | basin | worker 0 */
static void a_refused_piece_goes_first_when_there_is_room(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *divide = bed_add_with(bed, NULL, &xy__divide_ops, "items", "10");
	struct xy_component *basin = bed_add(bed, divide, &basin_ops);
	struct xy_task *task = bed_task_divisible(bed, CPU, 45);
	size_t peak;

	(void)state;
	bed_add_worker(bed, basin, 0);
	bed_seal(bed);
	recorder(basin)->room = 2;
	bed_submit(bed, task);
	assert_int_equal(recorder(basin)->npushed, 2);
	assert_int_equal(divide->ops->depth(divide, &peak), 2); /* the piece that was refused, and the rest */
	basin_empty(basin);
	assert_true(xy_can_push(divide, basin, &bed->workers[0]));
	basin_empty(basin);
	assert_true(xy_can_push(divide, basin, &bed->workers[0]));
	assert_int_equal(recorder(basin)->npushed, 5);
	for (unsigned i = 0; i < 4; i++)
		expect_range(recorder(basin)->pushed[i], 10 * i, 10 * i + 10);
	assert_ptr_equal(recorder(basin)->pushed[4], task);
	expect_range(task, 40, 45);
	assert_int_equal(divide->ops->depth(divide, &peak), 0);
	bed_close(bed);
}

/* Teams are pushed to; workers pull what is not for a team. */
static void offers_what_is_refused_to_those_that_pull(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "divide(items=10) | eager { each team { }, each worker { } }");
	struct xy_task *whole = bed_task_divisible(bed, CPU, 15), *pinned = bed_task_pinned(bed, CPU, 1);

	(void)state;
	bed_submit(bed, whole);
	assert_int_equal(bed->nwoken, 1);
	bed_submit(bed, pinned);
	assert_int_equal(bed->nwoken, 2);
	expect_range(bed_pull(bed, 0), 0, 10);
	assert_ptr_equal(bed_pull(bed, 0), whole);
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_pieces_in_order_and_the_task_last),
		cmocka_unit_test(what_is_being_cut_is_still_there),
		cmocka_unit_test(a_task_of_one_piece_is_not_cut),
		cmocka_unit_test(divisible_tasks_take_turns),
		cmocka_unit_test(after_a_failure_the_rest_is_empty),
		cmocka_unit_test(a_refused_piece_goes_first_when_there_is_room),
		cmocka_unit_test(offers_what_is_refused_to_those_that_pull),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
