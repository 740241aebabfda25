/* SPDX-License-Identifier: MIT */
/* Runtimes: starting, stopping, several at once, and what can't be done inside of one. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"
#include "core/runtime/engine.h"
#include "core/runtime/worker.h"

static void add_to(void *arg, int status)
{
	atomic_fetch_add((_Atomic int *)arg, status ? 1000 : 1);
}

struct again {
	struct helper *h;
	_Atomic int left, ran;
};

static int again_body(struct xy_call *call)
{
	struct again *again = call->arg;

	helper_add(&again->ran);
	return 0;
}

static const struct xy_codelet again_codelet = { .name = "again", .cpu = { again_body } };

/* --- broken callers --- */
static void refuses_nothing_where_a_value_is_needed(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_task *task;
	struct xy_worker_stats stats;
	struct xy_runtime *none = NULL;

	(void)state;
	assert_int_equal(xy_submit(h->rt, NULL), -EINVAL);
	helper_one_line(h, "description");
	assert_int_equal(xy_task_create(h->rt, NULL, &task), -EINVAL);
	assert_null(task);
	helper_one_line(h, "description");
	assert_int_equal(xy_task_create(h->rt, &(struct xy_task_desc){ .priority = 0 }, NULL), -EINVAL);
	helper_one_line(h, "xy_task_create");
	task = HELPER_CREATE(h, .name = "task");
	assert_int_equal(xy_task_after(task, NULL), -EINVAL);
	helper_one_line(h, "xy_task_after");
	assert_int_equal(xy_task_after(NULL, task), -EINVAL);
	helper_one_line(h, "xy_task_after");
	assert_int_equal(xy_worker_stats(h->rt, 1, &stats), -EINVAL);
	helper_one_line(h, "xy_worker_stats");
	assert_int_equal(xy_worker_stats(h->rt, 0, NULL), -EINVAL);
	helper_one_line(h, "xy_worker_stats");
	assert_int_equal(xy_dump(h->rt, -1), -EBADF);
	helper_one_line(h, "xy_dump");
	xy_task_release(task);
	xy_task_release(NULL);
	assert_int_equal(xy_stop(NULL), 0);
	assert_int_equal(xy_stop(&none), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void says_so_once_when_there_is_no_runtime(void **state)
{
	struct xy_worker_stats stats;
	struct xy_task *task;
	char text[4096];

	(void)state;
	helper_stderr_begin();
	assert_int_equal(xy_start(NULL, NULL), -EINVAL);
	assert_int_equal(xy_submit(NULL, &(struct xy_task_desc){ .priority = 0 }), -EINVAL);
	assert_int_equal(xy_task_create(NULL, &(struct xy_task_desc){ .priority = 0 }, &task), -EINVAL);
	assert_int_equal(xy_task_submit(NULL), -EINVAL);
	assert_int_equal(xy_task_after(NULL, NULL), -EINVAL);
	assert_int_equal(xy_task_wait(NULL), -EINVAL);
	assert_int_equal(xy_task_wait_for(NULL, 1), -EINVAL);
	assert_int_equal(xy_wait(NULL), -EINVAL);
	assert_int_equal(xy_wait_for(NULL, 1), -EINVAL);
	assert_int_equal(xy_dump(NULL, 2), -EINVAL);
	assert_int_equal(xy_worker_stats(NULL, 0, &stats), -EINVAL);
	helper_stderr_end(text, sizeof text);
	assert_int_equal(helper_count_lines(text), 11);
	assert_string_equal(xy_error(NULL), "");
	assert_null(xy_runtime_machine(NULL));
	assert_null(xy_runtime_tree(NULL));
}

static void explains_once_why_it_does_not_start(void **state)
{
	static const struct {
		struct xy_config config;
		int error;
		const char *says;
	} cases[] = {
		{ { .sched = "tree-eagre" }, -ENOENT, "tree-eager" },
		{ { .sched = "fifo(ntaks=2) | eager | each worker { }" }, -ENOENT, "did you mean \"ntasks\"?" },
		{ { .sched = "fifo | eager", .machine = "cpu:1" },
		  -EINVAL,
		  "(an expression ends with \"| each worker { }\"); cpu0 can't be reached" },
		{ { .machine = "cpu:2 cuda:1" }, -ENODEV, "cuda" },
		{ { .machine = "nonsense:" }, -EINVAL, "nonsense" },
		{ { .watchdog_s = -1 }, -EINVAL, "watchdog" },
		{ { .plugins = "./no-such-file.so" }, -ENOENT, "no-such-file" },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(cases); i++) {
		int error;
		struct helper *h = helper_try(&cases[i].config, &error);

		if (error != cases[i].error || h->rt)
			fail_msg("case %u: %d", i, error);
		helper_one_line(h, cases[i].says);
		free(h);
	}
}

/* --- inside codelets and callbacks --- */

struct inside {
	struct helper *h;
	struct xy_task *task;
	struct xy_handle *x;
	int errors[7];
};

static void inside_try(struct inside *inside)
{
	struct xy_runtime *rt = inside->h->rt;
	struct xy_handle *x = inside->x;

	inside->errors[0] = xy_wait(rt);
	inside->errors[1] = xy_wait_for(rt, 1);
	inside->errors[2] = xy_task_wait(inside->task);
	inside->errors[3] = xy_submit(rt, &(struct xy_task_desc){ .synchronous = true });
	inside->errors[4] = xy_acquire(x, XY_R);
	inside->errors[5] = xy_unregister(&x);
	inside->errors[6] = xy_stop(&rt);
}

static int inside_body(struct xy_call *call)
{
	inside_try(call->arg);
	return 0;
}

static void inside_callback(void *arg, int status)
{
	(void)status;
	inside_try(arg);
}

static void inside_check(struct inside *inside)
{
	assert_int_equal(helper_wait(inside->h), 0);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(inside->errors[i], -EDEADLK);
		inside->errors[i] = 0;
	}
	assert_int_equal(helper_lines(inside->h), 7);
	helper_forget(inside->h);
}

static void refuses_to_wait_inside_codelets_and_callbacks(void **state)
{
	static const struct xy_codelet codelet = { .name = "inside", .cpu = { inside_body } };
	struct helper *h = helper_start(NULL, 2);
	struct inside inside = { .h = h };
	_Atomic int n = 0;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &inside.x), 0);
	inside.task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n);
	assert_int_equal(xy_task_submit(inside.task), 0);
	assert_int_equal(helper_wait(h), 0);
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = &inside);
	inside_check(&inside);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .callback = inside_callback, .callback_arg = &inside);
	inside_check(&inside);
	/* in the thread of the application */
	HELPER_SUBMIT(h, .callback = inside_callback, .callback_arg = &inside);
	inside_check(&inside);
	assert_int_equal(xy_acquire_callback(inside.x, XY_R, inside_callback, &inside), 0);
	inside_check(&inside);
	assert_int_equal(xy_release(inside.x), 0);
	xy_task_release(inside.task);
	assert_int_equal(xy_unregister(&inside.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

struct across {
	struct helper *to;
	_Atomic int n;
};

/* Runs in one runtime, submits into another one and waits for it. */
static int across_body(struct xy_call *call)
{
	struct across *across = call->arg;
	int error = xy_submit(across->to->rt, &(struct xy_task_desc){ .codelet = &helper_count, .arg = &across->n });

	if (error)
		return error;
	return xy_submit(across->to->rt,
			 &(struct xy_task_desc){ .codelet = &helper_count, .arg = &across->n, .synchronous = true });
}

static void keeps_two_runtimes_apart(void **state)
{
	static const struct xy_codelet codelet = { .name = "across", .cpu = { across_body } };
	struct helper *a = helper_start("tree-eager", 2), *b = helper_start("tree-ws", 2);
	struct across across = { .to = b };

	(void)state;
	for (int i = 0; i < 200; i++)
		HELPER_SUBMIT(a, .codelet = &codelet, .arg = &across);
	HELPER_SUBMIT(b, .codelet = &helper_fail, .name = "of b");
	assert_int_equal(helper_wait(a), 0);
	assert_int_equal(helper_wait(b), -EIO);
	assert_non_null(strstr(xy_error(b->rt), "of b"));
	assert_int_equal(across.n, 400);
	assert_int_equal(helper_stop(a), 0);
	HELPER_SUBMIT(b, .codelet = &helper_count, .arg = &across.n);
	assert_int_equal(helper_wait(b), 0);
	assert_int_equal(helper_stop(b), 0);
}

static struct xy_runtime *pair[2];

/* Submits into the other runtime, from within a callback of the first. */
static void ping(void *arg, int status)
{
	struct again *again = arg;
	int left = atomic_fetch_sub(&again->left, 1);

	(void)status;
	if (left > 0)
		xy_submit(pair[left % 2], &(struct xy_task_desc){ .codelet = left % 3 ? &again_codelet : NULL,
								  .arg = again,
								  .callback = ping,
								  .callback_arg = again });
}

static void callbacks_submit_into_each_others_runtime(void **state)
{
	struct helper *a = helper_start(NULL, 1), *b = helper_start(NULL, 1);
	struct again again = { .left = 2000 };

	(void)state;
	pair[0] = a->rt;
	pair[1] = b->rt;
	ping(&again, 0);
	while (atomic_load(&again.left) >= 0) {
		assert_int_equal(helper_wait(a), 0);
		assert_int_equal(helper_wait(b), 0);
	}
	assert_int_equal(helper_wait(a), 0);
	assert_int_equal(helper_wait(b), 0);
	assert_int_equal(again.ran, 2000 - 2000 / 3);
	assert_int_equal(helper_stop(a), 0);
	assert_int_equal(helper_stop(b), 0);
}

/* --- the end --- */

static void releasing_a_task_cancels_what_waits_for_it(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_task *first = HELPER_CREATE(h, .name = "first");
	struct xy_task *second = HELPER_CREATE(h, .after = &first, .nafter = 1);
	struct xy_task *third = HELPER_CREATE(h, .name = "third", .after = &second, .nafter = 1);

	(void)state;
	assert_int_equal(xy_task_submit(third), 0);
	xy_task_release(first);
	assert_int_equal(xy_task_wait_for(third, 0), -ETIMEDOUT);
	assert_int_equal(xy_task_submit(second), 0);
	assert_int_equal(helper_wait_task(h, second), -ECANCELED);
	assert_int_equal(helper_wait_task(h, third), -ECANCELED);
	assert_int_equal(helper_wait(h), -ECANCELED);
	xy_task_release(second);
	xy_task_release(third);
	assert_int_equal(helper_stop(h), 0);
}

static void a_released_task_waits_for_its_own_predecessors(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct gate gate = { 0 };
	struct xy_task *first = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);
	struct xy_task *never = HELPER_CREATE(h, .after = &first, .nafter = 1);
	struct xy_task *last = HELPER_CREATE(h, .after = &never, .nafter = 1);

	(void)state;
	assert_int_equal(xy_task_submit(first), 0);
	assert_int_equal(xy_task_submit(last), 0);
	xy_task_release(never);
	assert_int_equal(xy_task_wait_for(last, 0.01), -ETIMEDOUT);
	helper_open(&gate);
	assert_int_equal(helper_wait_task(h, last), -ECANCELED);
	assert_int_equal(helper_wait_task(h, first), 0);
	xy_task_release(first);
	xy_task_release(last);
	assert_int_equal(helper_wait(h), -ECANCELED);
	assert_int_equal(helper_stop(h), 0);
}

static void a_released_task_still_runs(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	_Atomic int n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n);

		assert_int_equal(xy_task_submit(task), 0);
		xy_task_release(task);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 1000);
	assert_int_equal(helper_stop(h), 0);
}

