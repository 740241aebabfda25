/* SPDX-License-Identifier: MIT */
/* work-stealing: the owner's end, the thief's end, whom a thief visits, and any shape below. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* work-stealing { ops | worker i, ... }; without ops the workers themselves */
static struct bed *open_stealing(const char *machine, const struct xy_component_ops *ops,
				 struct xy_component **children)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *root = bed_add(bed, NULL, &xy__work_stealing_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		if (ops)
			children[i] = bed_add(bed, root, ops);
		bed_add_worker(bed, ops ? children[i] : root, i);
	}
	bed_seal(bed);
	return bed;
}

/* A task that a worker made ready. */
static struct xy_task *release(struct bed *bed, unsigned worker, struct xy_task *task)
{
	assert_true(xy_push(xy_tree_root(bed->tree), task, &bed->workers[worker]));
	return task;
}

static size_t depth(struct bed *bed)
{
	struct xy_component *root = xy_tree_root(bed->tree);

	return root->ops->depth(root, &(size_t){ 0 });
}

static void the_owner_takes_the_newest_task(void **state)
{
	struct bed *bed = open_stealing("cpu:2", NULL, NULL);
	struct xy_task *a = release(bed, 0, bed_task(bed, CPU)), *b = release(bed, 0, bed_task(bed, CPU));

	(void)state;
	assert_int_equal(depth(bed), 2);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void a_thief_takes_the_oldest_task(void **state)
{
	struct bed *bed = open_stealing("cpu:2", NULL, NULL);
	struct xy_task *a = release(bed, 0, bed_task(bed, CPU)), *b = release(bed, 0, bed_task(bed, CPU));

	(void)state;
	assert_ptr_equal(bed_pull(bed, 1), a);
	assert_ptr_equal(bed_pull(bed, 0), b);
	bed_close(bed);
}

static void a_thief_takes_half_of_the_tasks(void **state)
{
	struct bed *bed = open_stealing("cpu:2", NULL, NULL);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		release(bed, 0, bed_task(bed, CPU));
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[0]);
	/* the loot is its own now, newest first, and the owner has the other half */
	for (unsigned i = 4; i >= 1; i--)
		assert_ptr_equal(bed_pull(bed, 1), bed->tasks[i]);
	for (unsigned i = 9; i >= 5; i--)
		assert_ptr_equal(bed_pull(bed, 0), bed->tasks[i]);
	assert_int_equal(depth(bed), 0);
	bed_close(bed);
}

static void a_thief_takes_32_tasks_at_most(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		release(bed, 0, bed_task(bed, CPU));
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[0]);
	assert_ptr_equal(bed_pull(bed, 2), bed->tasks[32]); /* its first victim is worker 0 as well */
	bed_close(bed);
}

static void loot_is_offered_to_others_but_not_to_the_thief(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);

	(void)state;
	bed_wake(bed, 0);
	bed_wake(bed, 1);
	for (unsigned i = 0; i < 4; i++)
		release(bed, 0, bed_task(bed, CPU));
	bed_forget(bed);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[0]);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 2);
	bed_close(bed);
}

static void thieves_visit_the_nearest_victim_first_and_then_all_others(void **state)
{
	struct bed *bed = open_stealing("topology(numa:2 core:3 pu:1)", NULL, NULL);
	struct xy_task *far = release(bed, 5, bed_task(bed, CPU));
	struct xy_task *near = release(bed, 2, bed_task(bed, CPU));

	(void)state;
	assert_true(xy_machine_distance(bed->machine, 0, 2) < xy_machine_distance(bed->machine, 0, 5));
	assert_ptr_equal(bed_pull(bed, 0), near);
	assert_ptr_equal(bed_pull(bed, 0), far);
	assert_null(bed_pull(bed, 0));
	/* a thief in the other node has the opposite order */
	release(bed, 2, near);
	release(bed, 5, far);
	assert_ptr_equal(bed_pull(bed, 3), far);
	assert_ptr_equal(bed_pull(bed, 3), near);
	bed_close(bed);
}

