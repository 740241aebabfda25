/* SPDX-License-Identifier: MIT */
/* What a program that uses CUDA itself sees of a runtime beside it, on two devices of the test double. */
#include "../core/data/bed.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xylem/cuda.h>

#include "../double/cudart_double.h"
#include "../double/more_api.h"

enum { N = 256, BYTES = N * sizeof(uint32_t) };

static uint32_t x[N];

/* --- the thread's current device --- */

static int current(void)
{
	int device = -1;

	assert_int_equal(cudaGetDevice(&device), 0);
	return device;
}

/* As the program would: the runtime must not tell. */
static void choose(int device)
{
	assert_int_equal(cudaSetDevice(device), 0);
}

static _Atomic int seen;

static void note_device(void *arg, int status)
{
	(void)arg;
	atomic_store(&seen, status ? -1 : current());
}

static void public_calls_leave_the_current_device_as_it_is(void **state)
{
	for (int device = 0; device < 2; device++) {
		struct xy_handle *v;
		struct helper *h;
		void *memory;

		(void)state;
		choose(device);
		h = bed_start(1, NULL, false);
		assert_int_equal(current(), device);
		v = bed_vector(h, x, N);
		for (unsigned i = 0; i < 2; i++) {
			unsigned node = bed_node(h, XY_CUDA, i);

			assert_int_equal(xy_prefetch(v, node), 0);
			assert_int_equal(current(), device);
			assert_int_equal(xy_fetch(v, node), 0);
			assert_int_equal(current(), device);
			bed_submit_on(h, bed_worker(h, XY_CUDA, i), &bed_add, 1, v, NULL, NULL);
			assert_int_equal(xy_acquire(v, XY_RW), 0);
			assert_int_equal(current(), device);
			assert_int_equal(xy_release(v), 0);
			assert_int_equal(xy_evict(v, node), 0);
			assert_int_equal(current(), device);
		}
		memory = xy_memory_allocate(h->rt, BYTES);
		assert_int_equal(current(), device);
		xy_memory_free(h->rt, memory);
		assert_int_equal(xy_memory_pin(h->rt, x, sizeof x), 0);
		assert_int_equal(current(), device);
		assert_int_equal(xy_memory_unpin(h->rt, x), 0);
		bed_submit_on(h, bed_worker(h, XY_CUDA, 1 - (unsigned)device), &bed_add, 1, v, NULL, NULL);
		bed_unregister(h, &v);
		assert_int_equal(current(), device);
		assert_int_equal(bed_stop(h, 0), 0);
		assert_int_equal(current(), device);
	}
	choose(0);
}

/* The turn has come: the callback runs in the thread that asks. */
static void a_callback_in_the_caller_s_thread_has_its_device(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	choose(1);
	atomic_store(&seen, -2);
	assert_int_equal(xy_fetch(v, bed_node(h, XY_CUDA, 0)), 0);
	assert_int_equal(xy_acquire_callback(v, XY_R, note_device, NULL), 0);
	assert_int_equal(atomic_load(&seen), 1);
	assert_int_equal(current(), 1);
	assert_int_equal(xy_release(v), 0);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
	choose(0);
}

/* --- codelets --- */

/* Hints about other devices, and a device that the codelet leaves behind. */
static int wander_cuda(struct xy_call *call)
{
	struct xy_handle *other = *(struct xy_handle **)call->arg;
	int own = xy_cuda_device(call), device = -1, status;

	status = xy_cuda_check(call, cudaGetDevice(&device));
	for (unsigned node = 0; node < xy_machine_nnodes(xy_runtime_machine(call->runtime)) && !status; node++)
		if (device != own)
			status = -EXDEV;
		else if (!(status = xy_prefetch(other, node)))
			status = xy_cuda_check(call, cudaGetDevice(&device));
	return status ? status : xy_cuda_check(call, cudaSetDevice(1 - own));
}

