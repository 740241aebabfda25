/* SPDX-License-Identifier: MIT */
/* The components of examples/component that use hooks, in real and in virtual time. */
#include "../helper.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { TASKS = 60, WORKERS = 3 };

static struct helper *start_with(bool simulated, const char *sched, unsigned nworkers)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = sched,
				     .plugins = PLUGINS,
				     .ncpu = simulated ? 0 : nworkers,
				     .sim = simulated ? nworkers == 1 ? "cpu:1" : "cpu:3" : NULL });

	helper_forget(h); /* workers may share cores */
	return h;
}

static struct helper *start(bool simulated, const char *sched)
{
	return start_with(simulated, sched, WORKERS);
}

/* --- rate --- */

static void keep_the_rate(bool simulated, const char *sched)
{
	struct helper *h = start(simulated, sched);
	double begin_s = xy_now(h->rt), elapsed_us;
	_Atomic int count = 0;

	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 10);
	assert_int_equal(helper_wait(h), 0);
	elapsed_us = (xy_now(h->rt) - begin_s) * 1e6;
	/* Each worker may have been let through at the same moment; on the average there is one task in 200 us. */
	assert_true(elapsed_us >= (TASKS - WORKERS) * 200.0);
	if (simulated)
		assert_true(fabs(elapsed_us - ((TASKS - 1) * 200.0 + 10)) < TASKS);
	assert_int_equal(helper_stop(h), 0);
}

static void a_rate_is_kept(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		keep_the_rate(simulated, "fifo | rate(per_second=5000) | eager | each worker { }");
		keep_the_rate(simulated, "fifo | rate(per_second=5000) | eager | each worker { fifo(ntasks=2) }");
	}
}

static void a_rate_holds_nothing_back_for_ever(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		struct helper *h = start(simulated, "prio | rate(per_second=1e5) | eager | each worker { }");
		_Atomic int count = 0;

		for (unsigned i = 0; i < TASKS; i++) {
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 1,
				      .workers = (const unsigned[]){ i % WORKERS }, .nworkers = i % 2);
			if (i % 8 == 0)
				assert_int_equal(helper_wait(h), 0);
		}
		assert_int_equal(helper_stop(h), 0);
	}
}

/* --- limit --- */

static _Atomic int inside, most;

static int enter_body(struct xy_call *call)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	int now = atomic_fetch_add(&inside, 1) + 1, seen = atomic_load(&most);

	(void)call;
	while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now))
		;
	nanosleep(&pause, NULL);
	atomic_fetch_sub(&inside, 1);
	return 0;
}

static const struct xy_codelet enter = { .name = "enter", .cpu = { enter_body } };

static void limit_the_tasks(bool simulated, const char *sched)
{
	struct helper *h = start(simulated, sched);

	atomic_store(&most, 0);
	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &enter, .length_us = 10, .workers = (const unsigned[]){ i % WORKERS },
			      .nworkers = i % 5 == 0);
	assert_int_equal(helper_wait(h), 0);
	assert_true(most <= 2);
	if (simulated) /* two at a time, and a microsecond until a tick */
		assert_true(xy_now(h->rt) * 1e6 >= TASKS / 2 * 10 && xy_now(h->rt) * 1e6 < TASKS / 2 * 20);
	assert_int_equal(helper_stop(h), 0);
}

static void no_more_than_so_many_are_in_flight(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		limit_the_tasks(simulated, "fifo | limit(ntasks=2) | eager | each worker { }");
		limit_the_tasks(simulated, "fifo | limit(ntasks=2) | eager | each worker { fifo(ntasks=2) }");
	}
}

