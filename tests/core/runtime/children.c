/* SPDX-License-Identifier: MIT */
/* Codelets that wait for the tasks they submitted, and tasks that end after others. */
#include "../../helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int depth; /* of nested codelets on the stack of this thread */
static _Atomic int deepest;

static void go_in(void)
{
	int seen = atomic_load(&deepest);

	depth++;
	while (seen < depth && !atomic_compare_exchange_weak(&deepest, &seen, depth))
		;
}

/* --- waiting --- */

struct sum {
	int n;
	long result;
};

static int fibonacci_body(struct xy_call *call);
static const struct xy_codelet fibonacci = { .name = "fibonacci", .cpu = { fibonacci_body }, .parallel = XY_NESTED };

static int fibonacci_body(struct xy_call *call)
{
	struct sum *sum = call->arg, parts[2] = { { .n = sum->n - 1 }, { .n = sum->n - 2 } };
	int error = 0;

	go_in();
	for (int i = 0; i < 2 && sum->n > 1 && !error; i++)
		error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &fibonacci, .arg = &parts[i] });
	if (!error)
		error = xy_wait_children(call);
	sum->result = sum->n > 1 ? parts[0].result + parts[1].result : sum->n;
	depth--;
	return error;
}

static void adds_up_what_children_found(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-ws", "tree-prio-prefetching", "tree-random" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++)
		for (unsigned nworkers = 1; nworkers <= 4; nworkers *= 2) {
			struct helper *h = helper_start(policies[i], nworkers);
			struct sum sum = { .n = 12 };

			deepest = 0;
			HELPER_SUBMIT(h, .codelet = &fibonacci, .arg = &sum);
			assert_int_equal(helper_wait(h), 0);
			assert_int_equal(sum.result, 144);
			assert_in_range(deepest, 1, 12);
			assert_int_equal(helper_stop(h), 0);
		}
}

static int parent_body(struct xy_call *call)
{
	int error;

	go_in();
	error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &helper_count, .arg = call->arg });
	error = error ? error : xy_wait_children(call);
	depth--;
	return error;
}

static const struct xy_codelet parent = { .name = "parent", .cpu = { parent_body }, .parallel = XY_NESTED };

static void parents_do_not_pile_up(void **state)
{
	enum { PARENTS = 1500 };

	(void)state;
	for (unsigned nworkers = 1; nworkers <= 3; nworkers++) {
		struct helper *h = helper_start("tree-eager", nworkers);
		_Atomic int count = 0;

		deepest = 0;
		for (int i = 0; i < PARENTS; i++)
			HELPER_SUBMIT(h, .codelet = &parent, .arg = &count);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(count, PARENTS);
		assert_int_equal(deepest, 1);
		assert_int_equal(helper_stop(h), 0);
	}
}

/* Two nested tasks; the child of the second reads what the first one writes, which comes after it in the queue. */
struct pair {
	struct gate gate;
	struct xy_handle *handle;
	_Atomic int count;
	int seen;
};

static int writer_body(struct xy_call *call)
{
	struct pair *pair = call->arg;
	int error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &helper_count, .arg = &pair->count });

	error = error ? error : xy_wait_children(call);
	*(int *)xy_pointer(call, 0) = 7;
	return error;
}

static int reader_body(struct xy_call *call)
{
	((struct pair *)call->arg)->seen = *(int *)xy_pointer(call, 0);
	return 0;
}

static const struct xy_codelet writer = {
	.name = "writer", .cpu = { writer_body }, .parallel = XY_NESTED, .modes = { XY_W }
};
static const struct xy_codelet reader = { .name = "reader", .cpu = { reader_body }, .modes = { XY_R } };

static int impatient_body(struct xy_call *call)
{
	struct pair *pair = call->arg;
	struct xy_task_desc read = { .codelet = &reader, .arg = pair, .handles = { pair->handle } };
	int error;

	helper_body_reach(&pair->gate.open, 1); /* the writer is in the queue */
	error = xy_submit(call->runtime, &read);
	return error ? error : xy_wait_children(call);
}

static const struct xy_codelet impatient = { .name = "impatient", .cpu = { impatient_body }, .parallel = XY_NESTED };