static const struct xy_codelet wander = { .name = "wander", .cuda = { wander_cuda }, .modes = { XY_RW } };

static void codelets_have_their_worker_s_device_whatever_the_last_one_did(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N), *other = bed_vector(h, NULL, N);

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		helper_submit(h,
			      &(struct xy_task_desc){
				      .codelet = &wander, .handles = { v }, .arg = &other, .arg_size = sizeof other });
	}
	assert_int_equal(helper_wait(h), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &other);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- pinned memory --- */

static void pinned_memory_comes_from_a_device_that_works(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct cudart_double_live live;
	void *memory;

	(void)state;
	memory = xy_memory_allocate(h->rt, 100);
	assert_true(cudart_double_fail("operation", 1, cudaErrorIllegalAddress));
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0),
		      &(struct xy_codelet){ .cuda = { bed_set.cuda[0] }, .modes = { XY_W } }, 1, bed_vector(h, NULL, N),
		      NULL, NULL);
	assert_int_equal(helper_wait(h), -ENODEV);
	for (unsigned i = 0; i < 2; i++) {
		void *more = xy_memory_allocate(h->rt, 200);

		assert_non_null(more);
		memset(more, 1, 200);
		cudart_double_live(&live);
		assert_int_equal(live.host_bytes, 300 - i * 200);
		xy_memory_free(h->rt, more);
		if (!i)
			assert_true(cudart_double_fail("cudaHostAlloc", 1, cudaErrorMemoryAllocation));
	}
	xy_memory_free(h->rt, memory);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	cudart_double_live(&live);
	assert_int_equal(live.host_bytes, 0);
}

static void what_is_not_allocated_or_pinned_can_not_be_given_back(void **state)
{
	struct helper *h = bed_start(1, NULL, false);

	(void)state;
	xy_memory_free(h->rt, x);
	helper_one_line(h, "is not from xy_memory_allocate");
	assert_int_equal(xy_memory_pin(h->rt, x, sizeof x), 0);
	assert_int_equal(xy_memory_pin(h->rt, x, sizeof x), -EALREADY);
	helper_one_line(h, "is pinned already, or a part of it is: cudaHostRegister on CUDA device 0");
	assert_int_equal(xy_memory_unpin(h->rt, x), 0);
	assert_int_equal(xy_memory_unpin(h->rt, x), -EINVAL);
	helper_one_line(h,
			"is not pinned by xy_memory_pin, or was unpinned before: cudaHostUnregister on CUDA device 0");
	assert_int_equal(bed_stop(h, 0), 0);
}

static void large_memory_of_the_runtime_is_pinned_and_kept(void **state)
{
	enum { MANY = 1 << 16 };
	struct helper *h = bed_start(1, NULL, false);
	struct cudart_double_traffic traffic;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct xy_handle *v = bed_vector(h, NULL, MANY);

		bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 7, v, NULL, NULL);
		assert_int_equal(xy_acquire(v, XY_RW), 0);
		assert_int_equal(((uint32_t *)xy_handle_pointer(v))[MANY - 1], 7);
		xy_release(v);
		bed_unregister(h, &v);
	}
	cudart_double_traffic(CUDART_DOUBLE_OUT, &traffic);
	assert_int_equal(traffic.pageable_bytes, 0);
	cudart_double_traffic(CUDART_DOUBLE_IN, &traffic);
	assert_int_equal(traffic.pageable_bytes, 0);
	/* Two threads that need the memory at once both allocate it. */
	assert_in_range(cudart_double_calls("cudaHostAlloc"), 1, 2);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* With a limit that is far above what the test needs on the slowest machine. */
static void await_line(struct helper *h, const char *text)
{
	for (unsigned i = 0; i < 4000 && !helper_lines_with(h, text); i++)
		usleep(10000);
	assert_int_equal(helper_lines_with(h, text), 1);
}

