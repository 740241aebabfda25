/* SPDX-License-Identifier: MIT */
/*
 * Data on memory nodes: what is moved where and when, and what happens when memory is short. On two CUDA devices of
 * the test double, which counts what it is asked to move.
 */
#include "bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/interface.h>

#include "../../double/cudart_double.h"

enum { N = 256, BYTES = N * sizeof(uint32_t) };

static uint32_t x[N], y[N], z[N];

static uint64_t moved(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.bytes;
}

/* --- coherency --- */

static void brings_what_a_task_reads_and_gives_back_what_it_wrote(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	for (unsigned i = 0; i < N; i++)
		x[i] = i;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 5, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_handle_nodes(v), 1u << bed_node(h, XY_CUDA, 0));
	bed_unregister(h, &v);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(x[i], 3 * i + 5);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void does_not_bring_what_is_overwritten(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 7, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(moved(CUDART_DOUBLE_IN), 0);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), 0);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(x[9], 16);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), BYTES);
	xy_release(v);
	bed_unregister(h, &v);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), BYTES);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void brings_a_copy_once_for_many_readers(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *a = bed_vector(h, x, N), *b = bed_vector(h, y, N);
	unsigned node = bed_node(h, XY_CUDA, 0);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_axpy, i, a, b, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, node).transfers, 2);
	assert_int_equal(bed_stats(h, node).bytes_in, 2 * BYTES);
	assert_int_equal(xy_handle_nodes(a), 1 | 1u << node);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void copies_directly_between_devices_that_reach_each_other(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < 10; i++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_add, 1, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(moved(CUDART_DOUBLE_IN), BYTES);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), 0);
	assert_int_equal(moved(CUDART_DOUBLE_PEER), 9 * BYTES);
	bed_unregister(h, &v);
	assert_int_equal(x[N - 1], (59049 - 1) / 2);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void goes_through_RAM_between_devices_that_do_not(void **state)
{
	struct helper *h;
	struct xy_handle *v;

	(void)state;
	if (!bed_has_opencl())
		skip();
	h = bed_start(1, NULL, true);
	v = bed_vector(h, x, N);
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < 8; i++) {
		bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 1, v, NULL, NULL);
		bed_submit_on(h, bed_worker(h, XY_OPENCL, i % 2), &bed_add, 1, v, NULL, NULL);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, 0).bytes_in, 15 * BYTES);
	bed_unregister(h, &v);
	assert_int_equal(x[0], (43046721 - 1) / 2);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void memory_of_the_runtime_begins_as_zeros_on_a_device_too(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, NULL, N), *w = bed_vector(h, y, N);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &bed_add, 4, v, NULL, NULL);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_copy, 1, v, w, NULL);
	bed_unregister(h, &v);
	bed_unregister(h, &w);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(y[i], 5);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void scratch_buffers_are_on_the_worker_s_node(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *s = bed_vector(h, NULL, N), *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < 6; i++)
		bed_submit_on(h, bed_worker(h, i % 3 ? XY_CUDA : XY_CPU, i % 3 ? i % 3 - 1 : 0), &bed_scratch, 1, s, v,
			      NULL);
	bed_unregister(h, &v);
	bed_unregister(h, &s);
	assert_int_equal(x[3], (729 - 1) / 2);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- memory that is short --- */

static void works_in_little_memory(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "4K" }; /* four vectors */
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v[20];
	unsigned node = bed_node(h, XY_CUDA, 0);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		v[i] = bed_vector(h, NULL, N);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 20; i++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, i, v[i], NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_in_range(bed_stats(h, node).most_bytes, BYTES, 4 * BYTES);
	assert_in_range(bed_stats(h, node).evictions, 16, 60);
	assert_int_equal(bed_stats(h, node).limit_bytes, 4096);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(xy_acquire(v[i], XY_R), 0);
		assert_int_equal(*(uint32_t *)xy_handle_pointer(v[i]), 13 * i);
		xy_release(v[i]);
		bed_unregister(h, &v[i]);
	}
	assert_int_equal(bed_stop(h, 0), 0);
}

