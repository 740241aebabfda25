/* SPDX-License-Identifier: MIT */
/*
 * Moments at which data on devices is in danger: it is saved while somebody writes, its handle leaves while somebody
 * waits for it, nobody needs it any more. On two CUDA devices of the test double.
 */
#include "bed.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "../../double/cudart_double.h"
#include "core/data/transfer.h"
#include "core/runtime/runtime.h"

enum { N = 256, BYTES = N * sizeof(uint32_t) };

static uint32_t x[N], y[N], z[N];

/* Copies of a direction that have been begun. */
static uint64_t copies(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.copies;
}

/* Waits until a device has looked for memory several times since `changes` were counted, or has saved something. */
static void wait_for_looks(struct xy__node *node, unsigned changes)
{
	double end = xy__now() + HELPER_WAIT_S;

	while (atomic_load(&node->changes) - changes < 10 && !atomic_load(&node->writebacks)) {
		if (xy__now() >= end)
			fail_msg("%s does not look for memory", node->name);
		sched_yield();
	}
}

/* --- making room --- */

static int write_at_gate(struct xy_call *call)
{
	uint32_t *a = xy_pointer(call, 0);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		a[i] = 42;
	helper_add(&((struct gate *)call->arg)->inside);
	return helper_body_reach(&((struct gate *)call->arg)->open, 1);
}

static const struct xy_codelet slow_writer = { .name = "slow_writer", .cpu = { write_at_gate }, .modes = { XY_W } };

static void what_a_CPU_writes_is_not_overwritten_by_what_a_device_saves(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "2K" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v = bed_vector(h, x, N), *a = bed_vector(h, y, N), *b = bed_vector(h, z, N);
	struct xy__node *node = &h->rt->memory.nodes[bed_node(h, XY_CUDA, 0)];
	struct gate gate = { 0 };
	unsigned changes;

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 1, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	HELPER_SUBMIT(h, .codelet = &slow_writer, .handles = { v }, .arg = &gate);
	helper_reach(h, &gate.inside, 1);
	/* The device has the only valid copy, and has to give it up for this. */
	changes = atomic_load(&node->changes);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_axpy, 1, a, b, NULL);
	wait_for_looks(node, changes);
	assert_int_equal(atomic_load(&node->writebacks), 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	bed_unregister(h, &v);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(x[i], 42);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* The second task needs all memory: it has to wait for the kernel and then for what that wrote to be saved. */
static void a_task_waits_for_memory_that_a_slow_kernel_has(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "2K",
					  .arch[XY_CUDA].workers = 2,
					  .arch[XY_CUDA].devices = "0" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v = bed_vector(h, NULL, N), *a = bed_vector(h, y, N), *b = bed_vector(h, z, N);

	(void)state;
	cudart_double_set_delays(0.1, 20000);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 1, v, NULL, NULL);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &bed_axpy, 1, a, b, NULL);
	assert_int_equal(xy_fetch(v, bed_node(h, XY_CUDA, 0)), 0);
	assert_int_equal(helper_wait(h), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- leaving --- */

static void take_first(void *arg, int status)
{
	struct xy_handle **v = arg;

	assert_int_equal(status, 0);
	y[0] = *(uint32_t *)xy_handle_pointer(*v);
	xy_release(*v);
}

static void who_waits_for_data_gets_it_although_its_handle_leaves(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, NULL, N), *same = v;

	(void)state;
	y[0] = 0;
	cudart_double_set_delays(0, 20000);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 7, v, NULL, NULL);
	assert_int_equal(xy_acquire_callback(v, XY_R, take_first, &same), 0);
	bed_unregister(h, &v);
	assert_int_equal(y[0], 7);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void what_tasks_without_order_wrote_comes_back(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	cudart_double_set_delays(0, 20000);
	assert_int_equal(xy_handle_set_sequential(v, false), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 7, v, NULL, NULL);
	bed_unregister(h, &v);
	assert_int_equal(x[3], 10);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void data_that_nobody_needs_can_leave(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 1, sizeof x);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 7, v, NULL, NULL);
	assert_int_equal(xy_invalidate(v), 0);
	bed_unregister(h, &v);
	assert_int_equal(x[3], 0x01010101);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- losing a device --- */

