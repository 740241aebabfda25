/* SPDX-License-Identifier: MIT */
/* Reductions: what tasks add to copies of their own is in the handle before anybody else looks, once. */
#include "amount.h"

#include <errno.h>
#include <string.h>

/* Adds what another handle has. */
static int add_from_body(struct xy_call *call)
{
	amount(call, 0)->value += amount(call, 1)->value;
	return 0;
}

static int multiply_and_add_body(struct xy_call *call)
{
	amount(call, 0)->value *= *(uint64_t *)call->arg;
	amount(call, 1)->value += *(uint64_t *)call->arg;
	return 0;
}

static const struct xy_codelet add_commuting = {
	.name = "add_commuting",
	.cpu = { add_body },
	.modes = { XY_RW | XY_COMMUTE },
};
static const struct xy_codelet multiply_in_order = {
	.name = "multiply_in_order",
	.cpu = { multiply_body },
	.modes = { XY_RW },
};
static const struct xy_codelet add_from = { .name = "add_from", .cpu = { add_from_body }, .modes = { XY_REDUX, XY_R } };
static const struct xy_codelet multiply_and_add = {
	.name = "multiply_and_add",
	.cpu = { multiply_and_add_body },
	.modes = { XY_REDUX, XY_REDUX },
};

/* --- results --- */

/* Handles that are summed, handles that are multiplied, and what they should have. */
enum { PAIRS = 3 };

struct model {
	struct helper *h;
	struct amount a[2 * PAIRS];
	struct xy_handle *handles[2 * PAIRS];
	uint64_t value[2 * PAIRS];
	uint64_t seed;
};

static void model_start(struct model *m, struct helper *h, uint64_t seed)
{
	*m = (struct model){ .h = h, .seed = seed };
	for (unsigned i = 0; i < 2 * PAIRS; i++) {
		m->value[i] = m->a[i].value = helper_random(&m->seed);
		m->handles[i] = register_sum(h, &m->a[i]);
		if (i >= PAIRS)
			assert_int_equal(xy_handle_set_reduction(m->handles[i], &one, &product), 0);
	}
}

static void model_acquire(struct model *m, unsigned i)
{
	enum xy_mode mode = helper_below(&m->seed, 2) ? XY_R : XY_RW;

	assert_int_equal(xy_acquire(m->handles[i], mode), 0);
	assert_true(m->a[i].value == m->value[i]);
	if (mode == XY_RW)
		m->a[i].value = m->value[i] *= 3;
	assert_int_equal(xy_release(m->handles[i]), 0);
}

/* A task that reduces something. */
static void model_reduce(struct model *m, unsigned i, uint64_t x)
{
	unsigned s = helper_below(&m->seed, PAIRS), p = PAIRS + helper_below(&m->seed, PAIRS);

	switch (helper_below(&m->seed, 6)) {
	case 0:
		if (i == s)
			return;
		HELPER_SUBMIT(m->h, .codelet = &add_from, .handles = { m->handles[s], m->handles[i] });
		m->value[s] += m->value[i];
		return;
	case 1:
		HELPER_SUBMIT(m->h, .codelet = &multiply_and_add, .handles = { m->handles[p], m->handles[s] },
			      .arg = &x, .arg_size = sizeof x);
		m->value[p] *= x;
		m->value[s] += x;
		return;
	default:
		submit(m->h, i < PAIRS ? &add : &multiply, m->handles[i], x);
		m->value[i] = i < PAIRS ? m->value[i] + x : m->value[i] * x;
	}
}

static void model_step(struct model *m)
{
	unsigned i = helper_below(&m->seed, 2 * PAIRS);
	uint64_t x = helper_random(&m->seed) | 1;

	switch (helper_below(&m->seed, 40)) {
	case 0:
	case 1:
	case 2:
		submit(m->h, &is, m->handles[i], m->value[i]);
		break;
	case 3:
		submit(m->h, &multiply_in_order, m->handles[i], x);
		m->value[i] *= x;
		break;
	case 4:
	case 5:
		submit(m->h, &add_commuting, m->handles[i], x);
		m->value[i] += x;
		break;
	case 6:
		submit(m->h, &set, m->handles[i], x);
		m->value[i] = x;
		break;
	case 7:
		model_acquire(m, i);
		break;
	default:
		model_reduce(m, i, x);
	}
}