static void runs_a_nested_task_that_its_child_waits_for(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct pair pair = { .seen = 0 };
	_Atomic int others = 0;
	int data = 0;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &pair.handle, &data, sizeof data), 0);
	HELPER_SUBMIT(h, .codelet = &impatient, .arg = &pair);
	for (int i = 0; i < 20; i++)
		HELPER_SUBMIT(h, .codelet = &parent, .arg = &others);
	HELPER_SUBMIT(h, .codelet = &writer, .arg = &pair, .handles = { pair.handle });
	for (int i = 0; i < 20; i++)
		HELPER_SUBMIT(h, .codelet = &parent, .arg = &others);
	helper_open(&pair.gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(pair.seen, 7);
	assert_int_equal(others, 40);
	assert_int_equal(xy_unregister(&pair.handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- failure and deadlock --- */

struct family {
	struct xy_handle *handle;
	int waited, result;
	bool waits, again, deep;
	_Atomic int count;
};

static int failing_body(struct xy_call *call)
{
	struct family *family = call->arg;
	int error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &helper_fail });

	if (!error && family->waits)
		family->waited = xy_wait_children(call);
	return error;
}

static const struct xy_codelet failing = { .name = "failing", .cpu = { failing_body }, .parallel = XY_NESTED };

static void fails_with_a_child_unless_the_codelet_knows(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct family knows = { .waits = true }, ignores = { .waits = false };
	int status[2] = { 1, 1 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &failing, .arg = &knows, .callback = helper_status, .callback_arg = &status[0]);
	HELPER_SUBMIT(h, .codelet = &failing, .arg = &ignores, .callback = helper_status, .callback_arg = &status[1]);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(knows.waited, -EIO);
	assert_int_equal(status[0], 0);
	assert_int_equal(status[1], -EIO);
	assert_int_equal(helper_stop(h), 0);
}

static int selfish_body(struct xy_call *call);
static const struct xy_codelet selfish = {
	.name = "selfish", .cpu = { selfish_body }, .parallel = XY_NESTED, .modes = { XY_RW }
};
static const struct xy_codelet between = { .name = "between", .cpu = { selfish_body }, .parallel = XY_NESTED };
static const struct xy_codelet taker = { .name = "taker", .cpu = { helper_count_body }, .modes = { XY_R } };

/* Submits a task that waits for it, or for the task above it. */
static int selfish_body(struct xy_call *call)
{
	struct family *family = call->arg;
	struct xy_task_desc child = { .codelet = &taker, .arg = &family->count, .handles = { family->handle } };
	int error;

	if (family->deep && call->nbuffers) {
		error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &between, .arg = family });
		return error ? error : xy_wait_children(call);
	}
	error = xy_submit(call->runtime, &child);
	if (!error && family->waits)
		family->waited = xy_wait_children(call);
	return error;
}

static void says_that_a_child_waits_for_its_parent(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct helper *h = helper_start("tree-eager", 2);
		struct family family = { .waits = i % 2, .deep = i / 2 };
		int data = 0;

		assert_int_equal(xy_variable_register(h->rt, &family.handle, &data, sizeof data), 0);
		HELPER_SUBMIT(h, .codelet = &selfish, .arg = &family, .handles = { family.handle });
		assert_int_equal(helper_wait(h), -EDEADLK);
		assert_int_equal(family.waited, family.waits ? -EDEADLK : 0);
		assert_int_equal(family.count, 0); /* cancelled: its parent has failed */
		assert_int_equal(helper_lines_with(h, "one of the children waits for the task itself"), family.waits);
		assert_int_equal(helper_lines_with(h, "can't end after its children"), 1);
		assert_int_equal(xy_unregister(&family.handle), -EDEADLK);
		assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	}
}

static int plain_body(struct xy_call *call)
{
	*(int *)call->arg = xy_wait_children(call);
	return 0;
}

static const struct xy_codelet plain = { .name = "plain", .cpu = { plain_body } };

static void only_nested_codelets_wait(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	int result = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &plain, .arg = &result);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(result, -EINVAL);
	helper_one_line(h, "only an XY_NESTED codelet can wait");
	assert_int_equal(xy_wait_children(NULL), -EINVAL);
	assert_int_equal(helper_stop(h), 0);
}

static int waiting_body(struct xy_call *call)
{
	int error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &helper_gate, .arg = call->arg });

	return error ? error : xy_wait_children(call);
}

static const struct xy_codelet waiting = { .name = "waiting", .cpu = { waiting_body }, .parallel = XY_NESTED };

static void the_dump_says_who_waits(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct gate gate = { 0 };
	char *dump = NULL;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &waiting, .arg = &gate);
	do { /* the guard of the program ends this if it never says so */
		free(dump);
		dump = helper_dump(h);
	} while (!strstr(dump, "which waits for its children"));
	free(dump);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

static int stopped_body(struct xy_call *call)
{
	struct family *family = call->arg;
	struct xy_task *never;
	int error = xy_task_create(call->runtime, &(struct xy_task_desc){ .codelet = &helper_count }, &never);

	if (!error)
		error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &helper_count,
									 .arg = &family->count,
									 .after = &never,
									 .nafter = 1 });
	family->waited = error ? error : xy_wait_children(call);
	return 0;
}

static const struct xy_codelet stopped = { .name = "stopped", .cpu = { stopped_body }, .parallel = XY_NESTED };

static void stopping_cancels_children_that_can_never_run(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct family family = { .waits = true };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &stopped, .arg = &family);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), -ECANCELED);
	assert_int_equal(family.waited, -ECANCELED);
	assert_int_equal(family.count, 0);
}

/* --- ends after ends --- */

