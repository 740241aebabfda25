/* SPDX-License-Identifier: MIT */
/* The GPU driver runs codelets: streams, events, errors of codelets, several threads at once. */
#include "gpu_bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 256 };

static int one = 1, two = 2;

/* A device with N numbers 0, 1, ... */
static int *numbers_on(struct xy_device *device)
{
	int numbers[N], *memory = bed_allocate(device, sizeof numbers);

	for (int i = 0; i < N; i++)
		numbers[i] = i;
	bed_put(device, memory, numbers, sizeof numbers);
	return memory;
}

static void expect_numbers(struct xy_device *device, const int *memory, int more)
{
	int numbers[N];

	bed_get(device, numbers, memory, sizeof numbers);
	for (int i = 0; i < N; i++)
		assert_int_equal(numbers[i], i + more);
}

static struct xy_event *launch(struct xy_device *device, unsigned queue, xy_function *function, int *memory, void *arg)
{
	struct xy_event *event = NULL;
	int status = bed_launch(device, queue, function, memory, N, arg, &event);

	if (status)
		fail_msg("launch returns %d: %s", status, bed_driver->explain());
	return event;
}

static void finish(struct xy_device *device, int *memory)
{
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

/* --- well --- */

static void ends_when_the_work_on_the_stream_has(void **state)
{
	struct xy_device *device = bed_open(1);
	int *memory = numbers_on(device);
	struct gate latch = { 0 };
	struct xy_event *event;

	(void)state;
	atomic_store(&bed_latch, &latch);
	event = launch(device, 0, bed_add, memory, &two);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(bed_driver->poll(device, event), -EAGAIN);
	assert_int_equal(cudaPeekAtLastError(), 0);
	helper_open(&latch);
	assert_int_equal(bed_wait(device, event), 0);
	expect_numbers(device, memory, 2);
	finish(device, memory);
}

static void keeps_the_order_on_a_queue_and_none_between_queues(void **state)
{
	struct xy_device *device = bed_open(0);
	int *memory = numbers_on(device), *other = numbers_on(device);
	struct gate latch = { 0 };
	struct xy_event *events[3];

	(void)state;
	atomic_store(&bed_latch, &latch);
	events[0] = launch(device, 0, bed_add, memory, &one);
	atomic_store(&bed_latch, NULL);
	events[1] = launch(device, 0, bed_add, memory, &two);
	events[2] = launch(device, 1, bed_add, other, &two);
	assert_int_equal(bed_wait(device, events[2]), 0);
	expect_numbers(device, other, 2); /* copies overlap too */
	assert_int_equal(bed_driver->poll(device, events[1]), -EAGAIN);
	helper_open(&latch);
	assert_int_equal(bed_wait(device, events[1]), 0);
	assert_int_equal(bed_driver->poll(device, events[0]), 0);
	expect_numbers(device, memory, 3);
	bed_driver->free(device, other);
	finish(device, memory);
}

static int add_and_wait(struct xy_call *call)
{
	int status = bed_add(call);

	return status ? status : xy_cuda_check(call, (int)cudaStreamSynchronize(xy_cuda_stream(call)));
}

/* However late it is polled, and although the second launch waits for the first one. */
static void says_how_long_the_device_took(void **state)
{
	enum { KERNEL_US = 20000 };
	struct xy_device *device = bed_open(0);
	int *memory = numbers_on(device);
	struct xy_vector view = { .ptr = memory, .n = N, .elem = sizeof *memory };
	void *buffers[] = { &view };
	struct xy_event *events[2];
	double us[2] = { -1, -1 }, begin = xy_now(NULL), both_us;

	(void)state;
	cudart_double_set_delays(0, KERNEL_US);
	for (unsigned i = 0; i < 2; i++) {
		struct xy_call call = { .nbuffers = 1, .buffers = buffers, .arg = &one, .device_us = &us[i] };

		assert_int_equal(bed_driver->launch(device, 0, bed_add, &call, &events[i]), 0);
	}
	assert_int_equal(cudaDeviceSynchronize(), 0);
	both_us = (xy_now(NULL) - begin) * 1e6;
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(bed_wait(device, events[i]), 0);
		assert_true(us[i] >= KERNEL_US);
	}
	assert_true(us[0] + us[1] <= both_us);
	finish(device, memory);
}