static void stopping_cancels_what_can_never_run(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_task *first = HELPER_CREATE(h, .name = "first");
	_Atomic int n = 0, called = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .after = &first, .nafter = 1, .callback = add_to,
			      .callback_arg = &called);
	/* that they are cancelled, and the error */
	assert_int_equal(helper_stop_lines(h, 2), -ECANCELED);
	assert_int_equal(n, 0);
	assert_int_equal(called, 10000);
}

static void stopping_waits_for_what_can_run(void **state)
{
	(void)state;
	for (unsigned i = 0; i < helper_scale(300); i++) {
		struct helper *h = helper_start(NULL, 1 + i % 4);
		_Atomic int n = 0;

		for (unsigned j = 0; j < i % 5; j++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		assert_int_equal(helper_stop(h), 0);
		assert_int_equal(n, i % 5);
	}
}

/* A worker that has said that it sleeps looks once more, and finds a task: it is caught there. */
static struct {
	struct xy_runtime *rt;
	_Atomic int caught, go;
} last_look;

static bool last_look_hook(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	struct xy__agent *agent = xy__agent_inside(last_look.rt);

	(void)task, (void)implementation;
	if (agent && agent->base.worker == (int)worker &&
	    atomic_load(&last_look.rt->workers[worker].state) == XY__ASLEEP) {
		helper_add(&last_look.caught);
		helper_body_reach(&last_look.go, 1);
	}
	return true;
}

static void is_not_at_rest_while_a_worker_takes_a_last_look(void **state)
{
	static const struct xy_codelet codelet = { .name = "hooked",
						   .cpu = { helper_count_body },
						   .can_execute = last_look_hook };
	struct helper *h = helper_start(NULL, 1);
	uint64_t seed = 7;

	(void)state;
	last_look.rt = h->rt;
	for (unsigned i = 0; i < helper_scale(20000) && !atomic_load(&last_look.go); i++) {
		_Atomic int n = 0;

		/* so long after its last task the worker is about to fall asleep, sooner or later */
		for (unsigned pauses = helper_below(&seed, 2000); pauses && h->rt->main.sleepers == 0; pauses--)
			sched_yield();
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &n);
		while (!atomic_load(&n) && !atomic_load(&last_look.caught))
			sched_yield();
		if (atomic_load(&last_look.caught)) {
			assert_false(h->rt->engine->at_rest(h->rt));
			helper_add(&last_look.go);
		}
		assert_int_equal(helper_wait(h), 0);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void stopping_returns_the_error(void **state)
{
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_fail, .name = "broken");
	assert_int_equal(helper_stop_lines(h, 1), -EIO);
}

static void stopping_names_what_was_left(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;
	struct xy_task *task;

	(void)state;
	task = HELPER_CREATE(h, .name = "forgotten");
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_int_equal(xy_handle_set_name(x, "left"), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop_lines(h, 2), 0);
}

struct late {
	struct xy_runtime *rt;
	int error, lines;
};

/* Submits when it hears that the runtime is stopping. */
static void late_log(void *arg, const char *line)
{
	struct late *late = arg;

	late->lines++;
	if (strstr(line, "not unregistered"))
		late->error = xy_submit(late->rt, &(struct xy_task_desc){ .name = "late" });
}

static void refuses_a_task_once_it_is_stopping(void **state)
{
	struct late late = { 0 };
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_start(&late.rt, &(struct xy_config){ .machine = "cpu:1",
								 .ignore_environment = true,
								 .log = late_log,
								 .log_arg = &late }),
			 0);
	assert_int_equal(xy_void_register(late.rt, &x), 0);
	assert_int_equal(xy_stop(&late.rt), 0);
	assert_int_equal(late.error, -ESHUTDOWN);
	assert_int_equal(late.lines, 2);
}