static void ends_after_another_task(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	_Atomic int count = 0, next = 0;
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &count);
	struct xy_task *before = HELPER_CREATE(h, .codelet = &helper_count, .arg = &count);

	(void)state;
	assert_int_equal(xy_task_end_after(task, before), 0);
	assert_int_equal(xy_task_submit(task), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &next, .after = &task, .nafter = 1);
	helper_reach(h, &count, 1);
	assert_int_equal(xy_task_wait_for(task, 0.01), -ETIMEDOUT);
	assert_int_equal(next, 0);
	assert_int_equal(xy_task_submit(task), -EBUSY);
	helper_one_line(h, "already submitted");
	assert_int_equal(xy_task_end_after(task, before), -EBUSY);
	helper_one_line(h, "the caller is not its codelet");
	assert_int_equal(xy_task_submit(before), 0);
	assert_int_equal(helper_wait_task(h, task), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(next, 1);
	assert_int_equal(xy_task_submit(task), 0); /* what it ended after is not repeated */
	assert_int_equal(helper_wait_task(h, task), 0);
	xy_task_release(task);
	xy_task_release(before);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_ends_that_wait_for_themselves(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_count);
	struct xy_task *later = HELPER_CREATE(h, .codelet = &helper_count);

	(void)state;
	assert_int_equal(xy_task_after(later, task), 0);
	assert_int_equal(xy_task_end_after(task, later), -ELOOP);
	assert_int_equal(xy_task_end_after(task, task), -ELOOP);
	assert_int_equal(xy_task_end_after(later, task), 0); /* it waits for it anyway */
	assert_int_equal(xy_task_end_after(NULL, task), -EINVAL);
	assert_int_equal(helper_lines_with(h, "it would wait for itself"), 2);
	xy_task_release(later);
	xy_task_release(task);
	assert_int_equal(helper_stop_lines(h, 3), 0);
}

static int extends_body(struct xy_call *call)
{
	struct family *family = call->arg;
	struct xy_task *child;
	int error = xy_task_create(call->runtime, &(struct xy_task_desc){ .codelet = &helper_fail }, &child);

	if (error)
		return error;
	family->result = xy_task_end_after(call->task, child);
	error = xy_task_submit(child);
	xy_task_release(child);
	return error;
}

static const struct xy_codelet extends = { .name = "extends", .cpu = { extends_body } };

static void a_codelet_extends_its_own_task(void **state)
{
	struct helper *h = helper_start("tree-eager", 2);
	struct family family = { .result = 1 };
	struct xy_task *task = HELPER_CREATE(h, .codelet = &extends, .arg = &family);

	(void)state;
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(h, task), -EIO);
	assert_int_equal(family.result, 0);
	assert_int_equal(helper_wait(h), -EIO);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void a_task_that_is_given_up_stays_until_the_other_has_ended(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	_Atomic int count = 0;
	struct xy_task *task = HELPER_CREATE(h, .codelet = &helper_count, .arg = &count);
	struct xy_task *before = HELPER_CREATE(h, .codelet = &helper_count, .arg = &count);

	(void)state;
	assert_int_equal(xy_task_end_after(task, before), 0);
	xy_task_release(task);
	for (int i = 0; i < 10; i++) /* its memory must not be reused yet */
		xy_task_release(HELPER_CREATE(h, .codelet = &helper_count));
	assert_int_equal(xy_task_submit(before), 0);
	xy_task_release(before);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(count, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void ends_after_another_task_in_virtual_time(void **state)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sim = "mirage", .machines = TEST_MACHINES, .sched = "tree-eager" });
	struct xy_task *task = HELPER_CREATE(h, .codelet = &parent, .length_us = 10);
	struct xy_task *before = HELPER_CREATE(h, .codelet = &helper_count, .length_us = 1000);
	double begin = xy_now(h->rt);

	(void)state;
	assert_int_equal(xy_task_end_after(task, before), 0);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_task_submit(before), 0);
	assert_int_equal(xy_task_wait(task), 0);
	assert_true(xy_now(h->rt) - begin >= 1e-3);
	xy_task_release(task);
	xy_task_release(before);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up_what_children_found),
		cmocka_unit_test(parents_do_not_pile_up),
		cmocka_unit_test(runs_a_nested_task_that_its_child_waits_for),
		cmocka_unit_test(fails_with_a_child_unless_the_codelet_knows),
		cmocka_unit_test(says_that_a_child_waits_for_its_parent),
		cmocka_unit_test(only_nested_codelets_wait),
		cmocka_unit_test(the_dump_says_who_waits),
		cmocka_unit_test(stopping_cancels_children_that_can_never_run),
		cmocka_unit_test(ends_after_another_task),
		cmocka_unit_test(refuses_ends_that_wait_for_themselves),
		cmocka_unit_test(a_codelet_extends_its_own_task),
		cmocka_unit_test(a_task_that_is_given_up_stays_until_the_other_has_ended),
		cmocka_unit_test(ends_after_another_task_in_virtual_time),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
