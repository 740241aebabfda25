/* SPDX-License-Identifier: MIT */
/* Handles whose memory is the application's on a device of the test double of libcudart. */
#include "bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/cuda.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

#include "../../double/cudart_double.h"

int cudaSetDevice(int device);
int cudaMalloc(void **memory, size_t bytes);
int cudaFree(void *memory);

enum { N = 1024, BYTES = N * sizeof(uint32_t), STICKY = 719 };

static struct xy_vector homes[2];
static _Atomic(void *) seen;

static uint64_t moved(void)
{
	uint64_t bytes = 0;

	for (unsigned d = 0; d < CUDART_DOUBLE_NDIRECTIONS; d++) {
		struct cudart_double_traffic traffic;

		cudart_double_traffic((enum cudart_double_direction)d, &traffic);
		bytes += traffic.bytes;
	}
	return bytes;
}

/* Memory on both devices, with numbers from 0. */
static struct helper *start(const char *limit)
{
	struct helper *h = bed_start(1, &(struct xy_config){ .arch[XY_CUDA].limit = limit }, false);

	for (unsigned d = 0; d < 2; d++) {
		void *memory;
		uint32_t *numbers;

		assert_int_equal(cudaSetDevice((int)d), 0);
		assert_int_equal(cudaMalloc(&memory, BYTES), 0);
		homes[d] = (struct xy_vector){ .ptr = memory, .n = N, .elem = sizeof(uint32_t) };
		numbers = cudart_double_readable(memory);
		for (unsigned i = 0; i < N; i++)
			numbers[i] = i;
	}
	cudaSetDevice(0);
	return h;
}

static int stop(struct helper *h, unsigned lines)
{
	cudaFree(homes[0].ptr);
	cudaFree(homes[1].ptr);
	return bed_stop(h, lines);
}

static struct xy_handle *at_home(struct helper *h, unsigned device)
{
	struct xy_handle *v = bed_vector(h, NULL, N);

	assert_int_equal(xy_handle_set_home(v, bed_node(h, XY_CUDA, device), &homes[device]), 0);
	return v;
}

static void expect(unsigned device, uint32_t factor, uint32_t more)
{
	const uint32_t *numbers = cudart_double_readable(homes[device].ptr);

	for (unsigned i = 0; i < N; i++)
		assert_int_equal(numbers[i], factor * i + more);
}

static int see_cuda(struct xy_call *call)
{
	seen = xy_pointer(call, 0);
	return bed_add.cuda[0](call);
}

static const struct xy_codelet see = { .name = "see", .cuda = { see_cuda }, .modes = { XY_RW } };

static void tasks_on_the_device_work_on_it_in_place(void **state)
{
	struct helper *h = start(NULL);
	struct xy_handle *v = at_home(h, 1);

	(void)state;
	assert_int_equal(xy_handle_nodes(v), 1u << bed_node(h, XY_CUDA, 1));
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &see, 5, v, NULL, NULL);
	bed_unregister(h, &v);
	assert_ptr_equal(seen, homes[1].ptr);
	assert_int_equal(moved(), 0);
	expect(1, 3, 5);
	assert_int_equal(stop(h, 0), 0);
}

static void what_others_wrote_comes_back(void **state)
{
	struct helper *h = start(NULL);
	struct xy_handle *v = at_home(h, 0), *w = at_home(h, 1);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_add, 2, v, NULL, NULL);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 4, w, NULL, NULL);
	bed_unregister(h, &v);
	expect(0, 3, 2);
	assert_int_equal(xy_unregister_submit(&w), 0);
	assert_int_equal(helper_wait(h), 0);
	expect(1, 3, 4);
	assert_int_equal(stop(h, 0), 0);
}

