/* SPDX-License-Identifier: MIT */
/* Reductions that fail: members, init, combine; and those that are refused. */
#include "amount.h"

#include <errno.h>
#include <string.h>

static int bad_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

static const struct xy_codelet bad_zero = { .name = "bad_zero", .cpu = { bad_body }, .modes = { XY_W } };
static const struct xy_codelet bad_sum = { .name = "bad_sum", .cpu = { bad_body }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet bad_add = { .name = "bad_add", .cpu = { bad_body }, .modes = { XY_REDUX } };

/* The handle is in a state of failure; then it is written anew and works again. */
static void expect_failed(struct helper *h, struct xy_handle *handle, struct amount *a, const char *who)
{
	uint64_t x = 0;
	struct xy_task *reader = HELPER_CREATE(h, .codelet = &is, .handles = { handle }, .arg = &x);

	assert_int_equal(xy_task_submit(reader), 0);
	assert_int_equal(helper_wait_task(h, reader), -ECANCELED);
	xy_task_release(reader);
	assert_int_equal(xy_acquire(handle, XY_R), -EIO);
	assert_int_equal(helper_wait(h), -EIO);
	assert_non_null(strstr(xy_error(h->rt), who));
	assert_int_equal(xy_handle_set_reduction(handle, &zero, &sum), 0);
	submit(h, &set, handle, 3);
	submit(h, &add, handle, 4);
	assert_int_equal(xy_acquire(handle, XY_R), 0);
	assert_int_equal(a->value, 7);
	assert_int_equal(xy_release(handle), 0);
	assert_int_equal(helper_wait(h), 0);
}

static void a_member_that_fails_makes_the_handle_fail(void **state)
{
	struct helper *h = helper_start(NULL, 3);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);
	int statuses[8];

	(void)state;
	for (int wait = 0; wait < 2; wait++) {
		for (int i = 0; i < 8; i++) {
			uint64_t x = 1;

			statuses[i] = -1;
			HELPER_SUBMIT(h, .codelet = i == 4 ? &bad_add : &add, .handles = { handle }, .arg = &x,
				      .arg_size = sizeof x, .callback = helper_status, .callback_arg = &statuses[i]);
		}
		if (wait) /* the group has failed before it is closed, or after */
			helper_rest(h);
		expect_failed(h, handle, &a, "bad_add");
		for (int i = 0; i < 8; i++) /* the others finish */
			assert_int_equal(statuses[i], i == 4 ? -EIO : 0);
	}
	submit(h, &bad_add, handle, 0);
	assert_int_equal(xy_unregister(&handle), -EIO);
	assert_int_equal(helper_stop_lines(h, 1), -EIO);
}

