/* SPDX-License-Identifier: MIT */
/* Plans: what waits for what, what may be used when, what failures do. */
#include "bed.h"

#include <errno.h>
#include <string.h>

enum { N = 64 };

#define FILTER(...) (&(struct xy_filter){ .ops = __VA_ARGS__ })

static uint32_t x[N];

static struct xy_handle *named(struct helper *h, uint32_t *ptr)
{
	struct xy_handle *v = bed_vector(h, ptr, N);

	assert_int_equal(xy_handle_set_name(v, "v"), 0);
	return v;
}

static struct xy_plan *blocks(struct xy_handle *v, unsigned n)
{
	struct xy_plan *plan;

	assert_int_equal(xy_plan_create(v, FILTER(&xy_filter_blocks, .n = n), &plan), 0);
	assert_int_equal(xy_plan_nchildren(plan), n);
	return plan;
}

/* A task that waits at a gate with the handle in this mode. */
static void through(struct helper *h, struct gate *gate, struct xy_handle *v, enum xy_mode mode)
{
	struct xy_access access = { v, mode };

	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = gate, .accesses = XY_ACCESSES(access));
}

static int try_mode(struct helper *h, struct xy_handle *v, enum xy_mode mode)
{
	struct xy_access access = { v, mode };
	int zero = 0;

	return xy_submit(h->rt, &(struct xy_task_desc){ .name = "try",
							.codelet = &helper_count,
							.arg = &zero,
							.arg_size = sizeof zero,
							.accesses = XY_ACCESSES(access) });
}

/* --- order --- */

