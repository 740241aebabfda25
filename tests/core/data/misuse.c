/* SPDX-License-Identifier: MIT */
/*
 * Data that is used as it must not be: memory of a device, handles that have left or belong to another runtime, modes
 * that don't match. Each is refused, with a line that names the task and the data, and does no harm.
 */
#include "bed.h"

#include <errno.h>
#include <stdint.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

#include "drivers/gpu_api.h"

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
	assert_int_equal(xy_csr_register(h->rt, &v,
					 &(struct xy_csr){ .nzval = x,
							   .colind = y,
							   .rowptr = (uint32_t *)memory + 8,
							   .nnz = 4,
							   .nrow = 3,
							   .elem = 4 }),
			 -EINVAL);
	helper_one_line(h, "csr: array 2 is in the memory of a cuda device");
	assert_int_equal(cudaFree(memory), cudaSuccess);
	/* Pinned memory of the host is no memory of a device. */
	v = bed_vector(h, pinned, N);
	bed_unregister(h, &v);
	xy_memory_free(h->rt, pinned);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- handles that are not there --- */

/* A runtime with a vector that had a name, and has left. */
static struct xy_handle *departed(struct helper *h)
{
	struct xy_handle *v = bed_vector(h, x, N), *same = v;

	assert_int_equal(xy_handle_set_name(v, "velocity"), 0);
	bed_unregister(h, &v);
	return same;
}

static void a_task_with_a_handle_that_has_left_is_refused(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *old = departed(h), *v = bed_vector(h, y, N);
	struct xy_access accesses[] = { { v, XY_R }, { old, XY_RW }, { 0 } };

	(void)state;
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_axpy, .handles = { v, old } }),
			 -EINVAL);
	helper_one_line(h, "task 'axpy' is not submitted: handles[1], 'velocity', has been unregistered");
	assert_int_equal(
		xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_axpy, .name = "mine", .accesses = accesses }),
		-EINVAL);
	helper_one_line(h, "task 'mine' is not submitted: accesses[1], 'velocity', has been unregistered");
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void calls_with_a_handle_that_has_left_are_refused(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *old = departed(h), *again = old;
	struct xy_plan *plan;
	size_t size;

	(void)state;
	assert_int_equal(xy_acquire(old, XY_R), -EINVAL);
	helper_one_line(h, "xy_acquire: 'velocity' has been unregistered");
	assert_int_equal(xy_acquire_callback(old, XY_R, helper_status, &size), -EINVAL);
	helper_one_line(h, "xy_acquire_callback: 'velocity' has been unregistered");
	assert_int_equal(xy_release(old), -EINVAL);
	helper_one_line(h, "xy_release: 'velocity' has been unregistered");
	assert_int_equal(xy_unregister(&again), -EINVAL);
	helper_one_line(h, "xy_unregister: 'velocity' has been unregistered");
	assert_int_equal(xy_prefetch(old, 0), -EINVAL);
	assert_int_equal(xy_fetch(old, 0), -EINVAL);
	assert_int_equal(xy_evict(old, 1), -EINVAL);
	assert_int_equal(xy_invalidate(old), -EINVAL);
	assert_int_equal(xy_advise(old, XY_ADVICE_KEEP), -EINVAL);
	assert_int_equal(xy_handle_set_write_through(old, 1), -EINVAL);
	assert_int_equal(xy_handle_set_sequential(old, false), -EINVAL);
	assert_int_equal(xy_handle_set_name(old, "other"), -EINVAL);
	assert_int_equal(xy_handle_set_reduction(old, &bed_zero, &bed_join), -EINVAL);
	assert_int_equal(xy_handle_packed_size(old, &size), -EINVAL);
	assert_int_equal(xy_pack(old, x, sizeof x), -EINVAL);
	assert_int_equal(xy_unpack(old, x, sizeof x), -EINVAL);
	assert_int_equal(xy_partition(old, &(struct xy_filter){ .ops = &xy_filter_halves }, NULL, 0), -EINVAL);
	assert_int_equal(xy_unpartition(old), -EINVAL);
	assert_int_equal(xy_plan_create(old, &(struct xy_filter){ .ops = &xy_filter_halves }, &plan), -EINVAL);
	assert_int_equal(helper_lines_with(h, "'velocity' has been unregistered"), 15);
	assert_null(xy_handle_pointer(old));
	assert_null(xy_handle_view(old));
	assert_null(xy_handle_interface(old));
	assert_int_equal(xy_handle_size(old), 0);
	assert_int_equal(xy_handle_nodes(old), 0);
	assert_int_equal(xy_handle_nchildren(old), 0);
	assert_string_equal(xy_handle_name(old), "velocity");
	assert_int_equal(bed_stop(h, 15), 0);
}

static void a_child_is_gone_with_its_partition(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N), *children[2];

	(void)state;
	assert_int_equal(xy_handle_set_name(v, "v"), 0);
	assert_int_equal(xy_partition(v, &(struct xy_filter){ .ops = &xy_filter_halves }, children, 2), 0);
	assert_int_equal(xy_unpartition(v), 0);
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_set, .handles = { children[1] } }),
			 -EINVAL);
	helper_one_line(h, "handles[0], 'v.halves[1]', has been unregistered");
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Only so many are remembered, and the memory of the others is free. */
static void many_handles_come_and_go(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *old = NULL;

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		old = departed(h);
	assert_int_equal(xy_acquire(old, XY_R), -EINVAL);
	assert_int_equal(bed_stop(h, 1), 0);
}

