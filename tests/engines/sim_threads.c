/* SPDX-License-Identifier: MIT */
/*
 * Applications with several threads in a simulation: they submit, acquire and wait at the same time, and whoever waits
 * lets things happen for all. What they get depends on who is faster, but nothing is lost and nobody waits for ever.
 */
#include "sim_bed.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, TASKS = 400, DATA = 6 };

struct user {
	struct sim_bed *bed;
	unsigned id;
	struct xy_handle **shared;
	_Atomic int *callbacks;
	const char *why; /* what went wrong, or NULL */
};

static void expect(struct user *user, bool right, const char *what)
{
	if (!right && !user->why)
		user->why = what;
}

static void count_callback(void *arg, int status)
{
	if (!status)
		atomic_fetch_add((_Atomic int *)arg, 1);
}

static void user_submit(struct user *user, unsigned i, uint64_t *random)
{
	struct xy_handle *h = user->shared[helper_below(random, DATA)];
	const struct xy_codelet *const codelets[] = { &sim_read, &sim_update, &sim_commute, &sim_write };
	int error = xy_submit(user->bed->rt, &(struct xy_task_desc){ .codelet = codelets[helper_below(random, 4)],
								     .handles = { h },
								     .length_us = 1 + helper_below(random, 20),
								     .arg = SIM_MARK(user->id * TASKS + i),
								     .callback = count_callback,
								     .callback_arg = user->callbacks,
								     .priority = (int)helper_below(random, 5) });

	expect(user, !error, "xy_submit failed");
}

static void user_wait_for_one(struct user *user)
{
	struct xy_task *task;
	int error = xy_task_create(user->bed->rt, &(struct xy_task_desc){ .codelet = &sim_plain, .length_us = 3 },
				   &task);

	if (!error)
		error = xy_task_submit(task);
	if (!error)
		error = xy_task_wait(task);
	expect(user, !error, "waiting for a task failed");
	xy_task_release(task);
}

static void user_acquire(struct user *user, uint64_t *random)
{
	struct xy_handle *h = user->shared[helper_below(random, DATA)];

	expect(user, !xy_acquire(h, helper_below(random, 2) ? XY_R : XY_RW), "xy_acquire failed");
	sched_yield();
	expect(user, !xy_release(h), "xy_release failed");
}

static void *user_run(void *arg)
{
	struct user *user = arg;
	uint64_t random = 77 + user->id;
	unsigned nnodes = xy_machine_nnodes(xy_runtime_machine(user->bed->rt));

	for (unsigned i = 0; i < TASKS; i++) {
		user_submit(user, i, &random);
		switch (helper_below(&random, 40)) {
		case 0:
			expect(user, !xy_wait(user->bed->rt), "xy_wait failed");
			break;
		case 1:
			user_wait_for_one(user);
			break;
		case 2:
			user_acquire(user, &random);
			break;
		case 3:
			expect(user,
			       !xy_prefetch(user->shared[helper_below(&random, DATA)], helper_below(&random, nnodes)),
			       "xy_prefetch failed");
			break;
		}
	}
	expect(user, !xy_wait(user->bed->rt), "the last xy_wait failed");
	return NULL;
}

static void run_users(const char *machine, const char *sched, const struct xy_config *config)
{
	struct sim_bed *bed = sim_start(machine, sched, config);
	struct xy_handle *shared[DATA];
	struct user users[THREADS];
	pthread_t threads[THREADS];
	_Atomic int callbacks = 0;

	for (unsigned i = 0; i < DATA; i++)
		shared[i] = sim_vector(bed, 1000 * (i + 1));
	for (unsigned i = 0; i < THREADS; i++) {
		users[i] = (struct user){ .bed = bed, .id = i, .shared = shared, .callbacks = &callbacks };
		assert_int_equal(pthread_create(&threads[i], NULL, user_run, &users[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		if (users[i].why)
			fail_msg("thread %u with %s: %s", i, sched, users[i].why);
	}
	sim_wait(bed);
	assert_int_equal(atomic_load(&callbacks), THREADS * TASKS);
	for (unsigned i = 0; i < THREADS * TASKS; i++)
		assert_int_equal(bed->fates[i].ended, 1);
	for (unsigned i = 0; i < DATA; i++)
		sim_unregister(&shared[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void several_threads_use_one_simulation(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-ws", "tree-dmdas", "tree-random-prefetching" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++) {
		run_users(sim_two_cores, policies[i], NULL);
		run_users(sim_two_gpus, policies[i], NULL);
	}
}

static void several_threads_take_time_to_submit(void **state)
{
	(void)state;
	run_users(sim_two_gpus, "tree-eager", &(struct xy_config){ .sim_submit_us = 0.5, .window = 32 });
}

/* --- one waits for what the other one does --- */

struct later {
	struct sim_bed *bed;
	struct xy_handle *handle;
	struct xy_task *task;
	pthread_barrier_t held;
};

static void pause_a_little(void)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	nanosleep(&pause, NULL);
}

static void *release_later(void *arg)
{
	struct later *later = arg;

	pause_a_little();
	assert_int_equal(xy_release(later->handle), 0);
	return NULL;
}

static void *hold_a_while(void *arg)
{
	struct later *later = arg;

	assert_int_equal(xy_acquire(later->handle, XY_RW), 0);
	pthread_barrier_wait(&later->held);
	return release_later(arg);
}

static void *submit_later(void *arg)
{
	struct later *later = arg;

	pause_a_little();
	assert_int_equal(xy_task_submit(later->task), 0);
	return NULL;
}

static void waiting_goes_on_until_another_thread_releases(void **state)
{
	struct later later = { .bed = sim_start(sim_two_gpus, "tree-eager", NULL) };
	struct sim_bed *bed = later.bed;
	pthread_t thread;

	(void)state;
	later.handle = sim_vector(bed, 1000);
	assert_int_equal(xy_acquire(later.handle, XY_RW), 0);
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_update, .handles = { later.handle });
	assert_int_equal(pthread_create(&thread, NULL, release_later, &later), 0);
	assert_int_equal(xy_wait(bed->rt), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(bed->fates[0].ended, 1);
	assert_int_equal(pthread_barrier_init(&later.held, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, hold_a_while, &later), 0);
	pthread_barrier_wait(&later.held);
	sim_unregister(&later.handle); /* which waits for the other one too */
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_barrier_destroy(&later.held);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void waiting_goes_on_until_another_thread_submits(void **state)
{
	struct later later = { .bed = sim_start(sim_two_cores, "tree-eager", NULL) };
	struct sim_bed *bed = later.bed;
	struct xy_task *last;
	pthread_t thread;

	(void)state;
	later.task = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 10);
	last = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 10, .after = &later.task, .nafter = 1);
	assert_int_equal(xy_task_submit(last), 0);
	assert_int_equal(pthread_create(&thread, NULL, submit_later, &later), 0);
	assert_int_equal(helper_wait_task(bed->h, last), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	sim_assert_us(sim_now_us(bed), 20);
	xy_task_release(last);
	xy_task_release(later.task);
	assert_int_equal(sim_stop(bed, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_threads_use_one_simulation),
		cmocka_unit_test(several_threads_take_time_to_submit),
		cmocka_unit_test(waiting_goes_on_until_another_thread_releases),
		cmocka_unit_test(waiting_goes_on_until_another_thread_submits),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
