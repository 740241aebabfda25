/* SPDX-License-Identifier: MIT */
/* Groups and tags are empty when their tasks have ended, however they have; events tell poll loops. */
#include "../../helper.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static struct xy_group *group_of(struct helper *h)
{
	struct xy_group *group;

	assert_int_equal(xy_group_create(h->rt, &group), 0);
	return group;
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) == 1 && (poll_fd.revents & POLLIN);
}

static void waits_for_its_own_tasks_only(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_group *group = group_of(h);
	struct gate gate = { 0 };
	_Atomic int n = 0;

	(void)state;
	assert_int_equal(xy_group_status(group), 0);
	assert_int_equal(xy_group_wait(group), 0);
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate);
	helper_reach(h, &gate.inside, 1);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(i % 2 ? xy_insert(h->rt, &helper_count, xy_arg((void *)&n), xy_into(group))
				       : xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &helper_count,
										  .arg = &n,
										  .group = group }),
				 0);
	assert_int_equal(xy_group_wait_for(group, 60), 0);
	assert_int_equal(n, 100);
	assert_int_equal(xy_group_status(group), 0);
	assert_int_equal(xy_submit(h->rt,
				   &(struct xy_task_desc){
					   .codelet = &helper_count, .arg = &n, .group = group, .synchronous = true }),
			 0);
	assert_int_equal(n, 101);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	xy_group_free(group);
	assert_int_equal(helper_stop(h), 0);
}

static void tells_while_tasks_are_left(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_group *group = group_of(h);
	struct gate gate = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .group = group);
	assert_int_equal(xy_group_status(group), -EINPROGRESS);
	assert_int_equal(xy_group_wait_for(group, 0), -ETIMEDOUT);
	assert_int_equal(xy_group_wait_for(group, 0.01), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(xy_group_wait_for(group, 60), 0);
	xy_group_free(group);
	assert_int_equal(helper_stop(h), 0);
}

static void reports_the_first_failure_once(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_group *group = group_of(h), *other = group_of(h);
	struct xy_handle *x;
	_Atomic int n = 0;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = XY_ACCESSES({ x, XY_W }), .group = group);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES({ x, XY_R }), .group = group);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES({ x, XY_R }), .group = other);
	assert_int_equal(xy_group_wait_for(group, 60), -EIO);
	assert_int_equal(xy_group_wait_for(group, 60), 0);
	assert_int_equal(xy_group_wait_for(other, 60), -ECANCELED);
	assert_int_equal(n, 0);
	assert_int_equal(helper_wait(h), -EIO);
	xy_unregister(&x);
	xy_group_free(group);
	xy_group_free(other);
	assert_int_equal(helper_stop(h), 0);
}

/* It is empty when the callback of the last task has been called, and may be given up before. */
static void may_be_given_up_while_tasks_run(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_group *group = group_of(h);
	struct gate gate = { 0 };
	int status = 1;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .group = group, .callback = helper_status,
		      .callback_arg = &status);
	xy_group_free(group);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(status, 0);
	xy_group_free(NULL);
	assert_int_equal(helper_stop(h), 0);
}

static void a_task_enters_each_time_it_is_submitted(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_group *group = group_of(h);
	struct xy_task *task, *never;
	_Atomic int n = 0;

	(void)state;
	task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n, .group = group);
	never = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n, .group = group);
	assert_int_equal(xy_group_status(group), 0);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(xy_task_submit(task), 0);
		assert_int_equal(xy_group_wait_for(group, 60), 0);
		assert_int_equal(n, i);
		assert_int_equal(helper_wait_task(h, task), 0);
	}
	xy_group_free(group); /* before the tasks */
	assert_int_equal(xy_task_submit(task), 0);
	xy_task_release(task);
	xy_task_release(never);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 4);
	assert_int_equal(helper_stop(h), 0);
}

static void a_refused_task_does_not_enter(void **state)
{
	static const struct xy_codelet nowhere = { .name = "nowhere" };
	struct helper *h = helper_start("tree-eager", 1), *other = helper_start("tree-eager", 1);
	struct xy_group *group = group_of(h), *foreign = group_of(other);

	(void)state;
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &nowhere, .group = group }), -ENODEV);
	helper_one_line(h, "no worker can run it");
	assert_int_equal(xy_group_wait_for(group, 60), 0);
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .group = foreign }), -EINVAL);
	helper_one_line(h, "its group belongs to another runtime");
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .group = group, .tag = 1 }), -EINVAL);
	helper_one_line(h, "it has both a group and a tag");
	xy_group_free(group);
	xy_group_free(foreign);
	assert_int_equal(helper_stop(h), 0);
	assert_int_equal(helper_stop(other), 0);
}

