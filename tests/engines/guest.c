/* SPDX-License-Identifier: MIT */
/*
 * Threads that run tasks while they wait. Whether such a thread or a worker gets a task is a matter of time, so tests
 * try until they have seen it.
 */
#include "../helper.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "core/util/futex.h"

enum { ROUNDS = 200, THREADS = 3, SHORT = 50, PAUSE_NS = 300000 };
static const double patience_s = 60;

static struct helper *start(const char *sched, unsigned ncpu, enum xy_switch help)
{
	return helper_start_with(
		&(struct xy_config){ .sched = sched, .ncpu = ncpu, .bind = XY_NO, .help = help, .window = 64 });
}

static void pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = rand() % PAUSE_NS }, NULL);
}

/* --- who runs a task --- */

struct sight {
	pthread_t waiting; /* the thread that waits */
	_Atomic unsigned here, elsewhere;
};

static int see(struct xy_call *call)
{
	struct sight *sight = call->arg;

	atomic_fetch_add(pthread_equal(pthread_self(), sight->waiting) ? &sight->here : &sight->elsewhere, 1);
	return 0;
}

static int see_and_wait(struct xy_call *call)
{
	int error = see(call);

	return error ? error : xy_wait_children(call);
}

static const struct xy_codelet seen = { .name = "seen", .cpu = { see } };
static const struct xy_codelet nested = { .name = "nested", .cpu = { see_and_wait }, .parallel = XY_NESTED };

static void wait_for_one(struct helper *h, const struct xy_task_desc *desc)
{
	assert_int_equal(xy_submit(h->rt, desc), 0);
	assert_int_equal(xy_wait(h->rt), 0);
}

static void a_thread_that_waits_runs_tasks(void **state)
{
	(void)state;
	for (unsigned ncpu = 1; ncpu <= 2; ncpu++) {
		struct helper *h = start("tree-eager", ncpu, XY_YES);
		struct sight sight = { .waiting = pthread_self() };
		double end = xy__now() + patience_s;

		while (!atomic_load(&sight.here) && xy__now() < end) {
			wait_for_one(h, &(struct xy_task_desc){ .codelet = &seen, .arg = &sight });
			pause_a_moment();
		}
		assert_true(atomic_load(&sight.here) > 0);
		helper_stop(h);
	}
}

static void check_all_elsewhere(enum xy_switch help, const struct xy_task_desc *like)
{
	struct helper *h = start("tree-eager", 1, help);
	struct sight sight = { .waiting = pthread_self() };
	struct xy_task_desc desc = *like;

	desc.arg = &sight;
	for (unsigned i = 0; i < ROUNDS; i++) {
		wait_for_one(h, &desc);
		pause_a_moment();
	}
	assert_int_equal(atomic_load(&sight.here), 0);
	assert_int_equal(atomic_load(&sight.elsewhere), ROUNDS);
	helper_stop(h);
}

static void it_runs_none_unless_it_may(void **state)
{
	(void)state;
	check_all_elsewhere(XY_NO, &(struct xy_task_desc){ .codelet = &seen });
	check_all_elsewhere(XY_DEFAULT, &(struct xy_task_desc){ .codelet = &seen });
}

static void tasks_for_certain_workers_and_nested_ones_are_not_for_it(void **state)
{
	static const unsigned zero = 0;

	(void)state;
	check_all_elsewhere(XY_YES, &(struct xy_task_desc){ .codelet = &seen, .workers = &zero, .nworkers = 1 });
	check_all_elsewhere(XY_YES, &(struct xy_task_desc){ .codelet = &nested });
}

/* --- no task is lost --- */

static const char *const policies[] = { "tree-eager", "tree-ws", "tree-eager-prefetching", "tree-prio" };
enum { NPOLICIES = sizeof policies / sizeof policies[0] };

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

/* A task that is left behind, or a worker that nobody wakes, is a meeting that fails. */
static void as_many_tasks_meet_as_there_are_workers(void **state)
{
	static const struct xy_codelet meets = { .name = "meets", .cpu = { meet } };

	(void)state;
	for (unsigned i = 0; i < NPOLICIES; i++) {
		unsigned ncpu = 2 + i % 2;
		struct helper *h = start(i == 2 ? "tree-eager" : policies[i], ncpu, XY_YES);

		for (unsigned round = 0; round < SHORT; round++) {
			struct meeting meeting = { .expected = ncpu };

			for (unsigned k = 0; k < ncpu; k++)
				assert_int_equal(
					xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &meets, .arg = &meeting }),
					0);
			assert_int_equal(xy_wait(h->rt), 0);
			pause_a_moment();
		}
		helper_stop(h);
	}
}

/* What one of several threads does with the runtime. */
struct user {
	struct xy_runtime *rt;
	_Atomic int *failed;
	unsigned seed, sum;
	long value;
};

static int add(struct xy_call *call)
{
	++*(long *)xy_pointer(call, 0);
	return 0;
}

static const struct xy_codelet adds = { .name = "adds", .cpu = { add }, .modes = { XY_RW } };

/* Chains of tasks, longer than the window now and then, each followed by a wait. */
static void *use(void *arg)
{
	struct user *user = arg;
	struct xy_handle *h;
	uint64_t seed = user->seed;
	int status = xy_variable_register(user->rt, &h, &user->value, sizeof user->value);

	for (unsigned i = 0; i < SHORT && !status; i++) {
		unsigned n = (unsigned)(helper_random(&seed) % (i % 8 ? 10 : 200));

		for (unsigned k = 0; k < n; k++)
			status |= xy_submit(user->rt, &(struct xy_task_desc){ .codelet = &adds, .handles = { h } });
		user->sum += n;
		status |= xy_wait(user->rt);
		if (helper_random(&seed) % 2)
			pause_a_moment();
	}
	if (status || xy_unregister(&h))
		atomic_store(user->failed, 1);
	return NULL;
}

/* Meanwhile the policy is replaced again and again, for which the runtime is halted. */
static void threads_work_and_wait_while_policies_change(void **state)
{
	(void)state;
	for (unsigned ncpu = 1; ncpu <= 3; ncpu++) {
		struct helper *h = start("tree-eager", ncpu, XY_YES);
		struct user users[THREADS] = { 0 };
		pthread_t threads[THREADS];
		_Atomic int failed = 0;

		for (unsigned i = 0; i < THREADS; i++) {
			users[i] = (struct user){ .rt = h->rt, .failed = &failed, .seed = 10 * ncpu + i + 1 };
			assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
		}
		for (unsigned i = 0; i < SHORT; i++) {
			assert_int_equal(xy_set_policy(h->rt, policies[i % NPOLICIES]), 0);
			pause_a_moment();
		}
		for (unsigned i = 0; i < THREADS; i++) {
			assert_int_equal(pthread_join(threads[i], NULL), 0);
			assert_int_equal(users[i].value, users[i].sum);
		}
		assert_int_equal(atomic_load(&failed), 0);
		helper_stop(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_waits_runs_tasks),
		cmocka_unit_test(it_runs_none_unless_it_may),
		cmocka_unit_test(tasks_for_certain_workers_and_nested_ones_are_not_for_it),
		cmocka_unit_test(as_many_tasks_meet_as_there_are_workers),
		cmocka_unit_test(threads_work_and_wait_while_policies_change),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
