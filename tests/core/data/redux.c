/* SPDX-License-Identifier: MIT */
/* Reductions: what tasks add to copies of their own is in the handle before anybody else looks, once. */
#include "../../helper.h"

#include <errno.h>
#include <string.h>

/* What the handles here have. Only `value` is reduced; the others tell how it came about. */
struct amount {
	uint64_t value;
	unsigned depth;      /* combines on the longest way from a leaf */
	unsigned combines;   /* in all */
};

static _Atomic int ninits, ncombines;

static struct amount *amount(struct xy_call *call, unsigned i)
{
	return xy_pointer(call, i);
}

static void amount_join(struct amount *to, const struct amount *from)
{
	to->depth = (to->depth > from->depth ? to->depth : from->depth) + 1;
	to->combines += from->combines + 1;
}

static int zero_body(struct xy_call *call)
{
	*amount(call, 0) = (struct amount){ .value = 0 };
	atomic_fetch_add(&ninits, 1);
	return call->arg || call->nbuffers != 1 ? -ERANGE : 0;
}

static int one_body(struct xy_call *call)
{
	*amount(call, 0) = (struct amount){ .value = 1 };
	return 0;
}

static int sum_body(struct xy_call *call)
{
	amount(call, 0)->value += amount(call, 1)->value;
	amount_join(amount(call, 0), amount(call, 1));
	atomic_fetch_add(&ncombines, 1);
	return 0;
}

static int product_body(struct xy_call *call)
{
	amount(call, 0)->value *= amount(call, 1)->value;
	amount_join(amount(call, 0), amount(call, 1));
	return 0;
}

static const struct xy_codelet zero = { .name = "zero", .cpu = { zero_body }, .modes = { XY_W } };
static const struct xy_codelet one = { .name = "one", .cpu = { one_body }, .modes = { XY_W } };
static const struct xy_codelet sum = { .name = "sum", .cpu = { sum_body }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet product = {
	.name = "product", .cpu = { product_body }, .modes = { XY_RW | XY_COMMUTE, XY_R },
};

static int add_body(struct xy_call *call)
{
	amount(call, 0)->value += *(uint64_t *)call->arg;
	return 0;
}

static int multiply_body(struct xy_call *call)
{
	amount(call, 0)->value *= *(uint64_t *)call->arg;
	return 0;
}

static int set_body(struct xy_call *call)
{
	*amount(call, 0) = (struct amount){ .value = *(uint64_t *)call->arg };
	return 0;
}

static int is_body(struct xy_call *call)
{
	return amount(call, 0)->value == *(uint64_t *)call->arg ? 0 : -ERANGE;
}

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

static const struct xy_codelet add = { .name = "add", .cpu = { add_body }, .modes = { XY_REDUX } };
static const struct xy_codelet multiply = { .name = "multiply", .cpu = { multiply_body }, .modes = { XY_REDUX } };
static const struct xy_codelet add_commuting = {
	.name = "add_commuting", .cpu = { add_body }, .modes = { XY_RW | XY_COMMUTE },
};
static const struct xy_codelet multiply_in_order = {
	.name = "multiply_in_order", .cpu = { multiply_body }, .modes = { XY_RW },
};
static const struct xy_codelet set = { .name = "set", .cpu = { set_body }, .modes = { XY_W } };
static const struct xy_codelet is = { .name = "is", .cpu = { is_body }, .modes = { XY_R } };
static const struct xy_codelet add_from = { .name = "add_from", .cpu = { add_from_body }, .modes = { XY_REDUX, XY_R } };
static const struct xy_codelet multiply_and_add = {
	.name = "multiply_and_add", .cpu = { multiply_and_add_body }, .modes = { XY_REDUX, XY_REDUX },
};

static void submit(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *handle, uint64_t x)
{
	HELPER_SUBMIT(h, .codelet = codelet, .handles = { handle }, .arg = &x, .arg_size = sizeof x);
}

static struct xy_handle *register_sum(struct helper *h, struct amount *a)
{
	struct xy_handle *handle;

	assert_int_equal(xy_variable_register(h->rt, &handle, a, sizeof *a), 0);
	assert_int_equal(xy_handle_set_reduction(handle, &zero, &sum), 0);
	return handle;
}

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
	case 0: case 1: case 2:
		submit(m->h, &is, m->handles[i], m->value[i]);
		break;
	case 3:
		submit(m->h, &multiply_in_order, m->handles[i], x);
		m->value[i] *= x;
		break;
	case 4: case 5:
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
	const struct xy_matrix *m = xy_matrix(call, 0);

	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++)
			((int *)m->ptr)[x + y * m->ld] += *(int *)call->arg;
	return 0;
}

