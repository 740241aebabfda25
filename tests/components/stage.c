/* SPDX-License-Identifier: MIT */
/* stage: where two flows of tasks meet. */
#include "recording.h"

enum { CPU = XY_ON_CPU };

/* userchoice { fifo, prio } | stage | eager { worker 0, worker 1 } */
static struct bed *open_joined(struct xy_component *upper[2], struct xy_component **stage)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add(bed, NULL, &xy__userchoice_ops), *eager;

	upper[0] = bed_add(bed, root, &xy__fifo_ops);
	upper[1] = bed_add(bed, root, &xy__prio_ops);
	*stage = bed_add(bed, upper[0], &xy__stage_ops);
	assert_int_equal(xy_tree_link(upper[1], *stage), 0);
	eager = bed_add(bed, *stage, &xy__eager_ops);
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 1);
	bed_seal(bed);
	return bed;
}

static struct xy_task *submit(struct bed *bed, unsigned choice)
{
	struct xy_task *task = bed_task_pinned(bed, CPU, 0);

	task->extra->nworkers = 0; /* may run anywhere */
	task->constrained = false;
	task->extra->choice = 1 + choice;
	bed_submit(bed, task);
	return task;
}

static void a_worker_gets_a_task_of_the_first_parent_that_has_one(void **state)
{
	struct xy_component *upper[2], *stage;
	struct bed *bed = open_joined(upper, &stage);
	struct xy_task *second = submit(bed, 1), *first = submit(bed, 0);

	(void)state;
	assert_int_equal(stage->nparents, 2);
	assert_ptr_equal(bed_pull(bed, 1), first);
	assert_ptr_equal(bed_pull(bed, 0), second);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void offers_of_both_flows_reach_the_workers(void **state)
{
	struct xy_component *upper[2], *stage;
	struct bed *bed = open_joined(upper, &stage);

	(void)state;
	submit(bed, 0);
	submit(bed, 1);
	assert_int_equal(bed->nwoken, 2);
	bed_close(bed);
}

static void pushes_and_room_pass_through(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *fifo = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *stage = bed_add(bed, fifo, &xy__stage_ops);
	struct xy_component *basin = bed_add(bed, stage, &basin_ops);
	struct xy_task *a = bed_task(bed, CPU), *b = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, basin, 0);
	bed_seal(bed);
	recorder(basin)->room = 1;
	bed_submit(bed, a);
	bed_submit(bed, b);
	assert_int_equal(recorder(basin)->npushed, 1);
	assert_ptr_equal(recorder(basin)->pushed[0], a);
	basin_empty(basin);
	assert_true(xy_can_push_parents(basin, &bed->workers[0]));
	assert_ptr_equal(recorder(basin)->pushed[1], b);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_gets_a_task_of_the_first_parent_that_has_one),
		cmocka_unit_test(offers_of_both_flows_reach_the_workers),
		cmocka_unit_test(pushes_and_room_pass_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