static void model_end(struct model *m)
{
	for (unsigned i = 0; i < 2 * PAIRS; i++) {
		assert_int_equal(xy_unregister(&m->handles[i]), 0);
		assert_true(m->a[i].value == m->value[i]);
	}
	assert_int_equal(helper_wait(m->h), 0);
	assert_int_equal(helper_stop(m->h), 0);
}

static void results_are_those_of_one_after_the_other(void **state)
{
	static const char *const policies[] = { NULL, "tree-eager", "tree-random", "tree-prio-prefetching", "tree-ws" };

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++)
		for (unsigned workers = 1; workers <= 8; workers *= 2) {
			uint64_t seed = 100 * p + workers;
			struct model m;

			print_message("# %s, %u workers, seed %d\n", policies[p] ? policies[p] : "default", workers,
				      (int)seed);
			model_start(&m, helper_start(policies[p], workers), seed);
			for (unsigned i = 0; i < helper_scale(2000); i++)
				model_step(&m);
			model_end(&m);
		}
}

static void what_was_there_before_counts(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct amount a = { .value = 1000 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	for (int i = 0; i < 10; i++)
		submit(h, &add, handle, 1);
	assert_int_equal(xy_acquire(handle, XY_R), 0);
	assert_int_equal(a.value, 1010);
	assert_int_equal(xy_release(handle), 0);
	submit(h, &set, handle, 7);
	submit(h, &add, handle, 1);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(a.value, 8);
	assert_int_equal(helper_stop(h), 0);
}

/* --- shapes --- */

static int ones_body(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix_at(call, 0);

	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++)
			((int *)m->ptr)[x + y * m->ld] += *(int *)call->arg;
	return 0;
}

static int zeros_body(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix_at(call, 0);

	for (size_t y = 0; y < m->ny; y++)
		memset((int *)m->ptr + y * m->ld, 0, m->nx * sizeof(int));
	return 0;
}

static int sums_body(struct xy_call *call)
{
	const struct xy_matrix *to = xy_matrix_at(call, 0), *from = xy_matrix_at(call, 1);

	for (size_t y = 0; y < to->ny; y++)
		for (size_t x = 0; x < to->nx; x++)
			((int *)to->ptr)[x + y * to->ld] += ((int *)from->ptr)[x + y * from->ld];
	return 0;
}

static const struct xy_codelet ones = { .name = "ones", .cpu = { ones_body }, .modes = { XY_REDUX } };
static const struct xy_codelet zeros = { .name = "zeros", .cpu = { zeros_body }, .modes = { XY_W } };
static const struct xy_codelet sums = { .name = "sums", .cpu = { sums_body }, .modes = { XY_RW, XY_R } };

static void arrays_with_gaps_are_reduced_without_them(void **state)
{
	enum { NX = 3, NY = 4, LD = 5 };
	struct helper *h = helper_start("tree-random", 4);
	int a[NY][LD], x = 2;
	struct xy_handle *handle;

	(void)state;
	memset(a, 0xff, sizeof a);
	assert_int_equal(
		xy_matrix_register(h->rt, &handle,
				   &(struct xy_matrix){ .ptr = a, .nx = NX, .ny = NY, .ld = LD, .elem = sizeof(int) }),
		0);
	assert_int_equal(xy_handle_set_reduction(handle, &zeros, &sums), 0);
	for (int i = 0; i < 50; i++)
		HELPER_SUBMIT(h, .codelet = &ones, .handles = { handle }, .arg = &x);
	assert_int_equal(xy_unregister(&handle), 0);
	for (unsigned i = 0; i < NY * LD; i++)
		assert_int_equal(a[i / LD][i % LD], i % LD < NX ? 99 : -1);
	assert_int_equal(helper_stop(h), 0);
}

