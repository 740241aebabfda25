/* SPDX-License-Identifier: MIT */
/*
 * The GPU driver when the library fails: one program of work, in which each call in turn is struck by an error.
 * Only what was struck fails, with the right code; a device that is lost stays lost, the other one works;
 * nothing leaks, nothing hangs.
 */
#include "gpu_bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, BYTES = N * sizeof(int) };

static int three = 3;

/* A run of the program: which failures it has seen. */
struct run {
	int expected;        /* -errno of the fault, if it is not the end of a device */
	unsigned failures;   /* of operations, apart from those of lost devices */
	bool lost[2], right; /* the device; the result was what it should be */
	struct xy_device *devices[2];
	int *memory[2], *host;
};

/* Notes the status of an operation on a device, which may be that of the peer's end. */
static bool went_well(struct run *run, unsigned device, int status)
{
	if (run->lost[device])
		assert_int_equal(status, -ENODEV);
	if (!status)
		return true;
	assert_true(bed_driver->explain()[0] != '\0');
	if (status == -ENODEV) {
		run->lost[device] = true;
	} else {
		assert_int_equal(status, run->expected);
		run->failures++;
	}
	return false;
}

static bool ended_well(struct run *run, unsigned device, int status, struct xy_event *event)
{
	if (status)
		assert_null(event);
	return went_well(run, device, status) && went_well(run, device, bed_wait(run->devices[device], event));
}

static void open_devices(struct run *run)
{
	struct xy_driver_config config = { .devices = "", .queues = BED_QUEUES };

	for (unsigned i = 0; i < 2; i++) {
		struct xy_device_info info;
		char error[256] = "";
		int status = bed_driver->open(&run->devices[i], &config, i, &info, error, sizeof error);

		assert_int_equal(status == 0, run->devices[i] != NULL);
		assert_int_equal(status != 0, error[0] != '\0');
		if (status && status != -ENODEV)
			assert_int_equal(status, run->expected);
	}
}

static bool copy(struct run *run, unsigned device, enum xy_copy_kind kind, const struct xy_copy *copies, unsigned n)
{
	struct xy_event *event = NULL;
	int status = bed_driver->copy(run->devices[device], kind, run->devices[0], copies, n, &event);

	if (status == -EIO && kind == XY_COPY_PEER && run->expected == -ENODEV) {
		assert_null(event); /* the device that it comes from is lost */
		run->lost[0] = true;
		return false;
	}
	return ended_well(run, device, status, event);
}

/* The even numbers row by row, and the others in one plane after the other: all kinds of copies in. */
static bool copy_in(struct run *run, int *numbers)
{
	const struct xy_copy copies[] = {
		{ .to = { run->memory[0], 0 },
		  .from = { numbers, 0 },
		  .row_bytes = sizeof(int),
		  .nrows = N / 2,
		  .to_row = 2 * sizeof(int),
		  .from_row = 2 * sizeof(int),
		  .nplanes = 1 },
		{ .to = { run->memory[0], sizeof(int) },
		  .from = { numbers, sizeof(int) },
		  .row_bytes = sizeof(int),
		  .nrows = N / 4,
		  .to_row = 2 * sizeof(int),
		  .from_row = 2 * sizeof(int),
		  .nplanes = 2,
		  .to_plane = BYTES / 2,
		  .from_plane = BYTES / 2 },
		{ .to = { run->memory[0], 0 },
		  .from = { numbers, 0 },
		  .row_bytes = sizeof(int),
		  .nrows = 1,
		  .nplanes = 1 },
	};

	return copy(run, 0, XY_COPY_IN, copies, 3);
}

static bool compute(struct run *run, unsigned device)
{
	struct xy_event *event = NULL;
	int status = bed_launch(run->devices[device], 1, bed_add, run->memory[device], N, &three, &event);

	return ended_well(run, device, status, event);
}

/* Numbers go to the first device, to the second one, are counted up there, and come back. */
static void work(struct run *run)
{
	struct xy_copy across = { .to = { run->memory[1], 0 },
				  .from = { run->memory[0], 0 },
				  .row_bytes = sizeof(int),
				  .nrows = N / 2,
				  .to_row = 2 * sizeof(int),
				  .from_row = 2 * sizeof(int),
				  .nplanes = 1 };
	struct xy_copy odd = across, back = bed_line(run->host, run->memory[1], BYTES);
	static int plain[N]; /* pageable */
	struct xy_copy plain_back = bed_line(plain, run->memory[1], BYTES);
	int numbers[N];
	bool in, even;

	for (int i = 0; i < N; i++)
		numbers[i] = 1000 + i;
	odd.to.offset = odd.from.offset = sizeof(int);
	in = copy_in(run, numbers);
	even = copy(run, 1, XY_COPY_PEER, &across, 1);
	run->right = copy(run, 1, XY_COPY_PEER, &odd, 1) && even && in;
	run->right = compute(run, 1) && run->right;
	run->right = copy(run, 1, XY_COPY_OUT, &back, 1) && run->right;
	memset(plain, 0, sizeof plain);
	run->right = copy(run, 1, XY_COPY_OUT, &plain_back, 1) && run->right;
	for (int i = 0; i < N && run->right; i++) {
		assert_int_equal(run->host[i], 1003 + i);
		assert_int_equal(plain[i], 1003 + i);
	}
	compute(run, 0);
}

