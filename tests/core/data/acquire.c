/* SPDX-License-Identifier: MIT */
/* The application's own accesses: acquire and release, blocking and with a callback. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "core/runtime/runtime.h"

static struct xy_handle *handle(struct helper *h)
{
	struct xy_handle *x;

	assert_int_equal(xy_variable_register(h->rt, &x, NULL, sizeof(int)), 0);
	return x;
}

static void through(struct helper *h, struct gate *gate, struct xy_handle *x, enum xy_mode mode)
{
	struct xy_access access = { x, mode };

	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = gate, .accesses = XY_ACCESSES(access));
}

static int set_body(struct xy_call *call)
{
	*(int *)xy_pointer(call, 0) = *(int *)call->arg;
	return 0;
}

static int add_body(struct xy_call *call)
{
	*(int *)xy_pointer(call, 0) += *(int *)call->arg;
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_body }, .modes = { XY_W } };
static const struct xy_codelet add = { .name = "add", .cpu = { add_body }, .modes = { XY_RW } };

static void waits_for_tasks_before_and_holds_those_after(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h);
	int one = 1, two = 2, *p;

	(void)state;
	for (int i = 0; i < (int)helper_scale(500); i++) {
		HELPER_SUBMIT(h, .codelet = &set, .handles = { x }, .arg = &one);
		HELPER_SUBMIT(h, .codelet = &add, .handles = { x }, .arg = &two);
		assert_int_equal(xy_acquire(x, XY_RW), 0);
		p = xy_handle_pointer(x);
		assert_int_equal(*p, 3);
		HELPER_SUBMIT(h, .codelet = &add, .handles = { x }, .arg = &two);
		*p = 10;
		assert_int_equal(xy_wait_for(h->rt, 0), -ETIMEDOUT);
		assert_int_equal(xy_release(x), 0);
		assert_int_equal(xy_acquire(x, XY_R), 0);
		assert_int_equal(*p, 12);
		assert_int_equal(xy_release(x), 0);
	}
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void reading_shares_with_readers(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_handle *x = handle(h);
	struct gate reader = { 0 }, writer = { 0 };

	(void)state;
	through(h, &reader, x, XY_R);
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_int_equal(xy_acquire(x, XY_R), 0);
	helper_reach(h, &reader.inside, 1);
	through(h, &writer, x, XY_W);
	helper_open(&reader);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(writer.inside, 0);
	assert_int_equal(xy_release(x), 0);
	helper_reach(h, &writer.inside, 1);
	helper_open(&writer);
	assert_int_equal(xy_release(x), -EINVAL);
	helper_one_line(h, "not acquired");
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static int again_body(struct xy_call *call)
{
	(void)call;
	return -EAGAIN;
}

struct told {
	int status;
	_Atomic int times;
};

static void told_status(void *arg, int status)
{
	struct told *told = arg;

	told->status = status;
	helper_add(&told->times);
}

/* xy_wait counts tasks, not acquires: the callback may come after its return. */
static void tells_of_any_error(void **state)
{
	static const struct xy_codelet again = { .name = "again", .cpu = { again_body }, .modes = { XY_W } };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = handle(h);
	struct gate gate = { 0 };
	struct told told = { 0 };

	(void)state;
	helper_block(h, &gate);
	HELPER_SUBMIT(h, .codelet = &again, .handles = { x });
	assert_int_equal(xy_acquire_callback(x, XY_R, told_status, &told), 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), -EAGAIN);
	helper_reach(h, &told.times, 1);
	assert_int_equal(told.status, -EAGAIN);
	assert_int_equal(xy_acquire(x, XY_R), -EAGAIN);
	assert_int_equal(xy_unregister(&x), -EAGAIN);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_modes_that_make_no_sense(void **state)
{
	static const int modes[] = { 0, XY_SCRATCH, XY_R | XY_SCRATCH, XY_COMMUTE, XY_R | XY_COMMUTE, 64 };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = handle(h);

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(modes); i++) {
		assert_int_equal(xy_acquire(x, (enum xy_mode)modes[i]), -EINVAL);
		helper_one_line(h, "mode");
		assert_int_equal(xy_acquire_callback(x, (enum xy_mode)modes[i], helper_status, NULL), -EINVAL);
		helper_one_line(h, "mode");
	}
	assert_int_equal(xy_acquire_callback(x, XY_R, NULL, NULL), -EINVAL);
	helper_one_line(h, "callback");
	assert_int_equal(xy_release(x), -EINVAL);
	helper_one_line(h, "not acquired");
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- with a callback --- */

