/* SPDX-License-Identifier: MIT */
/* What a program that uses CUDA itself sees of a runtime beside it, on two devices of the test double. */
#include "../core/data/bed.h"

#include <errno.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(public_calls_leave_the_current_device_as_it_is),
		cmocka_unit_test(a_callback_in_the_caller_s_thread_has_its_device),
		cmocka_unit_test(codelets_have_their_worker_s_device_whatever_the_last_one_did),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