static void runs_codelets_that_wait_themselves(void **state)
{
	struct xy_device *device = bed_open(0);
	int *memory = numbers_on(device);

	(void)state;
	assert_int_equal(bed_wait(device, launch(device, 1, add_and_wait, memory, &one)), 0);
	expect_numbers(device, memory, 1);
	finish(device, memory);
}

/* What a codelet forgot to put on its stream is on stream 0. */
static int add_on_stream_0(struct xy_call *call)
{
	call->stream = NULL;
	return bed_add(call);
}

static void waits_for_work_on_the_default_stream(void **state)
{
	struct xy_device *device = bed_open(0);
	int *memory = numbers_on(device);
	struct gate latch = { 0 };
	struct xy_event *event;

	(void)state;
	atomic_store(&bed_latch, &latch);
	event = launch(device, 0, add_on_stream_0, memory, &one);
	assert_int_equal(bed_driver->poll(device, event), -EAGAIN);
	expect_numbers(device, memory, 0); /* and copies don't */
	helper_open(&latch);
	assert_int_equal(bed_wait(device, event), 0);
	expect_numbers(device, memory, 1);
	finish(device, memory);
}

static int check_call(struct xy_call *call)
{
	int current = -1;

	if (cudaGetDevice(&current) || current != 1 || xy_cuda_device(call) != 1)
		return -EDOM;
	return call->stream ? 0 : -EDOM;
}

static void makes_the_device_current_in_any_thread(void **state)
{
	struct xy_device *device = bed_open(1);
	struct xy_event *event;

	(void)state;
	assert_int_equal(cudaSetDevice(0), 0);
	assert_int_equal(bed_launch(device, 0, check_call, NULL, 0, NULL, &event), 0);
	assert_int_equal(bed_wait(device, event), 0);
	bed_driver->close(device);
}

static void uses_events_again(void **state)
{
	struct xy_device *device = bed_open(0);
	int *memory = numbers_on(device);
	unsigned long created;

	(void)state;
	assert_int_equal(bed_wait(device, launch(device, 0, bed_add, memory, &one)), 0);
	created = cudart_double_calls(DOUBLE_PREFIX "EventCreateWithFlags"); /* copies have events of their own */
	for (int i = 1; i < 50; i++)
		assert_int_equal(bed_wait(device, launch(device, 0, bed_add, memory, &one)), 0);
	assert_int_equal(cudart_double_calls(DOUBLE_PREFIX "EventCreateWithFlags"), created);
	expect_numbers(device, memory, 50);
	finish(device, memory);
}

/* --- not so well --- */

static int add_and_fail(struct xy_call *call)
{
	bed_add(call);
	return -ERANGE;
}

static void *open_later(void *latch)
{
	helper_body_reach(&((struct gate *)latch)->inside, 1);
	helper_open(latch);
	return NULL;
}

static void returns_an_error_when_what_was_begun_has_ended(void **state)
{
	struct xy_device *device = bed_open(0);
	int *memory = numbers_on(device);
	struct gate latch = { 0 };
	struct xy_event *event;
	pthread_t thread;

	(void)state;
	atomic_store(&bed_latch, &latch);
	assert_int_equal(pthread_create(&thread, NULL, open_later, &latch), 0);
	assert_int_equal(bed_launch(device, 0, add_and_fail, memory, N, &one, &event), -ERANGE);
	assert_int_equal(atomic_load(&latch.open), 1);
	assert_string_equal(bed_driver->explain(), "");
	assert_int_equal(pthread_join(thread, NULL), 0);
	expect_numbers(device, memory, 1);
	finish(device, memory);
}