struct holder {
	struct xy_handle *x;
	_Atomic int called;
	int status, released;
};

static void hold(void *arg, int status)
{
	struct holder *holder = arg;

	holder->status = status;
	helper_add(&holder->called);
}

static void hold_and_release(void *arg, int status)
{
	struct holder *holder = arg;

	holder->status = status;
	if (!status)
		holder->released = xy_release(holder->x);
	helper_add(&holder->called);
}

static void calls_back_at_once_when_nobody_uses_the_data(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct holder holder = { .x = handle(h), .status = 1 };
	struct gate gate = { 0 };

	(void)state;
	assert_int_equal(xy_acquire_callback(holder.x, XY_RW, hold, &holder), 0);
	assert_int_equal(holder.called, 1);
	assert_int_equal(holder.status, 0);
	through(h, &gate, holder.x, XY_R);
	assert_int_equal(gate.inside, 0);
	assert_int_equal(xy_release(holder.x), 0);
	helper_reach(h, &gate.inside, 1);
	helper_open(&gate);
	assert_int_equal(xy_unregister(&holder.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void calls_back_when_the_tasks_before_have_ended(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct holder holder = { .x = handle(h), .status = 1 }, releasing = { .x = holder.x, .released = 1 };
	struct gate before = { 0 }, after = { 0 };

	(void)state;
	through(h, &before, holder.x, XY_W);
	assert_int_equal(xy_acquire_callback(holder.x, XY_W, hold, &holder), 0);
	assert_int_equal(xy_acquire_callback(holder.x, XY_W, hold_and_release, &releasing), 0);
	through(h, &after, holder.x, XY_W);
	helper_reach(h, &before.inside, 1);
	assert_int_equal(holder.called, 0);
	helper_open(&before);
	helper_reach(h, &holder.called, 1);
	assert_int_equal(holder.status, 0);
	assert_int_equal(releasing.called, 0);
	assert_int_equal(xy_release(holder.x), 0);
	helper_reach(h, &after.inside, 1);
	assert_int_equal(releasing.called, 1);
	assert_int_equal(releasing.released, 0);
	helper_open(&after);
	assert_int_equal(xy_unregister(&holder.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_long_row_of_callbacks_needs_no_stack(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct holder holder = { .x = handle(h) };
	struct gate gate = { 0 };
	int n = (int)helper_scale(100000);

	(void)state;
	through(h, &gate, holder.x, XY_W);
	for (int i = 0; i < n; i++)
		assert_int_equal(xy_acquire_callback(holder.x, XY_RW, hold_and_release, &holder), 0);
	helper_open(&gate);
	helper_reach(h, &holder.called, n);
	assert_int_equal(xy_unregister(&holder.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Waits until a task has run that was released before this was called. */
static void wait_inside(void *arg, int status)
{
	struct holder *holder = arg;

	holder->status = status ? status : helper_body_reach(&holder->called, 1);
	holder->released = xy_release(holder->x);
}

static void a_slow_callback_does_not_delay_others(void **state)
{
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct holder holder = { .x = handle(h), .released = 1 };
		struct xy_access read = { holder.x, XY_R };
		struct gate gate = { 0 };

		through(h, &gate, holder.x, XY_W);
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &holder.called, .accesses = XY_ACCESSES(read));
		assert_int_equal(xy_acquire_callback(holder.x, XY_R, wait_inside, &holder), 0);
		helper_reach(h, &gate.inside, 1);
		while (atomic_load(&h->rt->resting) != 1)
			sched_yield();
		helper_open(&gate);
		assert_int_equal(xy_unregister(&holder.x), 0);
		assert_int_equal(holder.status, 0);
		assert_int_equal(holder.released, 0);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void submit_inside(void *arg, int status)
{
	struct holder *holder = arg;
	struct xy_access access = { holder->x, XY_R };

	holder->status = status;
	if (!status)
		holder->status = xy_submit(*(struct xy_runtime **)xy_handle_pointer(holder->x),
					   &(struct xy_task_desc){ .codelet = &helper_count,
								   .arg = &holder->called,
								   .accesses = XY_ACCESSES(access) });
	holder->released = xy_release(holder->x);
}

static void submits_inside_the_callback(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct holder holder = { .status = 1 };
	struct gate gate = { 0 };
	struct xy_runtime *rt = h->rt;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &holder.x, &rt, sizeof rt), 0);
	through(h, &gate, holder.x, XY_R);
	assert_int_equal(xy_acquire_callback(holder.x, XY_RW, submit_inside, &holder), 0);
	helper_open(&gate);
	helper_reach(h, &holder.called, 1);
	assert_int_equal(holder.status, 0);
	assert_int_equal(holder.released, 0);
	assert_int_equal(xy_unregister(&holder.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- data that a failed task should have written --- */

static void gives_the_error_of_the_task_that_should_have_written(void **state)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { set_body }, .modes = { XY_RW } };
	struct helper *h = helper_start(NULL, 2);
	struct holder holder = { .x = handle(h), .status = 1 };
	struct xy_access write = { holder.x, XY_W };
	int one = 1;

	(void)state;
	for (int i = 0; i < 2; i++) {
		HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = XY_ACCESSES(write));
		if (i) /* known before the acquire */
			assert_int_equal(helper_wait(h), -EIO);
		assert_int_equal(xy_acquire(holder.x, XY_R), -EIO);
		assert_int_equal(xy_release(holder.x), -EINVAL);
		helper_one_line(h, "not acquired");
		assert_int_equal(xy_acquire_callback(holder.x, XY_RW, hold, &holder), 0);
		helper_reach(h, &holder.called, i + 1);
		assert_int_equal(holder.status, -EIO);
		/* a cancelled task has written nothing either */
		HELPER_SUBMIT(h, .codelet = &use, .handles = { holder.x }, .arg = &one);
		assert_int_equal(xy_acquire(holder.x, XY_R), -ECANCELED);
		/* who writes it anew does not care */
		assert_int_equal(xy_acquire(holder.x, XY_W), 0);
		assert_int_equal(xy_release(holder.x), 0);
		assert_int_equal(xy_acquire(holder.x, XY_RW), 0);
		assert_int_equal(xy_release(holder.x), 0);
		assert_int_equal(helper_wait(h), i ? -ECANCELED : -EIO);
	}
	assert_int_equal(xy_unregister(&holder.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void stopping_gives_up_what_the_application_holds(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h);
	_Atomic int n = 0;
	struct xy_access access = { x, XY_R };

	(void)state;
	assert_int_equal(xy_acquire(x, XY_W), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(access));
	/* that tasks are cancelled, the error, the handle */
	assert_int_equal(helper_stop_lines(h, 3), -ECANCELED);
	assert_int_equal(n, 0);
}

static void stopping_forgets_who_waits_for_what_is_held(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct holder first = { .x = handle(h), .status = 1 }, second = { .status = 1 };

	(void)state;
	assert_int_equal(xy_acquire_callback(first.x, XY_W, hold, &first), 0);
	assert_int_equal(xy_acquire_callback(first.x, XY_W, hold, &second), 0);
	assert_int_equal(first.called, 1);
	/* there is no task to wait for: the handle that was left, and the two that had or wanted it */
	assert_int_equal(helper_stop_lines(h, 2), 0);
	assert_int_equal(second.called, 0);
}

static void stopping_calls_back_who_never_gets_the_data(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct holder first = { .x = handle(h), .status = 1 }, second = { .status = 1 };
	struct xy_task *dropped = HELPER_CREATE(h, .name = "dropped");
	struct xy_task *never = HELPER_CREATE(h, .name = "never");
	struct xy_access access = { first.x, XY_W };

	(void)state;
	HELPER_SUBMIT(h, .accesses = XY_ACCESSES(access), .after = &never, .nafter = 1);
	xy_task_release(dropped); /* its memory comes before that of the task that was never submitted */
	assert_int_equal(xy_acquire_callback(first.x, XY_R, hold, &first), 0);
	assert_int_equal(xy_acquire_callback(first.x, XY_RW, hold, &second), 0);
	/* that tasks are cancelled, the error, the handle */
	assert_int_equal(helper_stop_lines(h, 3), -ECANCELED);
	assert_int_equal(first.called, 1);
	assert_int_equal(first.status, -ECANCELED);
	assert_int_equal(second.called, 1);
	assert_int_equal(second.status, -ECANCELED);
}

/* --- threads that would wait for themselves --- */

static void waiting_for_what_one_holds_is_refused(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h), *v, *child;
	static int numbers[8];

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &v, numbers, 8, sizeof(int)), 0);
	assert_int_equal(xy_handle_set_name(x, "mine"), 0);
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	assert_int_equal(xy_acquire(x, XY_R), -EDEADLK);
	helper_one_line(h, "this thread has acquired 'mine' and would wait for itself");
	assert_int_equal(xy_acquire(x, XY_RW), -EDEADLK);
	helper_one_line(h, "xy_acquire: this thread has acquired 'mine'");
	assert_int_equal(xy_fetch(x, 0), -EDEADLK);
	helper_one_line(h, "this thread has acquired 'mine'");
	assert_int_equal(xy_unregister(&x), -EDEADLK);
	helper_one_line(h, "xy_unregister: this thread has acquired 'mine'");
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_release(x), -EINVAL);
	helper_forget(h);
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);

	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(xy_partition(v, &(struct xy_filter){ .ops = &xy_filter_blocks, .n = 1 }, &child, 1), -EDEADLK);
	helper_one_line(h, "xy_partition: this thread");
	assert_int_equal(xy_release(v), 0);
	assert_int_equal(xy_partition(v, &(struct xy_filter){ .ops = &xy_filter_blocks, .n = 1 }, &child, 1), 0);
	assert_int_equal(xy_acquire(child, XY_R), 0);
	assert_int_equal(xy_unpartition(v), -EDEADLK);
	helper_one_line(h, "xy_unpartition: this thread");
	assert_int_equal(xy_release(child), 0);
	assert_int_equal(xy_unpartition(v), 0);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Nothing waits for anything then. */
static void reading_twice_is_no_wait_unless_a_writer_is_between(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h);
	int one = 1;

	(void)state;
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_int_equal(xy_fetch(x, 0), 0);
	HELPER_SUBMIT(h, .codelet = &set, .handles = { x }, .arg = &one);
	assert_int_equal(xy_acquire(x, XY_R), -EDEADLK);
	helper_one_line(h, "would wait for itself");
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_int_equal(*(int *)xy_handle_pointer(x), 1);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_acquire(x, XY_RW | XY_COMMUTE), 0);
	assert_int_equal(xy_acquire(x, XY_RW | XY_COMMUTE), -EDEADLK);
	helper_one_line(h, "would wait for itself");
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void *acquire_other(void *arg)
{
	struct xy_handle *x = arg;

	return (void *)(intptr_t)(xy_acquire(x, XY_RW) || xy_release(x));
}

static void the_watchdog_sees_threads_that_wait_without_tasks(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 1, .watchdog_s = 0.2 });
	struct xy_handle *x = handle(h);
	pthread_t thread;
	void *status;

	(void)state;
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	assert_int_equal(pthread_create(&thread, NULL, acquire_other, x), 0);
	for (unsigned i = 0; i < 4000 && !helper_lines_with(h, "a thread has waited for 0.2 seconds"); i++)
		usleep(10000);
	assert_int_equal(helper_lines_with(h, "a thread has waited for 0.2 seconds, and there are no tasks"), 1);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(pthread_join(thread, &status), 0);
	assert_null(status);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_tasks_before_and_holds_those_after),
		cmocka_unit_test(reading_shares_with_readers),
		cmocka_unit_test(waiting_for_what_one_holds_is_refused),
		cmocka_unit_test(reading_twice_is_no_wait_unless_a_writer_is_between),
		cmocka_unit_test(the_watchdog_sees_threads_that_wait_without_tasks),
		cmocka_unit_test(tells_of_any_error),
		cmocka_unit_test(refuses_modes_that_make_no_sense),
		cmocka_unit_test(calls_back_at_once_when_nobody_uses_the_data),
		cmocka_unit_test(calls_back_when_the_tasks_before_have_ended),
		cmocka_unit_test(a_long_row_of_callbacks_needs_no_stack),
		cmocka_unit_test(a_slow_callback_does_not_delay_others),
		cmocka_unit_test(submits_inside_the_callback),
		cmocka_unit_test(gives_the_error_of_the_task_that_should_have_written),
		cmocka_unit_test(stopping_gives_up_what_the_application_holds),
		cmocka_unit_test(stopping_forgets_who_waits_for_what_is_held),
		cmocka_unit_test(stopping_calls_back_who_never_gets_the_data),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
