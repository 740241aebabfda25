/* SPDX-License-Identifier: MIT */
/* What the places where tasks rest do about data: have it moved ahead, and give what is ready first. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, BOTH = XY_ON_CPU | XY_ON_CUDA };

static const char machine[] = "cpu:2 cuda:1";

/* What a task misses in these tests: the number that is its argument, on the device. */
size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker);

size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker)
{
	return worker == 2 ? (uintptr_t)task->arg : 0;
}

/* The only worker whose device has the data of all tasks; -1: it is in RAM. */
static int holder = -1;

bool __wrap_xy__task_is_elsewhere(const struct xy_task *task, unsigned worker);

bool __wrap_xy__task_is_elsewhere(const struct xy_task *task, unsigned worker)
{
	(void)task;
	return holder >= 0 && (int)worker != holder;
}

/* fifo | eager | each worker { ops(ntasks=room) } */
static struct bed *open_queues(const char *text, const struct xy_component_ops *ops, const char *room,
			       struct xy_component *queues[3])
{
	struct bed *bed = bed_open(text);
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		queues[i] = bed_add_with(bed, eager, ops, "ntasks", room);
		bed_add_worker(bed, queues[i], i);
	}
	bed_seal(bed);
	return bed;
}

static size_t depth(struct xy_component *c)
{
	size_t peak;

	return c->ops->depth(c, &peak);
}

static void a_queue_of_one_node_has_the_data_of_a_task_moved(void **state)
{
	struct xy_component *queues[3];
	struct bed *bed = open_queues(machine, &xy__fifo_ops, "2", queues);
	struct xy_task *cuda = bed_task(bed, CUDA), *cpu = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, cuda);
	assert_int_equal(bed->nprefetched, 1);
	assert_ptr_equal(bed->prefetched[0], cuda);
	assert_int_equal(bed->prefetched_for[0], 2);
	bed_submit(bed, cpu);
	assert_int_equal(bed->nprefetched, 2);
	assert_ptr_equal(bed->prefetched[1], cpu);
	assert_in_range(bed->prefetched_for[1], 0, 1);
	bed_close(bed);
}

static void a_queue_of_several_nodes_leaves_data_where_it_is(void **state)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__prio_ops), &xy__eager_ops);
	struct xy_task *task = bed_task(bed, CUDA);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_add_worker(bed, eager, i);
	bed_seal(bed);
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 2), task);
	assert_int_equal(bed->nprefetched, 0);
	bed_close(bed);
}

static void nothing_is_moved_where_there_is_one_node(void **state)
{
	struct xy_component *queues[3];
	struct bed *bed = open_queues("cpu:3", &xy__prio_ops, "2", queues);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nprefetched, 0);
	bed_close(bed);
}

static void a_queue_above_several_workers_of_one_node_is_bound_too(void **state)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);
	struct xy_component *cpus = bed_add_with(bed, eager, &xy__fifo_ops, "ntasks", "8"), *each;

	(void)state;
	each = bed_add(bed, cpus, &xy__eager_ops);
	bed_add_worker(bed, each, 0);
	bed_add_worker(bed, each, 1);
	bed_add_worker(bed, eager, 2);
	bed_seal(bed);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(bed->nprefetched, 1);
	assert_int_equal(bed->prefetched_for[0], 0);
	assert_int_equal(depth(cpus), 1);
	bed_close(bed);
}

static void nothing_is_moved_for_a_task_that_is_refused(void **state)
{
	struct xy_component *queues[3];
	struct bed *bed = open_queues(machine, &xy__fifo_ops, "1", queues);

	(void)state;
	bed_submit(bed, bed_task(bed, CUDA));
	bed_submit(bed, bed_task(bed, CUDA));
	assert_int_equal(depth(queues[2]), 1);
	assert_int_equal(bed->nprefetched, 1);
	assert_non_null(bed_pull(bed, 2));
	assert_int_equal(bed->nprefetched, 2);
	bed_close(bed);
}