static void every_victim_is_found_among_more_than_can_be_sorted(void **state)
{
	struct bed *bed = open_stealing("cpu:300", NULL, NULL);

	(void)state;
	for (unsigned i = 0; i < 300; i += 23) {
		struct xy_task *task = release(bed, i, bed_task(bed, CPU));

		assert_ptr_equal(bed_pull(bed, (i + 137) % 300), task);
	}
	bed_close(bed);
}

static void priorities_come_first_at_both_ends(void **state)
{
	struct bed *bed = open_stealing("cpu:2", NULL, NULL);
	struct xy_task *low = release(bed, 0, bed_task_with_priority(bed, CPU, -1));
	struct xy_task *plain = release(bed, 0, bed_task(bed, CPU));
	struct xy_task *high = release(bed, 0, bed_task_with_priority(bed, CPU, 4));
	struct xy_task *higher = release(bed, 0, bed_task_with_priority(bed, CPU, 5));

	(void)state;
	assert_ptr_equal(bed_pull(bed, 0), higher);
	assert_ptr_equal(bed_pull(bed, 1), high);
	assert_ptr_equal(bed_pull(bed, 0), low);
	assert_ptr_equal(bed_pull(bed, 1), plain);
	bed_close(bed);
}

static void tasks_of_the_application_go_to_the_branches_in_turn(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, bed_task(bed, CPU));
	for (unsigned i = 0; i < 3; i++) {
		assert_ptr_equal(bed_pull(bed, i), bed->tasks[i + 3]);
		assert_ptr_equal(bed_pull(bed, i), bed->tasks[i]);
	}
	bed_close(bed);
}

static void the_branch_that_got_the_task_is_told_first(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(bed->woken[i], i);
	bed_close(bed);
}

static void a_neighbour_is_told_when_the_owner_is_busy(void **state)
{
	struct bed *bed = open_stealing("topology(numa:2 core:2 pu:1)", NULL, NULL);

	(void)state;
	bed_wake(bed, 2);
	/* its first task is for itself */
	release(bed, 2, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 0);
	release(bed, 2, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 3);
	bed_close(bed);
}

static void a_task_goes_only_where_it_can_run(void **state)
{
	struct bed *bed = open_stealing("cpu:2 cuda:1", NULL, NULL);
	struct xy_task *cuda = release(bed, 0, bed_task(bed, CUDA));
	struct xy_task *pinned = release(bed, 0, bed_task_pinned(bed, CPU | CUDA, 1));
	struct xy_task *cpu = release(bed, 2, bed_task(bed, CPU));

	(void)state;
	assert_ptr_equal(bed_pull(bed, 0), cpu);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 2), cuda);
	assert_null(bed_pull(bed, 2));
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	bed_close(bed);
}

/* It is offered with the lock held, and not again afterwards, when another worker may have taken it. */
static void a_pinned_task_is_offered_once(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);

	(void)state;
	release(bed, 0, bed_task_pinned(bed, CPU, 1));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	bed_close(bed);
}

static void a_thief_leaves_what_it_cannot_run(void **state)
{
	struct bed *bed = bed_open("cpu:2 cuda:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__work_stealing_ops), *eager;
	struct xy_task *cuda, *cpu;

	(void)state;
	/* a branch with a CPU and the GPU, and one with the other CPU */
	eager = bed_add(bed, root, &xy__eager_ops);
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 2);
	bed_add_worker(bed, root, 1);
	bed_seal(bed);
	cuda = release(bed, 0, bed_task(bed, CUDA));
	cpu = release(bed, 0, bed_task(bed, CPU));
	assert_ptr_equal(bed_pull(bed, 1), cpu);
	assert_null(bed_pull(bed, 1));
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 2), cuda);
	bed_close(bed);
}

