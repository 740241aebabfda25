/* SPDX-License-Identifier: MIT */
/*
 * Data that comes ahead of tasks: what a queue of a device brings while the device is busy, and which task it gives
 * first. On two CUDA devices of the test double, whose workers a task at a gate keeps from taking anything.
 */
#include "bed.h"
#include "core/data/copy.h"
#include "core/runtime/runtime.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/runtime/agent.h"
#include "core/runtime/inbox.h"
#include "core/runtime/runtime.h"
enum { N = 256, BYTES = N * sizeof(uint32_t), WAIT_MS = 20000 };

static uint32_t x[N], y[N];

/* Nothing is fetched for a task before it leaves its queue, but by the queue. */
static struct helper *start(const char *sched, enum xy_switch prefetch)
{
	const struct xy_config config = { .sched = sched, .prefetch = prefetch, .arch[XY_CUDA].ahead = XY_NONE };

	return bed_start(1, &config, false);
}

/* Keeps a device's worker inside a codelet. */
static void block(struct helper *h, unsigned worker, struct gate *gate)
{
	static struct xy_codelet codelet;

	codelet = (struct xy_codelet){ .name = "gate", .cuda = { helper_gate.cpu[0] } };
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = gate, .workers = &worker, .nworkers = 1);
	helper_reach(h, &gate->inside, 1);
}

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void wait_for_copy(struct xy_handle *v, unsigned node)
{
	for (unsigned ms = 0; !(xy_handle_nodes(v) >> node & 1); ms++) {
		if (ms > WAIT_MS)
			fail_msg("the data never came to node %u", node);
		pause_briefly();
	}
}

/* The queue above a worker has so many tasks. */
static void wait_for_depth(struct helper *h, unsigned worker, size_t depth)
{
	struct xy_component *queue = xy_tree_worker(h->rt->main.tree, worker)->parents[0];
	size_t peak;

	while (!(queue->ops->flags & XY_STORES))
		queue = queue->parents[0];
	for (unsigned ms = 0; queue->ops->depth(queue, &peak) != depth; ms++) {
		if (ms > WAIT_MS)
			fail_msg("the queue of worker %u never had %zu tasks", worker, depth);
		pause_briefly();
	}
}

static unsigned wanted(const struct xy_handle *v, unsigned node)
{
	const struct xy__copy *copy = v->copies->on[node];

	return copy ? atomic_load(&((struct xy__copy *)copy)->wanted) : 0;
}

static void a_queue_brings_data_while_its_device_is_busy(void **state)
{
	struct helper *h = start("tree-eager-prefetching", XY_DEFAULT);
	struct xy_handle *a = bed_vector(h, x, N), *b = bed_vector(h, y, N);
	unsigned worker = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct gate gate = { 0 };

	(void)state;
	memset(x, 0, sizeof x);
	block(h, worker, &gate);
	bed_submit_on(h, worker, &bed_axpy, 1, a, b, NULL);
	wait_for_copy(a, node);
	wait_for_copy(b, node);
	assert_int_equal(wanted(a, node), 1);
	assert_int_equal(wanted(b, node), 1);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(wanted(a, node), 0);
	assert_int_equal(wanted(b, node), 0);
	assert_int_equal(bed_stats(h, node).transfers, 2);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* What is only written needs no content. */
static void a_queue_does_not_bring_what_is_overwritten(void **state)
{
	struct helper *h = start("tree-eager-prefetching", XY_YES);
	struct xy_handle *a = bed_vector(h, x, N), *b = bed_vector(h, y, N);
	unsigned worker = bed_worker(h, XY_CUDA, 1), node = bed_node(h, XY_CUDA, 1);
	struct gate gate = { 0 };

	(void)state;
	block(h, worker, &gate);
	bed_submit_on(h, worker, &bed_copy, 1, a, b, NULL);
	wait_for_copy(a, node);
	assert_int_equal(xy_handle_nodes(b), 1);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, node).bytes_in, BYTES);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void nothing_comes_ahead_when_it_is_switched_off(void **state)
{
	struct helper *h = start("tree-eager-prefetching", XY_NO);
	struct xy_handle *a = bed_vector(h, x, N);
	unsigned worker = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct gate gate = { 0 };

	(void)state;
	block(h, worker, &gate);
	bed_submit_on(h, worker, &bed_add, 1, a, NULL, NULL);
	wait_for_depth(h, worker, 1); /* it would have been begun before */
	assert_int_equal(atomic_load(&a->underway), 0);
	assert_int_equal(xy_handle_nodes(a), 1);
	assert_int_equal(wanted(a, node), 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, node).transfers, 1);
	bed_unregister(h, &a);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* As a queue that has no room any more does, when the task then goes to another one. */