static void a_handle_of_another_runtime_is_refused(void **state)
{
	struct helper *h = bed_start(1, NULL, false), *other = helper_start(NULL, 1);
	struct xy_handle *v = bed_vector(other, x, N);

	(void)state;
	assert_int_equal(xy_handle_set_name(v, "far"), 0);
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_set, .handles = { v } }), -EINVAL);
	helper_one_line(h, "task 'set' is not submitted: handles[0], 'far', belongs to another runtime");
	bed_unregister(other, &v);
	assert_int_equal(helper_stop(other), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- modes --- */

static void refuse(struct helper *h, const struct xy_task_desc *desc, const char *why)
{
	struct xy_task *task;

	assert_int_equal(xy_submit(h->rt, desc), -EINVAL);
	helper_one_line(h, why);
	assert_int_equal(xy_task_create(h->rt, desc, &task), -EINVAL);
	assert_null(task);
	helper_one_line(h, why);
}

static int nothing_body(struct xy_call *call)
{
	(void)call;
	return 0;
}

static void modes_have_to_match_the_handles(void **state)
{
	static const struct xy_codelet eight = { .name = "eight",
						 .modes = { XY_R, XY_R, XY_R, XY_R, XY_R, XY_R, XY_R, XY_R },
						 .where = XY_ON_CPU,
						 .cpu = { nothing_body } };
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N), *w = bed_vector(h, y, N);
	const struct xy_access none[] = { { v, XY_R }, { NULL, XY_R }, { 0 } };
	const struct xy_access odd[] = { { v, XY_R | XY_SCRATCH }, { 0 } };

	(void)state;
	assert_int_equal(xy_handle_set_name(v, "v"), 0);
	assert_int_equal(xy_handle_set_name(w, "w"), 0);
	refuse(h, &(struct xy_task_desc){ .codelet = &bed_set, .handles = { v, w } },
	       "task 'set' is not submitted: its codelet has no mode for handles[1], 'w'");
	refuse(h, &(struct xy_task_desc){ .codelet = &bed_sum, .handles = { v } },
	       "task 'sum' is not submitted: its codelet has the modes of 3 handles, but there is 1");
	refuse(h, &(struct xy_task_desc){ .codelet = &bed_sum }, "has the modes of 3 handles, but there are 0");
	refuse(h, &(struct xy_task_desc){ .codelet = &bed_set, .accesses = none },
	       "task 'set' is not submitted: accesses[1] is NULL");
	refuse(h, &(struct xy_task_desc){ .codelet = &bed_set, .accesses = odd },
	       "task 'set' is not submitted: accesses[0], 'v', has an invalid access mode");
	refuse(h, &(struct xy_task_desc){ .codelet = &bed_set, .handles = { v }, .accesses = none },
	       "it has both handles and accesses");
	refuse(h, &(struct xy_task_desc){ .codelet = &eight, .handles = { v, v, v, v, v, v, v } },
	       "its codelet has the modes of 8 handles, but there are 7");
	assert_int_equal(
		xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &eight, .handles = { v, w, v, w, v, w, v, w } }),
		0);
	refuse(h, &(struct xy_task_desc){ .handles = { v } }, "no codelet to declare their modes");
	assert_int_equal(xy_acquire(v, XY_SCRATCH), -EINVAL);
	helper_one_line(h, "xy_acquire: 'v': the mode must be");
	bed_unregister(h, &v);
	bed_unregister(h, &w);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- sizes --- */

static void sizes_that_overflow_are_refused(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &v, NULL, SIZE_MAX / 2, 4), -EOVERFLOW);
	helper_one_line(h, "vector");
	assert_int_equal(
		xy_matrix_register(h->rt, &v,
				   &(struct xy_matrix){ .ptr = x, .nx = 4, .ny = 4, .ld = SIZE_MAX / 8, .elem = 4 }),
		-EOVERFLOW);
	helper_one_line(h, "matrix");
	assert_int_equal(
		xy_block_register(
			h->rt, &v,
			&(struct xy_block){
				.nx = 4, .ny = 4, .nz = 4, .ldy = 1u << 30, .ldz = (size_t)1 << 62, .elem = 8 }),
		-EOVERFLOW);
	helper_one_line(h, "block");
	assert_null(v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* More than a device has, and more than the host can have. */
static void a_task_on_data_that_is_too_large_fails_by_name(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, NULL, (size_t)1 << 44), *w = bed_vector(h, NULL, (size_t)1 << 44);

	(void)state;
	assert_int_equal(xy_handle_set_name(v, "huge"), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 1, v, NULL, NULL);
	assert_int_equal(helper_wait(h), -ENOMEM);
	helper_one_line(h, "task 'set'");
	assert_int_equal(xy_unregister(&v), -ENOMEM);
	if (helper_scale(10) == 10) { /* sanitizers end the program instead */
		bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_set, 1, w, NULL, NULL);
		assert_int_equal(helper_wait(h), -ENOMEM);
		helper_one_line(h, "task 'set'");
	}
	xy_unregister(&w);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_device_is_not_registered),
		cmocka_unit_test(a_task_with_a_handle_that_has_left_is_refused),
		cmocka_unit_test(calls_with_a_handle_that_has_left_are_refused),
		cmocka_unit_test(a_child_is_gone_with_its_partition),
		cmocka_unit_test(many_handles_come_and_go),
		cmocka_unit_test(a_handle_of_another_runtime_is_refused),
		cmocka_unit_test(modes_have_to_match_the_handles),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(a_task_on_data_that_is_too_large_fails_by_name),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
