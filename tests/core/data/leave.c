/* SPDX-License-Identifier: MIT */
/* Asynchronous unregistration, on CPUs, with CUDA devices of the test double, and in simulation. */
#include "bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/interface.h>

#include "../../double/cudart_double.h"

enum { N = 64, HANDLES = 8, INVALID_VALUE = 1 };

static uint32_t x[N], y[N];

static void expect(const uint32_t *v, uint32_t first)
{
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(v[i], first + i);
}

/* Keeps what a task writes back until the gate is open. */
static int gated_body(struct xy_call *call)
{
	struct gate *gate = call->arg;
	uint32_t *v = xy_pointer(call, 0);
	int status;

	helper_add(&gate->inside);
	status = helper_body_reach(&gate->open, 1);
	for (uint32_t i = 0; i < N; i++)
		v[i] = 7 + i;
	return status;
}

static const struct xy_codelet gated = { .name = "gated", .cpu = { gated_body }, .modes = { XY_RW } };
static const struct xy_codelet scratch_gated = { .name = "scratch", .cpu = { gated_body }, .modes = { XY_SCRATCH } };

static int fail_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

static const struct xy_codelet failing = { .name = "failing", .cpu = { fail_body }, .modes = { XY_RW } };

/* --- order --- */

static void returns_at_once_and_waits_in_the_order(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct gate gate = { 0 };
	struct xy_handle *v = bed_vector(h, x, N), *old = v;

	(void)state;
	memset(x, 0, sizeof x);
	assert_int_equal(xy_handle_set_name(v, "velocity"), 0);
	HELPER_SUBMIT(h, .codelet = &gated, .handles = { v }, .arg = &gate);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_null(v);
	/* The task still uses it, but nothing else may. */
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_set, .handles = { old } }), -EINVAL);
	helper_one_line(h, "handles[0], 'velocity', has been unregistered");
	assert_int_equal(xy_insert(h->rt, &bed_set, xy_use(old, XY_W)), -EINVAL);
	assert_int_equal(helper_lines_with(h, "'velocity', has been unregistered"), 1);
	helper_forget(h);
	assert_int_equal(xy_acquire(old, XY_R), -EINVAL);
	helper_one_line(h, "xy_acquire: 'velocity' has been unregistered");
	assert_int_equal(xy_release(old), -EINVAL);
	helper_one_line(h, "xy_release: 'velocity' has been unregistered");
	v = old;
	assert_int_equal(xy_unregister_submit(&v), -EINVAL);
	helper_one_line(h, "xy_unregister_submit: 'velocity' has been unregistered");
	assert_null(xy_handle_pointer(old));
	assert_null(xy_handle_interface(old));
	assert_int_equal(xy_handle_size(old), 0);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	expect(x, 7);
	assert_int_equal(xy_acquire(old, XY_R), -EINVAL);
	helper_one_line(h, "xy_acquire: 'velocity' has been unregistered");
	assert_int_equal(helper_stop(h), 0);
}

static void takes_what_no_task_uses(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *none = NULL, *v = bed_vector(h, x, N);

	(void)state;
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(xy_vector_register(h->rt, &v, NULL, N, sizeof *x), 0);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister_submit(&none), -EINVAL);
	assert_int_equal(xy_unregister_submit(NULL), -EINVAL);
	assert_int_equal(helper_stop(h), 0);
}

/* Scratch, and a handle whose order is off. */
static void waits_for_tasks_without_order(void **state)
{
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct gate gate = { 0 };
		struct xy_handle *v = bed_vector(h, x, N);

		if (i)
			assert_int_equal(xy_handle_set_sequential(v, false), 0);
		HELPER_SUBMIT(h, .codelet = i ? &gated : &scratch_gated, .handles = { v }, .arg = &gate);
		helper_reach(h, &gate.inside, 1);
		assert_int_equal(xy_unregister_submit(&v), 0);
		assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
		helper_open(&gate);
		assert_int_equal(helper_wait(h), 0);
	}
	expect(x, 7);
	assert_int_equal(helper_stop(h), 0);
}

