/* SPDX-License-Identifier: MIT */
/* The double does what CUDA documents, and what its own page says. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "cudart_double.h"
#include "more_api.h"
#include "../helper.h"

enum { N = 1000 };

static int fresh(void **state)
{
	(void)state;
	cudart_double_reset();
	assert_int_equal(cudaSetDevice(0), 0);
	cudart_double_reset();
	return 0;
}

static int nothing_left(void **state)
{
	struct cudart_double_live live;

	(void)state;
	cudart_double_live(&live);
	return live.device_bytes || live.host_bytes || live.registered_bytes || live.streams || live.events;
}

/* --- what tests run on streams --- */

struct latch {
	_Atomic int open;
};

static void wait_for_latch(void *args)
{
	struct latch *latch = *(struct latch **)args;

	for (unsigned i = 0; i < 20000 && !atomic_load(&latch->open); i++)
		usleep(1000);
}

static void block(struct CUstream_st *stream, struct latch *latch)
{
	assert_int_equal(cudart_double_launch(stream, wait_for_latch, &latch, sizeof latch), 0);
}

struct add {
	int *numbers;
	unsigned n;
	int value;
};

static void add(void *args)
{
	struct add *a = args;
	int *numbers = cudart_double_readable(a->numbers);

	for (unsigned i = 0; i < a->n; i++)
		numbers[i] += a->value;
}

/* --- devices and memory --- */