static void evicts_what_is_valid_elsewhere_first(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "3K", .arch[XY_CUDA].ahead = XY_NONE };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *dirty = bed_vector(h, NULL, N), *a = bed_vector(h, x, N), *b = bed_vector(h, y, N),
			 *c = bed_vector(h, z, N);
	unsigned worker = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);

	(void)state;
	bed_submit_on(h, worker, &bed_set, 1, dirty, NULL, NULL);
	bed_submit_on(h, worker, &bed_axpy, 1, a, dirty, NULL);
	bed_submit_on(h, worker, &bed_axpy, 1, b, dirty, NULL);
	bed_submit_on(h, worker, &bed_axpy, 1, c, dirty, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, node).evictions, 1);
	assert_int_equal(bed_stats(h, node).writebacks, 0);
	assert_int_equal(xy_handle_nodes(a), 1);
	bed_unregister(h, &dirty);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	bed_unregister(h, &c);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void a_task_that_cannot_fit_fails_and_says_the_bytes(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "2K" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *a = bed_vector(h, x, N), *b = bed_vector(h, y, N), *c = bed_vector(h, z, N);

	(void)state;
	x[0] = 1;
	z[0] = 2;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_sum, 1, a, b, c);
	assert_int_equal(helper_wait(h), -ENOMEM);
	assert_non_null(strstr(xy_error(h->rt), "3072 bytes on cuda0, which has room for 2048"));
	helper_one_line(h, "3072 bytes on cuda0");
	/* The others go on, and what was in RAM is there. */
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_axpy, 1, a, b, NULL);
	assert_int_equal(helper_wait(h), 0);
	bed_unregister(h, &a);
	bed_unregister(h, &b);
	assert_int_equal(xy_unregister(&c), -ENOMEM);
	assert_int_equal(z[0], 2);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* The words of the driver. */
