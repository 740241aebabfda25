/* SPDX-License-Identifier: MIT */
/* Kernels of one worker on several streams: those that are known to be short run at the same time. */
#include "../core/data/bed.h"

#include <stdatomic.h>
#include <time.h>
#include <xylem/cuda.h>

#include "../double/cudart_double.h"

enum { STREAMS = 4, ROUNDS = 5, PATIENCE_MS = 60000, SOME_MS = 20 };

static _Atomic unsigned running, most, arrived;

static void pause_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000l }, NULL);
}

static void meet_begin(void)
{
	unsigned now = atomic_fetch_add(&running, 1) + 1, before = atomic_load(&most);

	while (before < now && !atomic_compare_exchange_weak(&most, &before, now))
		;
}

/* Waits until all streams have one: they come only if all may run at the same time. */
static void meet_kernel(void *args)
{
	unsigned round = atomic_fetch_add(&arrived, 1) / STREAMS;

	(void)args;
	meet_begin();
	for (unsigned ms = 0; ms < PATIENCE_MS && atomic_load(&arrived) < (round + 1) * STREAMS; ms++)
		pause_ms(1);
	atomic_fetch_sub(&running, 1);
}

static void linger_kernel(void *args)
{
	(void)args;
	meet_begin();
	pause_ms(SOME_MS);
	atomic_fetch_sub(&running, 1);
}

static int meet_cuda(struct xy_call *call)
{
	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), meet_kernel, &call->worker, 1));
}

static int linger_cuda(struct xy_call *call)
{
	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), linger_kernel, &call->worker, 1));
}

static const struct xy_codelet meet = { .name = "meet", .cuda = { meet_cuda } };
static const struct xy_codelet linger = { .name = "linger", .cuda = { linger_cuda } };
static const struct xy_codelet linger_scratch = { .name = "linger", .cuda = { linger_cuda }, .modes = { XY_SCRATCH } };

static struct helper *start(unsigned streams)
{
	struct helper *h = bed_start(1, &(struct xy_config){ .arch[XY_CUDA].streams = streams }, false);

	running = most = arrived = 0;
	return h;
}

static void submit(struct helper *h, const struct xy_codelet *codelet, double length_us, struct xy_handle *v)
{
	unsigned worker = bed_worker(h, XY_CUDA, 0);

	HELPER_SUBMIT(h, .codelet = codelet, .length_us = length_us, .workers = &worker, .nworkers = 1,
		      .handles = { v });
}

static void short_kernels_run_at_the_same_time(void **state)
{
	struct helper *h = start(STREAMS);

	(void)state;
	for (unsigned i = 0; i < ROUNDS * STREAMS; i++)
		submit(h, &meet, 10, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(most, STREAMS);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* The most that ran at the same time. */
static unsigned most_of(unsigned streams, const struct xy_codelet *codelet, double length_us, bool scratch)
{
	struct helper *h = start(streams);
	struct xy_handle *v = scratch ? bed_vector(h, NULL, 16) : NULL;

	for (unsigned i = 0; i < 2 * STREAMS; i++)
		submit(h, codelet, length_us, v);
	assert_int_equal(helper_wait(h), 0);
	if (v)
		bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
	return most;
}

static void others_run_one_after_the_other(void **state)
{
	(void)state;
	assert_int_equal(most_of(1, &linger, 10, false), 1);
	assert_int_equal(most_of(STREAMS, &linger, 1e6, false), 1);
	assert_int_equal(most_of(STREAMS, &linger, 0, false), 1);
	assert_int_equal(most_of(STREAMS, &linger_scratch, 10, true), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_kernels_run_at_the_same_time),
		cmocka_unit_test(others_run_one_after_the_other),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