static void shows_as_many_devices_as_it_was_told(void **state)
{
	int n = 0, device = -1;

	(void)state;
	assert_int_equal(cudaGetDeviceCount(&n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(cudaSetDevice(2), cudaErrorInvalidDevice);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
	assert_int_equal(cudaGetLastError(), 0);
	assert_int_equal(cudaGetDevice(&device), 0);
	assert_int_equal(device, 0);
}

static void refuses_memory_beyond_the_limit(void **state)
{
	void *a, *b;
	size_t left, total;

	(void)state;
	cudart_double_set_memory(0, 1000);
	assert_int_equal(cudaMalloc(&a, 600), 0);
	assert_int_equal(cudaMalloc(&b, 401), cudaErrorMemoryAllocation);
	assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
	assert_int_equal(cudaMalloc(&b, 400), 0);
	assert_int_equal(cudaMemGetInfo(&left, &total), 0);
	assert_int_equal(left, 0);
	assert_int_equal(total, 1000);
	assert_int_equal(cudart_double_device_bytes(0), 1000);
	assert_int_equal(cudart_double_device_bytes(1), 0);
	assert_int_equal(cudaFree(a), 0);
	assert_int_equal(cudaFree(a), cudaErrorInvalidValue);
	assert_int_equal(cudaFree(b), 0);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void devices_that_share_a_link_take_turns(void **state)
{
	enum { MIB = 1 << 20 };
	void *pinned, *memory[2];
	uint64_t begin_ns;

	(void)state;
	assert_int_equal(cudaHostAlloc(&pinned, MIB, 0), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(cudaSetDevice(i), 0);
		assert_int_equal(cudaMalloc(&memory[i], MIB), 0);
	}
	cudart_double_set_topology(2, 0);
	cudart_double_set_delays(0.02, 0);
	begin_ns = now_ns();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(cudaSetDevice(i), 0);
		assert_int_equal(cudaMemcpyAsync(memory[i], pinned, MIB, cudaMemcpyHostToDevice, NULL), 0);
	}
	for (int i = 1; i >= 0; i--) {
		assert_int_equal(cudaSetDevice(i), 0);
		assert_int_equal(cudaDeviceSynchronize(), 0);
	}
	assert_true(now_ns() - begin_ns >= (uint64_t)(2 * MIB / 0.02));
	assert_int_equal(cudaFree(memory[0]), 0);
	assert_int_equal(cudaFree(memory[1]), 0);
	assert_int_equal(cudaFreeHost(pinned), 0);
}

static void devices_of_two_islands_do_not_reach_each_other(void **state)
{
	int can = -1;

	(void)state;
	assert_int_equal(cudaDeviceCanAccessPeer(&can, 0, 1), 0);
	assert_int_equal(can, 1);
	cudart_double_set_topology(1, 1);
	assert_int_equal(cudaDeviceCanAccessPeer(&can, 0, 1), 0);
	assert_int_equal(can, 0);
	assert_int_equal(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
}

static void crashes_a_host_that_reads_a_device_address(void **state)
{
	volatile char *memory;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(cudaMalloc((void **)&memory, N), 0);
	child = fork();
	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		_exit(memory[0] & 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	assert_int_equal(cudaFree((void *)memory), 0);
}

static void refuses_copies_of_another_kind_or_beyond_the_end(void **state)
{
	char host[N] = { 0 }, *memory;

	(void)state;
	assert_int_equal(cudaMalloc((void **)&memory, N), 0);
	assert_int_equal(cudaMemcpy(memory, host, N, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(host, host, N, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(memory + 1, host, N, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy2D(memory, 100, host, 101, 101, 2, cudaMemcpyHostToDevice),
			 cudaErrorInvalidPitchValue);
	assert_int_equal(cudaMemcpy(memory, host, N, cudaMemcpyDefault), 0);
	assert_int_equal(cudaFree(memory), 0);
}

/* --- streams and events --- */

static void executes_a_stream_in_order(void **state)
{
	struct CUstream_st *stream;
	struct add args = { .n = N, .value = 5 };
	int *host;

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaMallocHost((void **)&host, sizeof(int[N])), 0);
	assert_int_equal(cudaMalloc((void **)&args.numbers, sizeof(int[N])), 0);
	for (int i = 0; i < N; i++)
		host[i] = i;
	cudart_double_set_delays(0.01, 500);
	assert_int_equal(cudaMemcpyAsync(args.numbers, host, sizeof(int[N]), cudaMemcpyHostToDevice, stream), 0);
	assert_int_equal(cudart_double_launch(stream, add, &args, sizeof args), 0);
	assert_int_equal(cudart_double_launch(stream, add, &args, sizeof args), 0);
	assert_int_equal(cudaMemcpyAsync(host, args.numbers, sizeof(int[N]), cudaMemcpyDeviceToHost, stream), 0);
	assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
	assert_int_equal(cudaStreamSynchronize(stream), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(host[i], i + 10);
	assert_int_equal(cudaFree(args.numbers), 0);
	assert_int_equal(cudaFreeHost(host), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
}

static void lets_streams_wait_for_events_of_others(void **state)
{
	struct CUstream_st *first, *second;
	struct CUevent_st *event;
	struct latch latch = { 0 };

	(void)state;
	assert_int_equal(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), 0);
	assert_int_equal(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), 0);
	assert_int_equal(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), 0);
	assert_int_equal(cudaEventQuery(event), 0);
	block(first, &latch);
	assert_int_equal(cudaEventRecord(event, first), 0);
	assert_int_equal(cudaStreamWaitEvent(second, event, 0), 0);
	assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
	assert_int_equal(cudaStreamQuery(second), cudaErrorNotReady);
	atomic_store(&latch.open, 1);
	assert_int_equal(cudaStreamSynchronize(second), 0);
	assert_int_equal(cudaEventQuery(event), 0);
	assert_int_equal(cudaEventDestroy(event), 0);
	assert_int_equal(cudaStreamDestroy(first), 0);
	assert_int_equal(cudaStreamDestroy(second), 0);
}

static void orders_stream_0_with_blocking_streams_only(void **state)
{
	struct CUstream_st *blocking, *other;
	struct latch latch = { 0 }, latch_0 = { 0 };

	(void)state;
	assert_int_equal(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault), 0);
	assert_int_equal(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), 0);
	block(blocking, &latch);
	block(NULL, &latch_0);
	atomic_store(&latch_0.open, 1);
	usleep(20000);
	assert_int_equal(cudaStreamQuery(NULL), cudaErrorNotReady); /* the latch before it is closed */
	assert_int_equal(cudaStreamSynchronize(other), 0);
	atomic_store(&latch.open, 1);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_int_equal(cudaStreamQuery(NULL), 0);
	atomic_store(&latch_0.open, 0);
	atomic_store(&latch.open, 0);
	block(NULL, &latch_0);
	assert_int_equal(cudaLaunchHostFunc(other, free, malloc(1)), 0);
	assert_int_equal(cudaLaunchHostFunc(blocking, free, malloc(1)), 0);
	assert_int_equal(cudaStreamSynchronize(other), 0);
	assert_int_equal(cudaStreamQuery(blocking), cudaErrorNotReady);
	atomic_store(&latch_0.open, 1);
	assert_int_equal(cudaStreamSynchronize(blocking), 0);
	assert_int_equal(cudaStreamDestroy(blocking), 0);
	assert_int_equal(cudaStreamDestroy(other), 0);
}

static void measures_the_time_between_events(void **state)
{
	struct CUstream_st *stream;
	struct CUevent_st *from, *to;
	float ms;

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaEventCreate(&from), 0);
	assert_int_equal(cudaEventCreate(&to), 0);
	cudart_double_set_delays(0, 5000);
	assert_int_equal(cudaEventRecord(from, stream), 0);
	assert_int_equal(cudart_double_launch(stream, add, &(struct add){ 0 }, sizeof(struct add)), 0);
	assert_int_equal(cudaEventRecord(to, stream), 0);
	assert_int_equal(cudaEventElapsedTime(&ms, from, to), cudaErrorNotReady);
	assert_int_equal(cudaEventSynchronize(to), 0);
	assert_int_equal(cudaEventElapsedTime(&ms, from, to), 0);
	assert_true(ms >= 4.9f);
	assert_int_equal(cudaEventDestroy(from), 0);
	assert_int_equal(cudaEventDestroy(to), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
}

static void tells_pageable_from_pinned_memory(void **state)
{
	struct cudart_double_traffic traffic;
	char pageable[N] = { 1 }, *pinned, *memory;
	struct CUstream_st *stream;
	struct latch latch = { 0 };

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaHostAlloc((void **)&pinned, N, cudaHostAllocPortable), 0);
	assert_int_equal(cudaMalloc((void **)&memory, N), 0);
	block(stream, &latch);
	assert_int_equal(cudaMemcpyAsync(memory, pageable, N, cudaMemcpyHostToDevice, stream), 0);
	pageable[0] = 2; /* has been read already */
	assert_int_equal(cudaMemcpyAsync(pinned, memory, N, cudaMemcpyDeviceToHost, stream), 0);
	atomic_store(&latch.open, 1);
	assert_int_equal(cudaMemcpyAsync(pageable, memory, N, cudaMemcpyDeviceToHost, stream), 0);
	assert_int_equal(pageable[0], 1); /* is done already */
	assert_int_equal(pinned[0], 1);
	cudart_double_traffic(CUDART_DOUBLE_OUT, &traffic);
	assert_int_equal(traffic.copies, 2);
	assert_int_equal(traffic.bytes, 2 * N);
	assert_int_equal(traffic.pageable_bytes, N);
	assert_int_equal(cudaHostRegister(pageable, N, cudaHostRegisterPortable), 0);
	assert_int_equal(cudaHostRegister(pageable + 1, 1, 0), cudaErrorHostMemoryAlreadyRegistered);
	assert_int_equal(cudaMemcpyAsync(memory, pageable, N, cudaMemcpyHostToDevice, stream), 0);
	assert_int_equal(cudaStreamSynchronize(stream), 0);
	cudart_double_traffic(CUDART_DOUBLE_IN, &traffic);
	assert_int_equal(traffic.pageable_bytes, N);
	assert_int_equal(cudaHostUnregister(pageable), 0);
	assert_int_equal(cudaFreeHost(pinned), 0);
	assert_int_equal(cudaFree(memory), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
}

/* --- faults --- */

static void fails_the_call_that_was_ordered_and_no_other(void **state)
{
	void *memory[3];

	(void)state;
	assert_true(cudart_double_fail(DOUBLE_PREFIX "Malloc", 2, cudaErrorMemoryAllocation));
	assert_int_equal(cudaMalloc(&memory[0], N), 0);
	assert_false(cudart_double_failed());
	assert_int_equal(cudaMalloc(&memory[1], N), cudaErrorMemoryAllocation);
	assert_true(cudart_double_failed());
	assert_int_equal(cudaMalloc(&memory[2], N), 0);
	assert_int_equal(cudart_double_calls(DOUBLE_PREFIX "Malloc"), 3);
	assert_int_equal(cudart_double_calls(NULL), 3);
	assert_int_equal(cudart_double_device_bytes(0), 2 * N);
	assert_true(cudart_double_fail(NULL, 1, cudaErrorUnknown));
	assert_int_equal(cudaFree(memory[0]), cudaErrorUnknown);
	assert_int_equal(cudaFree(memory[2]), 0);
}

static void loses_a_device_for_good(void **state)
{
	struct CUstream_st *stream;
	void *memory;

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_true(cudart_double_fail("operation", 1, cudaErrorIllegalAddress));
	assert_int_equal(cudart_double_launch(stream, add, &(struct add){ 0 }, sizeof(struct add)), 0);
	assert_int_equal(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
	assert_int_equal(cudaMalloc(&memory, N), cudaErrorIllegalAddress);
	assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
	assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
	assert_int_equal(cudaSetDevice(1), 0);
	assert_int_equal(cudaMalloc(&memory, N), 0);
	assert_int_equal(cudaFree(memory), 0);
	assert_int_equal(cudaStreamDestroy(stream), cudaErrorIllegalAddress);
}

static void a_capture_forbids_what_its_mode_says(void **state)
{
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	struct CUgraph_st *graph;
	struct CUstream_st *stream;
	void *memory;

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), 0);
	assert_int_equal(cudaSetDevice(0), 0);
	assert_int_equal(cudaStreamEndCapture(stream, &graph), 0);
	assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), 0);
	assert_int_equal(cudaMalloc(&memory, N), cudaErrorStreamCaptureUnsupported);
	assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
	assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), 0);
	assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), 0);
	assert_int_equal(mode, cudaStreamCaptureModeGlobal);
	assert_int_equal(cudaMalloc(&memory, N), 0);
	assert_int_equal(cudaFree(memory), 0);
	assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), 0);
	assert_int_equal(mode, cudaStreamCaptureModeRelaxed);
	assert_int_equal(cudaStreamEndCapture(stream, &graph), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shows_as_many_devices_as_it_was_told, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(refuses_memory_beyond_the_limit, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(devices_that_share_a_link_take_turns, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(devices_of_two_islands_do_not_reach_each_other, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(crashes_a_host_that_reads_a_device_address, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(refuses_copies_of_another_kind_or_beyond_the_end, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(executes_a_stream_in_order, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(lets_streams_wait_for_events_of_others, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(orders_stream_0_with_blocking_streams_only, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(measures_the_time_between_events, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(tells_pageable_from_pinned_memory, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(fails_the_call_that_was_ordered_and_no_other, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(loses_a_device_for_good, fresh, nothing_left),
		cmocka_unit_test_setup_teardown(a_capture_forbids_what_its_mode_says, fresh, nothing_left),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
