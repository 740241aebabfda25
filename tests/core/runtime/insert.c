/* SPDX-License-Identifier: MIT */
/* xy_insert: the terms of a task are what a description would say. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <xylem/component.h>

struct seen {
	_Atomic int n;
	unsigned nbuffers, worker;
	int value, status;
	void *first, *last;
	void *sched_data;
	double deadline_us;
};

static int see_body(struct xy_call *call)
{
	struct seen *seen = call->arg;

	seen->nbuffers = call->nbuffers;
	seen->worker = call->worker;
	seen->first = call->nbuffers ? xy_pointer(call, 0) : NULL;
	seen->last = call->nbuffers ? xy_pointer(call, call->nbuffers - 1) : NULL;
	seen->sched_data = xy_task_sched_data(call->task);
	seen->deadline_us = xy_task_deadline_us(call->task);
	atomic_fetch_add(&seen->n, 1);
	return 0;
}

static const struct xy_codelet see = { .name = "see", .cpu = { see_body } };

static void runs_with_its_accesses_in_order(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x, *y;
	struct seen seen = { 0 };
	int a = 1, b = 2;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, &a, sizeof a), 0);
	assert_int_equal(xy_variable_register(h->rt, &y, &b, sizeof b), 0);
	assert_int_equal(xy_insert(h->rt, &see, xy_arg(&seen)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.nbuffers, 0);
	assert_int_equal(xy_insert(h->rt, &see, xy_r(x), xy_arg(&seen), xy_rw(y), xy_priority(3)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.nbuffers, 2);
	assert_ptr_equal(seen.first, &a);
	assert_ptr_equal(seen.last, &b);
	assert_int_equal(seen.n, 2);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(helper_stop(h), 0);
}

static int append_body(struct xy_call *call)
{
	int *value = xy_pointer(call, 0);

	*value = *value * 10 + *(int *)call->arg;
	return 0;
}

static const struct xy_codelet append = { .name = "append", .cpu = { append_body }, .modes = { XY_RW } };

static void orders_tasks_by_what_they_access(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x;
	int value = 0;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, &value, sizeof value), 0);
	for (int i = 1; i < 9; i++)
		assert_int_equal(xy_insert(h->rt, &append, xy_rw(x), xy_copy(&i, sizeof i)), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(value, 12345678);
	assert_int_equal(helper_stop(h), 0);
}

static void rare_terms_say_what_fields_do(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct gate gate = { 0 };
	struct xy_task *before;
	struct seen seen = { 0 };

	(void)state;
	before = HELPER_CREATE(h, .codelet = &helper_gate, .arg = &gate);
	assert_int_equal(xy_task_submit(before), 0);
	seen.status = 1;
	assert_int_equal(xy_insert(h->rt, &see, xy_arg(&seen), xy_after(before), xy_on(1), xy_name("late"),
				   xy_callback(helper_status, &seen.status), xy_length_us(5), xy_retries(1),
				   xy_choice(0), xy_deadline_s(2.5), xy_sched_data(&seen)),
			 0);
	helper_reach(h, &gate.inside, 1);
	assert_int_equal(seen.n, 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.worker, 1);
	assert_int_equal(seen.status, 0);
	assert_ptr_equal(seen.sched_data, &seen);
	assert_true(seen.deadline_us == 2.5e6);
	xy_task_release(before);
	assert_int_equal(helper_stop(h), 0);
}

static void advice_for_the_scheduler_is_the_task_s_own(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct seen seen = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &see, .arg = &seen, .sched_data = h);
	assert_int_equal(helper_wait(h), 0);
	assert_ptr_equal(seen.sched_data, h);
	assert_true(isinf(seen.deadline_us));
	HELPER_SUBMIT(h, .codelet = &see, .arg = &seen, .deadline_s = 3);
	assert_int_equal(helper_wait(h), 0);
	assert_null(seen.sched_data);
	assert_true(seen.deadline_us == 3e6);
	for (int i = 0; i < 3; i++) { /* in the memory of those */
		HELPER_SUBMIT(h, .codelet = &see, .arg = &seen);
		assert_int_equal(helper_wait(h), 0);
		assert_null(seen.sched_data);
		assert_true(isinf(seen.deadline_us));
	}
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &see, .deadline_s = -1 }), -EINVAL);
	helper_one_line(h, "its deadline is negative or not a number");
	assert_int_equal(xy_insert(h->rt, &see, xy_deadline_s(NAN)), -EINVAL);
	helper_one_line(h, "its deadline is negative or not a number");
	assert_int_equal(seen.n, 5);
	assert_int_equal(helper_stop(h), 0);
}

