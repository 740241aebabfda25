/* SPDX-License-Identifier: MIT */
/* random: weights, redraws, and that nobody takes a task past it. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, MANY = 2000 };

/* fifo | random { basin | worker i, ... } */
static struct bed *open_random(const char *machine, struct xy_component **basins)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		basins[i] = bed_add(bed, random, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	return bed;
}

static size_t waiting(struct bed *bed)
{
	struct xy_component *root = xy_tree_root(bed->tree);

	return root->ops->depth(root, &(size_t){ 0 });
}

static void draws_branches_by_their_speed(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_random("cpu:2 cuda:1", basins);
	double total = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		recorder(basins[i])->room = MANY;
		total += xy_machine_worker(bed->machine, i)->speed;
	}
	for (unsigned i = 0; i < MANY; i++)
		bed_submit(bed, bed_task(bed, CPU | CUDA));
	for (unsigned i = 0; i < 3; i++) {
		double expected = MANY * xy_machine_worker(bed->machine, i)->speed / total;

		/* four standard deviations, and the draws are always the same */
		assert_true(recorder(basins[i])->npushed > expected - 90);
		assert_true(recorder(basins[i])->npushed < expected + 90);
	}
	assert_int_equal(waiting(bed), 0);
	bed_close(bed);
}

static void draws_only_branches_that_can_run_the_task(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_random("cpu:2 cuda:1", basins);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		recorder(basins[i])->room = MANY;
	for (unsigned i = 0; i < 100; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(basins[2])->npushed, 0);
	assert_true(recorder(basins[0])->npushed > 25 && recorder(basins[1])->npushed > 25);
	bed_submit(bed, bed_task(bed, CUDA));
	assert_int_equal(recorder(basins[2])->npushed, 1);
	basin_empty(basins[1]);
	recorder(basins[1])->npushed = 0;
	for (unsigned i = 0; i < 20; i++)
		bed_submit(bed, bed_task_pinned(bed, CPU | CUDA, 1));
	assert_int_equal(recorder(basins[1])->npushed, 20);
	bed_close(bed);
}

static int run(struct xy_call *call)
{
	(void)call;
	return 0;
}

static bool not_the_last(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return worker != 3;
}

static void a_task_that_chooses_its_workers_is_drawn_among_them(void **state)
{
	static const struct xy_codelet picky = { .cpu = { run }, .can_execute = not_the_last };
	struct xy_component *basins[4];
	struct bed *bed = open_random("cpu:4", basins);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		recorder(basins[i])->room = MANY;
	for (unsigned i = 0; i < 300; i++) {
		struct xy_task *task = bed_task(bed, CPU);

		task->codelet = (uintptr_t)&picky;
		task->constrained = true;
		bed_submit(bed, task);
	}
	assert_int_equal(recorder(basins[3])->npushed, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(recorder(basins[i])->npushed, 70, 130);
	bed_close(bed);
}

static void draws_again_after_a_refusal(void **state)
{
	struct xy_component *basins[4];
	struct bed *bed = open_random("cpu:4", basins);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		recorder(basins[i])->room = 1;
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task(bed, CPU));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(recorder(basins[i])->npushed, 1);
	assert_int_equal(waiting(bed), 0);
	bed_close(bed);
}

static void finds_the_last_branch_with_room_among_many(void **state)
{
	struct xy_component *basins[40];
	struct bed *bed = open_random("cpu:40", basins);

	(void)state;
	for (unsigned i = 0; i < 40; i += 13) {
		recorder(basins[i])->room = 1;
		bed_submit(bed, bed_task(bed, CPU));
		assert_int_equal(recorder(basins[i])->npushed, 1);
	}
	for (unsigned i = 0; i < 40; i++)
		assert_in_range(recorder(basins[i])->nrefused, 0, 4);
	bed_close(bed);
}

static void a_task_that_all_refuse_stays_above_and_is_tried_once_each(void **state)
{
	struct xy_component *basins[12];
	struct bed *bed = open_random("cpu:12", basins);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, task);
	assert_int_equal(waiting(bed), 1);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(recorder(basins[i])->nrefused, 1);
	recorder(basins[7])->room = 1;
	assert_true(xy_can_push_parents(basins[7], &bed->workers[7]));
	assert_ptr_equal(recorder(basins[7])->pushed[0], task);
	assert_int_equal(waiting(bed), 0);
	bed_close(bed);
}