/* The copies are held until the calls have returned: what waits for them would find them done. */
static void calls_do_not_wait_for_copies_of_pageable_memory(void **state)
{
	enum { MANY = 1 << 20 };
	struct helper *h = bed_start(1, NULL, false);
	uint32_t *numbers = calloc(MANY, sizeof *numbers);
	struct xy_handle *v = bed_vector(h, numbers, MANY);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);

	(void)state;
	cudart_double_hold_copies(true);
	assert_int_equal(xy_prefetch(v, node), 0);
	bed_submit_on(h, device, &bed_add, 3, v, NULL, NULL);
	assert_int_equal(xy_handle_nodes(v), 1);
	cudart_double_hold_copies(false);
	assert_int_equal(helper_wait(h), 0);
	cudart_double_hold_copies(true);
	assert_int_equal(xy_prefetch(v, 0), 0);
	bed_submit_on(h, device, &bed_add, 3, v, NULL, NULL);
	assert_int_equal(xy_handle_nodes(v), 1u << node);
	cudart_double_hold_copies(false);
	bed_unregister(h, &v);
	assert_int_equal(numbers[MANY - 1], 12);
	free(numbers);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- signals --- */

/* LLVM, which PoCL loads, installs its own handlers. No test before this one may load it. */
static void SIGUSR1_dumps_although_a_driver_has_a_handler(void **state)
{
	struct xy_config config = {
		.ncpu = 1, .bind = XY_NO, .arch[XY_OPENCL].devices = "0", .arch[XY_CUDA].devices = "none"
	};
	struct sigaction after;
	struct helper *h;
	int error;

	(void)state;
	h = helper_try(&config, &error);
	if (error) {
		helper_stop_lines(h, HELPER_ANY_LINES);
		skip();
	}
	raise(SIGUSR1);
	await_line(h, "tasks submitted and not ended");
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	assert_int_equal(sigaction(SIGUSR1, NULL, &after), 0);
	assert_ptr_equal(after.sa_handler, SIG_DFL);
}

/* --- devices that can't run a task --- */

/* The CPU worker waits at the gate: what is submitted meanwhile goes to the devices first. */
static void block_cpu(struct helper *h, struct gate *gate)
{
	unsigned cpu = bed_worker(h, XY_CPU, 0);

	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = gate, .workers = &cpu, .nworkers = 1);
	helper_reach(h, &gate->inside, 1);
}

static void expect_sum(struct helper *h, struct xy_handle **v, uint32_t value)
{
	assert_int_equal(xy_acquire(*v, XY_R), 0);
	assert_int_equal(((uint32_t *)xy_handle_pointer(*v))[N - 1], value);
	xy_release(*v);
	bed_unregister(h, v);
}

static void a_task_that_no_device_has_room_for_runs_on_a_CPU(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "2K" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *a = bed_vector(h, NULL, N), *b = bed_vector(h, NULL, N), *c = bed_vector(h, NULL, N);
	struct gate gate = { 0 };

	(void)state;
	bed_submit(h, &bed_set, 1, a, NULL, NULL);
	bed_submit(h, &bed_set, 2, b, NULL, NULL);
	bed_submit(h, &bed_set, 3, c, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	block_cpu(h, &gate);
	for (unsigned i = 0; i < 20; i++)
		bed_submit(h, &bed_sum, 1, a, b, c);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	expect_sum(h, &c, 3 + N - 1 + 20 * (1 + N - 1 + 2 + N - 1));
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void a_task_that_no_worker_has_room_for_quotes_each(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "2K" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *a = bed_vector(h, NULL, N), *b = bed_vector(h, NULL, N);
	const unsigned devices[] = { bed_worker(h, XY_CUDA, 0), bed_worker(h, XY_CUDA, 1) };

	(void)state;
	for (unsigned retries = 0; retries < 2; retries++) {
		struct xy_handle *c = bed_vector(h, NULL, N);

		HELPER_SUBMIT(h, .codelet = &bed_sum, .handles = { a, b, c }, .workers = devices, .nworkers = 2,
			      .retries = retries);
		assert_int_equal(helper_wait(h), -ENOMEM);
		assert_non_null(strstr(xy_error(h->rt), "3072 bytes on cuda0, which has room for 2048"));
		assert_non_null(strstr(xy_error(h->rt), "3072 bytes on cuda1, which has room for 2048"));
		assert_int_equal(xy_unregister(&c), -ENOMEM);
	}
	assert_int_equal(helper_lines_with(h, "3072 bytes on cuda0"), 3);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 3), 0);
}

