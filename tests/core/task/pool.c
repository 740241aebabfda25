/* SPDX-License-Identifier: MIT */
/* The memory of tasks: it goes back, so that a long run needs no more than a short one. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>

#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

/* All memory of the pools. */
static size_t pool_bytes(struct xy_runtime *rt)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		bytes += xy__pool_bytes(&rt->applications[i].pool);
	for (unsigned i = 0; i < rt->nworkers; i++)
		bytes += xy__pool_bytes(&rt->workers[i].agent.pool);
	return bytes;
}

struct long_run {
	struct helper *h;
	struct xy_handle *x, *y;
	_Atomic int n;
};

/* Does something many times; what it needs must not depend on how many. */
static void repeat(void (*once)(struct long_run *run), unsigned times)
{
	/* Newest first: with the oldest first, what codelets submit piles up behind all that they were
	 * submitted with, as the window does not hold codelets back. */
	struct xy_config config = { .ncpu = 2, .window = 256, .sched = "tree-ws" };
	struct long_run run = { .h = helper_start_with(&config) };
	size_t before;

	times = helper_scale(times);
	assert_int_equal(xy_variable_register(run.h->rt, &run.x, NULL, sizeof(int)), 0);
	assert_int_equal(xy_variable_register(run.h->rt, &run.y, NULL, sizeof(int)), 0);
	for (unsigned i = 0; i < times; i++)
		once(&run);
	assert_int_equal(helper_wait(run.h), 0);
	before = pool_bytes(run.h->rt);
	for (unsigned i = 0; i < 8 * times; i++)
		once(&run);
	assert_int_equal(helper_wait(run.h), 0);
	/* some slack: how many tasks there are at once is a matter of chance */
	if (pool_bytes(run.h->rt) > 2 * before + (256 << 10))
		fail_msg("%zu bytes after a short run, %zu after a long one", before, pool_bytes(run.h->rt));
	assert_int_equal(xy_unregister(&run.x), 0);
	assert_int_equal(xy_unregister(&run.y), 0);
	assert_int_equal(helper_stop(run.h), 0);
}

static void submit_plain(struct long_run *run)
{
	HELPER_SUBMIT(run->h, .codelet = &helper_count, .arg = &run->n);
}

static void submit_large(struct long_run *run)
{
	static char argument[1000];

	HELPER_SUBMIT(run->h, .arg = argument, .arg_size = sizeof argument, .retries = 3, .choice = 1);
}

static void submit_with_data(struct long_run *run)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { helper_count_body }, .modes = { XY_RW, XY_R } };

	HELPER_SUBMIT(run->h, .codelet = &use, .arg = &run->n, .handles = { run->x, run->y });
	HELPER_SUBMIT(run->h, .codelet = &use, .arg = &run->n, .handles = { run->y, run->x });
}

static void submit_readers(struct long_run *run)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { helper_count_body }, .modes = { XY_R } };

	HELPER_SUBMIT(run->h, .codelet = &use, .arg = &run->n, .handles = { run->x });
}

static void submit_commuting(struct long_run *run)
{
	struct xy_access access = { run->x, XY_RW | XY_COMMUTE };

	HELPER_SUBMIT(run->h, .codelet = &helper_count, .arg = &run->n, .accesses = XY_ACCESSES(access));
}

static void wait_for_one(struct long_run *run)
{
	assert_int_equal(
		xy_submit(run->h->rt,
			  &(struct xy_task_desc){ .codelet = &helper_count, .arg = &run->n, .synchronous = true }),
		0);
}

static void give_up_waiting(struct long_run *run)
{
	struct gate gate = { 0 };
	struct xy_task *task = HELPER_CREATE(run->h, .codelet = &helper_gate, .arg = &gate);

	assert_int_equal(xy_task_submit(task), 0);
	for (int i = 0; i < 30; i++)
		assert_int_equal(xy_task_wait_for(task, 1e-9), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(helper_wait_task(run->h, task), 0);
	xy_task_release(task);
}

static void many_predecessors(struct long_run *run)
{
	struct xy_task *before[40];

	for (int i = 0; i < 40; i++)
		before[i] = HELPER_CREATE(run->h, .codelet = &helper_count, .arg = &run->n);
	HELPER_SUBMIT(run->h, .codelet = &helper_count, .arg = &run->n, .after = before, .nafter = 40);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(xy_task_submit(before[i]), 0);
		xy_task_release(before[i]);
	}
}

/* Codelets that make tasks with many predecessors, which end on other workers. */
static int submit_more_body(struct xy_call *call)
{
	struct long_run *run = call->arg;
	struct xy_task *before[20] = { NULL };
	struct xy_task_desc desc = { .codelet = &helper_count, .arg = &run->n };
	int error = 0;

	for (int i = 0; i < 20 && !error; i++)
		error = xy_task_create(call->runtime, &desc, &before[i]);
	desc.after = before;
	desc.nafter = 20;
	if (!error)
		error = xy_submit(call->runtime, &desc);
	for (int i = 0; i < 20; i++) {
		if (!error)
			error = xy_task_submit(before[i]);
		xy_task_release(before[i]);
	}
	return error;
}

static void submit_from_codelets(struct long_run *run)
{
	static const struct xy_codelet more = { .name = "more", .cpu = { submit_more_body } };

	HELPER_SUBMIT(run->h, .codelet = &more, .arg = run);
}

static void acquire_and_release(struct long_run *run)
{
	submit_with_data(run);
	assert_int_equal(xy_acquire(run->x, XY_RW), 0);
	assert_int_equal(xy_release(run->x), 0);
}

static void *submit_thread(void *arg)
{
	struct long_run *run = arg;

	return (void *)(intptr_t)xy_submit(run->h->rt,
					   &(struct xy_task_desc){ .codelet = &helper_count, .arg = &run->n });
}

static void submit_in_a_new_thread(struct long_run *run)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, submit_thread, run), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
}

static void a_long_run_needs_no_more_memory(void **state)
{
	(void)state;
	repeat(submit_plain, 5000);
	repeat(submit_large, 5000);
	repeat(submit_with_data, 2000);
	repeat(submit_readers, 5000);
	repeat(submit_commuting, 2000);
}

static void waiting_needs_no_more_memory(void **state)
{
	(void)state;
	repeat(wait_for_one, 2000);
	repeat(give_up_waiting, 100);
	repeat(acquire_and_release, 500);
}

static void graphs_need_no_more_memory(void **state)
{
	(void)state;
	repeat(many_predecessors, 200);
	repeat(submit_from_codelets, 200);
}

static void threads_that_come_and_go_need_no_more_memory(void **state)
{
	(void)state;
	repeat(submit_in_a_new_thread, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_run_needs_no_more_memory),
		cmocka_unit_test(waiting_needs_no_more_memory),
		cmocka_unit_test(graphs_need_no_more_memory),
		cmocka_unit_test(threads_that_come_and_go_need_no_more_memory),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