static void init_that_fails_makes_the_task_fail(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	assert_int_equal(xy_handle_set_reduction(handle, &bad_zero, &sum), 0);
	submit(h, &add, handle, 0);
	submit(h, &add, handle, 0);
	expect_failed(h, handle, &a, "'add'");
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static _Atomic int sums_to_go;

/* Fails in the middle of the tree, whoever comes then. */
static int late_sum_body(struct xy_call *call)
{
	return atomic_fetch_sub(&sums_to_go, 1) == 1 ? -EIO : sum_body(call);
}

static const struct xy_codelet late_sum = { .name = "late_sum", .cpu = { late_sum_body }, .modes = { XY_RW, XY_R } };

static void combine_that_fails_makes_the_handle_fail(void **state)
{
	enum { WORKERS = 6 };
	struct helper *h = helper_start(NULL, WORKERS);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	for (int i = 0; i <= WORKERS; i++) {
		struct meeting meeting = { .all = WORKERS }, *arg = &meeting;

		sums_to_go = i;
		assert_int_equal(xy_handle_set_reduction(handle, &zero, i ? &late_sum : &bad_sum), 0);
		for (int j = 0; j < WORKERS; j++)
			HELPER_SUBMIT(h, .codelet = &meet, .handles = { handle }, .arg = &arg, .arg_size = sizeof arg);
		expect_failed(h, handle, &a, i ? "late_sum" : "bad_sum");
		/* what became of the replicas is forgotten */
		meeting.inside = 0;
		for (int j = 0; j < WORKERS; j++)
			HELPER_SUBMIT(h, .codelet = &meet, .handles = { handle }, .arg = &arg, .arg_size = sizeof arg);
		submit(h, &is, handle, 7 + WORKERS);
		assert_int_equal(helper_wait(h), 0);
	}
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void failure_before_the_group_cancels_its_members(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);
	struct xy_access access = { handle, XY_RW };
	int status = 0;

	(void)state;
	ninits = ncombines = 0;
	HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = XY_ACCESSES(access));
	HELPER_SUBMIT(h, .codelet = &add, .handles = { handle }, .callback = helper_status, .callback_arg = &status);
	assert_int_equal(xy_unregister(&handle), -ECANCELED);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(status, -ECANCELED);
	assert_int_equal(ninits, 0);
	assert_int_equal(ncombines, 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- bad input --- */

static bool can_always(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)worker;
	(void)implementation;
	return true;
}

static void set_reduction_refuses_codelets_that_can_not_be(void **state)
{
	static const struct xy_codelet picky = {
		.name = "picky",
		.cpu = { bad_body },
		.modes = { XY_W },
		.can_execute = can_always,
	};
	static const struct xy_codelet elsewhere = { .name = "elsewhere", .cuda = { bad_body }, .modes = { XY_W } };
	struct helper *h = helper_start(NULL, 1);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);
	char text[256];

	(void)state;
	assert_int_equal(xy_handle_set_name(handle, "total"), 0);
	assert_int_equal(xy_handle_set_reduction(handle, NULL, &sum), -EINVAL);
	helper_one_line(h, "'total': two codelets are needed");
	assert_int_equal(xy_handle_set_reduction(handle, &sum, &sum), -EINVAL);
	helper_one_line(h, "the mode of init must be W");
	assert_int_equal(xy_handle_set_reduction(handle, &zero, &zero), -EINVAL);
	helper_one_line(h, "the modes of combine must be RW and R");
	assert_int_equal(xy_handle_set_reduction(handle, &picky, &sum), -EINVAL);
	helper_one_line(h, "can_execute");
	assert_int_equal(xy_handle_set_reduction(handle, &elsewhere, &sum), -ENODEV);
	helper_one_line(h, "no worker can run init");
	submit(h, &add, handle, 1);
	assert_int_equal(xy_handle_set_reduction(handle, &one, &product), -EBUSY);
	helper_one_line(h, "not combined yet");
	helper_stderr_begin();
	assert_int_equal(xy_handle_set_reduction(NULL, &zero, &sum), -EINVAL);
	helper_stderr_end(text, sizeof text);
	assert_non_null(strstr(text, "no handle"));
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(a.value, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void refuse(struct helper *h, const struct xy_task_desc *desc, int error, const char *text)
{
	struct xy_task *task;

	assert_int_equal(xy_submit(h->rt, desc), error);
	helper_one_line(h, text);
	assert_int_equal(xy_task_create(h->rt, desc, &task), error);
	helper_one_line(h, text);
}

static void tasks_that_can_not_be_are_refused(void **state)
{
	static const struct xy_codelet both = { .name = "both", .cpu = { bad_body }, .modes = { XY_REDUX, XY_R } };
	static const struct xy_codelet odd = { .name = "odd", .cpu = { bad_body }, .modes = { XY_REDUX | XY_RW } };
	struct helper *h = helper_start(NULL, 1);
	struct amount a = { .value = 0 };
	struct xy_handle *handle, *without;
	struct xy_access twice[7] = { 0 };

	(void)state;
	handle = register_sum(h, &a);
	assert_int_equal(xy_variable_register(h->rt, &without, &a, sizeof a), 0);
	assert_int_equal(xy_handle_set_name(without, "total"), 0);
	for (int i = 0; i < 6; i++)
		twice[i] = (struct xy_access){ handle, i == 4 ? XY_R : XY_REDUX };
	refuse(h, &(struct xy_task_desc){ .codelet = &add, .handles = { without } }, -EINVAL,
	       "task 'add' is not submitted: XY_REDUX on 'total': it has no init and combine");
	refuse(h, &(struct xy_task_desc){ .codelet = &add, .handles = { handle }, .retries = 1 }, -EINVAL,
	       "can't be retried");
	refuse(h, &(struct xy_task_desc){ .codelet = &both, .handles = { handle, handle } }, -EINVAL,
	       "in another mode as well");
	refuse(h, &(struct xy_task_desc){ .codelet = &add, .accesses = twice }, -EINVAL, "in another mode as well");
	refuse(h, &(struct xy_task_desc){ .codelet = &odd, .handles = { handle } }, -EINVAL, "invalid access mode");
	assert_int_equal(xy_acquire(handle, XY_REDUX), -EINVAL);
	helper_one_line(h, "the mode must be");
	assert_int_equal(xy_unregister(&without), 0);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_that_fails_makes_the_handle_fail),
		cmocka_unit_test(init_that_fails_makes_the_task_fail),
		cmocka_unit_test(combine_that_fails_makes_the_handle_fail),
		cmocka_unit_test(failure_before_the_group_cancels_its_members),
		cmocka_unit_test(set_reduction_refuses_codelets_that_can_not_be),
		cmocka_unit_test(tasks_that_can_not_be_are_refused),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