/* Memory that another program has: the device fails quickly, and must not draw all tasks. */
static void a_device_without_memory_is_avoided_until_it_has_some(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA] = { .devices = "0", .limit = "1G" } };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v[20], *more = bed_vector(h, NULL, N);
	struct xy_worker_stats stats;
	struct gate gate = { 0 };

	(void)state;
	cudart_double_set_memory(0, 512);
	block_cpu(h, &gate);
	for (unsigned i = 0; i < 20; i++) {
		v[i] = bed_vector(h, NULL, N);
		bed_submit(h, &bed_set, i, v[i], NULL, NULL);
	}
	await_line(h, "cuda0 is avoided for a while: it could not run 3 tasks in a row");
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 20; i++)
		expect_sum(h, &v[i], i + N - 1);
	cudart_double_set_memory(0, 1 << 20);
	do {
		bed_submit(h, &bed_add, 1, more, NULL, NULL);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(xy_worker_stats(h->rt, bed_worker(h, XY_CUDA, 0), &stats), 0);
	} while (!stats.tasks); /* limited by the guard of the helper */
	bed_unregister(h, &more);
	assert_int_equal(bed_stop(h, 1), 0);
}

/* Compiled for the second device only. */
static int image_cuda(struct xy_call *call)
{
	return xy_cuda_device(call) == 1 ? bed_add.cuda[0](call) : xy_cuda_check(call, cudaErrorNoKernelImageForDevice);
}

static int image_cpu(struct xy_call *call)
{
	return bed_add.cpu[0](call);
}

static const struct xy_codelet image = { .name = "image", .cuda = { image_cuda }, .modes = { XY_RW } };
static const struct xy_codelet image_or_cpu = {
	.name = "image", .cpu = { image_cpu }, .cuda = { image_cuda }, .modes = { XY_RW }
};

static void a_task_without_a_kernel_for_one_device_runs_on_another(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v[20];

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		v[i] = bed_vector(h, NULL, N);
		HELPER_SUBMIT(h, .codelet = &image, .handles = { v[i] });
	}
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 20; i++)
		expect_sum(h, &v[i], 1);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

static _Atomic uint64_t items_done, pieces_refused;

static int items_cpu(struct xy_call *call)
{
	struct xy_range range = xy_call_range(call);

	atomic_fetch_add(&items_done, range.stop - range.start);
	return 0;
}

static int items_cuda(struct xy_call *call)
{
	if (xy_cuda_device(call) == 1)
		return items_cpu(call);
	atomic_fetch_add(&pieces_refused, 1);
	return xy_cuda_check(call, cudaErrorNoKernelImageForDevice);
}