struct inside {
	struct xy_group *group;
	int status;
};

static int wait_body(struct xy_call *call)
{
	struct inside *inside = call->arg;

	inside->status = xy_group_wait(inside->group);
	return 0;
}

static void a_codelet_can_not_wait(void **state)
{
	static const struct xy_codelet wait = { .name = "wait", .cpu = { wait_body } };
	struct helper *h = helper_start("tree-eager", 1);
	struct inside inside = { group_of(h), 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &wait, .arg = &inside);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(inside.status, -EDEADLK);
	helper_one_line(h, "can't wait for a group");
	assert_int_equal(xy_group_wait(NULL), -EINVAL);
	xy_group_free(inside.group);
	assert_int_equal(helper_stop(h), 0);
}

/* --- tags --- */

static void a_tag_stands_for_all_tasks_that_have_it(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct gate gate = { 0 };
	_Atomic int n = 0;

	(void)state;
	assert_int_equal(xy_tag_wait(h->rt, 7), 0);
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .tag = 8);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(xy_insert(h->rt, &helper_count, xy_arg((void *)&n), xy_tag(100 + i % 250)), 0);
	for (unsigned i = 0; i < 250; i++)
		assert_int_equal(xy_tag_wait_for(h->rt, 100 + i, 60), 0);
	assert_int_equal(n, 500);
	assert_int_equal(xy_tag_wait_for(h->rt, 8, 0.001), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(xy_tag_wait_for(h->rt, 8, 60), 0);
	assert_int_equal(xy_tag_wait(h->rt, 0), -EINVAL);
	helper_one_line(h, "a tag can't be 0");
	assert_int_equal(helper_stop(h), 0);
}

static void a_failure_is_kept_for_who_asks_later(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_task *task;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_fail, .tag = 5);
	HELPER_SUBMIT(h, .codelet = &helper_fail, .tag = 6); /* nobody asks */
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_tag_wait(h->rt, 5), -EIO);
	assert_int_equal(xy_tag_wait(h->rt, 5), 0);
	task = HELPER_CREATE(h, .codelet = &helper_fail, .tag = 9);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_tag_wait_for(h->rt, 9, 60), -EIO);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_tag_wait_for(h->rt, 9, 60), -EIO);
	xy_task_release(task);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(helper_stop(h), 0);
}

/* --- events --- */

static void an_event_tells_that_a_group_is_empty(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_group *group = group_of(h);
	struct gate gate = { 0 };
	int fd = xy_group_eventfd(group);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(xy_group_eventfd(group), fd);
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .group = group);
	assert_false(is_readable(fd, 0));
	helper_open(&gate);
	assert_true(is_readable(fd, 60000));
	assert_int_equal(xy_group_wait(group), 0);
	assert_false(is_readable(fd, 0));
	xy_group_free(group);

	group = group_of(h); /* asked for when all is over */
	HELPER_SUBMIT(h, .codelet = &helper_fail, .group = group);
	assert_int_equal(helper_wait(h), -EIO);
	assert_true(is_readable(xy_group_eventfd(group), 60000));
	assert_int_equal(xy_group_status(group), -EIO);
	xy_group_free(group);
	assert_int_equal(helper_stop(h), 0);
}

static void an_event_tells_that_a_task_has_ended(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct gate gate = { 0 };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);
	int early, closed, late;

	(void)state;
	assert_int_equal(xy_task_eventfd(task), -EINVAL);
	helper_one_line(h, "was not submitted");
	assert_int_equal(xy_task_eventfd(NULL), -EINVAL);
	assert_int_equal(xy_task_submit(task), 0);
	early = xy_task_eventfd(task);
	closed = xy_task_eventfd(task);
	assert_true(early >= 0 && closed >= 0);
	assert_int_equal(close(closed), 0);
	assert_false(is_readable(early, 0));
	helper_open(&gate);
	assert_true(is_readable(early, 60000));
	assert_int_equal(helper_wait_task(h, task), 0);
	late = xy_task_eventfd(task);
	assert_true(is_readable(late, 0));
	close(early);
	close(late);
	xy_task_release(task);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- many threads --- */

enum { THREADS = 3 };

struct storm {
	struct helper *h;
	struct xy_group *shared;
	uint64_t seed;
	unsigned rounds;
	_Atomic int n;
	int error;
};