static void memory_of_the_runtime_is_reduced(void **state)
{
	struct helper *h = helper_start(NULL, 3);
	struct xy_handle *handle = register_sum(h, NULL);

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		submit(h, &add, handle, i);
	assert_int_equal(xy_acquire(handle, XY_R), 0);
	assert_int_equal(((struct amount *)xy_handle_pointer(handle))->value, 4950);
	assert_int_equal(xy_release(handle), 0);
	submit(h, &add, handle, 1);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- who runs when --- */

static void members_run_at_the_same_time_and_are_combined_in_a_tree(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 9; workers++) {
		struct helper *h = helper_start(NULL, (unsigned)workers);
		struct meeting meeting = { .all = workers }, *arg = &meeting;
		struct amount a = { .value = 5 };
		struct xy_handle *handle = register_sum(h, &a);
		unsigned depth = 1;

		for (int n = 1; n < workers; n *= 2)
			depth++;
		ninits = ncombines = 0;
		for (int i = 0; i < workers; i++)
			HELPER_SUBMIT(h, .codelet = &meet, .handles = { handle }, .arg = &arg, .arg_size = sizeof arg);
		assert_int_equal(xy_unregister(&handle), 0);
		assert_int_equal(a.value, 5 + workers);
		assert_int_equal(a.depth, depth);
		assert_int_equal(a.combines, workers);
		assert_int_equal(ninits, workers);
		assert_int_equal(ncombines, workers);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void a_replica_is_initialised_once_for_each_group(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	ninits = ncombines = 0;
	for (int group = 0; group < 3; group++) {
		for (int i = 0; i < 20; i++)
			submit(h, &add, handle, 1);
		submit(h, &is, handle, 20u * ((unsigned)group + 1));
		submit(h, &is, handle, 20u * ((unsigned)group + 1));
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(ninits, 3);
	assert_int_equal(ncombines, 3);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void nothing_is_combined_before_it_is_looked_at_or_overwritten(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	ncombines = 0;
	submit(h, &add, handle, 1);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(ncombines, 0);
	submit(h, &add, handle, 1); /* the same group */
	submit(h, &set, handle, 5);
	submit(h, &is, handle, 5);
	submit(h, &add, handle, 2); /* what was overwritten does not come back */
	submit(h, &is, handle, 7);
	assert_int_equal(helper_wait(h), 0);
	assert_in_range(ncombines, 1, 1);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_group_waits_for_what_was_before_and_holds_what_comes_after(void **state)
{
	struct helper *h = helper_start("tree-eager", 4);
	struct gate gates[3] = { { 0 } };
	enum xy_mode modes[3] = { XY_R, XY_REDUX, XY_RW };
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct xy_access access = { handle, modes[i] };

		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gates[i], .accesses = XY_ACCESSES(access));
		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gates[i], .accesses = XY_ACCESSES(access));
	}
	for (int i = 0; i < 3; i++) {
		helper_reach(h, &gates[i].inside, i < 2 ? 2 : 1);
		for (int j = i + 1; j < 3; j++)
			assert_int_equal(gates[j].inside, 0);
		helper_open(&gates[i]);
	}
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void order_stays_without_sequential_order(void **state)
{
	struct helper *h = helper_start(NULL, 4);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	assert_int_equal(xy_handle_set_sequential(handle, false), 0);
	for (int i = 0; i < 100; i++)
		submit(h, &add, handle, 1);
	assert_int_equal(xy_handle_set_sequential(handle, true), 0);
	submit(h, &is, handle, 100);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* A task of the group submits what ends the group. */
static int spawn_body(struct xy_call *call)
{
	struct xy_handle **handle = call->arg;
	uint64_t x = 3;

	amount(call, 0)->value += 1;
	return xy_submit(call->runtime,
			 &(struct xy_task_desc){
				 .codelet = &add_commuting, .handles = { *handle }, .arg = &x, .arg_size = sizeof x });
}

static const struct xy_codelet spawn = { .name = "spawn", .cpu = { spawn_body }, .modes = { XY_REDUX } };

static void acquire_told(void *arg, int status)
{
	struct xy_handle *handle = *(struct xy_handle **)arg;

	assert_int_equal(status, 0);
	((struct amount *)xy_handle_pointer(handle))->value += 10;
	xy_release(handle);
}

static void codelets_and_callbacks_may_end_a_group(void **state)
{
	struct helper *h = helper_start(NULL, 3);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	for (int i = 0; i < 100; i++) {
		submit(h, &add, handle, 1);
		HELPER_SUBMIT(h, .codelet = &spawn, .handles = { handle }, .arg = &handle);
		assert_int_equal(xy_acquire_callback(handle, XY_RW, acquire_told, &handle), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_acquire(handle, XY_R), 0);
	assert_int_equal(a.value, 100 * (1 + 1 + 3 + 10));
	assert_int_equal(xy_release(handle), 0);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void created_tasks_are_submitted_again(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);
	uint64_t x = 2;
	struct xy_task *task = HELPER_CREATE(h, .codelet = &add, .handles = { handle }, .arg = &x);
	struct xy_task *first, *after;

	(void)state;
	for (unsigned i = 1; i <= 10; i++) {
		assert_int_equal(xy_task_submit(task), 0);
		assert_int_equal(helper_wait_task(h, task), 0);
		if (i % 3 == 0)
			submit(h, &is, handle, 2 * i);
	}
	/* what would end a group that waits for itself: the end of the group is its own business */
	first = HELPER_CREATE(h, .codelet = &is, .handles = { handle }, .arg = &x);
	after = HELPER_CREATE(h, .codelet = &add, .handles = { handle }, .arg = &x, .after = &first, .nafter = 1);
	assert_int_equal(xy_task_submit(after), 0);
	assert_int_equal(xy_task_submit(first), -ELOOP);
	helper_one_line(h, "it would wait for itself");
	xy_task_release(first);
	assert_int_equal(helper_wait_task(h, after), -ECANCELED);
	assert_int_equal(xy_unregister(&handle), -ECANCELED);
	xy_task_release(task);
	xy_task_release(after);
	assert_int_equal(helper_stop_lines(h, 1), -ECANCELED);
}

/* The end of a group is in the order of tasks, whatever that order is used for. */
static void partitions_see_what_was_combined(void **state)
{
	enum { PARTS = 4 };
	struct helper *h = helper_start(NULL, 3);
	int a[PARTS] = { 0 }, x = 1;
	struct xy_handle *handle;
	struct xy_plan *plan;

	(void)state;
	assert_int_equal(xy_matrix_register(h->rt, &handle,
					    &(struct xy_matrix){ .ptr = a, .nx = PARTS, .ny = 1, .elem = sizeof(int) }),
			 0);
	assert_int_equal(xy_handle_set_reduction(handle, &zeros, &sums), 0);
	assert_int_equal(xy_plan_create(handle, &(struct xy_filter){ .ops = &xy_filter_blocks, .n = PARTS }, &plan), 0);
	for (int round = 1; round <= 10; round++) {
		for (int i = 0; i < 20; i++)
			HELPER_SUBMIT(h, .codelet = &ones, .handles = { handle }, .arg = &x);
		assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
		for (unsigned i = 0; i < PARTS; i++) {
			struct xy_handle *child = xy_plan_child(plan, i);

			if (round == 1)
				assert_int_equal(xy_handle_set_reduction(child, &zeros, &sums), 0);
			for (int j = 0; j < 5; j++)
				HELPER_SUBMIT(h, .codelet = &ones, .handles = { child }, .arg = &x);
		}
		assert_int_equal(xy_plan_end(plan), 0);
		assert_int_equal(xy_acquire(handle, XY_R), 0);
		for (unsigned i = 0; i < PARTS; i++)
			assert_int_equal(a[i], 25 * round);
		assert_int_equal(xy_release(handle), 0);
	}
	assert_int_equal(xy_plan_destroy(&plan), 0);
	assert_int_equal(xy_unregister(&handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_group_that_nobody_looks_at_is_freed_with_the_runtime(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct amount a = { .value = 0 };
	struct xy_handle *handle = register_sum(h, &a);

	(void)state;
	for (int i = 0; i < 10; i++)
		submit(h, &add, handle, 1);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_one_after_the_other),
		cmocka_unit_test(what_was_there_before_counts),
		cmocka_unit_test(arrays_with_gaps_are_reduced_without_them),
		cmocka_unit_test(memory_of_the_runtime_is_reduced),
		cmocka_unit_test(members_run_at_the_same_time_and_are_combined_in_a_tree),
		cmocka_unit_test(a_replica_is_initialised_once_for_each_group),
		cmocka_unit_test(nothing_is_combined_before_it_is_looked_at_or_overwritten),
		cmocka_unit_test(a_group_waits_for_what_was_before_and_holds_what_comes_after),
		cmocka_unit_test(order_stays_without_sequential_order),
		cmocka_unit_test(codelets_and_callbacks_may_end_a_group),
		cmocka_unit_test(created_tasks_are_submitted_again),
		cmocka_unit_test(partitions_see_what_was_combined),
		cmocka_unit_test(a_group_that_nobody_looks_at_is_freed_with_the_runtime),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
