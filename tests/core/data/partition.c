/* SPDX-License-Identifier: MIT */
/* Partitions that wait: order, content, failures, and what is refused. */
#include "../../helper.h"

#include <errno.h>
#include <string.h>

#define FILTER(...) (&(struct xy_filter){ .ops = __VA_ARGS__ })

/* --- codelets --- */

/* Adds the argument to each element of a vector. */
static int add_body(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);

	for (size_t i = 0; i < v->n; i++)
		((int *)v->ptr)[i] += *(int *)call->arg;
	return 0;
}

static const struct xy_codelet add = { .name = "add", .cpu = { add_body }, .modes = { XY_RW } };

static int set_body(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);

	for (size_t i = 0; i < v->n; i++)
		((int *)v->ptr)[i] = *(int *)call->arg;
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_body }, .modes = { XY_W } };

static int fail_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

static const struct xy_codelet spoil = { .name = "spoil", .cpu = { fail_body }, .modes = { XY_RW } };

static int sum_body(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);
	int *sum = call->arg;

	*sum = 0;
	for (size_t i = 0; i < v->n; i++)
		*sum += ((const int *)v->ptr)[i];
	return 0;
}

static const struct xy_codelet sum = { .name = "sum", .cpu = { sum_body }, .modes = { XY_R } };

static struct xy_handle *vector(struct helper *h, int *v, size_t n)
{
	struct xy_handle *x;

	assert_int_equal(xy_vector_register(h->rt, &x, v, n, sizeof *v), 0);
	assert_int_equal(xy_handle_set_name(x, "v"), 0);
	return x;
}

/* --- partitions that wait --- */