static void each_task_of_a_batch_has_its_data_moved(void **state)
{
	struct bed *bed = bed_open("cuda:1");
	struct xy_component *fifo = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_task *batch[3];

	(void)state;
	bed_add_worker(bed, fifo, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		batch[i] = bed_task(bed, CUDA);
	assert_int_equal(xy_push_many(fifo, batch, 3, &bed->application), 3);
	assert_int_equal(bed->nprefetched, 3);
	assert_ptr_equal(bed->prefetched[2], batch[2]);
	bed_close(bed);
}

/* While data begins to move, somebody else fills the queue of the device. */
static void fill_queue(struct bed *bed)
{
	struct xy_component *queue = xy_tree_worker(bed->tree, 2)->parents[0];

	bed->meanwhile = NULL;
	assert_true(xy_push(queue, bed_task(bed, CUDA), &bed->workers[0]));
}

static void room_that_is_gone_when_the_data_moves_is_seen(void **state)
{
	struct xy_component *queues[3];
	struct bed *bed = open_queues(machine, &xy__fifo_ops, "1", queues);
	struct xy_component *top = xy_tree_root(bed->tree);
	struct xy_task *task = bed_task(bed, CUDA);

	(void)state;
	bed->meanwhile = fill_queue;
	bed_submit(bed, task);
	assert_int_equal(depth(queues[2]), 1);
	assert_int_equal(depth(top), 1);
	assert_ptr_equal(bed_pull(bed, 2), bed->tasks[1]);
	assert_ptr_equal(bed_pull(bed, 2), task);
	bed_close(bed);
}

static void a_task_that_is_pushed_at_a_worker_has_its_data_moved(void **state)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);
	struct xy_task *task = bed_task(bed, CUDA);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_add_worker(bed, random, i);
	bed_seal(bed);
	bed_submit(bed, task);
	bed_submit(bed, bed_task(bed, CUDA));
	assert_int_equal(bed->nprefetched, 1);
	assert_ptr_equal(bed->prefetched[0], task);
	assert_int_equal(bed->prefetched_for[0], 2);
	bed_close(bed);
}

/* Work-stealing does not: its tasks have no place yet. */
static void a_task_that_may_be_stolen_leaves_its_data_where_it_is(void **state)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *stealing = bed_add(bed, NULL, &xy__work_stealing_ops);
	struct xy_component *queue = bed_add_with(bed, stealing, &xy__fifo_ops, "ntasks", "1");

	(void)state;
	bed_add_worker(bed, queue, 2);
	bed_add_worker(bed, stealing, 0);
	bed_add_worker(bed, stealing, 1);
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task(bed, CUDA));
	assert_int_equal(depth(queue), 1);
	assert_int_equal(bed->nprefetched, 1);
	bed_close(bed);
}

/* Three tasks in a queue of the device that miss 30, 10 and 20 bytes, in the order in which they leave. */
static void check_order(const struct xy_component_ops *ops, const char *ready, bool one_memory, const unsigned order[3])
{
	static const uintptr_t missing[] = { 30, 10, 20 };
	struct bed *bed = bed_open(machine);
	struct xy_component *top = bed_add_with(bed, NULL, ops, "ready", ready);
	struct xy_component *eager = bed_add(bed, top, &xy__eager_ops);

	for (unsigned i = 0; i < 3; i++)
		bed_add_worker(bed, eager, i);
	bed_seal(bed);
	bed->engine.one_memory = one_memory;
	for (unsigned i = 0; i < 3; i++) {
		bed_submit(bed, bed_task_with_priority(bed, BOTH, 4));
		bed->tasks[i]->arg = (void *)missing[i];
	}
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(bed_pull(bed, 2), bed->tasks[order[i]]);
	bed_close(bed);
}

static void with_ready_the_task_that_misses_least_leaves_first(void **state)
{
	static const unsigned least_first[] = { 1, 2, 0 }, in_order[] = { 0, 1, 2 };

	(void)state;
	check_order(&xy__fifo_ops, "true", false, least_first);
	check_order(&xy__prio_ops, "true", false, least_first);
	check_order(&xy__fifo_ops, "false", false, in_order);
	check_order(&xy__prio_ops, "false", false, in_order);
	/* Nobody looks where data is if it is in one place, as with NUMA nodes that have no copies of their own. */
	check_order(&xy__fifo_ops, "true", true, in_order);
}