static void nothing_waits_but_tasks(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = named(h, x);
	struct xy_plan *four = blocks(v, 4), *two = blocks(v, 2);
	struct gate gate = { 0 };

	(void)state;
	memset(x, 0, sizeof x);
	through(h, &gate, v, XY_RW);
	helper_reach(h, &gate.inside, 1);
	/* All of this is submitted while the first task runs. */
	for (unsigned round = 0; round < 10; round++) {
		assert_int_equal(xy_plan_begin(four, XY_RW), 0);
		for (unsigned i = 0; i < 4; i++)
			bed_submit(h, &bed_add, i, xy_plan_child(four, i), NULL, NULL);
		assert_int_equal(xy_plan_end(four), 0);
		assert_int_equal(xy_plan_begin(two, XY_RW), 0);
		for (unsigned i = 0; i < 2; i++)
			bed_submit(h, &bed_add, i, xy_plan_child(two, i), NULL, NULL);
		assert_int_equal(xy_plan_end(two), 0);
		bed_submit(h, &bed_add, 1, v, NULL, NULL);
	}
	assert_int_equal(x[0] | x[N - 1], 0);
	helper_open(&gate);
	assert_int_equal(xy_plan_destroy(&four), 0);
	assert_int_equal(xy_plan_destroy(&two), 0);
	bed_unregister(h, &v);
	for (unsigned i = 0; i < N; i++) {
		uint32_t expected = 0;

		for (unsigned round = 0; round < 10; round++)
			expected = 3 * (3 * (3 * expected + i / (N / 4)) + i / (N / 2)) + 1;
		assert_int_equal(x[i], expected);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void children_run_beside_each_other(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = named(h, NULL);
	struct xy_plan *plan = blocks(v, 2);
	struct gate first = { 0 }, second = { 0 }, after = { 0 };

	(void)state;
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	through(h, &first, xy_plan_child(plan, 0), XY_RW);
	through(h, &second, xy_plan_child(plan, 1), XY_RW);
	assert_int_equal(xy_plan_end(plan), 0);
	through(h, &after, v, XY_R);
	helper_reach(h, &first.inside, 1);
	helper_reach(h, &second.inside, 1);
	helper_open(&first);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(after.inside, 0);
	helper_open(&second);
	helper_reach(h, &after.inside, 1);
	helper_open(&after);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	assert_int_equal(helper_stop(h), 0);
}

static void all_read_at_once(void **state)
{
	struct helper *h = helper_start(NULL, 4);
	struct xy_handle *v = named(h, NULL);
	struct xy_plan *two = blocks(v, 2), *three = blocks(v, 3);
	struct gate gates[3] = { 0 }, writer = { 0 };

	(void)state;
	assert_int_equal(xy_plan_begin(two, XY_R), 0);
	assert_int_equal(xy_plan_begin(three, XY_R), 0);
	through(h, &gates[0], v, XY_R);
	through(h, &gates[1], xy_plan_child(two, 0), XY_R);
	through(h, &gates[2], xy_plan_child(three, 0), XY_R);
	for (unsigned i = 0; i < 3; i++)
		helper_reach(h, &gates[i].inside, 1);
	assert_int_equal(xy_plan_end(two), 0);
	assert_int_equal(xy_plan_end(three), 0);
	through(h, &writer, v, XY_RW);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(xy_wait_for(h->rt, 0.005), -ETIMEDOUT);
		assert_int_equal(writer.inside, 0);
		helper_open(&gates[i]);
	}
	helper_reach(h, &writer.inside, 1);
	helper_open(&writer);
	assert_int_equal(xy_plan_destroy(&two), 0);
	assert_int_equal(xy_plan_destroy(&three), 0);
	bed_unregister(h, &v);
	assert_int_equal(helper_stop(h), 0);
}

static void reading_waits_for_the_writer_before(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = named(h, NULL);
	struct xy_plan *plan = blocks(v, 2);
	struct gate writer = { 0 }, reader = { 0 };

	(void)state;
	through(h, &writer, v, XY_W);
	assert_int_equal(xy_plan_begin(plan, XY_R), 0);
	through(h, &reader, xy_plan_child(plan, 1), XY_R);
	helper_reach(h, &writer.inside, 1);
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(reader.inside, 0);
	helper_open(&writer);
	helper_reach(h, &reader.inside, 1);
	helper_open(&reader);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	assert_int_equal(helper_stop(h), 0);
}

/* Begins and ends a plan inside a callback, with tasks in between. */
struct inside {
	struct helper *h;
	struct xy_handle *v;
	struct xy_plan *plan;
	int error;
};

static void plan_inside(void *arg, int status)
{
	struct inside *in = arg;

	in->error = status ? status : xy_plan_begin(in->plan, XY_RW);
	for (unsigned i = 0; i < 2 && !in->error; i++)
		in->error = xy_submit(in->h->rt, &(struct xy_task_desc){ .codelet = &bed_add,
									 .handles = { xy_plan_child(in->plan, i) },
									 .arg = &(struct bed_arg){ i + 1 },
									 .arg_size = sizeof(struct bed_arg) });
	if (!in->error)
		in->error = xy_plan_end(in->plan);
	if (!status)
		xy_release(in->v);
}

static void plans_are_for_callbacks_too(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct inside in = { .h = h, .v = named(h, x), .error = 1 };

	(void)state;
	memset(x, 0, sizeof x);
	in.plan = blocks(in.v, 2);
	assert_int_equal(xy_acquire_callback(in.v, XY_RW, plan_inside, &in), 0);
	assert_int_equal(in.error, 0);
	assert_int_equal(xy_plan_destroy(&in.plan), 0);
	bed_unregister(h, &in.v);
	assert_int_equal(x[0], 1);
	assert_int_equal(x[N - 1], 2);
	assert_int_equal(helper_stop(h), 0);
}

/* --- what is refused --- */

static void refuses_what_is_not_in_force(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v = named(h, NULL), *same = v;
	struct xy_plan *two = blocks(v, 2), *three = blocks(v, 3), *plan = two;

	(void)state;
	assert_int_equal(try_mode(h, xy_plan_child(two, 1), XY_R), -EBUSY);
	helper_one_line(h, "task 'try' is not submitted: 'v.blocks[1]' is a child of 'v', whose plan (blocks)");
	assert_int_equal(xy_acquire(xy_plan_child(two, 1), XY_R), -EBUSY);
	helper_one_line(h, "'v.blocks[1]' is a child of 'v'");
	assert_int_equal(xy_plan_end(two), -EINVAL);
	helper_one_line(h, "'blocks' of 'v' can't end: it is not active");
	assert_int_equal(xy_plan_begin(two, XY_W), -EINVAL);
	helper_one_line(h, "XY_R or XY_RW");
	assert_int_equal(xy_unregister(&same), -EBUSY);
	helper_one_line(h, "'v' has plans: destroy them first");

	assert_int_equal(xy_plan_begin(two, XY_RW), 0);
	assert_int_equal(xy_plan_begin(two, XY_RW), -EBUSY);
	helper_one_line(h, "can't begin: it is already active");
	assert_int_equal(xy_plan_begin(three, XY_R), -EBUSY);
	helper_one_line(h, "'blocks' is active");
	assert_int_equal(try_mode(h, v, XY_R), -EBUSY);
	helper_one_line(h, "'v' is partitioned (blocks): use its children, or end that plan first");
	assert_int_equal(try_mode(h, xy_plan_child(three, 0), XY_R), -EBUSY);
	helper_one_line(h, "is not active");
	assert_int_equal(xy_unpartition(v), -EINVAL);
	helper_one_line(h, "'v' is not partitioned by xy_partition");
	assert_int_equal(xy_plan_destroy(&plan), -EBUSY);
	helper_one_line(h, "'blocks' of 'v' is active: end it first");
	assert_ptr_equal(plan, two);
	assert_int_equal(xy_plan_end(two), 0);
	assert_int_equal(try_mode(h, v, XY_RW), 0);
	assert_int_equal(try_mode(h, xy_plan_child(two, 0), XY_R), -EBUSY);
	helper_one_line(h, "is not active");
	assert_int_equal(xy_plan_destroy(&two), 0);
	assert_int_equal(xy_plan_destroy(&three), 0);
	bed_unregister(h, &v);
	assert_int_equal(helper_stop(h), 0);
}

static int increment_body(struct xy_call *call)
{
	++*(uint32_t *)xy_pointer(call, 0);
	return 0;
}

static int zero_body(struct xy_call *call)
{
	*(uint32_t *)xy_pointer(call, 0) = 0;
	return 0;
}

static int combine_body(struct xy_call *call)
{
	*(uint32_t *)xy_pointer(call, 0) += *(const uint32_t *)xy_pointer(call, 1);
	return 0;
}

static const struct xy_codelet increment = { .cpu = { increment_body }, .modes = { XY_REDUX } };
static const struct xy_codelet zero = { .cpu = { zero_body }, .modes = { XY_W } };
static const struct xy_codelet combine = { .cpu = { combine_body }, .modes = { XY_RW, XY_R } };

/* A task that would overwrite what others add up is not taken: they have added nonetheless, wherever the handles are
 * in the order in which they are looked at. */
static void what_is_refused_changes_nothing(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_access accesses[] = { { NULL, XY_W }, { NULL, XY_R }, { NULL, XY_W }, { 0 } };
	uint32_t totals[3] = { 0 };
	struct xy_plan *plan;
	struct xy_task *task;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		accesses[i].handle = i == 1 ? named(h, NULL) : bed_vector(h, &totals[i], 1);
	for (unsigned i = 0; i < 3; i += 2) {
		assert_int_equal(xy_handle_set_reduction(accesses[i].handle, &zero, &combine), 0);
		for (unsigned j = 0; j < 10; j++)
			HELPER_SUBMIT(h, .codelet = &increment, .handles = { accesses[i].handle });
	}
	plan = blocks(accesses[1].handle, 2);
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	task = HELPER_CREATE(h, .codelet = &helper_count, .accesses = accesses);
	assert_int_equal(xy_task_submit(task), -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &helper_count, .accesses = accesses }),
			 -EBUSY);
	helper_one_line(h, "'v' is partitioned");
	xy_task_release(task);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	for (unsigned i = 0; i < 3; i++)
		bed_unregister(h, &accesses[i].handle);
	assert_int_equal(totals[0], 10);
	assert_int_equal(totals[2], 10);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_to_write_what_is_shared(void **state)
{
	static const enum xy_mode writes[] = { XY_W, XY_RW, XY_RW | XY_COMMUTE };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v = named(h, NULL), *child;
	struct xy_plan *two = blocks(v, 2), *three = blocks(v, 3), *inner;

	(void)state;
	child = xy_plan_child(two, 0);
	assert_int_equal(xy_plan_begin(two, XY_R), 0);
	for (unsigned i = 0; i < HELPER_COUNT(writes); i++) {
		assert_int_equal(try_mode(h, v, writes[i]), -EBUSY);
		helper_one_line(h, "'v' is shared with its children for reading");
		assert_int_equal(try_mode(h, child, writes[i]), -EBUSY);
		helper_one_line(h, "'v.blocks[0]' is a child of 'v' for reading only");
	}
	assert_int_equal(try_mode(h, v, XY_R), 0);
	assert_int_equal(try_mode(h, v, XY_SCRATCH), 0);
	assert_int_equal(try_mode(h, child, XY_R), 0);
	assert_int_equal(try_mode(h, child, XY_SCRATCH), 0);
	assert_int_equal(xy_plan_begin(three, XY_RW), -EBUSY);
	helper_one_line(h, "another plan reads 'v'");
	inner = blocks(child, 2);
	assert_int_equal(xy_plan_begin(inner, XY_RW), -EBUSY);
	helper_one_line(h, "'v.blocks[0]' is itself shared for reading");
	assert_int_equal(xy_plan_begin(inner, XY_R), 0);
	assert_int_equal(try_mode(h, xy_plan_child(inner, 1), XY_R), 0);
	assert_int_equal(xy_plan_end(two), -EBUSY);
	helper_one_line(h, "its child 0, 'v.blocks[0]', is itself partitioned");
	assert_int_equal(xy_plan_end(inner), 0);
	assert_int_equal(xy_plan_end(two), 0);
	assert_int_equal(xy_plan_begin(inner, XY_R), -EBUSY);
	helper_one_line(h, "'v.blocks[0]' is itself a child of an inactive plan");
	assert_int_equal(xy_plan_destroy(&two), -EBUSY);
	helper_one_line(h, "'v.blocks[0]', a child of 'v', is itself partitioned or has plans");
	assert_int_equal(xy_plan_destroy(&inner), 0);
	assert_int_equal(xy_plan_destroy(&two), 0);
	assert_int_equal(xy_plan_destroy(&three), 0);
	bed_unregister(h, &v);
	assert_int_equal(helper_stop(h), 0);
}