static void what_can_not_be_brought_says_why(void **state)
{
	enum { INVALID_VALUE = 1 };
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *a = bed_vector(h, x, N), *b = bed_vector(h, y, N);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);

	(void)state;
	assert_int_equal(xy_handle_set_name(a, "a"), 0);
	assert_true(cudart_double_fail("cudaMemcpyAsync", 1, INVALID_VALUE));
	bed_submit_on(h, device, &bed_copy, 1, a, b, NULL);
	assert_int_equal(helper_wait(h), -EINVAL);
	helper_one_line(h, "'a' could not be copied to cuda0: cudaMemcpyAsync on CUDA device 0: ");
	assert_true(cudart_double_fail("cudaMemcpyAsync", 1, INVALID_VALUE));
	assert_int_equal(xy_fetch(a, node), -EINVAL);
	helper_one_line(h, "cudaErrorInvalidValue");
	bed_submit_on(h, device, &bed_set, 1, a, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_true(cudart_double_fail("cudaMemcpyAsync", 1, INVALID_VALUE));
	assert_int_equal(xy_unregister(&a), -EINVAL);
	helper_one_line(h, "'a' could not be copied back: cudaMemcpyAsync on CUDA device 0: ");
	assert_int_equal(xy_unregister(&b), -EINVAL);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* What a limit says is not there for that. */
static void a_task_that_fits_the_limit_but_not_the_device_says_so(void **state)
{
	struct helper *h;
	struct xy_handle *a;

	(void)state;
	cudart_double_reset();
	cudart_double_set_memory(0, 512);
	h = helper_start_with(&(struct xy_config){ .ncpu = 1,
						   .bind = XY_NO,
						   .arch[XY_CUDA].devices = "0",
						   .arch[XY_OPENCL].devices = "none",
						   .arch[XY_CUDA].limit = "1G" });
	a = bed_vector(h, x, N);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 1, a, NULL, NULL);
	assert_int_equal(helper_wait(h), -ENOMEM);
	helper_one_line(h, "1024 bytes on cuda0, more than it has");
	assert_int_equal(xy_unregister(&a), -ENOMEM);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Two workers of one device, each task of which needs more than half of its memory: one after the other, and
 * nobody brings anything twice for one task. */
static void tasks_that_want_each_other_s_memory_take_turns(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "5K",
					  .arch[XY_CUDA].workers = 2,
					  .arch[XY_CUDA].devices = "0" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v[6];
	unsigned node = bed_node(h, XY_CUDA, 0), tasks = helper_scale(60);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		v[i] = bed_vector(h, NULL, N);
	for (unsigned i = 0; i < tasks; i++) {
		unsigned k = i % 2 * 3;

		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_sum, 1, v[k], v[k + 1], v[k + 2]);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_in_range(bed_stats(h, node).transfers, 6, 3 * tasks);
	assert_in_range(bed_stats(h, node).most_bytes, 3 * BYTES, 5 * BYTES);
	for (unsigned i = 0; i < 6; i++)
		bed_unregister(h, &v[i]);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Memory that somebody is about to use or to give back is not lost for a task that fits. */
static void a_task_that_fits_waits_for_memory_that_others_have_in_hand(void **state)
{
	const struct xy_config config = { .sched = "tree-eager-prefetching", .arch[XY_CUDA].limit = "2K" };
	uint64_t seed = 5;

	(void)state;
	print_message("# seed %d\n", (int)seed);
	for (unsigned round = 0; round < 20; round++) {
		struct helper *h = bed_start(2, &config, false);
		struct xy_handle *v[4];

		for (unsigned i = 0; i < 4; i++)
			v[i] = bed_vector(h, NULL, N);
		for (unsigned i = 0; i < helper_scale(300); i++) {
			unsigned a = helper_below(&seed, 4), b = (a + 1 + helper_below(&seed, 3)) % 4;

			bed_submit(h, &bed_axpy, 1, v[a], v[b], NULL);
		}
		assert_int_equal(helper_wait(h), 0);
		for (unsigned i = 0; i < 4; i++)
			bed_unregister(h, &v[i]);
		assert_int_equal(bed_stop(h, 0), 0);
	}
}

/* --- what the application says --- */

static void fetches_and_prefetches(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N), *w = bed_vector(h, y, N);
	unsigned node = bed_node(h, XY_CUDA, 1);

	(void)state;
	assert_int_equal(xy_fetch(v, node), 0);
	assert_int_equal(xy_handle_nodes(v), 1 | 1u << node);
	bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_set, 3, w, NULL, NULL);
	assert_int_equal(xy_prefetch(w, node), 0);
	assert_int_equal(xy_fetch(w, node), 0); /* in the order of tasks: after it */
	assert_int_equal(bed_stats(h, node).transfers, 2);
	assert_int_equal(xy_fetch(v, 99), -EINVAL);
	assert_int_equal(xy_prefetch(NULL, 0), -EINVAL);
	bed_unregister(h, &v);
	bed_unregister(h, &w);
	assert_int_equal(bed_stop(h, 1), 0);
}

/* Nobody waits for the copy, and the next task has to wait for it. */
static void a_prefetch_is_looked_after_when_all_sleep(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < 10; i++) {
		helper_rest(h);
		assert_int_equal(xy_prefetch(v, bed_node(h, XY_CUDA, 1)), 0);
		bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_set, i, v, NULL, NULL);
		assert_int_equal(helper_wait(h), 0);
	}
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void a_fetch_that_cannot_fit_says_so(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "1000" };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	assert_int_equal(xy_fetch(v, bed_node(h, XY_CUDA, 0)), -ENOMEM);
	helper_one_line(h, "1024 bytes");
	assert_int_equal(xy_prefetch(v, bed_node(h, XY_CUDA, 0)), 0);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void evicts_when_told(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);
	unsigned node = bed_node(h, XY_CUDA, 0);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 3, v, NULL, NULL);
	assert_int_equal(xy_evict(v, node), 0);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(xy_handle_nodes(v), 1);
	assert_int_equal(x[1], 4);
	assert_int_equal(bed_stats(h, node).used_bytes, 0);
	xy_release(v);
	assert_int_equal(xy_evict(v, 0), -EINVAL);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 1), 0);
}

