/* SPDX-License-Identifier: MIT */
/* Waiting for tasks, submitting them again, and running them again when they fail. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

static void add_to(void *arg, int status)
{
	atomic_fetch_add((_Atomic int *)arg, status ? 1000 : 1);
}

struct again {
	struct helper *h;
	_Atomic int left, ran;
};

/* --- waiting --- */

static void returns_the_status_of_a_synchronous_task(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	_Atomic int n = 0;

	(void)state;
	for (int i = 1; i <= 100; i++) {
		assert_int_equal(
			xy_submit(h->rt,
				  &(struct xy_task_desc){ .codelet = &helper_count, .arg = &n, .synchronous = true }),
			0);
		assert_int_equal(n, i);
	}
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &helper_fail, .synchronous = true }),
			 -EIO);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(helper_stop(h), 0);
}

static void stops_waiting_when_the_time_is_over(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct gate gate = { 0 };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);

	(void)state;
	assert_int_equal(xy_task_submit(task), 0);
	helper_reach(h, &gate.inside, 1);
	assert_int_equal(xy_task_wait_for(task, 0.01), -ETIMEDOUT);
	assert_int_equal(xy_task_wait_for(task, 0), -ETIMEDOUT);
	assert_int_equal(xy_task_wait_for(task, -1), -ETIMEDOUT);
	assert_int_equal(xy_task_wait_for(task, NAN), -ETIMEDOUT);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(xy_wait_for(h->rt, 0), -ETIMEDOUT);
	assert_int_equal(xy_wait_for(h->rt, -1), -ETIMEDOUT);
	assert_int_equal(xy_wait_for(h->rt, NAN), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(helper_wait_task(h, task), 0);
	assert_int_equal(xy_task_wait_for(task, 0), 0);
	assert_int_equal(xy_task_wait_for(task, INFINITY), 0);
	assert_int_equal(xy_wait_for(h->rt, INFINITY), 0);
	assert_int_equal(xy_task_wait_for(task, -1), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_wait_for(h->rt, 0), 0);
	assert_int_equal(xy_task_wait(task), 0);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

/* Memory that was used for threads that waited. */
static unsigned pool_blocks(struct xy_runtime *rt)
{
	struct xy__edge_block *block;
	unsigned n = 0;

	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		for (block = rt->applications[i].pool.free_blocks; block; block = block->next)
			n++;
	for (unsigned i = 0; i < rt->nworkers; i++)
		for (block = rt->workers[i].agent.pool.free_blocks; block; block = block->next)
			n++;
	return n;
}

static void asking_again_and_again_takes_no_memory(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct gate gate = { 0 };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);

	(void)state;
	assert_int_equal(xy_task_submit(task), 0);
	helper_reach(h, &gate.inside, 1);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(xy_task_wait_for(task, 0), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(helper_wait_task(h, task), 0);
	xy_task_release(task);
	assert_int_equal(helper_wait(h), 0);
	assert_true(pool_blocks(h->rt) < 100);
	assert_int_equal(helper_stop(h), 0);
}

static void *wait_thread(void *arg)
{
	return (void *)(intptr_t)xy_task_wait(arg);
}

static void tells_all_threads_that_wait_for_a_task(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct gate gate = { 0 };
	struct xy_task *first, *task;
	pthread_t threads[4];

	(void)state;
	first = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);
	task = HELPER_CREATE(h, .codelet = &helper_fail, .after = &first, .nafter = 1);
	assert_int_equal(xy_task_submit(first), 0);
	assert_int_equal(xy_task_submit(task), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_thread, task), 0);
	helper_open(&gate);
	for (int i = 0; i < 4; i++) {
		void *result;

		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_int_equal((intptr_t)result, -EIO);
	}
	assert_int_equal(helper_wait(h), -EIO);
	xy_task_release(first);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_to_wait_for_a_task_that_was_not_submitted(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_task *task = HELPER_CREATE(h, .name = "idle");

	(void)state;
	assert_int_equal(xy_task_wait(task), -EINVAL);
	helper_one_line(h, "'idle'");
	assert_int_equal(xy_task_wait_for(task, 1), -EINVAL);
	helper_one_line(h, "'idle'");
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void reports_the_first_error_once(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_task *broken = HELPER_CREATE(h, .codelet = &helper_fail, .name = "broken");

	(void)state;
	assert_string_equal(xy_error(h->rt), "");
	assert_int_equal(xy_task_submit(broken), 0);
	assert_int_equal(helper_wait_task(h, broken), -EIO);
	HELPER_SUBMIT(h, .codelet = &helper_fail, .name = "later");
	assert_int_equal(helper_wait(h), -EIO);
	assert_non_null(strstr(xy_error(h->rt), "broken"));
	assert_int_equal(helper_wait(h), 0);
	assert_string_equal(xy_error(h->rt), "");
	xy_task_release(broken);
	assert_int_equal(helper_stop(h), 0);
}

/* --- again --- */

static int tree_body(struct xy_call *call)
{
	struct again *again = call->arg;
	static const struct xy_codelet branch = { .name = "branch", .cpu = { tree_body } };
	int error = 0;

	atomic_fetch_add(&again->ran, 1);
	for (int i = 0; i < 2 && !error; i++)
		if (atomic_fetch_sub(&again->left, 1) > 0)
			error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &branch, .arg = again });
	return error;
}

