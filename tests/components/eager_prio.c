/* SPDX-License-Identifier: MIT */
/* eager-prio: an ordered queue that is also a mapper. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* eager-prio { ops | worker i, ... } */
static struct bed *open_eager_prio(const char *machine, const struct xy_component_ops *ops,
				   struct xy_component **children)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *root = bed_add(bed, NULL, &xy__eager_prio_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		children[i] = bed_add(bed, root, ops);
		bed_add_worker(bed, children[i], i);
	}
	bed_seal(bed);
	return bed;
}

static void gives_the_most_urgent_task_that_the_worker_can_run(void **state)
{
	struct xy_component *children[2];
	struct bed *bed = open_eager_prio("cpu:1 cuda:1", &recorder_ops, children);
	struct xy_task *low = bed_task_with_priority(bed, CPU, 1);
	struct xy_task *high = bed_task_with_priority(bed, CPU | CUDA, 2);
	struct xy_task *highest = bed_task_with_priority(bed, CUDA, 3);

	(void)state;
	bed_submit(bed, low);
	bed_submit(bed, high);
	bed_submit(bed, highest);
	assert_ptr_equal(bed_pull(bed, 0), high);
	assert_ptr_equal(bed_pull(bed, 0), low);
	assert_ptr_equal(bed_pull(bed, 1), highest);
	bed_close(bed);
}

static void takes_every_task(void **state)
{
	struct xy_component *children[1];
	struct bed *bed = open_eager_prio("cpu:1", &recorder_ops, children);
	struct xy_component *root = xy_tree_root(bed->tree);

	(void)state;
	assert_false(root->ops->is_bounded(root));
	for (unsigned i = 0; i < 1000; i++)
		bed_submit(bed, bed_task(bed, CPU));
	for (unsigned i = 0; i < 1000; i++)
		assert_ptr_equal(bed_pull(bed, 0), bed->tasks[i]);
	bed_close(bed);
}

static void wakes_one_worker_that_can_run_the_task(void **state)
{
	struct xy_component *children[3];
	struct bed *bed = open_eager_prio("cpu:2 cuda:1", &recorder_ops, children);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	bed_submit(bed, bed_task(bed, CPU));
	bed_submit(bed, bed_task(bed, CUDA));
	bed_submit(bed, bed_task_pinned(bed, CPU, 1));
	assert_int_equal(bed->nwoken, 4);
	assert_int_equal(bed->woken[0], 0);
	assert_int_equal(bed->woken[1], 1);
	assert_int_equal(bed->woken[2], 2);
	assert_int_equal(bed->woken[3], 1);
	bed_close(bed);
}

static void passes_offers_to_a_single_child(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__eager_prio_ops), *below = bed_add(bed, root, &recorder_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, below, 0);
	bed_seal(bed);
	bed_submit(bed, task);
	assert_int_equal(recorder(below)->noffers, 1);
	bed_forget(bed);
	assert_true(xy_can_pull(root, &(struct xy_offer){ .archs = CPU }, &bed->application));
	assert_int_equal(recorder(below)->noffers, 2);
	assert_int_equal(bed->nwoken, 1);
	assert_ptr_equal(bed_pull(bed, 0), task);
	bed_close(bed);
}

static void tells_nobody_when_nobody_sleeps(void **state)
{
	struct xy_component *children[2];
	struct bed *bed = open_eager_prio("cpu:2", &recorder_ops, children);

	(void)state;
	bed_wake(bed, 0);
	bed_wake(bed, 1);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(children[0])->noffers + recorder(children[1])->noffers, 0);
	bed_close(bed);
}

static void keeps_branches_that_store_filled(void **state)
{
	struct xy_component *children[2];
	struct bed *bed = open_eager_prio("cpu:2", &basin_ops, children);

	(void)state;
	for (int priority = 1; priority <= 5; priority++)
		bed_submit(bed, bed_task_with_priority(bed, CPU, priority));
	recorder(children[0])->room = recorder(children[1])->room = 2;
	assert_true(xy_can_push_parents(children[1], &bed->workers[1]));
	assert_int_equal(recorder(children[1])->npushed, 2);
	assert_int_equal(recorder(children[0])->npushed, 0);
	assert_true(xy_can_push_parents(children[0], &bed->workers[0]));
	assert_int_equal(recorder(children[0])->npushed, 2);
	assert_ptr_equal(recorder(children[1])->pushed[0], bed->tasks[4]);
	assert_ptr_equal(recorder(children[1])->pushed[1], bed->tasks[3]);
	assert_ptr_equal(recorder(children[0])->pushed[0], bed->tasks[2]);
	assert_ptr_equal(recorder(children[0])->pushed[1], bed->tasks[1]);
	assert_int_equal(xy_tree_root(bed->tree)->ops->depth(xy_tree_root(bed->tree), &(size_t){ 0 }), 1);
	bed_close(bed);
}

/* eager-prio { worker 0, basin | worker 1 } */
static void fills_a_queue_beside_a_bare_worker(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add(bed, NULL, &xy__eager_prio_ops), *basin;
	struct xy_task *task = bed_task(bed, XY_ON_CPU);

	(void)state;
	bed_add_worker(bed, root, 0);
	basin = bed_add(bed, root, &basin_ops);
	bed_add_worker(bed, basin, 1);
	bed_seal(bed);
	recorder(basin)->room = 1;
	bed_submit(bed, task);
	assert_ptr_equal(recorder(basin)->pushed[0], task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_most_urgent_task_that_the_worker_can_run),
		cmocka_unit_test(takes_every_task),
		cmocka_unit_test(wakes_one_worker_that_can_run_the_task),
		cmocka_unit_test(passes_offers_to_a_single_child),
		cmocka_unit_test(tells_nobody_when_nobody_sleeps),
		cmocka_unit_test(keeps_branches_that_store_filled),
		cmocka_unit_test(fills_a_queue_beside_a_bare_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
