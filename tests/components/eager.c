/* SPDX-License-Identifier: MIT */
/* eager: who is told of a task, who gets a pushed one, and that pulls pass through. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* fifo | eager { ops | worker i, ... } */
static struct bed *open_eager(const char *machine, const struct xy_component_ops *ops, struct xy_component **children)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		children[i] = bed_add(bed, eager, ops);
		bed_add_worker(bed, children[i], i);
	}
	bed_seal(bed);
	return bed;
}

static void a_pull_goes_straight_to_the_reservoir_above(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &recorder_ops, children);
	struct xy_task *a = bed_task(bed, CPU), *b = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, a);
	bed_submit(bed, b);
	assert_ptr_equal(bed_pull(bed, 2), a);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void never_pushes_at_a_bare_worker(void **state)
{
	struct xy_component *children[2];
	struct bed *bed = open_eager("cpu:2", &recorder_ops, children);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	assert_false(xy_push(children[0]->parents[0], task, &bed->application));
	bed_submit(bed, task);
	assert_int_equal(recorder(children[0])->npushed + recorder(children[1])->npushed, 0);
	bed_close(bed);
}

static void wakes_one_worker_for_one_task_and_others_in_turn(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &recorder_ops, children);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(bed->woken[i], i % 3);
	bed_close(bed);
}

static void looks_for_another_worker_when_one_is_busy(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &recorder_ops, children);

	(void)state;
	bed_wake(bed, 0);
	bed_wake(bed, 1);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 2);
	bed_close(bed);
}

static int is_worker_0(struct xy__tree_engine *engine)
{
	(void)engine;
	return 0;
}

/* An application thread goes on: a worker on its processor would disturb it, but is better than none. */
static void the_worker_on_the_processor_of_the_submitter_is_woken_last(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &recorder_ops, children);

	(void)state;
	bed->engine.neighbour = is_worker_0;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 3);
	assert_int_equal(bed->woken[0], 1);
	assert_int_equal(bed->woken[1], 2);
	assert_int_equal(bed->woken[2], 1);
	bed_wake(bed, 1);
	bed_wake(bed, 2);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nwoken, 4);
	assert_int_equal(bed->woken[3], 0);
	bed_close(bed);
}

static void tells_the_worker_that_calls_first(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &recorder_ops, children);
	struct xy_component *root = xy_tree_root(bed->tree);

	(void)state;
	bed_wake(bed, 2);
	assert_true(xy_push(root, bed_task(bed, CPU), &bed->workers[2]));
	assert_int_equal(bed->nwoken, 0);
	/* the second one is for somebody else */
	assert_true(xy_push(root, bed_task(bed, CPU), &bed->workers[2]));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 0);
	bed_close(bed);
}

static void tells_only_workers_that_can_run_the_task(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:2 cuda:1", &recorder_ops, children);

	(void)state;
	bed_submit(bed, bed_task(bed, CUDA));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 2);
	bed_submit(bed, bed_task_pinned(bed, CPU, 1));
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[1], 1);
	bed_close(bed);
}

static void pushes_in_turn_into_branches_that_store(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &basin_ops, children);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		recorder(children[i])->room = 2;
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, bed_task(bed, CPU));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(recorder(children[i])->npushed, 2);
		assert_ptr_equal(recorder(children[i])->pushed[0], bed->tasks[i]);
		assert_ptr_equal(recorder(children[i])->pushed[1], bed->tasks[i + 3]);
	}
	bed_close(bed);
}

static void pushes_first_into_the_branch_of_the_worker_that_calls(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:3", &basin_ops, children);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		recorder(children[i])->room = 1;
	assert_true(xy_push(xy_tree_root(bed->tree), bed_task(bed, CPU), &bed->workers[2]));
	assert_int_equal(recorder(children[2])->npushed, 1);
	assert_true(xy_push(xy_tree_root(bed->tree), bed_task(bed, CPU), &bed->workers[2]));
	assert_int_equal(recorder(children[0])->npushed, 1);
	bed_close(bed);
}