static void keeps_bounded_branches_filled(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_stealing("cpu:2", &basin_ops, basins);

	(void)state;
	recorder(basins[0])->room = 1;
	for (unsigned i = 0; i < 3; i++)
		release(bed, 0, bed_task(bed, CPU));
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_int_equal(depth(bed), 2);
	recorder(basins[0])->room = 2;
	assert_true(xy_can_push_parents(basins[0], &bed->workers[0]));
	assert_int_equal(recorder(basins[0])->npushed, 2);
	assert_ptr_equal(recorder(basins[0])->pushed[1], bed->tasks[1]);
	assert_int_equal(depth(bed), 1);
	assert_false(xy_can_push_parents(basins[0], &bed->workers[0]));
	bed_close(bed);
}

static void anybody_may_say_that_a_branch_has_room(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_stealing("cpu:3", &basin_ops, basins);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		release(bed, i, bed_task(bed, CPU));
	for (unsigned i = 0; i < 3; i++) {
		recorder(basins[i])->room = 1;
		assert_true(xy_can_push_parents(basins[i], &bed->application));
		assert_ptr_equal(recorder(basins[i])->pushed[0], bed->tasks[i]);
	}
	bed_close(bed);
}

static void steals_for_a_branch_that_has_room(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_stealing("cpu:2", &basin_ops, basins);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		release(bed, 0, bed_task(bed, CPU));
	assert_int_equal(depth(bed), 4);
	recorder(basins[1])->room = 1;
	assert_true(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_int_equal(depth(bed), 3);
	bed_close(bed);
}

static void what_was_stolen_in_vain_is_kept_and_offered(void **state)
{
	struct xy_component *basins[2];
	struct bed *bed = open_stealing("cpu:2", &basin_ops, basins);

	(void)state;
	release(bed, 0, bed_task(bed, CPU));
	bed_forget(bed);
	bed_wake(bed, 1);
	assert_false(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_int_equal(depth(bed), 1);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 0);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	bed_close(bed);
}

static void works_below_other_components_and_above_whole_trees(void **state)
{
	struct bed *bed = bed_open("cpu:4");
	struct xy_component *fifo = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *stealing = bed_add(bed, fifo, &xy__work_stealing_ops), *eager;
	bool seen[40] = { false };
	unsigned idle = 0;

	(void)state;
	for (unsigned node = 0; node < 2; node++) {
		eager = bed_add(bed, bed_add_with(bed, stealing, &xy__fifo_ops, "ntasks", "3"), &xy__eager_ops);
		bed_add_worker(bed, eager, 2 * node);
		bed_add_worker(bed, eager, 2 * node + 1);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < 40; i++)
		bed_submit(bed, bed_task(bed, CPU));
	for (unsigned worker = 0; idle < 4; worker = (worker + 1) % 4) {
		/* worker 3 is slow */
		struct xy_task *task = worker == 3 && idle < 3 ? NULL : bed_pull(bed, worker);

		idle = task ? 0 : idle + 1;
		if (task) {
			assert_false(seen[task->number - 1]);
			seen[task->number - 1] = true;
		}
	}
	for (unsigned i = 0; i < 40; i++)
		assert_true(seen[i]);
	bed_close(bed);
}

static void a_worker_that_is_not_below_steals_one_task(void **state)
{
	struct bed *bed = bed_open("cpu:3");
	struct xy_component *root = bed_add(bed, NULL, &xy__userchoice_ops);
	struct xy_component *stealing = bed_add(bed, root, &xy__work_stealing_ops);

	(void)state;
	bed_add_worker(bed, stealing, 0);
	bed_add_worker(bed, stealing, 1);
	bed_add_worker(bed, bed_add(bed, root, &xy__fifo_ops), 2);
	bed_seal(bed);
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_ptr_equal(xy_pull(stealing, &bed->workers[2]), bed->tasks[0]);
	assert_int_equal(stealing->ops->depth(stealing, &(size_t){ 0 }), 3);
	bed_close(bed);
}

static void a_batch_goes_to_the_branch_of_the_worker_that_brings_it(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);
	struct xy_task *batch[4];

	(void)state;
	bed_wake(bed, 1);
	for (unsigned i = 0; i < 4; i++)
		batch[i] = bed_task(bed, CPU);
	assert_int_equal(xy_push_many(xy_tree_root(bed->tree), batch, 4, &bed->workers[1]), 4);
	assert_int_equal(bed->nwoken, 1); /* one is for the worker itself */
	assert_ptr_equal(bed_pull(bed, 1), batch[3]);
	assert_ptr_equal(bed_pull(bed, 0), batch[0]);
	assert_int_equal(depth(bed), 2);
	bed_close(bed);
}