static int zeros_body(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix(call, 0);

	for (size_t y = 0; y < m->ny; y++)
		memset((int *)m->ptr + y * m->ld, 0, m->nx * sizeof(int));
	return 0;
}

static int sums_body(struct xy_call *call)
{
	const struct xy_matrix *to = xy_matrix(call, 0), *from = xy_matrix(call, 1);

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
	assert_int_equal(xy_matrix_register(h->rt, &handle, a, LD, NX, NY, sizeof(int)), 0);
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

/* Waits until all workers are in it: each gets a replica. */
struct meeting {
	_Atomic int inside;
	int all;
};

static int meet_body(struct xy_call *call)
{
	struct meeting *meeting = *(struct meeting **)call->arg;

	amount(call, 0)->value += 1;
	helper_add(&meeting->inside);
	return helper_body_reach(&meeting->inside, meeting->all);
}

static const struct xy_codelet meet = { .name = "meet", .cpu = { meet_body }, .modes = { XY_REDUX } };

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

		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gates[i], .accesses = &access, .naccesses = 1);
		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gates[i], .accesses = &access, .naccesses = 1);
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
	return xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &add_commuting, .handles = { *handle },
								.arg = &x, .arg_size = sizeof x });
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
	assert_int_equal(xy_matrix_register(h->rt, &handle, a, PARTS, PARTS, 1, sizeof(int)), 0);
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

/* --- failures --- */

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
	HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = &access, .naccesses = 1);
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
		.name = "picky", .cpu = { zero_body }, .modes = { XY_W }, .can_execute = can_always,
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
	static const struct xy_codelet odd = { .name = "odd", .cpu = { bad_body }, .modes = { XY_REDUX | XY_RW } };
	struct helper *h = helper_start(NULL, 1);
	struct amount a = { .value = 0 };
	struct xy_handle *handle, *without;
	struct xy_access twice[6];

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
	refuse(h, &(struct xy_task_desc){ .codelet = &add_from, .handles = { handle, handle } }, -EINVAL,
	       "in another mode as well");
	refuse(h, &(struct xy_task_desc){ .codelet = &add, .accesses = twice, .naccesses = 6 }, -EINVAL,
	       "in another mode as well");
	refuse(h, &(struct xy_task_desc){ .codelet = &odd, .handles = { handle } }, -EINVAL, "without a mode");
	assert_int_equal(xy_acquire(handle, XY_REDUX), -EINVAL);
	helper_one_line(h, "the mode must be");
	assert_int_equal(xy_unregister(&without), 0);
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
		cmocka_unit_test(a_member_that_fails_makes_the_handle_fail),
		cmocka_unit_test(init_that_fails_makes_the_task_fail),
		cmocka_unit_test(combine_that_fails_makes_the_handle_fail),
		cmocka_unit_test(failure_before_the_group_cancels_its_members),
		cmocka_unit_test(set_reduction_refuses_codelets_that_can_not_be),
		cmocka_unit_test(tasks_that_can_not_be_are_refused),
		cmocka_unit_test(a_group_that_nobody_looks_at_is_freed_with_the_runtime),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