static void a_worker_that_has_all_data_gets_the_oldest(void **state)
{
	struct bed *bed = bed_open("cpu:2 cuda:1*1"); /* equally fast: no worker leaves its task to another */
	struct xy_component *eager = bed_add(bed, bed_add_with(bed, NULL, &xy__fifo_ops, "ready", "true"),
					     &xy__eager_ops);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_add_worker(bed, eager, i);
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++) {
		bed_submit(bed, bed_task(bed, BOTH));
		bed->tasks[i]->arg = (void *)(uintptr_t)(30 - 10 * i);
	}
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	assert_ptr_equal(bed_pull(bed, 2), bed->tasks[2]);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[1]);
	bed_close(bed);
}

/* fifo | eager | each worker { basin }: the tasks that a basin with room for two gets, of three. */
static void check_room(const char *ready, const unsigned order[2])
{
	struct bed *bed = bed_open(machine);
	struct xy_component *fifo = bed_add_with(bed, NULL, &xy__fifo_ops, "ready", ready);
	struct xy_component *eager = bed_add(bed, fifo, &xy__eager_ops), *basins[3];
	static const uintptr_t bytes[] = { 300, 100, 200 };

	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, eager, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++) {
		struct xy_task *task = bed_task(bed, CUDA);

		task->arg = (void *)bytes[i];
		task->naccesses = 1;
		bed_submit(bed, task);
	}
	recorder(basins[2])->room = 2;
	assert_true(xy_can_push_parents(basins[2], &bed->workers[2]));
	assert_int_equal(recorder(basins[2])->npushed, 2);
	for (unsigned i = 0; i < 2; i++)
		assert_ptr_equal(recorder(basins[2])->pushed[i], bed->tasks[order[i]]);
	bed_close(bed);
}

static void a_worker_with_room_gets_what_is_ready_for_it(void **state)
{
	static const unsigned least_first[] = { 1, 2 }, in_order[] = { 0, 1 };

	(void)state;
	check_room("yes", least_first);
	check_room("no", in_order);
}

/* fifo | eager | each worker { basin } */
static void a_task_waits_for_room_on_the_device_that_has_its_data(void **state)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *fifo = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *eager = bed_add(bed, fifo, &xy__eager_ops), *basins[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, eager, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	holder = 2;
	recorder(basins[0])->room = recorder(basins[1])->room = 2;
	for (unsigned i = 0; i < 2; i++)
		bed_submit(bed, bed_task(bed, BOTH));
	assert_int_equal(depth(fifo), 2);
	recorder(basins[2])->room = 1;
	assert_true(xy_can_push_parents(basins[2], &bed->workers[2]));
	assert_ptr_equal(recorder(basins[2])->pushed[0], bed->tasks[0]);
	assert_int_equal(depth(fifo), 1);
	assert_ptr_equal(xy_pull(fifo, &bed->workers[0]), bed->tasks[1]); /* an idle worker takes it all the same */
	/* Nobody who has the data can run it. */
	recorder(basins[2])->room = 0;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(basins[0])->npushed + recorder(basins[1])->npushed, 1);
	holder = -1;
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_of_one_node_has_the_data_of_a_task_moved),
		cmocka_unit_test(a_queue_of_several_nodes_leaves_data_where_it_is),
		cmocka_unit_test(nothing_is_moved_where_there_is_one_node),
		cmocka_unit_test(a_queue_above_several_workers_of_one_node_is_bound_too),
		cmocka_unit_test(nothing_is_moved_for_a_task_that_is_refused),
		cmocka_unit_test(each_task_of_a_batch_has_its_data_moved),
		cmocka_unit_test(room_that_is_gone_when_the_data_moves_is_seen),
		cmocka_unit_test(a_task_that_is_pushed_at_a_worker_has_its_data_moved),
		cmocka_unit_test(a_task_that_may_be_stolen_leaves_its_data_where_it_is),
		cmocka_unit_test(with_ready_the_task_that_misses_least_leaves_first),
		cmocka_unit_test(a_worker_that_has_all_data_gets_the_oldest),
		cmocka_unit_test(a_worker_with_room_gets_what_is_ready_for_it),
		cmocka_unit_test(a_task_waits_for_room_on_the_device_that_has_its_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