static void a_batch_that_cannot_stay_together_goes_where_it_can_run(void **state)
{
	struct bed *bed = open_stealing("cpu:2 cuda:1", NULL, NULL);
	struct xy_task *mixed[] = { bed_task(bed, CUDA), bed_task(bed, CPU) };
	struct xy_task *foreign[] = { bed_task(bed, CUDA), bed_task(bed, CUDA) };

	(void)state;
	assert_int_equal(xy_push_many(xy_tree_root(bed->tree), mixed, 2, &bed->workers[0]), 2);
	assert_int_equal(xy_push_many(xy_tree_root(bed->tree), foreign, 2, &bed->workers[0]), 2);
	assert_ptr_equal(bed_pull(bed, 0), mixed[1]);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 2), foreign[1]);
	assert_ptr_equal(bed_pull(bed, 2), foreign[0]);
	assert_ptr_equal(bed_pull(bed, 2), mixed[0]);
	bed_close(bed);
}

static void count_task(void *arg, const struct xy_task *task)
{
	(void)task;
	++*(unsigned *)arg;
}

static void shows_the_tasks_of_all_queues(void **state)
{
	struct bed *bed = open_stealing("cpu:3", NULL, NULL);
	struct xy_component *root = xy_tree_root(bed->tree);
	unsigned count = 0;
	size_t peak;

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		bed_submit(bed, bed_task(bed, CPU));
	root->ops->each_task(root, count_task, &count);
	assert_int_equal(count, 7);
	assert_int_equal(root->ops->depth(root, &peak), 7);
	assert_int_equal(peak, 7);
	while (bed_pull(bed, 0))
		;
	release(bed, 2, bed_task(bed, CPU));
	count = 0;
	root->ops->each_task(root, count_task, &count);
	assert_int_equal(count, 1); /* behind two queues that are empty */
	bed_close(bed);
}

static void neighbours_on_both_sides_are_told_among_many(void **state)
{
	struct bed *bed = open_stealing("cpu:300", NULL, NULL);
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_offer offer = { .archs = CPU };

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		bed->awake[i] = i != 3 && i != 9 && i != 299;
	bed->sleepers = 3;
	assert_true(xy_can_pull(root, &offer, &bed->workers[5])); /* for itself */
	assert_true(xy_can_pull(root, &offer, &bed->workers[5]));
	bed->awake[3] = true;
	assert_true(xy_can_pull(root, &offer, &bed->workers[5]));
	bed->awake[9] = true;
	assert_true(xy_can_pull(root, &offer, &bed->workers[5]));
	assert_int_equal(bed->nwoken, 3);
	assert_int_equal(bed->woken[0], 3);
	assert_int_equal(bed->woken[1], 9);
	assert_int_equal(bed->woken[2], 299);
	/* the one opposite is asked last */
	bed->awake[299] = true;
	bed->awake[155] = false;
	assert_true(xy_can_pull(root, &offer, &bed->workers[5]));
	assert_int_equal(bed->woken[3], 155);
	/* it was about to sleep, but has work now */
	bed->awake[155] = true;
	assert_false(xy_can_pull(root, &offer, &bed->workers[5]));
	bed_close(bed);
}

