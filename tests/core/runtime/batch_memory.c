/* SPDX-License-Identifier: MIT */
/* Batches that get no memory for their lists: nothing leaks, and every failure is counted. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <xylem/batch.h>

enum { ITEMS = 256 };

static const char divided[] = "divide(items=64) | eager | each worker { best-implementation }";

static _Atomic bool no_memory;    /* while it is set, lists don't grow */
static _Atomic int made, dropped; /* results */

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

void *__wrap_realloc(void *memory, size_t bytes)
{
	return atomic_load(&no_memory) ? NULL : __real_realloc(memory, bytes);
}

static int make(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	(void)device;
	piece->result = malloc(1);
	if (!piece->result)
		return -ENOMEM;
	atomic_fetch_add(&made, 1);
	return 0;
}

static void drop(struct xy_batch_piece *piece)
{
	free(piece->result);
	atomic_fetch_add(&dropped, 1);
}

static int reduce(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	(void)arg;
	(void)pieces;
	(void)n;
	fail_msg("a batch that failed was reduced");
	return 0;
}

static void results_that_cannot_be_kept_are_discarded(void **state)
{
	struct helper *h = helper_start(divided, 1);
	const struct xy_batch_ops ops = { .work = make, .reduce = reduce, .discard = drop };
	int status;

	(void)state;
	atomic_store(&no_memory, true);
	status = xy_batch_run(h->rt, &ops, &(struct xy_batch){ .stop = ITEMS });
	atomic_store(&no_memory, false);
	assert_int_equal(status, -ENOMEM);
	assert_in_range(atomic_load(&made), 1, ITEMS / 64);
	assert_int_equal(atomic_load(&made), atomic_load(&dropped));
	xy_wait(h->rt);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

/* The first piece fails without memory for its error, the other one with. */
static int fail_in_turn(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	_Atomic int *inside = piece->arg;

	(void)device;
	atomic_fetch_add(inside, 1);
	while (atomic_load(inside) < 2)
		sched_yield();
	if (!piece->range.start)
		return -EIO;
	while (atomic_load(inside) < 3)
		sched_yield();
	return -EDOM;
}

static void forget_no_memory(void *arg, const char *line)
{
	(void)line;
	atomic_store(&no_memory, false);
	atomic_fetch_add((_Atomic int *)arg, 1); /* the first failure is noted */
}

static void errors_that_cannot_be_kept_are_counted(void **state)
{
	const struct xy_batch_ops ops = { .work = fail_in_turn, .reduce = reduce };
	_Atomic int inside = 0;
	struct xy_batch_error errors[2];
	struct xy_batch_job *job;
	struct xy_runtime *rt;

	(void)state;
	assert_int_equal(xy_start(&rt, &(struct xy_config){ .sched = divided,
							    .ncpu = 2,
							    .bind = XY_NO,
							    .log = forget_no_memory,
							    .log_arg = (void *)&inside,
							    .ignore_environment = true }),
			 0);
	atomic_store(&no_memory, true);
	assert_int_equal(xy_batch_submit(rt, &ops, &(struct xy_batch){ .stop = ITEMS, .arg = (void *)&inside }, &job),
			 0);
	assert_int_equal(xy_batch_wait(job), -EIO);
	assert_int_equal(xy_batch_errors(job, errors, 2), 2);
	assert_int_equal(errors[0].status, -EDOM);
	assert_int_equal(errors[0].range.start, 64);
	assert_int_equal(errors[1].status, 0);
	assert_int_equal(errors[1].range.stop, 0);
	xy_batch_release(job);
	xy_wait(rt);
	xy_stop(&rt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_that_cannot_be_kept_are_discarded),
		cmocka_unit_test(errors_that_cannot_be_kept_are_counted),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