static int say_no_device(struct xy_call *call)
{
	(void)call;
	return -ENODEV;
}

static void does_not_lose_a_device_because_a_codelet_says_so(void **state)
{
	struct xy_device *device = bed_open(0);
	struct xy_event *event;

	(void)state;
	assert_int_equal(bed_launch(device, 0, say_no_device, NULL, 0, NULL, &event), -EIO);
	assert_int_equal(bed_launch(device, 0, bed_add, NULL, 0, &one, &event), 0);
	assert_int_equal(bed_wait(device, event), 0);
	bed_driver->close(device);
}

/* As with a kernel that can't be launched, and a codelet that does not look. */
static int leave_an_error(struct xy_call *call)
{
	(void)call;
	cudaMemset((void *)8, 0, 8);
	return 0;
}

static int leave_an_older_error(struct xy_call *call)
{
	return call->stream ? 0 : -EDOM;
}

static void finds_errors_that_a_codelet_did_not_look_at(void **state)
{
	struct xy_device *device = bed_open(0);
	struct xy_event *event;

	(void)state;
	assert_int_equal(bed_launch(device, 0, leave_an_error, NULL, 0, NULL, &event), -EINVAL);
	bed_explains("a codelet on " DOUBLE_TITLE " device 0: an argument is wrong (" DOUBLE_PREFIX
		     "ErrorInvalidValue, 1)");
	assert_int_equal(cudaPeekAtLastError(), 0);
	cudaMemset((void *)8, 0, 8);
	assert_int_equal(bed_launch(device, 0, leave_an_older_error, NULL, 0, NULL, &event), 0);
	assert_int_equal(bed_wait(device, event), 0);
	bed_driver->close(device);
}

/* --- several threads --- */

enum { THREADS = 3, ROUNDS = 60 };

struct user {
	struct xy_device *devices[2];
	unsigned index;
	pthread_t thread;
};

/* Numbers go to one device, are counted up there, go to the other one, and come back. */
static void *use(void *arg)
{
	struct user *user = arg;
	unsigned rounds = helper_scale(ROUNDS);

	for (unsigned r = 0; r < rounds; r++) {
		struct xy_device *first = user->devices[(r + user->index) % 2];
		struct xy_device *second = user->devices[(r + user->index + 1) % 2];
		int *memory = numbers_on(first), *other = bed_allocate(second, sizeof(int[N]));
		struct xy_copy copy = bed_line(other, memory, sizeof(int[N]));

		if (user->index < BED_QUEUES)
			assert_int_equal(bed_wait(first, launch(first, user->index, bed_add, memory, &one)), 0);
		assert_int_equal(bed_wait(second, bed_copy(second, XY_COPY_PEER, first, &copy)), 0);
		expect_numbers(second, other, user->index < BED_QUEUES);
		bed_driver->free(first, memory);
		bed_driver->free(second, other);
	}
	return NULL;
}

static void serves_several_threads_at_once(void **state)
{
	struct xy_device *devices[2] = { bed_open(0), bed_open(1) };
	struct user users[THREADS];

	(void)state;
	for (unsigned i = 0; i < THREADS; i++) {
		users[i] = (struct user){ .devices = { devices[0], devices[1] }, .index = i };
		assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(users[i].thread, NULL), 0);
	bed_driver->close(devices[0]);
	bed_driver->close(devices[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ends_when_the_work_on_the_stream_has, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(keeps_the_order_on_a_queue_and_none_between_queues, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(says_how_long_the_device_took, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(runs_codelets_that_wait_themselves, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(waits_for_work_on_the_default_stream, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(makes_the_device_current_in_any_thread, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(uses_events_again, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(returns_an_error_when_what_was_begun_has_ended, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(does_not_lose_a_device_because_a_codelet_says_so, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(finds_errors_that_a_codelet_did_not_look_at, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(serves_several_threads_at_once, bed_fresh, bed_nothing_left),
	};

	bed_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