static void pushes_only_where_the_task_can_run(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:2 cuda:1", &basin_ops, children);
	struct xy_task *pinned = bed_task_pinned(bed, CPU | CUDA, 1);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		recorder(children[i])->room = 9;
	bed_submit(bed, bed_task(bed, CUDA));
	bed_submit(bed, bed_task(bed, CUDA));
	bed_submit(bed, pinned);
	assert_int_equal(recorder(children[2])->npushed, 2);
	assert_int_equal(recorder(children[1])->npushed, 1);
	assert_ptr_equal(recorder(children[1])->pushed[0], pinned);
	assert_int_equal(recorder(children[0])->npushed, 0);
	assert_int_equal(recorder(children[0])->nrefused, 0);
	bed_close(bed);
}

static void refuses_when_all_branches_do(void **state)
{
	struct xy_component *children[2];
	struct bed *bed = open_eager("cpu:2", &basin_ops, children);
	struct xy_component *root = xy_tree_root(bed->tree), *eager = root->children[0];
	struct xy_task *task = bed_task(bed, CPU);
	size_t peak;

	(void)state;
	assert_false(xy_push(eager, task, &bed->application));
	bed_submit(bed, task);
	assert_int_equal(root->ops->depth(root, &peak), 1);
	recorder(children[1])->room = 1;
	assert_true(xy_can_push_parents(children[1], &bed->workers[1]));
	assert_ptr_equal(recorder(children[1])->pushed[0], task);
	bed_close(bed);
}

static void leaves_a_full_branch_alone_until_it_says_that_it_has_room(void **state)
{
	struct xy_component *children[4];
	struct bed *bed = open_eager("cpu:3 cuda:1", &basin_ops, children);
	struct xy_component *eager = xy_tree_root(bed->tree)->children[0];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_false(xy_push(eager, bed_task(bed, CPU), &bed->application));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(recorder(children[i])->nrefused, 1);
	/* tasks that others can run too, and pinned ones, are another matter */
	assert_false(xy_push(eager, bed_task(bed, CPU | CUDA), &bed->application));
	assert_false(xy_push(eager, bed_task_pinned(bed, CPU, 1), &bed->application));
	assert_int_equal(recorder(children[0])->nrefused, 2);
	assert_int_equal(recorder(children[1])->nrefused, 3);
	assert_int_equal(recorder(children[3])->nrefused, 1);
	for (unsigned i = 0; i < 3; i++)
		recorder(children[i])->room = 9;
	assert_false(xy_can_push_parents(children[2], &bed->workers[2]));
	assert_true(xy_push(eager, bed_task(bed, CPU), &bed->application));
	assert_int_equal(recorder(children[2])->npushed, 1);
	bed_close(bed);
}

static void tells_devices_first_of_what_all_can_run(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:2 cuda:1", &recorder_ops, children);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU | CUDA));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 2);
	bed_wake(bed, 2);
	bed_submit(bed, bed_task(bed, CPU | CUDA));
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[1], 0);
	bed_close(bed);
}

/* --- unequal workers --- */

static void a_slow_worker_leaves_a_task_to_a_faster_idle_one(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:2 cuda:1", &recorder_ops, children);
	struct xy_task *a = bed_task(bed, CPU | CUDA), *b = bed_task(bed, CPU | CUDA);

	(void)state;
	bed_audit(bed);
	for (unsigned i = 0; i < 3; i++)
		bed_wake(bed, i);
	bed_submit(bed, a);
	bed_submit(bed, b);
	bed->awake[2] = false;
	bed->sleepers = 1;
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_int_equal(bed->woken[0], 2);
	assert_ptr_equal(recorder(children[2])->pushed[0], a);
	assert_ptr_equal(bed_pull(bed, 2), a);
	bed_close(bed);
}