static void waits_for_the_release_of_an_acquire(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v = bed_vector(h, x, N), *same = v;

	(void)state;
	assert_int_equal(xy_acquire(v, XY_RW), 0);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(xy_release(same), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void leave_in_callback(void *arg, int status)
{
	assert_int_equal(status, 0);
	assert_int_equal(xy_unregister_submit(arg), 0);
}

static void works_inside_callbacks(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = bed_vector(h, x, N);
	struct bed_arg arg = { .k = 5 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &bed_set, .handles = { v }, .arg = &arg, .callback = leave_in_callback,
		      .callback_arg = &v);
	assert_int_equal(helper_wait(h), 0);
	assert_null(v);
	expect(x, 5);
	assert_int_equal(helper_stop(h), 0);
}

static void partitions_are_refused(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v = bed_vector(h, x, N), *children[2];

	(void)state;
	assert_int_equal(xy_handle_set_name(v, "v"), 0);
	assert_int_equal(xy_partition(v, &(struct xy_filter){ .ops = &xy_filter_halves }, children, 2), 0);
	assert_int_equal(xy_unregister_submit(&v), -EBUSY);
	helper_one_line(h, "xy_unregister_submit: 'v' is partitioned: unpartition it first");
	assert_int_equal(xy_unregister_submit(&children[0]), -EBUSY);
	helper_one_line(h, "xy_unregister_submit: 'v.halves[0]' is a child of 'v' and is destroyed with its plan");
	assert_non_null(v);
	assert_int_equal(xy_unpartition(v), 0);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- failures --- */

static void the_error_of_the_last_writer_is_that_of_the_wait(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	HELPER_SUBMIT(h, .codelet = &failing, .handles = { v });
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_non_null(strstr(xy_error(h->rt), "task 'xy_unregister_submit'"));
	/* The task fails after the handle has left. */
	v = bed_vector(h, x, N);
	HELPER_SUBMIT(h, .codelet = &failing, .handles = { v });
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_non_null(strstr(xy_error(h->rt), "task 'failing'"));
	assert_int_equal(helper_stop(h), 0);
}

/* --- devices --- */

static void content_comes_home_from_a_device(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N), *w = bed_vector(h, y, N), *own;
	unsigned cuda = bed_worker(h, XY_CUDA, 0);

	(void)state;
	memset(x, 0, sizeof x);
	memset(y, 0, sizeof y);
	assert_int_equal(xy_vector_register(h->rt, &own, NULL, N, sizeof *x), 0);
	bed_submit_on(h, cuda, &bed_set, 3, v, NULL, NULL);
	bed_submit_on(h, cuda, &bed_copy, 1, v, w, NULL);
	bed_submit_on(h, cuda, &bed_copy, 1, v, own, NULL);
	assert_int_equal(xy_unregister_submit(&own), 0);
	assert_int_equal(xy_unregister_submit(&w), 0);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(helper_wait(h), 0);
	expect(x, 3);
	expect(y, 4);
	/* Nothing was ever written: no error. */
	assert_int_equal(xy_vector_register(h->rt, &own, NULL, N, sizeof *x), 0);
	v = bed_vector(h, x, N);
	assert_int_equal(xy_invalidate(v), 0);
	assert_int_equal(xy_unregister_submit(&own), 0);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* A group of a reduction is combined first. */
static void a_reduction_is_combined_first(void **state)
{
	struct helper *h = bed_start(2, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 0, sizeof x);
	assert_int_equal(xy_handle_set_reduction(v, &bed_zero, &bed_join), 0);
	for (unsigned i = 0; i < 20; i++)
		bed_submit(h, &bed_more, 2, v, NULL, NULL);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(x[i], 40);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void a_transfer_home_that_fails_is_the_error_of_the_wait(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);
	int error;

	(void)state;
	assert_int_equal(xy_handle_set_name(v, "v"), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 3, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_true(cudart_double_fail("cudaMemcpyAsync", 1, INVALID_VALUE));
	assert_int_equal(xy_unregister_submit(&v), 0);
	error = helper_wait(h);
	assert_true(cudart_double_failed());
	assert_true(error < 0);
	assert_non_null(strstr(xy_error(h->rt), "task 'xy_unregister_submit'"));
	assert_true(helper_lines_with(h, "'v' could not be copied for xy_unregister_submit") == 1);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

/* --- many --- */

/* A round of a program that follows from a seed: handles are used and leave while tasks run. */
static void leave_round(struct helper *h, uint64_t *random)
{
	static uint32_t data[HANDLES][N];
	uint32_t expected[HANDLES];
	bool fails[HANDLES] = { false }, failed = false;

	for (unsigned i = 0; i < HANDLES; i++) {
		struct xy_handle *v = bed_vector(h, data[i], N);

		expected[i] = helper_below(random, 100);
		bed_submit(h, &bed_set, expected[i], v, NULL, NULL);
		for (unsigned n = helper_below(random, 4); n > 0; n--, expected[i]++)
			bed_submit(h, &bed_bump, 1, v, NULL, NULL);
		fails[i] = helper_below(random, 16) == 0;
		failed |= fails[i];
		if (fails[i])
			HELPER_SUBMIT(h, .codelet = &failing, .handles = { v });
		if (helper_below(random, 4))
			assert_int_equal(xy_unregister_submit(&v), 0);
		else
			assert_int_equal(xy_unregister(&v), fails[i] ? -EIO : 0);
	}
	assert_int_equal(helper_wait(h), failed ? -EIO : 0);
	for (unsigned i = 0; i < HANDLES; i++)
		if (!fails[i])
			expect(data[i], expected[i]);
}

static void many_leave_while_tasks_run(void **state)
{
	const char *asked = getenv("XYLEM_TEST_SEED");
	uint64_t random = asked ? strtoull(asked, NULL, 0) : 1;
	struct helper *h = bed_start(2, NULL, false);

	(void)state;
	print_message("seed %llu\n", (unsigned long long)random);
	for (unsigned i = helper_scale(200); i > 0; i--)
		leave_round(h, &random);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- in a simulation --- */

enum { BIG = 1 << 28 };

/* Submits a task on a device that writes to the memory. */
static struct xy_handle *simulated_task(struct helper *h, void *memory)
{
	unsigned cuda = bed_worker(h, XY_CUDA, 0);
	struct xy_handle *v;

	assert_int_equal(xy_variable_register(h->rt, &v, memory, BIG), 0);
	HELPER_SUBMIT(h, .codelet = &bed_set, .handles = { v }, .workers = &cuda, .nworkers = 1, .length_us = 1e6);
	return v;
}

/* It takes as long as a task and the way home that xy_unregister waits for. */
static void works_in_simulation(void **state)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sim = "mirage", .machines = TEST_MACHINES, .sched = "tree-eager" });
	void *memory = malloc(BIG); /* which is never touched */
	double begin = xy_now(h->rt), task_s, home_s;
	struct xy_handle *v = simulated_task(h, memory);

	(void)state;
	assert_int_equal(helper_wait(h), 0);
	task_s = xy_now(h->rt) - begin;
	assert_int_equal(xy_unregister(&v), 0);
	home_s = xy_now(h->rt) - begin - task_s;
	assert_true(task_s > 0.01 && home_s > 0.01);
	begin = xy_now(h->rt);
	v = simulated_task(h, memory);
	assert_int_equal(xy_unregister_submit(&v), 0);
	assert_true(xy_now(h->rt) - begin < task_s / 2);
	assert_int_equal(helper_wait(h), 0);
	assert_float_equal(xy_now(h->rt) - begin, task_s + home_s, 1e-6);
	free(memory);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_at_once_and_waits_in_the_order),
		cmocka_unit_test(takes_what_no_task_uses),
		cmocka_unit_test(waits_for_tasks_without_order),
		cmocka_unit_test(waits_for_the_release_of_an_acquire),
		cmocka_unit_test(works_inside_callbacks),
		cmocka_unit_test(partitions_are_refused),
		cmocka_unit_test(the_error_of_the_last_writer_is_that_of_the_wait),
		cmocka_unit_test(content_comes_home_from_a_device),
		cmocka_unit_test(a_reduction_is_combined_first),
		cmocka_unit_test(a_transfer_home_that_fails_is_the_error_of_the_wait),
		cmocka_unit_test(many_leave_while_tasks_run),
		cmocka_unit_test(works_in_simulation),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