static void overlapping_children_are_only_read(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = named(h, x), *out = bed_vector(h, NULL, N / 2 + 1);
	const uint32_t *seen;
	struct xy_plan *plan;

	(void)state;
	assert_int_equal(xy_plan_create(v, FILTER(&xy_filter_shadow, .n = 2, .length = 1), &plan), 0);
	assert_int_equal(xy_plan_begin(plan, XY_RW), -EINVAL);
	helper_one_line(h, "overlap");
	assert_int_equal(xy_partition(v, FILTER(&xy_filter_shadow, .n = 2, .length = 1), NULL, 0), -EINVAL);
	helper_one_line(h, "overlap");
	bed_submit(h, &bed_set, 100, v, NULL, NULL);
	assert_int_equal(xy_plan_begin(plan, XY_R), 0);
	bed_submit(h, &bed_copy, 1, xy_plan_child(plan, 1), out, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	bed_submit(h, &bed_set, 0, v, NULL, NULL);
	assert_int_equal(xy_acquire(out, XY_R), 0);
	seen = xy_handle_pointer(out);
	for (unsigned i = 0; i < N / 2 + 1; i++)
		assert_int_equal(seen[i], 101 + N / 2 - 1 + i);
	xy_release(out);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &out);
	assert_int_equal(helper_stop(h), 0);
}