/* Groups of its own, one that all share, and tags, in any order; some tasks fail. */
static void *storm_thread(void *arg)
{
	struct storm *storm = arg;
	uint64_t seed = storm->seed;

	for (unsigned i = 0; i < storm->rounds && !storm->error; i++) {
		unsigned ntasks = 1 + helper_below(&seed, 20);
		bool fails = helper_below(&seed, 4) == 0, waits = helper_below(&seed, 3);
		struct xy_group *group;
		int status = 0;

		storm->error = xy_group_create(storm->h->rt, &group);
		for (unsigned j = 0; j < ntasks && !storm->error; j++)
			storm->error = xy_insert(storm->h->rt, fails && j == ntasks / 2 ? &helper_fail : &helper_count,
						 xy_arg((void *)&storm->n),
						 j % 3 == 2 ? xy_tag(1 + helper_below(&seed, 4))
							    : xy_into(j % 3 ? storm->shared : group));
		if (waits)
			status = xy_group_wait_for(group, 60);
		if (!storm->error && status && (status != -EIO || !fails))
			storm->error = status;
		if (helper_below(&seed, 8) == 0 && xy_tag_wait_for(storm->h->rt, 1 + helper_below(&seed, 4), 60) > 0)
			storm->error = -EPROTO;
		xy_group_free(group);
	}
	return NULL;
}

static void bears_threads_that_share_groups_and_tags(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_group *shared = group_of(h);
	struct storm storms[THREADS];
	pthread_t threads[THREADS];
	const uint64_t seed = 20261118; /* each thread adds its number */

	(void)state;
	for (unsigned i = 0; i < THREADS; i++) {
		storms[i] = (struct storm){ .h = h, .shared = shared, .seed = seed + i, .rounds = helper_scale(300) };
		assert_int_equal(pthread_create(&threads[i], NULL, storm_thread, &storms[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(storms[i].error, 0);
	xy_group_wait_for(shared, 60);
	assert_int_equal(xy_group_status(shared), 0);
	xy_group_free(shared);
	xy_wait_for(h->rt, 60);
	assert_int_equal(helper_stop(h), 0);
}

/* --- in a simulation --- */

static void works_in_a_simulation_but_for_events(void **state)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sim = "mirage", .machines = TEST_MACHINES, .sched = "tree-eager" });
	struct xy_group *group = group_of(h);
	struct xy_task *task;
	double begin = xy_now(h->rt);

	(void)state;
	for (unsigned i = 0; i < 24; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .length_us = 1000, .group = group);
	HELPER_SUBMIT(h, .codelet = &helper_count, .length_us = 1e6, .tag = 3);
	assert_int_equal(xy_group_status(group), -EINPROGRESS);
	assert_int_equal(xy_group_wait_for(group, 1e-6), -ETIMEDOUT);
	assert_int_equal(xy_group_wait(group), 0);
	assert_true(xy_now(h->rt) - begin < 0.5);
	assert_int_equal(xy_tag_wait(h->rt, 3), 0);
	assert_true(xy_now(h->rt) - begin >= 1);
	assert_int_equal(xy_group_eventfd(group), -ENOTSUP);
	helper_one_line(h, "in a simulation time passes only while a thread waits: use xy_group_wait");
	task = HELPER_CREATE(h, .codelet = &helper_count, .length_us = 1);
	assert_int_equal(xy_task_eventfd(task), -EINVAL);
	helper_one_line(h, "the task was not submitted");
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_task_eventfd(task), -ENOTSUP);
	helper_one_line(h, "use xy_task_wait");
	xy_task_release(task);
	xy_group_free(group);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_its_own_tasks_only),
		cmocka_unit_test(tells_while_tasks_are_left),
		cmocka_unit_test(reports_the_first_failure_once),
		cmocka_unit_test(may_be_given_up_while_tasks_run),
		cmocka_unit_test(a_task_enters_each_time_it_is_submitted),
		cmocka_unit_test(a_refused_task_does_not_enter),
		cmocka_unit_test(a_codelet_can_not_wait),
		cmocka_unit_test(a_tag_stands_for_all_tasks_that_have_it),
		cmocka_unit_test(a_failure_is_kept_for_who_asks_later),
		cmocka_unit_test(an_event_tells_that_a_group_is_empty),
		cmocka_unit_test(an_event_tells_that_a_task_has_ended),
		cmocka_unit_test(bears_threads_that_share_groups_and_tags),
		cmocka_unit_test(works_in_a_simulation_but_for_events),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
