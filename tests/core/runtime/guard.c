/* SPDX-License-Identifier: MIT */
/* The guard: a policy that stalls is replaced, one that waits is not; in real and in virtual time. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <xylem/component.h>

#include "core/runtime/runtime.h"
#include "core/runtime/stuck.h"
#include "core/tree/lock.h"

enum { TASKS = 20 };

/* --- a component that keeps its lock while `keeps` is set --- */

struct keeper {
	struct xy_component base;
	struct xy_lock lock;
};

static _Atomic int keeps;

static struct xy_task *keeper_pull(struct xy_component *self, struct xy_agent *by)
{
	struct keeper *keeper = (struct keeper *)self;

	xy_lock_take(&keeper->lock, self, by);
	while (atomic_load(&keeps))
		sched_yield();
	xy_lock_drop(&keeper->lock, self, by);
	return xy_pull_parents(self, by);
}

static const struct xy_component_ops keeper_ops = {
	.name = "keeper",
	.size = sizeof(struct keeper),
	.pull = keeper_pull,
};

static const struct xy_component_ops *const own[] = { &keeper_ops, NULL };

/* --- tests --- */

static const char stalls[] = "hoards | eager | each worker { }";

static _Atomic int done, others;

static struct helper *start(const char *sched, double guard_s, bool simulated)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sched = sched,
								  .plugins = PLUGINS,
								  .components = own,
								  .guard_s = guard_s,
								  .ncpu = simulated ? 0 : 2,
								  .bind = XY_NO,
								  .sim = simulated ? "cpu:2" : NULL });

	helper_forget(h);
	atomic_store(&done, 0);
	return h;
}

static void submit(struct helper *h, unsigned n, struct xy_context *context)
{
	for (unsigned i = 0; i < n; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &done, .length_us = 10, .context = context);
}

static void replaces_a_policy_that_stalls(void **state)
{
	struct helper *h = start(stalls, 0.1, false);

	(void)state;
	submit(h, TASKS, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, TASKS);
	assert_int_equal(helper_lines_with(h, "policy hoards | eager | each worker { } is replaced by tree-eager: "
					      "nothing has moved for 0.1 s although worker cpu"),
			 1);
	assert_int_equal(helper_lines_with(h, "; hoards#0 holds "), 1);
	submit(h, TASKS, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

/* While the main one works. */
static void replaces_the_policy_of_a_context(void **state)
{
	struct helper *h = start("tree-prio", 0.1, false);
	struct xy_context *context;

	(void)state;
	assert_int_equal(xy_context_create(h->rt,
					   &(struct xy_context_desc){ .name = "side",
								      .policy = stalls,
								      .workers = (unsigned[]){ 1 },
								      .nworkers = 1 },
					   &context),
			 0);
	submit(h, TASKS, context);
	while (atomic_load(&done) < TASKS) {
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &others);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_lines_with(h, "is replaced by tree-eager"), 1);
	assert_int_equal(xy_context_destroy(&context), 0);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

/* Nothing moves for two seconds, but a tick is due. */
static void waits_for_a_tick(void **state)
{
	struct helper *h = start("fifo | rate(per_second=0.5) | eager | each worker { }", 1, false);

	(void)state;
	submit(h, 2, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, 2);
	assert_int_equal(helper_stop(h), 0);
}

/* One worker runs a task for long, and the tasks rest where the other one looks. */
static void replaces_a_policy_that_stalls_while_a_task_runs(void **state)
{
	struct helper *h = start("userchoice { fifo, hoards } | eager | each worker { }", 0.1, false);
	struct gate gate = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate);
	helper_reach(h, &gate.inside, 1);
	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &done, .choice = 2);
	helper_reach(h, &done, TASKS);
	assert_int_equal(helper_lines_with(h, "nothing has moved for 0.1 s although worker cpu"), 1);
	assert_int_equal(helper_lines_with(h, "; hoards#2 holds 20 ready tasks"), 1);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

/* One worker runs a task for long, and the other one is idle: the policy wants it so. */
static void waits_where_a_policy_may_wait(void **state)
{
	static const char *const policies[] = {
		"fifo | limit(ntasks=1) | eager | each worker { }",
		"userchoice { fifo | limit(ntasks=1), fifo } | eager | each worker { }",
		"fifo | random | each worker { fifo(ntasks=1) }",
	};

	(void)state;
	for (unsigned k = 0; k < HELPER_COUNT(policies); k++) {
		struct helper *h = start(policies[k], 0.5, false);
		struct gate gate = { 0 };

		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate);
		helper_reach(h, &gate.inside, 1);
		submit(h, TASKS, NULL);
		nanosleep(&(struct timespec){ .tv_sec = 2 }, NULL);
		helper_open(&gate);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(done, TASKS);
		assert_int_equal(helper_stop(h), 0);
	}
}