static int long_body(struct xy_call *call)
{
	double end = xy__now() + 0.02;

	(void)call;
	while (xy__now() < end)
		;
	return 0;
}

static void counts_what_workers_do(void **state)
{
	static const struct xy_codelet codelet = { .name = "long", .cpu = { long_body } };
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 1, .profile = true });
	struct xy_worker_stats stats;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &codelet);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_worker_stats(h->rt, 0, &stats), 0);
	assert_int_equal(stats.tasks, 1);
	assert_true(stats.busy_s >= 0.02 && stats.busy_s < 20);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_nothing_where_a_value_is_needed),
		cmocka_unit_test(says_so_once_when_there_is_no_runtime),
		cmocka_unit_test(explains_once_why_it_does_not_start),
		cmocka_unit_test(refuses_to_wait_inside_codelets_and_callbacks),
		cmocka_unit_test(keeps_two_runtimes_apart),
		cmocka_unit_test(callbacks_submit_into_each_others_runtime),
		cmocka_unit_test(releasing_a_task_cancels_what_waits_for_it),
		cmocka_unit_test(a_released_task_waits_for_its_own_predecessors),
		cmocka_unit_test(a_released_task_still_runs),
		cmocka_unit_test(stopping_cancels_what_can_never_run),
		cmocka_unit_test(stopping_waits_for_what_can_run),
		cmocka_unit_test(is_not_at_rest_while_a_worker_takes_a_last_look),
		cmocka_unit_test(stopping_returns_the_error),
		cmocka_unit_test(stopping_names_what_was_left),
		cmocka_unit_test(refuses_a_task_once_it_is_stopping),
		cmocka_unit_test(counts_what_workers_do),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