static void the_application_may_acquire_it_and_children_may_change_it(void **state)
{
	struct helper *h = start(NULL);
	struct xy_handle *v = at_home(h, 1);
	const struct xy_filter filter = { .ops = &xy_filter_blocks, .n = 4 };
	struct xy_handle *parts[4];

	(void)state;
	assert_int_equal(xy_acquire(v, XY_RW), 0);
	assert_int_equal(((uint32_t *)xy_handle_pointer(v))[7], 7);
	((uint32_t *)xy_handle_pointer(v))[7] = 7;
	xy_release(v);
	assert_int_equal(xy_partition(v, &filter, parts, 4), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_submit_on(h, i % 3 ? bed_worker(h, XY_CUDA, i % 2) : bed_worker(h, XY_CPU, 0), &bed_add, 0,
			      parts[i], NULL, NULL);
	assert_int_equal(xy_unpartition(v), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 9, v, NULL, NULL);
	bed_unregister(h, &v);
	expect(1, 9, 9);
	assert_int_equal(stop(h, 0), 0);
}

static void it_is_not_counted_and_never_evicted(void **state)
{
	struct helper *h = start("4K");
	struct xy_handle *v = at_home(h, 0), *others[20];

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(others); i++) {
		others[i] = bed_vector(h, NULL, N);
		bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, i, others[i], NULL, NULL);
		bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_axpy, 0, others[i], v, NULL);
	}
	assert_int_equal(xy_evict(v, bed_node(h, XY_CUDA, 0)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_true(bed_stats(h, bed_node(h, XY_CUDA, 0)).most_bytes <= BYTES);
	assert_true(xy_handle_nodes(v) >> bed_node(h, XY_CUDA, 0) & 1);
	for (unsigned i = 0; i < HELPER_COUNT(others); i++)
		bed_unregister(h, &others[i]);
	bed_unregister(h, &v);
	expect(0, 3486784401u, 0); /* 3^20 */
	assert_int_equal(stop(h, 0), 0);
}

static void what_is_wrong_is_refused(void **state)
{
	struct helper *h = start(NULL);
	struct xy_vector shorter = homes[0], host = homes[0], none = homes[0];
	struct xy_handle *v = bed_vector(h, NULL, N), *in_ram;
	unsigned cuda = bed_node(h, XY_CUDA, 0);
	static uint32_t x[N];

	(void)state;
	in_ram = bed_vector(h, x, N);
	shorter.n--;
	host.ptr = x;
	none.ptr = NULL;
	assert_int_equal(xy_handle_set_home(NULL, cuda, &homes[0]), -EINVAL);
	assert_int_equal(xy_handle_set_home(v, 0, &homes[0]), -EINVAL);
	assert_int_equal(xy_handle_set_home(v, 77, &homes[0]), -EINVAL);
	assert_int_equal(xy_handle_set_home(v, cuda, NULL), -EINVAL);
	assert_int_equal(xy_handle_set_home(v, cuda, &shorter), -EINVAL);
	assert_int_equal(xy_handle_set_home(v, cuda, &host), -EINVAL);
	assert_int_equal(xy_handle_set_home(v, cuda, &none), -EINVAL);
	assert_int_equal(xy_handle_set_home(in_ram, cuda, &homes[0]), -EINVAL);
	bed_submit(h, &bed_set, 1, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_handle_set_home(v, cuda, &homes[0]), -EBUSY);
	bed_unregister(h, &v);
	bed_unregister(h, &in_ram);
	v = at_home(h, 0);
	assert_int_equal(xy_handle_set_home(v, cuda, &homes[0]), -EBUSY);
	bed_unregister(h, &v);
	assert_int_equal(stop(h, 9), 0);
}

/* What another node has can't come home; nothing hangs, and the error says so. */
static void a_lost_home_is_an_error(void **state)
{
	struct helper *h = start(NULL);
	struct xy_handle *v = at_home(h, 0);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_add, 2, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	cudart_double_fail("operation", 1, STICKY);
	assert_true(xy_unregister(&v) < 0);
	assert_null(v);
	assert_int_equal(stop(h, HELPER_ANY_LINES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_on_the_device_work_on_it_in_place),
		cmocka_unit_test(what_others_wrote_comes_back),
		cmocka_unit_test(the_application_may_acquire_it_and_children_may_change_it),
		cmocka_unit_test(it_is_not_counted_and_never_evicted),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(a_lost_home_is_an_error),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