static void what_is_invalidated_is_not_brought_back(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 3, v, NULL, NULL);
	assert_int_equal(xy_invalidate(v), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 3, v, NULL, NULL);
	assert_int_equal(helper_wait(h), -ENODATA);
	helper_one_line(h, "was never written");
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 5, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), 0);
	bed_unregister(h, &v);
	assert_int_equal(x[0], 5);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void writes_through_to_the_nodes_of_the_mask(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, x, N);
	unsigned one = bed_node(h, XY_CUDA, 0), other = bed_node(h, XY_CUDA, 1);

	(void)state;
	assert_int_equal(xy_handle_set_write_through(v, 1 | 1u << other), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 3, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_fetch(v, 0), 0);
	assert_int_equal(xy_fetch(v, other), 0);
	assert_int_equal(xy_handle_nodes(v), 1 | 1u << one | 1u << other);
	assert_int_equal(bed_stats(h, 0).transfers, 1);
	assert_int_equal(bed_stats(h, other).transfers, 1);
	assert_int_equal(xy_handle_set_write_through(v, 1u << 20), -EINVAL);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 1), 0);
}

static void follows_advice_when_it_evicts(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "3K", .arch[XY_CUDA].ahead = XY_NONE };
	struct helper *h = bed_start(1, &config, false);
	struct xy_handle *v[4];
	unsigned node = bed_node(h, XY_CUDA, 0);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		v[i] = bed_vector(h, NULL, N);
	assert_int_equal(xy_advise(v[0], XY_ADVICE_KEEP), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(xy_fetch(v[i], node), 0);
	assert_int_equal(xy_advise(v[2], XY_ADVICE_WONT_USE), 0);
	assert_int_equal(xy_fetch(v[3], node), 0);
	assert_int_equal(xy_handle_nodes(v[0]), 1 | 1u << node);
	assert_int_equal(xy_handle_nodes(v[1]), 1 | 1u << node);
	assert_int_equal(xy_handle_nodes(v[2]), 1);
	assert_int_equal(xy_fetch(v[2], node), 0);
	assert_int_equal(xy_handle_nodes(v[0]), 1 | 1u << node);
	assert_int_equal(xy_handle_nodes(v[1]), 1);
	assert_int_equal(xy_advise(v[0], (enum xy_advice)9), -EINVAL);
	for (unsigned i = 0; i < 4; i++)
		bed_unregister(h, &v[i]);
	assert_int_equal(bed_stop(h, 1), 0);
}

static void has_memory_that_is_fast_to_copy(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	uint32_t *memory = xy_memory_allocate(h->rt, BYTES);
	struct cudart_double_traffic traffic;
	struct xy_handle *v;

	(void)state;
	assert_non_null(memory);
	memset(memory, 0, BYTES);
	v = bed_vector(h, memory, N);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_add, 5, v, NULL, NULL);
	bed_unregister(h, &v);
	cudart_double_traffic(CUDART_DOUBLE_IN, &traffic);
	assert_int_equal(traffic.bytes, BYTES);
	assert_int_equal(traffic.pageable_bytes, 0);
	assert_int_equal(memory[7], 5);
	xy_memory_free(h->rt, memory);
	assert_int_equal(xy_memory_pin(h->rt, x, sizeof x), 0);
	assert_int_equal(xy_memory_unpin(h->rt, x), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- NUMA nodes --- */

static void NUMA_nodes_can_have_copies_of_their_own(void **state)
{
	const struct xy_config config = { .machine = "this(numa:2 core:1)",
					  .numa = true,
					  .arch[XY_CUDA].devices = "none",
					  .arch[XY_OPENCL].devices = "none",
					  .bind = XY_NO };
	struct helper *h = helper_start_with(&config);
	struct xy_handle *v = bed_vector(h, x, N);

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < 6; i++)
		bed_submit_on(h, i % 2, &bed_add, 1, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_handle_nodes(v), 2);
	assert_int_equal(bed_stats(h, 1).transfers, 3);
	bed_unregister(h, &v);
	assert_int_equal(x[0], (729 - 1) / 2);
	assert_int_equal(helper_stop(h), 0);
}