static void what_was_on_a_lost_device_is_not_taken_for_invalid(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N), *w = bed_vector(h, y, N);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 7, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_true(cudart_double_fail("operation", 1, 719));
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 7, w, NULL, NULL);
	assert_int_equal(helper_wait(h), -ENODEV);
	assert_true(bed_stats(h, bed_node(h, XY_CUDA, 0)).lost);
	assert_int_equal(xy_evict(v, bed_node(h, XY_CUDA, 0)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&v), -ENODEV);
	assert_int_equal(xy_unregister(&w), -ENODEV);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

/* --- old content on its way --- */

/* What a CPU wrote is on its way from RAM to the first device, and stays there, when the second one overwrites it. */
static void send_and_overwrite(struct helper *h, struct xy_handle *v, uint64_t through)
{
	double end = xy__now() + HELPER_WAIT_S;

	assert_int_equal(xy_handle_set_write_through(v, 1u << bed_node(h, XY_CUDA, 0)), 0);
	cudart_double_hold_copies(true);
	bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_set, 1, v, NULL, NULL);
	while (!copies(CUDART_DOUBLE_IN) && xy__now() < end)
		sched_yield();
	assert_int_equal(copies(CUDART_DOUBLE_IN), 1);
	assert_int_equal(xy_handle_set_write_through(v, through), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &bed_set, 7, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(atomic_load(&v->copies->ram.readers), 1);
}

/* Lets the old content arrive, after which the new one has to be on these nodes. */
static void let_go_and_expect(struct xy_handle *v, uint64_t nodes)
{
	double end = xy__now() + HELPER_WAIT_S;

	cudart_double_hold_copies(false);
	while ((xy_handle_nodes(v) & nodes) != nodes && xy__now() < end)
		sched_yield();
	assert_int_equal(xy_handle_nodes(v) & nodes, nodes);
	assert_int_equal(atomic_load(&v->copies->ram.readers), 0);
}

static void count_success(void *arg, int status)
{
	if (!status)
		helper_add(arg);
}

static void memory_is_not_written_while_old_content_leaves_it(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);
	_Atomic int held = 0;

	(void)state;
	send_and_overwrite(h, v, 0);
	assert_int_equal(xy_acquire_callback(v, XY_R, count_success, &held), 0);
	assert_int_equal(copies(CUDART_DOUBLE_OUT), 0);
	assert_int_equal(atomic_load(&held), 0);
	let_go_and_expect(v, 1);
	helper_reach(h, &held, 1);
	assert_int_equal(x[1], 8);
	xy_release(v);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* An eviction saves the content there as well. */
static void memory_is_not_written_by_an_eviction_either(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	send_and_overwrite(h, v, 0);
	assert_int_equal(xy_evict(v, bed_node(h, XY_CUDA, 1)), 0);
	assert_int_equal(copies(CUDART_DOUBLE_OUT), 0);
	let_go_and_expect(v, 1);
	bed_unregister(h, &v);
	assert_int_equal(x[1], 8);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void what_is_written_through_comes_after_old_content(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);
	unsigned both = 1u << bed_node(h, XY_CUDA, 0) | 1u << bed_node(h, XY_CUDA, 1);

	(void)state;
	send_and_overwrite(h, v, both);
	assert_int_equal(copies(CUDART_DOUBLE_PEER) + copies(CUDART_DOUBLE_OUT), 0);
	let_go_and_expect(v, both);
	assert_int_equal(xy_handle_nodes(v), both);
	bed_unregister(h, &v);
	assert_int_equal(x[1], 8);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_CPU_writes_is_not_overwritten_by_what_a_device_saves),
		cmocka_unit_test(a_task_waits_for_memory_that_a_slow_kernel_has),
		cmocka_unit_test(who_waits_for_data_gets_it_although_its_handle_leaves),
		cmocka_unit_test(what_tasks_without_order_wrote_comes_back),
		cmocka_unit_test(data_that_nobody_needs_can_leave),
		cmocka_unit_test(what_was_on_a_lost_device_is_not_taken_for_invalid),
		cmocka_unit_test(memory_is_not_written_while_old_content_leaves_it),
		cmocka_unit_test(memory_is_not_written_by_an_eviction_either),
		cmocka_unit_test(what_is_written_through_comes_after_old_content),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
