/* SPDX-License-Identifier: MIT */
/* Accesses without order, and reductions with arguments. */
#include "../../helper.h"

#include <errno.h>

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

static int combine_body(struct xy_call *call)
{
	*(int *)xy_pointer(call, 0) += *(int *)xy_pointer(call, 1) * *(int *)call->arg;
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_body } };
static const struct xy_codelet add = { .name = "add", .cpu = { add_body } };
static const struct xy_codelet init = { .name = "init", .cpu = { set_body }, .modes = { XY_W } };
static const struct xy_codelet combine = { .name = "combine", .cpu = { combine_body }, .modes = { XY_RW, XY_R } };

static struct xy_runtime *start(void)
{
	struct xy_runtime *rt;

	assert_int_equal(xy_start(&rt, &(struct xy_config){ .ncpu = 2, .ignore_environment = true }), 0);
	return rt;
}

/* The application holds the data all the time: an ordered access would wait for it. */
static void an_unordered_access_gives_no_dependency_at_any_submission(void **state)
{
	const enum xy_mode loose = (enum xy_mode)(XY_RW | XY_UNORDERED);
	struct xy_runtime *rt = start();
	int value = 0, five = 5;
	struct xy_task *task;
	struct xy_handle *v;

	(void)state;
	assert_int_equal(xy_variable_register(rt, &v, &value, sizeof value), 0);
	assert_int_equal(xy_task_create(rt,
					&(struct xy_task_desc){
						.codelet = &add, .arg = &five, .accesses = XY_ACCESSES({ v, loose }) },
					&task),
			 0);
	assert_int_equal(xy_acquire(v, XY_RW), 0);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(xy_task_submit(task), 0);
		assert_int_equal(xy_task_wait_for(task, 60), 0);
		assert_int_equal(value, 5 * i);
	}
	assert_int_equal(xy_release(v), 0);
	xy_task_release(task);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(xy_stop(&rt), 0);
}

static void only_reads_and_writes_can_be_unordered(void **state)
{
	const enum xy_mode modes[] = { XY_SCRATCH, (enum xy_mode)(XY_RW | XY_COMMUTE), XY_REDUX, (enum xy_mode)0 };
	struct xy_runtime *rt = start();
	struct xy_handle *v;
	int value = 0;

	(void)state;
	assert_int_equal(xy_variable_register(rt, &v, &value, sizeof value), 0);
	for (unsigned i = 0; i < 4; i++) {
		enum xy_mode mode = (enum xy_mode)(modes[i] | XY_UNORDERED);

		assert_int_equal(xy_submit(rt, &(struct xy_task_desc){ .codelet = &set,
								       .arg = &value,
								       .accesses = XY_ACCESSES({ v, mode }) }),
				 -EINVAL);
	}
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(xy_stop(&rt), 0);
}

static void a_reduction_has_arguments(void **state)
{
	struct xy_runtime *rt = start();
	int value = 1, zero = 0, two = 2, three = 3;
	struct xy_handle *v;

	(void)state;
	assert_int_equal(xy_variable_register(rt, &v, &value, sizeof value), 0);
	assert_int_equal(xy_handle_set_reduction_args(v, &zero, &two), -EINVAL);
	assert_int_equal(xy_handle_set_reduction(v, &init, &combine), 0);
	assert_int_equal(xy_handle_set_reduction_args(v, &zero, &two), 0);
	assert_int_equal(xy_insert(rt, &add, xy_redux(v), xy_arg(&three)), 0);
	assert_int_equal(xy_handle_set_reduction_args(v, &zero, &zero), -EBUSY);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(value, 7);
	assert_int_equal(xy_release(v), 0);
	assert_int_equal(xy_handle_set_reduction_args(NULL, NULL, NULL), -EINVAL);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(xy_stop(&rt), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unordered_access_gives_no_dependency_at_any_submission),
		cmocka_unit_test(only_reads_and_writes_can_be_unordered),
		cmocka_unit_test(a_reduction_has_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