static void submits_from_codelets(void **state)
{
	static const struct xy_codelet branch = { .name = "branch", .cpu = { tree_body } };
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = 10 });
	struct again again = { .h = h, .left = 4999 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &branch, .arg = &again);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(again.ran, 5000);
	assert_int_equal(helper_stop(h), 0);
}

static void submits_a_task_again_once_it_has_ended(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct gate gate = { 0 };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);

	(void)state;
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_task_submit(task), -EBUSY);
	helper_one_line(h, "'gate'");
	helper_open(&gate);
	for (int i = 1; i <= 1000; i++) {
		assert_int_equal(helper_wait_task(h, task), 0);
		assert_int_equal(gate.inside, i);
		assert_int_equal(xy_task_submit(task), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void submits_a_task_with_data_again(void **state)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { helper_count_body }, .modes = { XY_RW, XY_R } };
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x, *y;
	struct xy_task *task;
	_Atomic int n = 0;
	int times = (int)helper_scale(20000);

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_int_equal(xy_void_register(h->rt, &y), 0);
	task = HELPER_CREATE(h, .codelet = &use, .handles = { x, y }, .arg = &n);
	for (int i = 0; i < times; i++) {
		assert_int_equal(xy_task_submit(task), 0);
		if (i % 3 == 0)
			HELPER_SUBMIT(h, .codelet = &use, .handles = { x, y }, .arg = &n);
		assert_int_equal(helper_wait_task(h, task), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, times + (times + 2) / 3);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_unregister(&y), 0);
	helper_rest(h);
	assert_int_equal(atomic_load(&task->references), 1);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

struct job {
	struct xy_runtime *rt;
	struct xy_handle *x;
	_Atomic int n;
	int times;
};

static void *reader_thread(void *arg)
{
	static const struct xy_codelet read = { .name = "read", .cpu = { helper_count_body }, .modes = { XY_R } };
	struct job *job = arg;

	for (int i = 0; i < job->times; i++)
		if (xy_submit(job->rt,
			      &(struct xy_task_desc){ .codelet = &read, .handles = { job->x }, .arg = &job->n }))
			return job;
	return NULL;
}

static void submits_again_while_others_use_the_same_data(void **state)
{
	static const struct xy_codelet write = { .name = "write", .cpu = { helper_count_body }, .modes = { XY_RW } };
	struct helper *h = helper_start(NULL, 2);
	struct job job = { .rt = h->rt, .times = (int)helper_scale(20000) };
	pthread_t thread;
	struct xy_task *task;
	void *result;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &job.x), 0);
	task = HELPER_CREATE(h, .codelet = &write, .handles = { job.x }, .arg = &job.n);
	assert_int_equal(pthread_create(&thread, NULL, reader_thread, &job), 0);
	for (int i = 0; i < job.times; i++) {
		assert_int_equal(xy_task_submit(task), 0);
		assert_int_equal(helper_wait_task(h, task), 0);
	}
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(job.n, 2 * job.times);
	assert_int_equal(xy_unregister(&job.x), 0);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void runs_a_failing_task_again_as_often_as_asked(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct again again = { .h = h };
	struct xy_task *task;

	(void)state;
	task = HELPER_CREATE(h, .codelet = &helper_fail, .retries = 3, .callback = add_to, .callback_arg = &again.ran);
	for (int i = 1; i <= 2; i++) {
		struct xy_worker_stats stats[2];

		assert_int_equal(xy_task_submit(task), 0);
		assert_int_equal(helper_wait_task(h, task), -EIO);
		assert_int_equal(helper_wait(h), -EIO);
		assert_int_equal(again.ran, 1000 * i);
		assert_int_equal(xy_worker_stats(h->rt, 0, &stats[0]), 0);
		assert_int_equal(xy_worker_stats(h->rt, 1, &stats[1]), 0);
		assert_int_equal(stats[0].tasks + stats[1].tasks, i);
	}
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static int third_time_body(struct xy_call *call)
{
	struct again *again = call->arg;

	return atomic_fetch_add(&again->ran, 1) % 3 == 2 ? 0 : -EAGAIN;
}

static void a_retry_that_succeeds_is_a_success(void **state)
{
	static const struct xy_codelet codelet = { .name = "third time", .cpu = { third_time_body } };
	struct helper *h = helper_start(NULL, 2);
	struct again again = { .h = h };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &codelet, .arg = &again, .retries = 2);

	(void)state;
	for (int i = 1; i <= 10; i++) {
		assert_int_equal(xy_task_submit(task), 0);
		assert_int_equal(helper_wait_task(h, task), 0);
		assert_int_equal(again.ran, 3 * i);
	}
	assert_int_equal(helper_wait(h), 0);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_status_of_a_synchronous_task),
		cmocka_unit_test(stops_waiting_when_the_time_is_over),
		cmocka_unit_test(asking_again_and_again_takes_no_memory),
		cmocka_unit_test(tells_all_threads_that_wait_for_a_task),
		cmocka_unit_test(refuses_to_wait_for_a_task_that_was_not_submitted),
		cmocka_unit_test(reports_the_first_error_once),
		cmocka_unit_test(submits_from_codelets),
		cmocka_unit_test(submits_a_task_again_once_it_has_ended),
		cmocka_unit_test(submits_a_task_with_data_again),
		cmocka_unit_test(submits_again_while_others_use_the_same_data),
		cmocka_unit_test(runs_a_failing_task_again_as_often_as_asked),
		cmocka_unit_test(a_retry_that_succeeds_is_a_success),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