static void failed_tasks_are_no_longer_in_flight(void **state)
{
	struct helper *h = start(false, "fifo | limit(ntasks=1) | eager | each worker { }");
	_Atomic int count = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		HELPER_SUBMIT(h, .codelet = &helper_fail, .retries = 2);
	assert_int_equal(helper_wait(h), -EIO);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(count, 1);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

/* --- bandit --- */

static _Atomic int nrun[WORKERS];

static int uneven_body(struct xy_call *call)
{
	const struct timespec pause = { .tv_nsec = 4000000 };

	if (call->worker != 1)
		nanosleep(&pause, NULL);
	atomic_fetch_add(&nrun[call->worker], 1);
	return 0;
}

static const struct xy_codelet uneven = { .name = "uneven", .cpu = { uneven_body } };

static void the_bandit_learns_which_worker_is_fast(void **state)
{
	struct helper *h = start(false, "fifo | bandit | each worker { fifo(ntasks=2) }");

	(void)state;
	for (unsigned i = 0; i < 4 * TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &uneven);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(nrun[0] + nrun[1] + nrun[2], 4 * TASKS);
	assert_true(nrun[1] > nrun[0] + nrun[2]);
	assert_int_equal(helper_stop(h), 0);
}

static void count_worker(void *arg, const struct xy_report *report)
{
	((unsigned *)arg)[report->worker]++;
}

/* A GPU of this machine is 31 times as fast. */
static void the_bandit_learns_which_device_is_fast(void **state)
{
	unsigned runs[16] = { 0 };
	struct xy_watch watch = { .arg = runs, .ended = count_worker };
	static const struct xy_codelet both = { .name = "uneven", .cpu = { uneven_body }, .cuda = { uneven_body } };
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = "fifo | bandit | each worker { fifo(ntasks=2) }",
				     .plugins = PLUGINS,
				     .machines = MACHINES,
				     .sim = "mirage",
				     .watch = &watch });
	unsigned cpus = 0, gpus = 0;

	(void)state;
	for (unsigned i = 0; i < 20 * TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &both, .length_us = 100);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < xy_machine_nworkers(xy_runtime_machine(h->rt)); i++)
		*(xy_machine_worker(xy_runtime_machine(h->rt), i)->arch == XY_CPU ? &cpus : &gpus) += runs[i];
	assert_int_equal(cpus + gpus, 20 * TASKS);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	assert_true(gpus > cpus);
}

/* --- edf --- */

struct order {
	unsigned n, tasks[TASKS];
};

struct mark {
	struct order *order;
	unsigned i;
};

static void mark_end(void *arg, int status)
{
	const struct mark *mark = arg;

	assert_int_equal(status, 0);
	mark->order->tasks[mark->order->n++] = mark->i;
}

static void the_earliest_deadline_comes_first(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		struct helper *h = start_with(simulated, "edf | eager | each worker { }", 1);
		struct order order = { 0 };
		struct mark marks[TASKS];
		struct gate gate = { 0 };
		_Atomic int count = 0;

		if (!simulated)
			helper_block(h, &gate);
		for (unsigned i = 0; i < TASKS; i++) {
			marks[i] = (struct mark){ &order, i };
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 5,
				      .deadline_s = i ? 1000 - (double)(i * 7 % TASKS) : 0, .callback = mark_end,
				      .callback_arg = &marks[i]);
		}
		helper_open(&gate);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(order.n, TASKS);
		for (unsigned i = 1; i + 1 < TASKS; i++)
			assert_true(order.tasks[i - 1] * 7 % TASKS > order.tasks[i] * 7 % TASKS);
		assert_int_equal(order.tasks[TASKS - 1], 0);
		assert_int_equal(helper_stop(h), 0);
	}
}

/* --- buffer --- */

static void a_buffer_loses_nothing(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		struct helper *h = start(simulated,
					 "fifo | buffer(ntasks=3) | random | each worker { buffer(ntasks=1) }");
		_Atomic int count = 0;

		for (unsigned i = 0; i < 10 * TASKS; i++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 3);
		assert_int_equal(helper_stop(h), 0);
		assert_int_equal(count, simulated ? 0 : 10 * TASKS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(a_rate_holds_nothing_back_for_ever),
		cmocka_unit_test(no_more_than_so_many_are_in_flight),
		cmocka_unit_test(failed_tasks_are_no_longer_in_flight),
		cmocka_unit_test(the_bandit_learns_which_worker_is_fast),
		cmocka_unit_test(the_bandit_learns_which_device_is_fast),
		cmocka_unit_test(the_earliest_deadline_comes_first),
		cmocka_unit_test(a_buffer_loses_nothing),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