static void a_slow_worker_keeps_what_no_faster_idle_one_can_run(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager("cpu:2 cuda:1", &recorder_ops, children);
	struct xy_task *cpu = bed_task(bed, CPU), *pinned = bed_task_pinned(bed, CPU | CUDA, 1);
	struct xy_task *any = bed_task(bed, CPU | CUDA);

	(void)state;
	bed_submit(bed, cpu);
	bed_submit(bed, pinned);
	assert_ptr_equal(bed_pull(bed, 0), cpu);
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	bed_wake(bed, 2);
	bed_submit(bed, any);
	assert_ptr_equal(bed_pull(bed, 0), any);
	assert_int_equal(recorder(children[2])->npushed, 0);
	bed_close(bed);
}

static void a_worker_that_is_full_leaves_the_task_to_the_one_that_asks(void **state)
{
	struct xy_component *children[2];
	struct bed *bed = open_eager("cpu:1 cuda:1", &recorder_ops, children);
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	(void)state;
	recorder(children[1])->refuses = true;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 0), task);
	bed_close(bed);
}

static void the_fastest_idle_worker_comes_first_and_keeps_its_task(void **state)
{
	struct xy_component *children[4];
	struct bed *bed = open_eager("cpu:2 cuda:1*5 cuda:1*30", &recorder_ops, children);
	struct xy_task *a = bed_task(bed, CPU | CUDA), *b = bed_task(bed, CPU | CUDA), *c = bed_task(bed, CPU | CUDA);

	(void)state;
	bed_submit(bed, a);
	bed_submit(bed, b);
	bed_submit(bed, c);
	assert_ptr_equal(bed_pull(bed, 3), a); /* it asks itself, and no other is faster */
	assert_ptr_equal(bed_pull(bed, 0), NULL);
	assert_ptr_equal(bed_pull(bed, 3), b);
	assert_ptr_equal(bed_pull(bed, 2), c);
	bed_close(bed);
}

static void pulls_pass_where_all_workers_are_equal(void **state)
{
	struct xy_component *children[3];
	struct bed *equal = open_eager("cpu:3", &recorder_ops, children);
	struct xy_component *eager = xy_tree_root(equal->tree)->children[0];

	(void)state;
	assert_ptr_equal(eager->source, xy_tree_root(equal->tree));
	bed_close(equal);
	equal = open_eager("cpu:2 cuda:1", &recorder_ops, children);
	eager = xy_tree_root(equal->tree)->children[0];
	assert_ptr_equal(eager->source, eager);
	bed_close(equal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pull_goes_straight_to_the_reservoir_above),
		cmocka_unit_test(never_pushes_at_a_bare_worker),
		cmocka_unit_test(wakes_one_worker_for_one_task_and_others_in_turn),
		cmocka_unit_test(the_worker_on_the_processor_of_the_submitter_is_woken_last),
		cmocka_unit_test(looks_for_another_worker_when_one_is_busy),
		cmocka_unit_test(tells_the_worker_that_calls_first),
		cmocka_unit_test(tells_only_workers_that_can_run_the_task),
		cmocka_unit_test(pushes_in_turn_into_branches_that_store),
		cmocka_unit_test(pushes_first_into_the_branch_of_the_worker_that_calls),
		cmocka_unit_test(pushes_only_where_the_task_can_run),
		cmocka_unit_test(refuses_when_all_branches_do),
		cmocka_unit_test(leaves_a_full_branch_alone_until_it_says_that_it_has_room),
		cmocka_unit_test(tells_devices_first_of_what_all_can_run),
		cmocka_unit_test(a_slow_worker_leaves_a_task_to_a_faster_idle_one),
		cmocka_unit_test(a_slow_worker_keeps_what_no_faster_idle_one_can_run),
		cmocka_unit_test(a_worker_that_is_full_leaves_the_task_to_the_one_that_asks),
		cmocka_unit_test(the_fastest_idle_worker_comes_first_and_keeps_its_task),
		cmocka_unit_test(pulls_pass_where_all_workers_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
