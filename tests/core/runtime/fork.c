/* SPDX-License-Identifier: MIT */
/* A runtime and the process it is in: children made by fork, threads that the system refuses. */
#include "../../helper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* The address sanitizer's allocator has locks that it doesn't release in a child, so that one of several may hang. */
enum { CHILD_SECONDS = 20, CHILD_TRIES = __has_feature(address_sanitizer) ? 6 : 1 };

/* The number of the first call that a child gets a wrong answer from; 0: all are right. */
static int child_calls(struct helper *h, struct xy_task *task, struct xy_handle *x)
{
	struct xy_task_desc desc = { .codelet = &helper_count };
	struct xy_runtime *rt = h->rt, *own;
	struct xy_task *made;
	_Atomic int n = 0;

	desc.arg = &n;
	if (xy_submit(rt, &desc) != -ESHUTDOWN)
		return 1;
	if (xy_task_create(rt, &desc, &made) != -ESHUTDOWN || made)
		return 2;
	if (xy_task_submit(task) != -ESHUTDOWN || xy_task_wait(task) != -EINVAL)
		return 3;
	xy_task_release(task);
	if (xy_wait(rt) != -ESHUTDOWN || xy_wait_for(rt, 1) != -ESHUTDOWN)
		return 4;
	if (xy_acquire(x, XY_R) != -ESHUTDOWN || xy_unregister(&x) != -ESHUTDOWN)
		return 5;
	if (xy_stop(&rt) != -ESHUTDOWN || rt != h->rt)
		return 6;
	if (xy_start(&own, &(struct xy_config){ .ncpu = 1, .ignore_environment = true }) || xy_submit(own, &desc) ||
	    xy_wait(own) || n != 1 || xy_stop(&own))
		return 7;
	return 0;
}

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static int child_status(struct helper *h, struct xy_task *task, struct xy_handle *x)
{
	int status = SIGALRM;

	for (unsigned i = 0; i < CHILD_TRIES && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM; i++) {
		pid_t child = fork();

		if (child == 0) {
			alarm(CHILD_SECONDS);
			_exit(child_calls(h, task, x));
		}
		assert_true(child > 0);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_child_is_refused_and_the_parent_continues(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct gate gate = { 0 };
	struct xy_handle *x;
	struct xy_task *task;
	_Atomic int n = 0;

	(void)state;
	/* A thread that begins may have a lock of the address sanitizer's allocator, which a child would never get. */
	assert_int_equal(xy_on_each_worker(h->rt, XY_ON_CPU, nothing, NULL), 0);
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n);
	assert_int_equal(child_status(h, task, x), 0);
	helper_block(h, &gate); /* a task that runs at the fork */
	assert_int_equal(child_status(h, task, x), 0);
	helper_open(&gate);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 1);
	xy_task_release(task);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_simulation_continues_in_a_child(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = "cpu:2" });
	pid_t child;
	int status;

	(void)state;
	child = fork();
	if (child == 0) {
		alarm(CHILD_SECONDS);
		_exit(xy_wait(h->rt) != 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(helper_stop(h), 0);
}

/* No stack can be as large. */
static void says_that_a_thread_can_not_be_created(void **state)
{
	pthread_attr_t large, old;
	struct helper *h;
	int error;

	(void)state;
	assert_int_equal(pthread_getattr_default_np(&old), 0);
	assert_int_equal(pthread_attr_init(&large), 0);
	assert_int_equal(pthread_attr_setstacksize(&large, (size_t)1 << 50), 0);
	assert_int_equal(pthread_setattr_default_np(&large), 0);
	h = helper_try(&(struct xy_config){ .ncpu = 2 }, &error);
	assert_int_equal(pthread_setattr_default_np(&old), 0);
	pthread_attr_destroy(&large);
	pthread_attr_destroy(&old);
	assert_int_equal(error, -EAGAIN);
	assert_null(h->rt);
	helper_one_line(h, "the thread of worker cpu0 can't be created");
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_is_refused_and_the_parent_continues),
		cmocka_unit_test(a_simulation_continues_in_a_child),
		cmocka_unit_test(says_that_a_thread_can_not_be_created),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
