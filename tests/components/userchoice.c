/* SPDX-License-Identifier: MIT */
/* userchoice: the branch that a task names. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* fifo | userchoice { basin | worker i, ... } */
static struct bed *open_choice(const char *machine, struct xy_component **basins)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *choice = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__userchoice_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		basins[i] = bed_add(bed, choice, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	return bed;
}

static struct xy_task *task_with_choice(struct bed *bed, unsigned archs, unsigned choice)
{
	struct xy_task *task = bed_task(bed, archs);

	task->extra = calloc(1, sizeof *task->extra);
	assert_non_null(task->extra);
	task->extra->choice = choice;
	return task;
}

static void a_task_goes_where_it_says(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_choice("cpu:3", basins);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		recorder(basins[i])->room = 9;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, task_with_choice(bed, CPU, 3 - i));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(recorder(basins[i])->npushed, 1);
		assert_ptr_equal(recorder(basins[i])->pushed[0], bed->tasks[2 - i]);
	}
	bed_close(bed);
}

static void a_task_that_says_nothing_takes_the_first_branch(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_choice("cpu:2", basins);

	(void)state;
	recorder(basins[0])->room = recorder(basins[1])->room = 9;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(basins[0])->npushed, 1);
	bed_close(bed);
}

static void a_number_too_large_means_the_last_branch(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_choice("cpu:2", basins);

	(void)state;
	recorder(basins[0])->room = recorder(basins[1])->room = 9;
	bed_submit(bed, task_with_choice(bed, CPU, 77));
	assert_int_equal(recorder(basins[1])->npushed, 1);
	bed_close(bed);
}

static void a_task_that_cannot_run_there_takes_the_next_branch_that_can(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_choice("cpu:2 cuda:1", basins);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		recorder(basins[i])->room = 9;
	bed_submit(bed, task_with_choice(bed, CUDA, 1));
	assert_int_equal(recorder(basins[2])->npushed, 1);
	bed_submit(bed, task_with_choice(bed, CPU, 3));
	assert_int_equal(recorder(basins[0])->npushed, 1);
	bed_close(bed);
}

static void a_refused_task_waits_above_for_its_branch(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_choice("cpu:2", basins);
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_task *task = task_with_choice(bed, CPU, 2);

	(void)state;
	recorder(basins[0])->room = 9;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[0])->npushed, 0);
	assert_int_equal(root->ops->depth(root, &(size_t){ 0 }), 1);
	/* worker 0 asks, and does not get what is meant for worker 1 */
	assert_null(bed_pull(bed, 0));
	recorder(basins[1])->room = 1;
	assert_null(bed_pull(bed, 1)); /* but its asking brings it down, as a push */
	assert_ptr_equal(recorder(basins[1])->pushed[0], task);
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

static void tells_one_worker_of_what_waits_above(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_choice("cpu:2", basins);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 1);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_goes_where_it_says),
		cmocka_unit_test(a_task_that_says_nothing_takes_the_first_branch),
		cmocka_unit_test(a_number_too_large_means_the_last_branch),
		cmocka_unit_test(a_task_that_cannot_run_there_takes_the_next_branch_that_can),
		cmocka_unit_test(a_refused_task_waits_above_for_its_branch),
		cmocka_unit_test(tells_one_worker_of_what_waits_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