/* --- content outside of all arrays --- */

struct behind {
	uint32_t *hidden;
};

static unsigned behind_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	(void)view;
	(void)parts;
	return 0;
}

static size_t behind_packed_bytes(const void *view)
{
	(void)view;
	return sizeof(uint32_t);
}

static void behind_pack(const void *view, void *bytes)
{
	memcpy(bytes, ((const struct behind *)view)->hidden, sizeof(uint32_t));
}

static void behind_unpack(void *view, const void *bytes)
{
	memcpy(((struct behind *)view)->hidden, bytes, sizeof(uint32_t));
}

static void content_in_no_array_is_refused_where_there_is_other_memory(void **state)
{
	static const struct xy_interface behind = { .name = "behind",
						    .view_size = sizeof(struct behind),
						    .parts = behind_parts,
						    .packed_bytes = behind_packed_bytes,
						    .pack = behind_pack,
						    .unpack = behind_unpack };
	struct helper *h = bed_start(1, NULL, false);
	uint32_t number = 5;
	struct xy_handle *handle;

	(void)state;
	assert_int_equal(xy_register(h->rt, &handle, &behind, &(struct behind){ &number }), -EINVAL);
	helper_one_line(h, "behind: its content is in no array of its parts");
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(brings_what_a_task_reads_and_gives_back_what_it_wrote),
		cmocka_unit_test(does_not_bring_what_is_overwritten),
		cmocka_unit_test(brings_a_copy_once_for_many_readers),
		cmocka_unit_test(copies_directly_between_devices_that_reach_each_other),
		cmocka_unit_test(goes_through_RAM_between_devices_that_do_not),
		cmocka_unit_test(memory_of_the_runtime_begins_as_zeros_on_a_device_too),
		cmocka_unit_test(scratch_buffers_are_on_the_worker_s_node),
		cmocka_unit_test(works_in_little_memory),
		cmocka_unit_test(evicts_what_is_valid_elsewhere_first),
		cmocka_unit_test(a_task_that_cannot_fit_fails_and_says_the_bytes),
		cmocka_unit_test(what_can_not_be_brought_says_why),
		cmocka_unit_test(a_task_that_fits_the_limit_but_not_the_device_says_so),
		cmocka_unit_test(tasks_that_want_each_other_s_memory_take_turns),
		cmocka_unit_test(a_task_that_fits_waits_for_memory_that_others_have_in_hand),
		cmocka_unit_test(fetches_and_prefetches),
		cmocka_unit_test(a_prefetch_is_looked_after_when_all_sleep),
		cmocka_unit_test(a_fetch_that_cannot_fit_says_so),
		cmocka_unit_test(evicts_when_told),
		cmocka_unit_test(what_is_invalidated_is_not_brought_back),
		cmocka_unit_test(writes_through_to_the_nodes_of_the_mask),
		cmocka_unit_test(follows_advice_when_it_evicts),
		cmocka_unit_test(has_memory_that_is_fast_to_copy),
		cmocka_unit_test(NUMA_nodes_can_have_copies_of_their_own),
		cmocka_unit_test(content_in_no_array_is_refused_where_there_is_other_memory),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
