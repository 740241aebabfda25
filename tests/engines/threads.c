/* SPDX-License-Identifier: MIT */
/*
 * Workers that sleep: none may sleep while a task that it can run waits in a queue. The tasks here wait
 * for each other, so that one that is left behind is seen as a meeting that fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <xylem.h>
#include "core/util/futex.h"

enum { ROUNDS = 60, PAUSE_NS = 300000 };
static const double patience_s = 20;

struct meeting {
	_Atomic unsigned present;
	unsigned expected;
};

static int meet(struct xy_call *call)
{
	struct meeting *meeting = call->arg;
	double end = xy__now() + patience_s;

	atomic_fetch_add(&meeting->present, 1);
	while (atomic_load(&meeting->present) < meeting->expected) {
		if (xy__now() > end)
			return -ETIMEDOUT;
		sched_yield();
	}
	return 0;
}

static const struct xy_codelet meet_codelet = { .name = "meet", .cpu = { meet } };

static void ignore_line(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static struct xy_runtime *start(const char *sched, unsigned ncpu)
{
	const struct xy_config config = { .sched = sched,
					  .ncpu = ncpu,
					  .bind = XY_NO,
					  .log = ignore_line,
					  .arch[XY_CUDA].devices = "none",
					  .arch[XY_OPENCL].devices = "none",
					  .ignore_environment = true };
	struct xy_runtime *rt;

	assert_int_equal(xy_start(&rt, &config), 0);
	return rt;
}

/* Sometimes long enough for the workers to fall asleep, or for some of them. */
static void pause_sometimes(void)
{
	struct timespec pause = { 0, rand() % PAUSE_NS };

	if (rand() % 2)
		nanosleep(&pause, NULL);
}

static void meet_under(const char *sched, unsigned nworkers)
{
	struct xy_runtime *rt = start(sched, nworkers);

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct meeting meeting = { .expected = nworkers };

		for (unsigned i = 0; i < nworkers; i++)
			assert_int_equal(
				xy_submit(rt, &(struct xy_task_desc){ .codelet = &meet_codelet, .arg = &meeting }), 0);
		assert_int_equal(xy_wait(rt), 0);
		pause_sometimes();
	}
	assert_int_equal(xy_stop(&rt), 0);
}

static void as_many_tasks_meet_as_there_are_workers(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-prio", "tree-ws" };

	(void)state;
	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		for (unsigned nworkers = 2; nworkers <= 4; nworkers++)
			meet_under(policies[i], nworkers);
}

/* Which of the two is woken for which task, and which task it then finds first, differs from round to round. */
static void a_task_for_some_workers_meets_one_for_all(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-prio", "tree-ws" };
	static const unsigned some[] = { 0, 1 };

	(void)state;
	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct xy_runtime *rt = start(policies[i], 3);

		for (unsigned round = 0; round < ROUNDS; round++) {
			struct meeting meeting = { .expected = 2 };
			struct xy_task_desc free = { .codelet = &meet_codelet, .arg = &meeting }, pinned = free;

			pinned.workers = some;
			pinned.nworkers = 2;
			assert_int_equal(xy_submit(rt, &free), 0);
			assert_int_equal(xy_submit(rt, &pinned), 0);
			assert_int_equal(xy_wait(rt), 0);
			pause_sometimes();
		}
		assert_int_equal(xy_stop(&rt), 0);
	}
}

/* Submits a task that only this worker can run. */
static int submit_here(struct xy_call *call)
{
	return xy_submit(call->runtime,
			 &(struct xy_task_desc){
				 .codelet = &meet_codelet, .arg = call->arg, .workers = &call->worker, .nworkers = 1 });
}

/* The end of `first` releases a task that its worker offers to itself, but there is an older one for it. */
static void a_task_that_a_worker_keeps_for_itself_is_not_left(void **state)
{
	static const struct xy_codelet submit_codelet = { .name = "submit here", .cpu = { submit_here } };
	static const char *const policies[] = { "tree-eager", "tree-prio" };
	static const unsigned zero = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct xy_runtime *rt = start(policies[i], 2);

		for (unsigned round = 0; round < ROUNDS; round++) {
			struct meeting meeting = { .expected = 2 };
			struct xy_task *first;

			assert_int_equal(xy_task_create(rt,
							&(struct xy_task_desc){ .codelet = &submit_codelet,
										.arg = &meeting,
										.workers = &zero,
										.nworkers = 1 },
							&first),
					 0);
			assert_int_equal(xy_submit(rt, &(struct xy_task_desc){ .codelet = &meet_codelet,
									       .arg = &meeting,
									       .after = &first,
									       .nafter = 1 }),
					 0);
			assert_int_equal(xy_task_submit(first), 0);
			xy_task_release(first);
			assert_int_equal(xy_wait(rt), 0);
			pause_sometimes();
		}
		assert_int_equal(xy_stop(&rt), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_tasks_meet_as_there_are_workers),
		cmocka_unit_test(a_task_for_some_workers_meets_one_for_all),
		cmocka_unit_test(a_task_that_a_worker_keeps_for_itself_is_not_left),
	};
	unsigned seed = (unsigned)time(NULL);

	printf("# seed %u\n", seed);
	srand(seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