static void a_task_that_goes_elsewhere_leaves_nothing_behind(void **state)
{
	struct helper *h = start("tree-eager", XY_DEFAULT);
	struct xy_handle *a = bed_vector(h, x, N);
	unsigned first = bed_node(h, XY_CUDA, 0), second = bed_node(h, XY_CUDA, 1);
	unsigned workers[] = { bed_worker(h, XY_CUDA, 0), bed_worker(h, XY_CUDA, 1) };
	struct bed_arg arg = { 1 };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &bed_add, .handles = { a }, .arg = &arg);
	struct xy__agent *agent = xy__agent_enter(h->rt);

	(void)state;
	xy_task_prefetch(task, workers[0], h->rt->main.root, &agent->base);
	assert_int_equal(wanted(a, first), 1);
	xy_task_prefetch(task, workers[0], h->rt->main.root, &agent->base);
	assert_int_equal(wanted(a, first), 1);
	xy_task_prefetch(task, workers[1], h->rt->main.root, &agent->base);
	assert_int_equal(wanted(a, first), 0);
	assert_int_equal(wanted(a, second), 1);
	xy__agent_leave(agent);
	wait_for_copy(a, first);
	wait_for_copy(a, second);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(h, task), 0);
	assert_int_equal(wanted(a, first), 0);
	assert_int_equal(wanted(a, second), 0);
	xy_task_release(task);
	bed_unregister(h, &a);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- ready --- */

static _Atomic int order[3], norder;

static int note_body(struct xy_call *call)
{
	atomic_store(&order[atomic_fetch_add(&norder, 1)], (int)((const struct bed_arg *)call->arg)->k);
	return 0;
}

static const struct xy_codelet note = { .name = "note", .cuda = { note_body }, .modes = { XY_R } };

static void check_order(const char *sched, int first)
{
	struct helper *h = start(sched, XY_NO);
	struct xy_handle *far = bed_vector(h, x, N), *near = bed_vector(h, y, N);
	unsigned worker = bed_worker(h, XY_CUDA, 0);
	struct gate gate = { 0 };

	atomic_store(&norder, 0);
	assert_int_equal(xy_fetch(near, bed_node(h, XY_CUDA, 0)), 0);
	block(h, worker, &gate);
	bed_submit_on(h, worker, &note, 0, far, NULL, NULL);
	bed_submit_on(h, worker, &note, 1, near, NULL, NULL);
	wait_for_depth(h, worker, 2);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(atomic_load(&norder), 2);
	assert_int_equal(atomic_load(&order[0]), first);
	bed_unregister(h, &far);
	bed_unregister(h, &near);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void with_ready_a_task_whose_data_is_there_goes_first(void **state)
{
	(void)state;
	check_order("fifo | eager | each worker { fifo(ntasks=2) }", 0);
	check_order("fifo | eager | each worker { fifo(ntasks=2, ready) }", 1);
	check_order("fifo | eager | each worker { prio(ntasks=2, ready) }", 1);
	check_order("prio(ready) | eager | each worker { }", 1);
}

/* The queue of the worker is full, so the tasks wait above; which of them comes when there is room again? */
static void check_order_above(const char *sched, int first)
{
	struct helper *h = start(sched, XY_NO);
	struct xy_handle *far = bed_vector(h, x, N), *near = bed_vector(h, y, N);
	unsigned worker = bed_worker(h, XY_CUDA, 0);
	struct gate gate = { 0 };

	atomic_store(&norder, 0);
	assert_int_equal(xy_fetch(near, bed_node(h, XY_CUDA, 0)), 0);
	block(h, worker, &gate);
	bed_submit_on(h, worker, &note, 2, near, NULL, NULL);
	wait_for_depth(h, worker, 1);
	bed_submit_on(h, worker, &note, 0, far, NULL, NULL);
	bed_submit_on(h, worker, &note, 1, near, NULL, NULL);
	xy__inbox_drain(h->rt, &h->rt->applications[0]);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(atomic_load(&norder), 3);
	assert_int_equal(atomic_load(&order[0]), 2);
	assert_int_equal(atomic_load(&order[1]), first);
	bed_unregister(h, &far);
	bed_unregister(h, &near);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void with_ready_above_it_comes_down_first(void **state)
{
	(void)state;
	check_order_above("fifo | eager | each worker { fifo(ntasks=1) }", 0);
	check_order_above("fifo(ready) | eager | each worker { fifo(ntasks=1) }", 1);
	check_order_above("prio(ready) | eager | each worker { prio(ntasks=1) }", 1);
}

/* --- little memory --- */

/* More than fits is wanted at once: what can't come ahead comes later. */
static void queues_that_want_more_than_fits_do_no_harm(void **state)
{
	const struct xy_config config = {
		.sched = "prio | eager | each worker { prio(ntasks=30, ready) | best-implementation }",
		.arch[XY_CUDA].limit = "4K",
	};
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v[20];

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		v[i] = bed_vector(h, NULL, N);
	for (unsigned round = 0; round < 6; round++)
		for (unsigned i = 0; i < 20; i++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, (i + round) % 2), &bed_add, i, v[i], NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned k = 0; k < 2; k++)
			assert_int_equal(wanted(v[i], bed_node(h, XY_CUDA, k)), 0);
		assert_int_equal(xy_acquire(v[i], XY_R), 0);
		assert_int_equal(*(uint32_t *)xy_handle_pointer(v[i]), 364 * i);
		xy_release(v[i]);
		bed_unregister(h, &v[i]);
	}
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_brings_data_while_its_device_is_busy),
		cmocka_unit_test(a_queue_does_not_bring_what_is_overwritten),
		cmocka_unit_test(nothing_comes_ahead_when_it_is_switched_off),
		cmocka_unit_test(a_task_that_goes_elsewhere_leaves_nothing_behind),
		cmocka_unit_test(with_ready_a_task_whose_data_is_there_goes_first),
		cmocka_unit_test(with_ready_above_it_comes_down_first),
		cmocka_unit_test(queues_that_want_more_than_fits_do_no_harm),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
