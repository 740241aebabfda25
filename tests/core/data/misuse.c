/* SPDX-License-Identifier: MIT */
/*
 * Data that is used as it must not be: memory of a device, handles that have left or belong to another runtime, modes
 * that don't match. Each is refused, with a line that names the task and the data, and does no harm.
 */
#include "bed.h"

#include <errno.h>
#include <stdint.h>

#include "drivers/cuda_api.h"

enum { N = 64 };

static uint32_t x[N], y[N];

/* --- pointers --- */

static void memory_of_a_device_is_not_registered(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = (struct xy_handle *)x;
	void *memory, *pinned = xy_memory_allocate(h->rt, sizeof x);

	(void)state;
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	assert_int_equal(cudaMalloc(&memory, sizeof x), cudaSuccess);
	assert_int_equal(xy_vector_register(h->rt, &v, memory, N, sizeof *x), -EINVAL);
	assert_null(v);
	helper_one_line(h, "array 0 is in the memory of a cuda device");
	assert_int_equal(xy_csr_register(h->rt, &v, x, y, (uint32_t *)memory + 8, 4, 3, 0, 4), -EINVAL);
	helper_one_line(h, "csr: array 2 is in the memory of a cuda device");
	assert_int_equal(cudaFree(memory), cudaSuccess);
	/* Pinned memory of the host is no memory of a device. */
	v = bed_vector(h, pinned, N);
	bed_unregister(h, &v);
	xy_memory_free(h->rt, pinned);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_device_is_not_registered),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