static void takes_any_number_of_accesses(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_term terms[42];
	struct xy_handle *handles[40];
	struct seen seen = { 0 };
	int values[40];

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		assert_int_equal(xy_variable_register(h->rt, &handles[i], &values[i], sizeof values[i]), 0);
		terms[i] = i % 2 ? xy_commute(handles[i]) : xy_w(handles[i]);
	}
	terms[40] = xy_arg(&seen);
	terms[41] = xy_term_end();
	for (unsigned n = 1; n <= 40; n++) {
		assert_int_equal(xy_insert_terms(h->rt, &see, terms + 40 - n), 0);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(seen.nbuffers, n);
		assert_ptr_equal(seen.first, &values[40 - n]);
		assert_ptr_equal(seen.last, &values[39]);
	}
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(xy_unregister(&handles[i]), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void numbers_tasks_without_gaps(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct seen seen = { 0 };
	struct xy_task *task;

	(void)state;
	assert_int_equal(xy_insert(h->rt, &see, xy_arg(&seen)), 0);
	assert_int_equal(xy_insert(h->rt, &see, xy_arg(&seen), xy_name("rare")), 0);
	task = HELPER_CREATE(h, .codelet = &see, .arg = &seen);
	assert_int_equal(xy_task_number(task), 3);
	xy_task_release(task);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_what_a_description_would_be_refused_for(void **state)
{
	static const struct xy_codelet nowhere = { .name = "nowhere" };
	struct helper *h = helper_start(NULL, 1), *other = helper_start(NULL, 1);
	struct xy_handle *x, *foreign;
	int value = 0;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, &value, sizeof value), 0);
	assert_int_equal(xy_variable_register(other->rt, &foreign, &value, sizeof value), 0);
	assert_int_equal(xy_insert(h->rt, &see, xy_r(NULL)), -EINVAL);
	helper_one_line(h, "accesses[0] is NULL");
	assert_int_equal(xy_insert(h->rt, &see, xy_r(x), xy_rw(foreign)), -EINVAL);
	helper_one_line(h, "belongs to another runtime");
	assert_int_equal(xy_insert(h->rt, &see, xy_use(x, XY_R | XY_SCRATCH)), -EINVAL);
	helper_one_line(h, "accesses[0]");
	assert_int_equal(xy_insert(h->rt, &see, xy_redux(x)), -EINVAL);
	helper_one_line(h, "XY_REDUX");
	assert_int_equal(xy_insert(h->rt, &append), -EINVAL);
	helper_one_line(h, "has the modes of 1 handles, but there are 0");
	assert_int_equal(xy_insert(h->rt, &nowhere), -ENODEV);
	helper_one_line(h, "no worker can run it");
	assert_int_equal(xy_insert(h->rt, &see, xy_after(NULL)), -EINVAL);
	helper_one_line(h, "'see'");
	assert_int_equal(xy_insert(h->rt, &see, xy_term_of((enum xy_term_kind)99, 0, NULL)), -EINVAL);
	helper_one_line(h, "a term has an unknown type");
	assert_int_equal(xy_insert_terms(h->rt, &see, NULL), -EINVAL);
	helper_one_line(h, "no terms");
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_unregister(&foreign), 0);
	assert_int_equal(helper_stop(other), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_with_its_accesses_in_order),
		cmocka_unit_test(orders_tasks_by_what_they_access),
		cmocka_unit_test(rare_terms_say_what_fields_do),
		cmocka_unit_test(advice_for_the_scheduler_is_the_task_s_own),
		cmocka_unit_test(takes_any_number_of_accesses),
		cmocka_unit_test(numbers_tasks_without_gaps),
		cmocka_unit_test(refuses_what_a_description_would_be_refused_for),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
