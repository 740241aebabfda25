/* SPDX-License-Identifier: MIT */
/* Callbacks at the end of tasks: when they are called, with what, and what they may do. */
#include "../../helper.h"

#include <errno.h>

static void add_to(void *arg, int status)
{
	atomic_fetch_add((_Atomic int *)arg, status ? 1000 : 1);
}

static void calls_back_before_it_tells_those_who_wait(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	_Atomic int n = 0, called = 0;

	(void)state;
	for (int i = 0; i < (int)helper_scale(2000); i++) {
		struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n, .callback = add_to,
						     .callback_arg = &called);

		assert_int_equal(xy_task_submit(task), 0);
		if (i % 2)
			assert_int_equal(helper_wait_task(h, task), 0);
		else
			assert_int_equal(helper_wait(h), 0);
		assert_int_equal(called, i + 1);
		xy_task_release(task);
	}
	assert_int_equal(helper_stop(h), 0);
}

static int called_back_body(struct xy_call *call)
{
	return atomic_load((_Atomic int *)call->arg) == 1 ? 0 : -ERANGE;
}

static void calls_back_before_successors_begin(void **state)
{
	static const struct xy_codelet check = { .name = "check", .cpu = { called_back_body } };
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (unsigned i = 0; i < helper_scale(1000); i++) {
		_Atomic int n = 0, called = 0;
		struct xy_task *first = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n, .callback = add_to,
						      .callback_arg = &called);

		HELPER_SUBMIT(h, .codelet = &check, .arg = &called, .after = &first, .nafter = 1);
		assert_int_equal(xy_task_submit(first), 0);
		assert_int_equal(helper_wait(h), 0);
		xy_task_release(first);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void calls_back_with_the_status(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_task *first;
	_Atomic int n = 0;
	int failed = 1, cancelled = 1;

	(void)state;
	first = HELPER_CREATE(h, .codelet = &helper_fail, .callback = helper_status, .callback_arg = &failed);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .after = &first, .nafter = 1, .callback = helper_status,
		      .callback_arg = &cancelled);
	assert_int_equal(xy_task_submit(first), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(failed, -EIO);
	assert_int_equal(cancelled, -ECANCELED);
	assert_int_equal(n, 0);
	xy_task_release(first);
	assert_int_equal(helper_stop(h), 0);
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

static void submit_again(void *arg, int status)
{
	struct again *again = arg;

	(void)status;
	if (atomic_fetch_sub(&again->left, 1) > 0)
		xy_submit(again->h->rt, &(struct xy_task_desc){ .codelet = &again_codelet,
								.arg = again,
								.callback = submit_again,
								.callback_arg = again });
}

static void submits_from_callbacks(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct again again = { .h = h, .left = 3000 };

	(void)state;
	submit_again(&again, 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(again.ran, 3000);
	assert_int_equal(helper_stop(h), 0);
}

static void submit_empty_again(void *arg, int status)
{
	struct again *again = arg;

	(void)status;
	atomic_fetch_add(&again->ran, 1);
	if (atomic_fetch_sub(&again->left, 1) > 0)
		xy_submit(again->h->rt,
			  &(struct xy_task_desc){ .callback = submit_empty_again, .callback_arg = again });
}

static void a_long_row_of_callbacks_needs_no_stack(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	int n = (int)helper_scale(200000);
	struct again again = { .h = h, .left = n };

	(void)state;
	submit_empty_again(&again, 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(again.ran, n + 1);
	assert_int_equal(helper_stop(h), 0);
}

struct chain {
	struct xy_task *first, *second, *third;
	_Atomic int n;
	int error;
};

/* Orders and submits tasks, in the thread that has just submitted an empty one. */
static void chain_callback(void *arg, int status)
{
	struct chain *chain = arg;

	chain->error = status;
	if (!chain->error)
		chain->error = xy_task_after(chain->third, chain->second);
	if (!chain->error)
		chain->error = xy_task_submit(chain->third);
	if (!chain->error)
		chain->error = xy_task_submit(chain->second);
}

static void orders_tasks_from_callbacks(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct chain chain = { .error = 1 };

	(void)state;
	chain.first = HELPER_CREATE(h, .callback = chain_callback, .callback_arg = &chain);
	chain.second = HELPER_CREATE(h, .codelet = &helper_count, .arg = &chain.n);
	chain.third = HELPER_CREATE(h, .codelet = &helper_count, .arg = &chain.n);
	assert_int_equal(xy_task_submit(chain.first), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(chain.error, 0);
	assert_int_equal(chain.n, 2);
	xy_task_release(chain.first);
	xy_task_release(chain.second);
	xy_task_release(chain.third);
	assert_int_equal(helper_stop(h), 0);
}

struct slow {
	struct helper *h;
	_Atomic int ran;
	int status;
};

static int slow_helper_count_body(struct xy_call *call)
{
	struct slow *slow = call->arg;

	helper_add(&slow->ran);
	return 0;
}

/* Waits until what it has submitted has run, which needs the other worker. */
static void slow_callback(void *arg, int status)
{
	static const struct xy_codelet codelet = { .name = "meanwhile", .cpu = { slow_helper_count_body } };
	struct slow *slow = arg;

	(void)status;
	slow->status = xy_submit(slow->h->rt, &(struct xy_task_desc){ .codelet = &codelet, .arg = slow });
	if (!slow->status)
		slow->status = helper_body_reach(&slow->ran, 1);
}

static void a_slow_callback_does_not_delay_what_it_submitted(void **state)
{
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct slow slow = { .h = h };
		_Atomic int n = 0;

		helper_rest(h);
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .callback = slow_callback, .callback_arg = &slow);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(slow.status, 0);
	}
	assert_int_equal(helper_stop(h), 0);
}

static int slow_body(struct xy_call *call)
{
	struct slow *slow = call->arg;

	slow_callback(slow, 0);
	return slow->status;
}

static void a_slow_codelet_does_not_delay_what_it_submitted(void **state)
{
	static const struct xy_codelet codelet = { .name = "slow", .cpu = { slow_body } };
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct slow slow = { .h = h };

		helper_rest(h);
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &slow);
		assert_int_equal(helper_wait(h), 0);
	}
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_back_before_it_tells_those_who_wait),
		cmocka_unit_test(calls_back_before_successors_begin),
		cmocka_unit_test(calls_back_with_the_status),
		cmocka_unit_test(submits_from_callbacks),
		cmocka_unit_test(a_long_row_of_callbacks_needs_no_stack),
		cmocka_unit_test(orders_tasks_from_callbacks),
		cmocka_unit_test(a_slow_callback_does_not_delay_what_it_submitted),
		cmocka_unit_test(a_slow_codelet_does_not_delay_what_it_submitted),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