static void pieces_without_a_kernel_for_one_device_run_on_another(void **state)
{
	const struct xy_codelet items = { .name = "items", .cpu = { items_cpu }, .cuda = { items_cuda } };
	const struct xy_config config = { .sched = "divide(items=10) | eager | each worker { best-implementation }" };
	struct helper *h = bed_start(1, &config, false);

	(void)state;
	atomic_store(&items_done, 0);
	atomic_store(&pieces_refused, 0);
	for (unsigned i = 0; i < 100 && !atomic_load(&pieces_refused); i++) {
		atomic_store(&items_done, 0);
		HELPER_SUBMIT(h, .codelet = &items, .range = { 0, 1000 });
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(atomic_load(&items_done), 1000);
	}
	assert_true(atomic_load(&pieces_refused) > 0);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

/* What its function may have done to it can't be undone. */
static void a_task_whose_data_only_the_device_has_is_not_run_twice(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	const unsigned workers[] = { bed_worker(h, XY_CPU, 0), bed_worker(h, XY_CUDA, 0) };
	struct xy_handle *v = bed_vector(h, NULL, N);
	struct gate gate = { 0 };

	(void)state;
	bed_submit_on(h, workers[1], &bed_set, 5, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	block_cpu(h, &gate);
	HELPER_SUBMIT(h, .codelet = &image_or_cpu, .handles = { v }, .workers = workers, .nworkers = 2);
	await_line(h, "failed on cuda0: a codelet on CUDA device 0");
	helper_open(&gate);
	assert_int_equal(helper_wait(h), -ENOEXEC);
	assert_int_equal(xy_unregister(&v), -ENOEXEC);
	assert_int_equal(bed_stop(h, 1), 0);
}

/* Also pageable copies, prefetches, and what stops and starts. */
static void the_program_s_captures_survive_all_that_the_runtime_does(void **state)
{
	static uint32_t pageable[1 << 16];
	struct CUgraph_st *graph;
	struct CUstream_st *stream;
	struct xy_handle *v, *w;
	struct helper *h;
	void *memory;

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), 0);
	h = bed_start(1, NULL, false);
	v = bed_vector(h, NULL, N);
	w = bed_vector(h, pageable, 1 << 16);
	assert_int_equal(xy_prefetch(w, bed_node(h, XY_CUDA, 1)), 0);
	for (unsigned i = 0; i < 20; i++) {
		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_set, i, v, NULL, NULL);
		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_set, i, w, NULL, NULL);
	}
	memory = xy_memory_allocate(h->rt, 1 << 16);
	assert_non_null(memory);
	xy_memory_free(h->rt, memory);
	assert_int_equal(xy_memory_pin(h->rt, x, sizeof x), 0);
	assert_int_equal(xy_memory_unpin(h->rt, x), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_acquire(w, XY_R), 0);
	assert_int_equal(pageable[0], 19);
	xy_release(w);
	bed_unregister(h, &v);
	bed_unregister(h, &w);
	assert_int_equal(helper_stop_lines(h, 0), 0); /* the program's stream is left */
	assert_int_equal(cudaStreamEndCapture(stream, &graph), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(public_calls_leave_the_current_device_as_it_is),
		cmocka_unit_test(a_callback_in_the_caller_s_thread_has_its_device),
		cmocka_unit_test(codelets_have_their_worker_s_device_whatever_the_last_one_did),
		cmocka_unit_test(calls_do_not_wait_for_copies_of_pageable_memory),
		cmocka_unit_test(SIGUSR1_dumps_although_a_driver_has_a_handler),
		cmocka_unit_test(pinned_memory_comes_from_a_device_that_works),
		cmocka_unit_test(what_is_not_allocated_or_pinned_can_not_be_given_back),
		cmocka_unit_test(large_memory_of_the_runtime_is_pinned_and_kept),
		cmocka_unit_test(a_task_that_no_device_has_room_for_runs_on_a_CPU),
		cmocka_unit_test(a_task_that_no_worker_has_room_for_quotes_each),
		cmocka_unit_test(a_device_without_memory_is_avoided_until_it_has_some),
		cmocka_unit_test(a_task_without_a_kernel_for_one_device_runs_on_another),
		cmocka_unit_test(pieces_without_a_kernel_for_one_device_run_on_another),
		cmocka_unit_test(a_task_whose_data_only_the_device_has_is_not_run_twice),
		cmocka_unit_test(the_program_s_captures_survive_all_that_the_runtime_does),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