static void waits_for_tasks_before_and_after(void **state)
{
	enum { N = 1000, PARTS = 7 };
	struct helper *h = helper_start(NULL, 2);
	static int v[N];
	struct xy_handle *x = vector(h, v, N), *children[PARTS];
	int one = 1, total = 0;

	(void)state;
	memset(v, 0, sizeof v);
	for (unsigned round = 0; round < helper_scale(100); round++) {
		HELPER_SUBMIT(h, .codelet = &add, .handles = { x }, .arg = &one);
		assert_int_equal(xy_partition(x, FILTER(&xy_filter_blocks, .n = PARTS), children, PARTS), 0);
		assert_int_equal(xy_handle_nchildren(x), PARTS);
		for (unsigned i = 0; i < 2 * PARTS; i++) {
			assert_ptr_equal(xy_handle_child(x, i % PARTS), children[i % PARTS]);
			HELPER_SUBMIT(h, .codelet = &add, .handles = { children[i % PARTS] }, .arg = &one);
		}
		assert_int_equal(xy_unpartition(x), 0);
		assert_int_equal(v[0] + v[N - 1], (int)(6 * (round + 1)));
		assert_int_equal(xy_handle_nchildren(x), 0);
	}
	HELPER_SUBMIT(h, .codelet = &sum, .handles = { x }, .arg = &total);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(total, (int)(3 * N * helper_scale(100)));
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_calls_without_arguments(void **state)
{
	const struct xy_filter *filter = FILTER(&xy_filter_blocks, .n = 2);
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = vector(h, NULL, 4), *children[3];
	struct xy_plan *plan = NULL;
	char text[1000];

	(void)state;
	assert_int_equal(xy_plan_create(x, NULL, &plan), -EINVAL);
	assert_int_equal(xy_plan_create(x, filter, NULL), -EINVAL);
	assert_int_equal(xy_partition(x, NULL, children, 2), -EINVAL);
	assert_int_equal(xy_partition(x, filter, NULL, 2), -EINVAL);
	assert_int_equal(helper_lines(h), 4);
	helper_forget(h);
	assert_int_equal(xy_partition(x, filter, children, 3), -EINVAL);
	helper_one_line(h, "makes 2 children of 'v', but there is room for 3");
	assert_int_equal(xy_unpartition(x), -EINVAL);
	helper_one_line(h, "'v' is not partitioned");
	helper_stderr_begin();
	assert_int_equal(xy_plan_create(NULL, filter, &plan), -EINVAL);
	assert_int_equal(xy_partition(NULL, filter, children, 2), -EINVAL);
	assert_int_equal(xy_unpartition(NULL), -EINVAL);
	assert_int_equal(xy_plan_begin(NULL, XY_R), -EINVAL);
	assert_int_equal(xy_plan_end(NULL), -EINVAL);
	assert_int_equal(xy_plan_destroy(&plan), -EINVAL);
	assert_int_equal(xy_plan_destroy(NULL), -EINVAL);
	helper_stderr_end(text, sizeof text);
	assert_int_equal(helper_count_lines(text), 7);
	assert_int_equal(xy_plan_nchildren(NULL), 0);
	assert_null(xy_plan_child(NULL, 0));
	assert_int_equal(xy_handle_nchildren(NULL), 0);
	assert_null(xy_handle_child(NULL, 0));
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_a_partitioned_parent(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = vector(h, NULL, 4), *children[2], *same;
	struct xy_task *task = HELPER_CREATE(h, .codelet = &add, .handles = { x });
	struct xy_access scratch = { x, XY_SCRATCH };
	_Atomic int count = 0;
	int status = 1;

	(void)state;
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), children, 2), 0);
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &add, .handles = { x } }), -EBUSY);
	helper_one_line(h, "task 'add' is not submitted: 'v' is partitioned (halves): use its children");
	assert_int_equal(
		xy_submit(h->rt,
			  &(struct xy_task_desc){ .codelet = &sum, .handles = { x }, .after = &task, .nafter = 1 }),
		-EBUSY);
	helper_one_line(h, "task 'sum' is not submitted: 'v' is partitioned");
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &helper_count,
								  .arg = &count,
								  .accesses = XY_ACCESSES(scratch) }),
			 -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_task_submit(task), -EBUSY);
	helper_one_line(h, "task 'add' is not submitted: 'v' is partitioned");
	assert_int_equal(xy_acquire(x, XY_R), -EBUSY);
	helper_one_line(h, "refused: 'v' is partitioned");
	assert_int_equal(xy_acquire_callback(x, XY_R, helper_status, &status), -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_prefetch(x, 0), -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_fetch(x, 0), -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_invalidate(x), -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), NULL, 0), -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_handle_set_sequential(x, false), -EBUSY);
	helper_one_line(h, "'v' has children or is one");
	assert_int_equal(xy_handle_set_sequential(children[0], false), -EBUSY);
	helper_one_line(h, "'v.halves[0]' has children or is one");
	same = x;
	assert_int_equal(xy_unregister(&same), -EBUSY);
	helper_one_line(h, "xy_unregister: 'v' is partitioned");
	same = children[1];
	assert_int_equal(xy_unregister(&same), -EBUSY);
	helper_one_line(h, "'v.halves[1]' is a child of 'v'");
	assert_int_equal(xy_unpartition(x), 0);
	assert_int_equal(status, 1);
	assert_int_equal(count, 0);
	xy_task_release(task);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void partitions_recursively(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	int v[16] = { 0 }, one = 1;
	struct xy_handle *x = vector(h, v, 16), *halves[2], *quarters[2];

	(void)state;
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), halves, 2), 0);
	assert_int_equal(xy_partition(halves[1], FILTER(&xy_filter_halves), quarters, 2), 0);
	assert_string_equal(xy_handle_name(quarters[1]), "v.halves[1].halves[1]");
	HELPER_SUBMIT(h, .codelet = &add, .handles = { halves[0] }, .arg = &one);
	HELPER_SUBMIT(h, .codelet = &add, .handles = { quarters[1] }, .arg = &one);
	assert_int_equal(xy_acquire(halves[1], XY_R), -EBUSY);
	helper_one_line(h, "'v.halves[1]' is partitioned");
	assert_int_equal(xy_unpartition(x), -EBUSY);
	helper_one_line(h, "'v.halves[1]', a child of 'v', is itself partitioned");
	assert_int_equal(xy_unpartition(halves[1]), 0);
	HELPER_SUBMIT(h, .codelet = &add, .handles = { halves[1] }, .arg = &one);
	assert_int_equal(xy_unpartition(x), 0);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(v[i], i < 12 ? 1 : 2);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static int partition_body(struct xy_call *call)
{
	struct xy_handle *x = call->arg;

	if (xy_partition(x, FILTER(&xy_filter_halves), NULL, 0) != -EDEADLK)
		return -EIO;
	return xy_unpartition(x) == -EINVAL ? 0 : -EIO;
}

