/* SPDX-License-Identifier: MIT */
/* How a runtime uses copies and memory of two devices of the test double: order, locks, and what would wait. */
#include "../core/data/bed.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../double/cudart_double.h"
#include "../double/more_api.h"

enum { MANY = 1 << 20, NHINTS = 8, FEW = 2 };

static uint64_t copies_in(void)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(CUDART_DOUBLE_IN, &traffic);
	return traffic.copies;
}

static uint64_t pageable_bytes_out(void)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(CUDART_DOUBLE_OUT, &traffic);
	return traffic.pageable_bytes;
}

/* With a limit below the one after which the double lets held copies go. */
static void await_count(uint64_t (*count)(void), uint64_t least)
{
	for (unsigned i = 0; i < 1500 && count() < least; i++)
		usleep(10000);
	assert_true(count() >= least);
}

/* --- locks --- */

static void *bring_home(void *handle)
{
	assert_int_equal(xy_prefetch(handle, 0), 0);
	return NULL;
}

static void no_lock_is_held_while_a_driver_waits(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	uint32_t *numbers = calloc(MANY, sizeof *numbers);
	struct xy_handle *v = bed_vector(h, numbers, MANY), *w = bed_vector(h, NULL, 4);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct timespec begin, end;
	pthread_t thread;

	(void)state;
	bed_submit_on(h, device, &bed_add, 3, v, NULL, NULL);
	bed_submit_on(h, device, &bed_set, 3, w, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	cudart_double_hold_copies(true);
	assert_true(cudart_double_fail("cudaHostAlloc", 1, cudaErrorMemoryAllocation)); /* so that it waits */
	assert_int_equal(pthread_create(&thread, NULL, bring_home, v), 0);
	await_count(pageable_bytes_out, 1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	bed_submit_on(h, device, &bed_add, 3, v, NULL, NULL);
	assert_int_equal(xy_prefetch(w, 0), 0); /* by the channel that is in use */
	assert_int_equal(xy_prefetch(v, bed_node(h, XY_CUDA, 1)), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_int_equal(xy_handle_nodes(v), 1u << node);
	assert_true(end.tv_sec - begin.tv_sec < 10); /* the double holds copies for 20 seconds */
	cudart_double_hold_copies(false);
	assert_int_equal(pthread_join(thread, NULL), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &w);
	assert_int_equal(numbers[MANY - 1], 12);
	free(numbers);
	assert_int_equal(bed_stop(h, 0), 0);
}

static uint64_t pinned_allocations(void)
{
	return cudart_double_calls("cudaHostAlloc");
}

static void no_lock_is_held_while_memory_is_pinned(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, NULL, MANY);
	unsigned device = bed_worker(h, XY_CUDA, 0);
	struct timespec begin, end;
	pthread_t thread;
	uint32_t last;

	(void)state;
	bed_submit_on(h, device, &bed_set, 3, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(pinned_allocations(), 0);
	cudart_double_hold_host_memory(true);
	assert_int_equal(pthread_create(&thread, NULL, bring_home, v), 0);
	await_count(pinned_allocations, 1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	bed_submit_on(h, device, &bed_add, 3, v, NULL, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true(end.tv_sec - begin.tv_sec < 10); /* the double holds allocations for 20 seconds */
	cudart_double_hold_host_memory(false);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	last = ((uint32_t *)xy_handle_pointer(v))[MANY - 1];
	xy_release(v);
	assert_int_equal(last, 3 * (3 + MANY - 1) + 3);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- order --- */

struct hints {
	struct helper *h;
	unsigned worker;
	struct xy_handle *v[NHINTS];
	uint32_t *numbers[NHINTS];
};

/* Copies are held, so the device gets a few of the hints that are given, and no more. */
static void hints_give(struct hints *hints)
{
	hints->h = bed_start(1, NULL, false);
	hints->worker = bed_worker(hints->h, XY_CUDA, 0);
	for (unsigned i = 0; i < NHINTS; i++) {
		hints->numbers[i] = xy_memory_allocate(hints->h->rt, MANY * sizeof(uint32_t));
		assert_non_null(hints->numbers[i]);
		for (unsigned k = 0; k < MANY; k++)
			hints->numbers[i][k] = i;
		hints->v[i] = bed_vector(hints->h, hints->numbers[i], MANY);
	}
	cudart_double_hold_copies(true);
	for (unsigned i = 0; i < NHINTS; i++)
		assert_int_equal(xy_prefetch(hints->v[i], bed_node(hints->h, XY_CUDA, 0)), 0);
	await_count(copies_in, FEW);
	assert_int_equal(copies_in(), FEW);
}

/* One more copy has started, and no other one before it. */
static void hints_one_more(void)
{
	await_count(copies_in, FEW + 1);
	assert_int_equal(copies_in(), FEW + 1);
	cudart_double_hold_copies(false);
}

/* All arrive in the end. */
static void hints_end(struct hints *hints, unsigned ncopies)
{
	assert_int_equal(helper_wait(hints->h), 0);
	for (unsigned i = 0; i < NHINTS; i++) {
		bed_unregister(hints->h, &hints->v[i]);
		xy_memory_free(hints->h->rt, hints->numbers[i]);
	}
	assert_int_equal(copies_in(), ncopies);
	assert_int_equal(bed_stop(hints->h, 0), 0);
}

static void what_a_task_needs_overtakes_hints(void **state)
{
	struct hints hints;
	struct xy_handle *w;
	uint32_t *numbers;

	(void)state;
	hints_give(&hints);
	numbers = xy_memory_allocate(hints.h->rt, MANY * sizeof(uint32_t));
	numbers[0] = 5;
	w = bed_vector(hints.h, numbers, MANY);
	bed_submit_on(hints.h, hints.worker, &bed_add, 7, w, NULL, NULL);
	hints_one_more();
	bed_unregister(hints.h, &w);
	assert_int_equal(numbers[0], 22);
	xy_memory_free(hints.h->rt, numbers);
	hints_end(&hints, NHINTS + 1);
}

static void a_hint_that_a_task_needs_overtakes_the_others(void **state)
{
	struct hints hints;
	struct xy_handle *sum;
	uint32_t last;

	(void)state;
	hints_give(&hints);
	sum = bed_vector(hints.h, NULL, MANY);
	bed_submit_on(hints.h, hints.worker, &bed_copy, 100, hints.v[NHINTS - 1], sum, NULL);
	hints_one_more();
	assert_int_equal(xy_acquire(sum, XY_R), 0);
	last = ((uint32_t *)xy_handle_pointer(sum))[MANY - 1];
	xy_release(sum);
	assert_int_equal(last, 100 + NHINTS - 1);
	bed_unregister(hints.h, &sum);
	hints_end(&hints, NHINTS);
}

/* --- memory --- */

/* Sizes change, so that what is kept for one does not fit the next. */
static void memory_of_other_sizes_is_made_without_waiting_for_the_device(void **state)
{
	struct xy_config config = { .arch[XY_CUDA].limit = "64K" };
	struct helper *h = bed_start(1, &config, false);
	unsigned device = bed_worker(h, XY_CUDA, 0);

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct xy_handle *v = bed_vector(h, NULL, 8000 + 100 * i);

		bed_submit_on(h, device, &bed_set, i, v, NULL, NULL);
		bed_submit_on(h, device, &bed_add, 1, v, NULL, NULL);
		assert_int_equal(xy_acquire(v, XY_R), 0);
		assert_int_equal(((uint32_t *)xy_handle_pointer(v))[5], 3 * (i + 5) + 1);
		xy_release(v);
		bed_unregister(h, &v);
	}
	assert_true(cudart_double_calls("cudaFreeAsync") > 0);
	assert_int_equal(cudart_double_calls("cudaFree"), 0);
	assert_int_equal(cudart_double_calls("cudaMalloc"), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_other_sizes_is_made_without_waiting_for_the_device),
		cmocka_unit_test(no_lock_is_held_while_a_driver_waits),
		cmocka_unit_test(no_lock_is_held_while_memory_is_pinned),
		cmocka_unit_test(what_a_task_needs_overtakes_hints),
		cmocka_unit_test(a_hint_that_a_task_needs_overtakes_the_others),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