static int destroy_body(struct xy_call *call)
{
	struct xy_plan *plan = call->arg;

	return xy_plan_destroy(&plan) == -EDEADLK ? 0 : -EIO;
}

static void does_not_wait_inside_tasks(void **state)
{
	static const struct xy_codelet inside = { .name = "inside", .cpu = { destroy_body } };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v = named(h, NULL);
	struct xy_plan *plan = blocks(v, 2);

	(void)state;
	HELPER_SUBMIT(h, .codelet = &inside, .arg = plan);
	assert_int_equal(helper_wait(h), 0);
	helper_one_line(h, "can't wait for 'v'");
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	assert_int_equal(helper_stop(h), 0);
}

/* --- failures --- */

static int fail_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

static const struct xy_codelet fails = { .name = "fails", .cpu = { fail_body }, .modes = { XY_RW } };

static void failure_goes_from_parent_to_children_and_back(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = named(h, x);
	struct xy_plan *plan = blocks(v, 2);
	int status = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &fails, .handles = { v });
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	HELPER_SUBMIT(h, .codelet = &bed_add, .handles = { xy_plan_child(plan, 0) }, .arg = &(struct bed_arg){ 1 },
		      .arg_size = sizeof(struct bed_arg), .callback = helper_status, .callback_arg = &status);
	assert_int_equal(xy_acquire(xy_plan_child(plan, 1), XY_R), -EIO);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(status, -ECANCELED);
	/* One child is written again, the other is not: the whole is not there. */
	bed_submit(h, &bed_set, 0, xy_plan_child(plan, 0), NULL, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_not_equal(xy_acquire(v, XY_R), 0);
	/* Both are: it is. */
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	for (unsigned i = 0; i < 2; i++)
		bed_submit(h, &bed_set, i, xy_plan_child(plan, i), NULL, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(x[N / 2], 1);
	xy_release(v);
	/* And what fails for readers only is shared by all of them. */
	HELPER_SUBMIT(h, .codelet = &fails, .handles = { v });
	assert_int_equal(xy_plan_begin(plan, XY_R), 0);
	assert_int_equal(xy_acquire(xy_plan_child(plan, 1), XY_R), -EIO);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(helper_wait(h), -EIO);
	bed_submit(h, &bed_set, 0, v, NULL, NULL);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	helper_forget(h);
	assert_int_equal(helper_stop(h), 0);
}

static void stopping_forgets_plans(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v = named(h, NULL);
	struct xy_plan *two = blocks(v, 2), *three = blocks(v, 3);

	(void)state;
	blocks(xy_plan_child(two, 1), 4);
	assert_int_equal(xy_plan_begin(three, XY_RW), 0);
	bed_submit(h, &bed_set, 1, xy_plan_child(three, 0), NULL, NULL);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_waits_but_tasks),
		cmocka_unit_test(children_run_beside_each_other),
		cmocka_unit_test(all_read_at_once),
		cmocka_unit_test(reading_waits_for_the_writer_before),
		cmocka_unit_test(plans_are_for_callbacks_too),
		cmocka_unit_test(refuses_what_is_not_in_force),
		cmocka_unit_test(what_is_refused_changes_nothing),
		cmocka_unit_test(refuses_to_write_what_is_shared),
		cmocka_unit_test(overlapping_children_are_only_read),
		cmocka_unit_test(does_not_wait_inside_tasks),
		cmocka_unit_test(failure_goes_from_parent_to_children_and_back),
		cmocka_unit_test(stopping_forgets_plans),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