static void run_program(struct run *run)
{
	static int own[N];
	struct xy_device **d = run->devices;

	open_devices(run);
	for (unsigned i = 0; i < 2; i++)
		if (d[i])
			went_well(run, i, bed_driver->allocate(d[i], BYTES, (void **)&run->memory[i]));
	run->host = d[1] ? bed_driver->host_allocate(d[1], BYTES) : NULL;
	if (run->memory[0] && run->memory[1] && run->host)
		work(run);
	if (d[1] && went_well(run, 1, bed_driver->host_pin(d[1], own, sizeof own)))
		bed_driver->host_unpin(d[1], own);
	if (run->host)
		bed_driver->host_free(d[1], run->host);
	for (unsigned i = 0; i < 2; i++) {
		if (run->memory[i])
			bed_driver->free(d[i], run->memory[i]);
		if (d[i])
			bed_driver->close(d[i]);
	}
}

/* Strikes the first call, the second, and so on until nothing is left to strike; how many there were. */
static unsigned strike(const char *function, int error, int expected)
{
	for (unsigned n = 1; n < 1000; n++) {
		struct run run = { .expected = expected };
		bool struck;

		cudart_double_reset();
		assert_true(cudart_double_fail(function, n, error));
		run_program(&run);
		struck = cudart_double_failed();
		if (bed_nothing_left(NULL) || run.failures > 1 || (run.lost[0] && run.lost[1]))
			fail_msg("error %d at call %u of %s: %u failures, lost %d %d", error, n,
				 function ? function : "all", run.failures, run.lost[0], run.lost[1]);
		cudart_double_reset();
		assert_int_equal(cudaGetLastError(), 0);
		if (!struck) {
			assert_true(run.right && !run.failures && !run.lost[0] && !run.lost[1]);
			return n - 1;
		}
	}
	fail_msg("there is no end of calls");
	return 0;
}

static void survives_an_error_at_every_call(void **state)
{
	(void)state;
	assert_true(strike(NULL, cudaErrorUnknown, -EIO) > 50);
	assert_true(strike(NULL, cudaErrorInvalidValue, -EINVAL) > 50);
}

static void survives_the_loss_of_a_device_at_every_call(void **state)
{
	(void)state;
	assert_true(strike(NULL, cudaErrorIllegalAddress, -ENODEV) > 50);
	assert_true(strike(NULL, cudaErrorDevicesUnavailable, -ENODEV) > 50);
}

static void survives_the_loss_of_a_device_at_everything_it_does(void **state)
{
	(void)state;
	assert_true(strike("operation", cudaErrorLaunchFailure, -ENODEV) >= 7);
	assert_true(strike("operation", cudaErrorECCUncorrectable, -ENODEV) >= 7);
}

static void runs_out_of_memory_at_every_call(void **state)
{
	(void)state;
	assert_true(strike(NULL, cudaErrorMemoryAllocation, -ENOMEM) > 50);
	assert_int_equal(strike(DOUBLE_PREFIX DOUBLE_ALLOCATE, cudaErrorMemoryAllocation, -ENOMEM), 2);
}

/* --- one by one --- */

static void refuses_everything_on_a_lost_device(void **state)
{
	struct xy_device *device = bed_open(0), *other = bed_open(1);
	int *memory = bed_allocate(device, BYTES), *safe = bed_allocate(other, BYTES), numbers[N] = { 0 };
	struct xy_copy in = bed_line(memory, numbers, BYTES), across = bed_line(safe, memory, BYTES);
	struct xy_event *event;
	void *more;
	int status;

	(void)state;
	assert_true(cudart_double_fail("operation", 1, cudaErrorHardwareStackError));
	status = bed_launch(device, 0, bed_add, memory, N, &three, &event);
	assert_int_equal(status ? status : bed_wait(device, event), -ENODEV);
	bed_explains(DOUBLE_PREFIX "ErrorHardwareStackError, 714");
	assert_int_equal(bed_driver->allocate(device, 1, &more), -ENODEV);
	bed_explains(DOUBLE_TITLE " device 0 is lost");
	assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, &in, 1, &event), -ENODEV);
	assert_int_equal(bed_launch(device, 1, bed_add, memory, N, &three, &event), -ENODEV);
	assert_null(bed_driver->host_allocate(device, 1));
	assert_int_equal(bed_driver->host_pin(device, numbers, sizeof numbers), -ENODEV);
	assert_int_equal(bed_driver->copy(other, XY_COPY_PEER, device, &across, 1, &event), -EIO);
	bed_put(other, safe, numbers, BYTES);
	bed_driver->free(device, memory);
	bed_driver->free(other, safe);
	bed_driver->close(device);
	bed_driver->close(other);
}