static void a_pull_makes_the_reservoir_above_push(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_random("cpu:2", basins);
	struct xy_component *random = basins[0]->parents[0];
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, task);
	assert_null(xy_pull(random, &bed->workers[0]));
	assert_int_equal(waiting(bed), 1);
	recorder(basins[1])->room = 1;
	assert_null(xy_pull(random, &bed->workers[0]));
	assert_int_equal(waiting(bed), 0);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

/* fifo | random | recorder | reservoir | worker 0: a pull is answered by a push into the reservoir that asks. */
static void whoever_pulls_looks_again_for_what_was_pushed(void **state)
{
	static const struct xy_component_ops *const reservoirs[] = {
		&xy__fifo_ops,
		&xy__prio_ops,
		&xy__work_stealing_ops,
		&xy__heteroprio_ops,
	};

	(void)state;
	for (unsigned i = 0; i < sizeof reservoirs / sizeof reservoirs[0]; i++) {
		struct bed *bed = bed_open("cpu:1");
		struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);
		struct xy_component *door = bed_add(bed, random, &recorder_ops);
		struct xy_task *task = bed_task(bed, CPU);

		bed_add_worker(bed, bed_add(bed, door, reservoirs[i]), 0);
		bed_seal(bed);
		recorder(door)->refuses = true;
		bed_submit(bed, task);
		assert_null(bed_pull(bed, 0));
		assert_int_equal(waiting(bed), 1);
		recorder(door)->refuses = false;
		assert_ptr_equal(bed_pull(bed, 0), task);
		assert_null(bed_pull(bed, 0));
		task = bed_task(bed, CPU);
		bed_submit(bed, task); /* it is there already when it is asked for */
		assert_int_equal(waiting(bed), 0);
		assert_ptr_equal(bed_pull(bed, 0), task);
		bed_close(bed);
	}
}

static void the_same_seed_draws_the_same_branches(void **state)
{
	struct xy_component *first[4], *second[4];
	struct bed *a = open_random("cpu:4", first), *b = open_random("cpu:4", second);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		recorder(first[i])->room = recorder(second[i])->room = MANY;
	for (unsigned i = 0; i < 200; i++) {
		bed_submit(a, bed_task(a, CPU));
		bed_submit(b, bed_task(b, CPU));
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(recorder(first[i])->npushed, recorder(second[i])->npushed);
		for (unsigned k = 0; k < recorder(first[i])->npushed; k++)
			assert_int_equal(recorder(first[i])->pushed[k]->number, recorder(second[i])->pushed[k]->number);
	}
	bed_close(a);
	bed_close(b);
}

/* random { basin | worker 0, basin | worker 1, basin | the team of both } */
static struct bed *open_team(struct xy_component **basins)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);

	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, random, &basin_ops);
		if (i < 2)
			bed_add_worker(bed, basins[i], i);
		else
			assert_int_equal(xy_tree_link(basins[i], xy_tree_team(bed->tree, 0)), 0);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		recorder(basins[i])->room = MANY;
	return bed;
}

static void a_team_counts_as_all_of_its_members(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_team(basins);

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		bed_submit(bed, bed_task(bed, CPU | XY_ON_TEAM));
	assert_in_range(recorder(basins[0])->npushed, MANY / 4 - 80, MANY / 4 + 80);
	assert_in_range(recorder(basins[1])->npushed, MANY / 4 - 80, MANY / 4 + 80);
	assert_in_range(recorder(basins[2])->npushed, MANY / 2 - 90, MANY / 2 + 90);
	bed_close(bed);
}

static void a_task_pinned_to_a_worker_is_not_for_its_team(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_team(basins);

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		bed_submit(bed, bed_task_pinned(bed, CPU, 1));
	assert_int_equal(recorder(basins[1])->npushed, 50);
	assert_int_equal(recorder(basins[2])->npushed, 0);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_branches_by_their_speed),
		cmocka_unit_test(draws_only_branches_that_can_run_the_task),
		cmocka_unit_test(a_task_that_chooses_its_workers_is_drawn_among_them),
		cmocka_unit_test(draws_again_after_a_refusal),
		cmocka_unit_test(finds_the_last_branch_with_room_among_many),
		cmocka_unit_test(a_task_that_all_refuse_stays_above_and_is_tried_once_each),
		cmocka_unit_test(a_pull_makes_the_reservoir_above_push),
		cmocka_unit_test(whoever_pulls_looks_again_for_what_was_pushed),
		cmocka_unit_test(the_same_seed_draws_the_same_branches),
		cmocka_unit_test(a_team_counts_as_all_of_its_members),
		cmocka_unit_test(a_task_pinned_to_a_worker_is_not_for_its_team),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
