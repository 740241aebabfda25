/* SPDX-License-Identifier: MIT */
/* The application acquires data where it is on a device of the test double of libcudart. */
#include "bed.h"

#include <errno.h>

#include "../../double/cudart_double.h"

enum { N = 1024, BYTES = N * sizeof(uint32_t) };

static uint32_t x[N], y[N];

static uint32_t *on_device(const void *view)
{
	return cudart_double_readable(((const struct xy_vector *)view)->ptr);
}

static void reads_and_changes_data_on_a_device(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned cuda = bed_node(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, x, N);
	const void *view;

	(void)state;
	bed_submit(h, &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_acquire_on(v, XY_R, cuda, &view), 0);
	assert_int_equal(on_device(view)[3], 8);
	assert_true(xy_handle_nodes(v) >> cuda & 1);
	assert_int_equal(xy_release(v), 0);
	assert_int_equal(xy_acquire_on(v, XY_RW, cuda, &view), 0);
	bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_add, 1, v, NULL, NULL); /* waits for the release */
	assert_int_equal(xy_handle_nodes(v), (uint64_t)1 << cuda);
	on_device(view)[3] = 100;
	assert_int_equal(xy_release(v), 0);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(x[3], 301);
	assert_int_equal(x[4], 28);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void what_is_overwritten_does_not_move(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned cuda = bed_node(h, XY_CUDA, 1);
	struct xy_handle *v = bed_vector(h, x, N);
	const void *view;

	(void)state;
	assert_int_equal(xy_acquire_on(v, XY_W, cuda, &view), 0);
	assert_int_equal(bed_stats(h, cuda).bytes_in, 0);
	for (unsigned i = 0; i < N; i++)
		on_device(view)[i] = 7 * i;
	assert_int_equal(xy_release(v), 0);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(x[N - 1], 7 * (N - 1));
	assert_int_equal(bed_stop(h, 0), 0);
}

static void what_is_acquired_is_not_evicted(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "8K" };
	struct helper *h = bed_start(1, &config, false);
	unsigned cuda = bed_node(h, XY_CUDA, 0), worker = bed_worker(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, x, N), *w[4];
	const void *view;

	(void)state;
	bed_submit(h, &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_acquire_on(v, XY_R, cuda, &view), 0);
	for (unsigned i = 0; i < 4; i++) {
		w[i] = bed_vector(h, NULL, N);
		bed_submit_on(h, worker, &bed_set, i, w[i], NULL, NULL);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(on_device(view)[1], 6);
	assert_true(xy_handle_nodes(v) >> cuda & 1);
	assert_int_equal(xy_release(v), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_unregister(h, &w[i]);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Each has a place of its own in the order: a hint that ends meanwhile does not end the acquire. */
static void hints_that_are_under_way_do_not_matter(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned cuda[] = { bed_node(h, XY_CUDA, 0), bed_node(h, XY_CUDA, 1) };
	struct xy_handle *v = bed_vector(h, x, N);
	const void *view;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		x[i] = i;
	for (unsigned i = 0; i < 300; i++) {
		assert_int_equal(xy_prefetch(v, cuda[i % 2]), 0);
		assert_int_equal(xy_prefetch(v, cuda[1]), 0);
		assert_int_equal(xy_acquire_on(v, XY_R, cuda[0], &view), 0);
		assert_int_equal(on_device(view)[3], 3);
		assert_int_equal(xy_release(v), 0);
		assert_int_equal(xy_evict(v, cuda[0]), 0);
		assert_int_equal(xy_evict(v, cuda[1]), 0);
	}
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void in_ram_it_is_an_acquire(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, y, N);
	const void *view;

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_acquire_on(v, XY_R, 0, &view), 0);
	assert_ptr_equal(((const struct xy_vector *)view)->ptr, y);
	assert_int_equal(y[1], 6);
	assert_int_equal(xy_release(v), 0);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void refuses_what_makes_no_sense(void **state)
{
	struct helper *h = bed_start(1, &(struct xy_config){ .limit_ram = "1M" }, false);
	unsigned cuda = bed_node(h, XY_CUDA, 0), disk = xy_machine_nnodes(xy_runtime_machine(h->rt)) - 1;
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	assert_int_equal(xy_acquire_on(v, XY_R, 99, NULL), -EINVAL);
	helper_one_line(h, "no such memory node");
	assert_int_equal(xy_acquire_on(v, XY_R, disk, NULL), -EINVAL);
	helper_one_line(h, "data on disk can't be used there");
	assert_int_equal(xy_acquire_on(v, XY_SCRATCH, cuda, NULL), -EINVAL);
	helper_one_line(h, "the mode must be R, W or RW");
	assert_int_equal(xy_acquire_on(v, XY_R, cuda, NULL), 0);
	assert_int_equal(xy_acquire_on(v, XY_RW, cuda, NULL), -EDEADLK);
	helper_one_line(h, "would wait for itself");
	assert_int_equal(xy_release(v), 0);
	assert_int_equal(xy_invalidate(v), 0);
	assert_int_equal(xy_acquire_on(v, XY_R, cuda, NULL), -ENODATA);
	helper_one_line(h, "could not be brought to node");
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_and_changes_data_on_a_device),
		cmocka_unit_test(what_is_overwritten_does_not_move),
		cmocka_unit_test(what_is_acquired_is_not_evicted),
		cmocka_unit_test(hints_that_are_under_way_do_not_matter),
		cmocka_unit_test(in_ram_it_is_an_acquire),
		cmocka_unit_test(refuses_what_makes_no_sense),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