/* The peer was lost without our driver's knowledge. */
static void knows_which_of_two_devices_is_lost(void **state)
{
	struct xy_device *device = bed_open(0), *other = bed_open(1);
	int *memory = bed_allocate(device, BYTES), *safe = bed_allocate(other, BYTES), numbers[N] = { 0 };
	struct xy_copy across = bed_line(safe, memory, BYTES);
	struct xy_event *event;

	(void)state;
	assert_int_equal(cudaSetDevice(0), 0);
	assert_true(cudart_double_fail(DOUBLE_PREFIX "DeviceSynchronize", 1, cudaErrorIllegalAddress));
	assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	assert_int_equal(bed_driver->copy(other, XY_COPY_PEER, device, &across, 1, &event), -EIO);
	bed_put(other, safe, numbers, BYTES);
	assert_int_equal(bed_launch(device, 0, bed_add, memory, N, &three, &event), -ENODEV);
	bed_driver->free(device, memory);
	bed_driver->free(other, safe);
	bed_driver->close(device);
	bed_driver->close(other);
}

static void tells_of_a_copy_that_could_not_begin_when_the_others_have_ended(void **state)
{
	struct xy_device *device = bed_open(0);
	int *memory = bed_allocate(device, 2 * BYTES), *numbers = bed_driver->host_allocate(device, 2 * BYTES);
	struct xy_copy copies[] = { bed_line(memory, numbers, BYTES), bed_line(memory + N, numbers + N, BYTES) };
	struct xy_event *event;
	int got[N];

	(void)state;
	for (int i = 0; i < N; i++)
		numbers[i] = i;
	cudart_double_set_delays(1e-5, 0); /* 25 ms */
	assert_true(cudart_double_fail(DOUBLE_PREFIX "MemcpyAsync", 2, cudaErrorInvalidValue));
	assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, copies, 2, &event), 0);
	assert_int_equal(bed_driver->poll(device, event), -EAGAIN);
	assert_int_equal(bed_wait(device, event), -EINVAL);
	bed_explains(DOUBLE_PREFIX "MemcpyAsync on " DOUBLE_TITLE " device 0");
	cudart_double_set_delays(0, 0);
	bed_get(device, got, memory, BYTES);
	assert_memory_equal(got, numbers, BYTES);
	bed_driver->host_free(device, numbers);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

/* A copy that fails has ended, so that its memory may be freed: here it is late, and all has arrived. */
static void staged_copy_fails_at(const char *function)
{
	enum { MANY = 40 * 1000 };
	struct xy_device *device = bed_open(0);
	int *memory = bed_allocate(device, MANY * sizeof(int)), *numbers = calloc(MANY, sizeof(int));
	struct xy_copy copy = bed_line(memory, numbers, MANY * sizeof(int));
	struct xy_event *event;

	assert_non_null(numbers);
	for (int i = 0; i < MANY; i++)
		numbers[i] = i;
	cudart_double_set_delays(1e-3, 0); /* 160 ms */
	assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, &copy, 1, &event), 0);
	assert_int_equal(bed_driver->poll(device, event), -EAGAIN);
	assert_true(cudart_double_fail(function, 1, cudaErrorInvalidValue));
	assert_int_equal(bed_driver->poll(device, event), -EINVAL);
	assert_memory_equal(cudart_double_readable(memory), numbers, MANY * sizeof(int));
	cudart_double_set_delays(0, 0);
	bed_put(device, memory, numbers, MANY * sizeof(int));
	free(numbers);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

static void tells_of_a_failed_copy_of_pageable_memory_when_it_has_ended(void **state)
{
	(void)state;
	staged_copy_fails_at(DOUBLE_PREFIX "EventQuery");
	staged_copy_fails_at(DOUBLE_PREFIX "SetDevice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(survives_an_error_at_every_call, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(survives_the_loss_of_a_device_at_every_call, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(survives_the_loss_of_a_device_at_everything_it_does, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(runs_out_of_memory_at_every_call, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(refuses_everything_on_a_lost_device, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(knows_which_of_two_devices_is_lost, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(tells_of_a_copy_that_could_not_begin_when_the_others_have_ended,
						bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(tells_of_a_failed_copy_of_pageable_memory_when_it_has_ended, bed_fresh,
						bed_nothing_left),
	};

	bed_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