static void does_not_wait_inside_tasks(void **state)
{
	static const struct xy_codelet inside = { .name = "inside", .cpu = { partition_body } };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = vector(h, NULL, 4);

	(void)state;
	HELPER_SUBMIT(h, .codelet = &inside, .arg = x);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_lines(h), 2);
	helper_forget(h);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void needs_the_order_of_tasks(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = vector(h, NULL, 4);

	(void)state;
	assert_int_equal(xy_handle_set_sequential(x, false), 0);
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), NULL, 0), -EINVAL);
	helper_one_line(h, "its sequential order is off");
	assert_int_equal(xy_handle_set_sequential(x, true), 0);
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), NULL, 0), 0);
	assert_int_equal(xy_unpartition(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- failures --- */

static void a_failed_parent_is_not_partitioned(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = vector(h, NULL, 4);
	int one = 1;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &spoil, .handles = { x });
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), NULL, 0), -EIO);
	assert_int_equal(xy_handle_nchildren(x), 0);
	assert_int_equal(xy_acquire(x, XY_R), -EIO);
	assert_int_equal(helper_wait(h), -EIO);
	HELPER_SUBMIT(h, .codelet = &set, .handles = { x }, .arg = &one);
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), NULL, 0), 0);
	assert_int_equal(xy_unpartition(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	helper_forget(h);
	assert_int_equal(helper_stop(h), 0);
}

static void a_failed_child_is_a_failed_parent(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = vector(h, NULL, 4), *children[2];
	int one = 1;

	(void)state;
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), children, 2), 0);
	HELPER_SUBMIT(h, .codelet = &spoil, .handles = { children[1] });
	assert_int_equal(xy_unpartition(x), -EIO);
	assert_int_equal(xy_acquire(x, XY_R), -EIO);
	assert_int_equal(xy_acquire(x, XY_W), 0);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_int_equal(xy_release(x), 0);
	/* What failed and was written again has not failed. */
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_halves), children, 2), 0);
	HELPER_SUBMIT(h, .codelet = &spoil, .handles = { children[0] });
	HELPER_SUBMIT(h, .codelet = &set, .handles = { children[0] }, .arg = &one);
	assert_int_equal(xy_unpartition(x), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_unregister(&x), 0);
	helper_forget(h);
	assert_int_equal(helper_stop(h), 0);
}

static void stopping_forgets_what_is_still_partitioned(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x = vector(h, NULL, 16), *children[4];

	(void)state;
	assert_int_equal(xy_partition(x, FILTER(&xy_filter_blocks, .n = 4), children, 4), 0);
	assert_int_equal(xy_partition(children[2], FILTER(&xy_filter_halves), NULL, 0), 0);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_tasks_before_and_after),
		cmocka_unit_test(refuses_calls_without_arguments),
		cmocka_unit_test(refuses_a_partitioned_parent),
		cmocka_unit_test(partitions_recursively),
		cmocka_unit_test(does_not_wait_inside_tasks),
		cmocka_unit_test(needs_the_order_of_tasks),
		cmocka_unit_test(a_failed_parent_is_not_partitioned),
		cmocka_unit_test(a_failed_child_is_a_failed_parent),
		cmocka_unit_test(stopping_forgets_what_is_still_partitioned),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