static void only_workers_that_sleep_are_told_among_many(void **state)
{
	struct bed *bed = open_stealing("cpu:300", NULL, NULL);
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_offer offer = { .archs = CPU };
	_Atomic uint64_t asleep[5] = { 1, 0, 1 };

	(void)state;
	bed->engine.asleep = asleep;
	bed_wake(bed, 5);
	assert_true(xy_can_pull(root, &offer, &bed->workers[5])); /* for itself */
	assert_true(xy_can_pull(root, &offer, &bed->workers[5]));
	asleep[2] = 0;
	assert_true(xy_can_pull(root, &offer, &bed->workers[5]));
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[0], 128);
	assert_int_equal(bed->woken[1], 0);
	asleep[0] = 0;
	assert_false(xy_can_pull(root, &offer, &bed->workers[5]));
	bed_close(bed);
}

static void counts_the_tasks_of_many_branches(void **state)
{
	struct bed *bed = open_stealing("cpu:300", NULL, NULL);
	struct xy_component *root = xy_tree_root(bed->tree);
	size_t peak;

	(void)state;
	release(bed, 0, bed_task(bed, CPU));
	assert_int_equal(depth(bed), 1);
	release(bed, 0, bed_task(bed, CPU));
	release(bed, 299, bed_task(bed, CPU));
	assert_int_equal(depth(bed), 3);
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(depth(bed), 2);
	/* the sum of the branches' peaks */
	release(bed, 299, bed_task(bed, CPU));
	root->ops->depth(root, &peak);
	assert_int_equal(peak, 4);
	bed_close(bed);
}

/* fifo | basin | work-stealing | each worker */
static void what_rests_above_is_pulled_through(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *basin = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &basin_ops);
	struct xy_component *stealing = bed_add(bed, basin, &xy__work_stealing_ops);
	struct xy_task *task = bed_task(bed, XY_ON_CPU);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		bed_add_worker(bed, stealing, i);
	bed_seal(bed);
	recorder(basin)->room = 1;
	bed_submit(bed, task);
	assert_int_equal(recorder(basin)->nheld, 1);
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rests_above_is_pulled_through),
		cmocka_unit_test(the_owner_takes_the_newest_task),
		cmocka_unit_test(a_thief_takes_the_oldest_task),
		cmocka_unit_test(a_thief_takes_half_of_the_tasks),
		cmocka_unit_test(a_thief_takes_32_tasks_at_most),
		cmocka_unit_test(loot_is_offered_to_others_but_not_to_the_thief),
		cmocka_unit_test(thieves_visit_the_nearest_victim_first_and_then_all_others),
		cmocka_unit_test(every_victim_is_found_among_more_than_can_be_sorted),
		cmocka_unit_test(priorities_come_first_at_both_ends),
		cmocka_unit_test(tasks_of_the_application_go_to_the_branches_in_turn),
		cmocka_unit_test(the_branch_that_got_the_task_is_told_first),
		cmocka_unit_test(a_neighbour_is_told_when_the_owner_is_busy),
		cmocka_unit_test(a_task_goes_only_where_it_can_run),
		cmocka_unit_test(a_pinned_task_is_offered_once),
		cmocka_unit_test(a_thief_leaves_what_it_cannot_run),
		cmocka_unit_test(keeps_bounded_branches_filled),
		cmocka_unit_test(anybody_may_say_that_a_branch_has_room),
		cmocka_unit_test(steals_for_a_branch_that_has_room),
		cmocka_unit_test(what_was_stolen_in_vain_is_kept_and_offered),
		cmocka_unit_test(works_below_other_components_and_above_whole_trees),
		cmocka_unit_test(a_worker_that_is_not_below_steals_one_task),
		cmocka_unit_test(a_batch_goes_to_the_branch_of_the_worker_that_brings_it),
		cmocka_unit_test(a_batch_that_cannot_stay_together_goes_where_it_can_run),
		cmocka_unit_test(shows_the_tasks_of_all_queues),
		cmocka_unit_test(neighbours_on_both_sides_are_told_among_many),
		cmocka_unit_test(only_workers_that_sleep_are_told_among_many),
		cmocka_unit_test(counts_the_tasks_of_many_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