/* Tasks wait for a worker that is busy for long; the other one can't run them, and when it could, one still runs. */
static void waits_for_tasks_that_run(void **state)
{
	struct helper *h = start("tree-eager-prefetching", 0.05, false);
	struct gate gate = { 0 };
	unsigned first = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .workers = &first, .nworkers = 1);
	helper_reach(h, &gate.inside, 1);
	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &done, .workers = &first, .nworkers = 1);
	nanosleep(&(struct timespec){ .tv_nsec = 400000000 }, NULL);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, TASKS);
	assert_int_equal(helper_stop(h), 0);
}

/* All workers are inside the component, so its tree stays, but that is said, once. */
static void says_whose_lock_is_kept(void **state)
{
	const char *verb;
	struct helper *h;

	(void)state;
	atomic_store(&keeps, 1);
	h = start("fifo | keeper | eager | each worker { }", 0.1, false);
	h->rt->halt_limit_s = 0.1;
	while (xy__stuck_holder(h->rt->main.tree->components[1], &verb) == XY__LOCK_NOBODY)
		sched_yield(); /* until one worker waits for the lock of the other */
	submit(h, TASKS, NULL);
	while (!helper_lines_with(h, "the trees stay as they are: worker cpu"))
		sched_yield();
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	atomic_store(&keeps, 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, TASKS);
	assert_int_equal(helper_lines_with(h, " keeps the lock of keeper#1, taken in pull"), 1);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

static void replaces_a_policy_that_stalls_in_virtual_time(void **state)
{
	struct helper *h = start(stalls, 1, true);

	(void)state;
	submit(h, TASKS, NULL);
	assert_int_equal(xy_wait_for(h->rt, 0.5), -ETIMEDOUT); /* it has that long */
	assert_int_equal(helper_wait(h), 0);
	helper_one_line(h, "hoards#0 holds 20 ready tasks");
	assert_true(xy_now(h->rt) > 99e-6);
	assert_int_equal(helper_stop(h), 0);
}

static double simulate(const char *sched, double guard_s)
{
	struct helper *h = start(sched, guard_s, true);
	double now_s;

	for (unsigned i = 0; i < 200; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &done, .length_us = 1 + i % 7, .priority = i % 3);
	assert_int_equal(helper_wait(h), 0);
	now_s = xy_now(h->rt);
	assert_int_equal(helper_stop(h), 0);
	return now_s;
}

static void changes_nothing_in_a_simulation_that_goes_well(void **state)
{
	static const char *const policies[] = { "tree-heft", "tree-ws", "tree-random",
						"fifo | rate(per_second=10000) | eager | each worker { }" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++)
		assert_true(simulate(policies[i], 0) == simulate(policies[i], 1e-6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_a_policy_that_stalls),
		cmocka_unit_test(replaces_the_policy_of_a_context),
		cmocka_unit_test(waits_for_a_tick),
		cmocka_unit_test(replaces_a_policy_that_stalls_while_a_task_runs),
		cmocka_unit_test(waits_where_a_policy_may_wait),
		cmocka_unit_test(waits_for_tasks_that_run),
		cmocka_unit_test(says_whose_lock_is_kept),
		cmocka_unit_test(replaces_a_policy_that_stalls_in_virtual_time),
		cmocka_unit_test(changes_nothing_in_a_simulation_that_goes_well),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
