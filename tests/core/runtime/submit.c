/* SPDX-License-Identifier: MIT */
/* Tasks: what a description says is what happens, or is refused with one line. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"

/* Notes that number `id` has run. */
struct order {
	_Atomic int n;
	int ids[64];
};

struct place {
	struct order *order;
	int id;
};

static int note_body(struct xy_call *call)
{
	struct place *place = call->arg;

	place->order->ids[atomic_fetch_add(&place->order->n, 1)] = place->id;
	return 0;
}

static const struct xy_codelet note = { .name = "note", .cpu = { note_body } };
/* --- submission --- */

static void runs_each_task_once(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	_Atomic int n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 1000);
	assert_int_equal(helper_stop(h), 0);
}

static void ends_a_task_without_a_codelet(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	int status = 1;

	(void)state;
	HELPER_SUBMIT(h, .callback = helper_status, .callback_arg = &status);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(status, 0);
	assert_int_equal(helper_stop(h), 0);
}

enum { LARGE = 5000 };

struct copied {
	size_t size;
	unsigned char seen[LARGE];
};
static struct copied copied;

static int copy_body(struct xy_call *call)
{
	memcpy(copied.seen, call->arg, copied.size);
	return 0;
}

static void copies_arguments_of_any_size(void **state)
{
	static const size_t sizes[] = { 1, 8, 15, 16, 17, 64, LARGE };
	static const struct xy_codelet copy = { .name = "copy", .cpu = { copy_body } };
	struct helper *h = helper_start(NULL, 1);
	unsigned char bytes[LARGE];

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(sizes); i++) {
		struct gate gate = { 0 };

		copied.size = sizes[i];
		memset(bytes, (int)i + 1, sizes[i]);
		helper_block(h, &gate);
		HELPER_SUBMIT(h, .codelet = &copy, .arg = bytes, .arg_size = sizes[i]);
		memset(bytes, 0xee, sizes[i]);
		helper_open(&gate);
		assert_int_equal(helper_wait(h), 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(copied.seen[j], i + 1);
	}
	assert_int_equal(helper_stop(h), 0);
}

static struct xy_call last_call;

static int call_body(struct xy_call *call)
{
	last_call = *call;
	return 0;
}

static void tells_the_function_who_runs_it_and_why(void **state)
{
	static const struct xy_codelet codelet = { .name = "call", .cpu = { call_body } };
	struct helper *h = helper_start(NULL, 1);
	struct xy_task *task = HELPER_CREATE(h, .codelet = &codelet, .arg = &h);

	(void)state;
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(h, task), 0);
	assert_ptr_equal(last_call.runtime, h->rt);
	assert_ptr_equal(last_call.task, task);
	assert_ptr_equal(last_call.arg, &h);
	assert_int_equal(last_call.worker, 0);
	assert_int_equal(last_call.implementation, 0);
	assert_int_equal(last_call.nbuffers, 0);
	xy_task_release(task);
	assert_int_equal(helper_stop(h), 0);
}

static void runs_higher_priorities_first(void **state)
{
	static const int priorities[] = { 0, -3, 5, 0, 7, -1, 5 };
	static const int expected[] = { 4, 2, 6, 0, 3, 5, 1 };
	struct helper *h = helper_start("tree-prio", 1);
	struct order order = { 0 };
	struct gate gate = { 0 };

	(void)state;
	helper_block(h, &gate);
	for (int i = 0; i < 7; i++)
		HELPER_SUBMIT(h, .codelet = &note, .arg = &(struct place){ &order, i },
			      .arg_size = sizeof(struct place), .priority = priorities[i]);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	for (int i = 0; i < 7; i++)
		assert_int_equal(order.ids[i], expected[i]);
	assert_int_equal(helper_stop(h), 0);
}

static void names_a_task_after_itself_or_its_codelet(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_task *own = HELPER_CREATE(h, .codelet = &helper_count, .name = "own");
	struct xy_task *codelets = HELPER_CREATE(h, .codelet = &helper_count);
	struct xy_task *none = HELPER_CREATE(h, .priority = 1);

	(void)state;
	assert_string_equal(xy_task_name(own), "own");
	assert_string_equal(xy_task_name(codelets), "count");
	assert_non_null(xy_task_name(none));
	assert_int_equal(xy_task_number(own), 1);
	assert_int_equal(xy_task_number(codelets), 2);
	assert_int_equal(xy_task_number(none), 3);
	xy_task_release(own);
	xy_task_release(codelets);
	xy_task_release(none);
	assert_int_equal(helper_stop(h), 0);
}

/* --- many tasks --- */
static void count_one(void *arg, struct xy_task *task)
{
	(void)task;
	++*(unsigned *)arg;
}

static void bounds_the_tasks_in_flight(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = 100 });
	_Atomic int n = 0;
	int most = 0;

	(void)state;
	for (int i = 1; i <= (int)helper_scale(50000); i++) {
		int in_flight;

		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		in_flight = i - atomic_load(&n);
		if (in_flight > most)
			most = in_flight;
	}
	assert_int_equal(helper_wait(h), 0);
	/* The window is looked at every few submissions. */
	assert_in_range(most, 1, 150);
	assert_int_equal(helper_stop(h), 0);
}

static void a_window_may_be_as_small_as_one(void **state)
{
	(void)state;
	for (unsigned window = 1; window <= 4; window++) {
		struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = window });
		struct xy_access access = { .mode = XY_RW };
		_Atomic int n = 0;

		assert_int_equal(xy_void_register(h->rt, &access.handle), 0);
		for (unsigned i = 0; i < 1000; i++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n,
				      .accesses = i % 2 ? XY_ACCESSES(access) : NULL);
		assert_int_equal(xy_unregister(&access.handle), 0);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(n, 1000);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void does_not_wait_for_room_that_only_it_can_make(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = 10 });
	struct xy_task *first = HELPER_CREATE(h, .name = "first");
	_Atomic int n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .after = &first, .nafter = 1);
	for (int i = 0; i < 10; i++) {
		struct xy_task *more = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n, .after = &first,
						     .nafter = 1);

		assert_int_equal(xy_task_submit(more), 0);
		xy_task_release(more);
	}
	assert_int_equal(n, 0);
	assert_int_equal(xy_task_submit(first), 0);
	xy_task_release(first);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 1010);
	assert_int_equal(helper_stop(h), 0);
}

static void gives_the_memory_of_tasks_back(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = 100 });
	char argument[100] = "";
	_Atomic int n = 0;
	unsigned left = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
	for (int i = 0; i < 1000; i++)
		HELPER_SUBMIT(h, .arg = argument, .arg_size = sizeof argument, .retries = 1);
	assert_int_equal(helper_wait(h), 0);
	/* A task is given back just after it has been counted. */
	for (int i = 0; i < 1000; i++) {
		left = 0;
		for (unsigned j = 0; j < XY__APPLICATION_AGENTS; j++)
			xy__pool_each(&h->rt->applications[j].pool, count_one, &left);
		if (!left)
			break;
		assert_int_equal(xy_wait_for(h->rt, 0), 0);
		sched_yield();
	}
	assert_int_equal(left, 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- where a task may run --- */

struct where {
	_Atomic int ran[8];
	_Atomic int implementations[XY_NIMPLEMENTATIONS];
};

static int where_body(struct xy_call *call)
{
	struct where *where = call->arg;

	atomic_fetch_add(&where->ran[call->worker], 1);
	atomic_fetch_add(&where->implementations[call->implementation], 1);
	return 0;
}

static void runs_pinned_tasks_where_they_are_pinned(void **state)
{
	static const struct xy_codelet codelet = { .name = "where", .cpu = { where_body } };
	struct helper *h = helper_start(NULL, 4);
	struct where where = { 0 };

	(void)state;
	for (int i = 0; i < 200; i++) {
		unsigned one = (unsigned)i % 4, two[2] = { 1, 3 };

		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &where, .workers = &one, .nworkers = 1);
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &where, .workers = two, .nworkers = 2);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(where.ran[0], 50);
	assert_int_equal(where.ran[2], 50);
	assert_int_equal(where.ran[1] + where.ran[3], 300);
	assert_int_equal(helper_stop(h), 0);
}

static bool only_on_two(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	return worker == 2 && implementation == 1;
}

static void asks_the_codelet_who_may_run_it(void **state)
{
	static const struct xy_codelet codelet = { .name = "where",
						   .cpu = { where_body, where_body, where_body },
						   .can_execute = only_on_two };
	struct helper *h = helper_start(NULL, 4);
	struct where where = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &where);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(where.ran[2], 100);
	assert_int_equal(where.implementations[1], 100);
	assert_int_equal(helper_stop(h), 0);
}

static void uses_one_of_the_implementations(void **state)
{
	static const struct xy_codelet codelet = { .name = "where",
						   .cpu = { where_body, where_body, where_body, where_body } };
	struct helper *h = helper_start(NULL, 2);
	struct where where = { 0 };
	int sum = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &where);
	assert_int_equal(helper_wait(h), 0);
	for (int i = 0; i < XY_NIMPLEMENTATIONS; i++)
		sum += where.implementations[i];
	assert_int_equal(sum, 100);
	assert_int_equal(helper_stop(h), 0);
}

static bool nowhere(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task, (void)worker, (void)implementation;
	return false;
}

static void refuses_a_task_that_no_worker_can_run(void **state)
{
	static const struct xy_codelet other = { .name = "other", .cuda = { where_body } };
	static const struct xy_codelet masked = { .name = "masked", .cpu = { where_body }, .where = XY_ON_CUDA };
	static const struct xy_codelet empty = { .name = "empty" };
	static const struct xy_codelet hooked = { .name = "hooked", .cpu = { where_body }, .can_execute = nowhere };
	const struct xy_codelet *codelets[] = { &other, &masked, &empty, &hooked };
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(codelets); i++) {
		struct xy_task *task;
		struct xy_task_desc desc = { .codelet = codelets[i] };

		assert_int_equal(xy_submit(h->rt, &desc), -ENODEV);
		helper_one_line(h, codelets[i]->name);
		assert_int_equal(xy_task_create(h->rt, &desc, &task), -ENODEV);
		assert_null(task);
		helper_one_line(h, codelets[i]->name);
		desc.synchronous = true;
		assert_int_equal(xy_submit(h->rt, &desc), -ENODEV);
		helper_one_line(h, codelets[i]->name);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_mask_of_all_architectures_is_no_limit(void **state)
{
	static const struct xy_codelet codelet = { .name = "count", .cpu = { helper_count_body }, .where = XY_ON_ALL };
	struct helper *h = helper_start(NULL, 1);
	_Atomic int n = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = &n);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 1);
	assert_int_equal(helper_stop(h), 0);
}

/* --- wrong descriptions --- */

static void names_a_worker_that_does_not_exist(void **state)
{
	const unsigned none[] = { 2 }, one_too_many[] = { 0, 77 };
	struct helper *h = helper_start(NULL, 2);
	struct xy_task_desc desc = { .codelet = &helper_count, .workers = none, .nworkers = 1 };

	(void)state;
	assert_int_equal(xy_submit(h->rt, &desc), -EINVAL);
	helper_one_line(h, "restricted to worker 2, but the machine has 2 workers");
	desc.workers = one_too_many;
	desc.nworkers = 2;
	assert_int_equal(xy_submit(h->rt, &desc), -EINVAL);
	helper_one_line(h, "restricted to worker 77, but the machine has 2 workers");
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_contradictory_descriptions(void **state)
{
	static const struct xy_codelet modeless = { .name = "modeless", .cpu = { helper_count_body } };
	struct helper *h = helper_start(NULL, 1), *other = helper_start(NULL, 1);
	struct xy_handle *x, *foreign;
	struct xy_task *theirs = HELPER_CREATE(other, .name = "theirs"), *task;
	struct xy_task *const nothing = NULL;
	struct xy_access access, none = { NULL, XY_R }, odd, far;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_int_equal(xy_void_register(other->rt, &foreign), 0);
	access = (struct xy_access){ x, XY_R };
	odd = (struct xy_access){ x, XY_R | XY_SCRATCH };
	far = (struct xy_access){ foreign, XY_R };
	{
		const struct xy_task_desc wrong[] = {
			{ .arg_size = 1 },
			{ .nafter = 1 },
			{ .after = &nothing, .nafter = 1 },
			{ .after = &theirs, .nafter = 1 },
			{ .codelet = &helper_count, .nworkers = 1 },
			{ .codelet = &modeless, .handles = { x } },
			{ .handles = { x } },
			{ .accesses = XY_ACCESSES(none) },
			{ .accesses = XY_ACCESSES(odd) },
			{ .accesses = XY_ACCESSES(far) },
			{ .codelet = &modeless, .handles = { x }, .accesses = XY_ACCESSES(access) },
			{ .codelet = &helper_count, .length_us = -1 },
		};

		for (unsigned i = 0; i < HELPER_COUNT(wrong); i++) {
			struct xy_task_desc desc = wrong[i];

			desc.name = "wrong";
			if (xy_submit(h->rt, &desc) != -EINVAL)
				fail_msg("xy_submit takes wrong description %u", i);
			helper_one_line(h, "'wrong'");
			if (xy_task_create(h->rt, &desc, &task) != -EINVAL || task)
				fail_msg("xy_task_create takes wrong description %u", i);
			helper_one_line(h, "'wrong'");
		}
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_unregister(&foreign), 0);
	xy_task_release(theirs);
	assert_int_equal(helper_stop(h), 0);
	assert_int_equal(helper_stop(other), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_each_task_once),
		cmocka_unit_test(ends_a_task_without_a_codelet),
		cmocka_unit_test(copies_arguments_of_any_size),
		cmocka_unit_test(tells_the_function_who_runs_it_and_why),
		cmocka_unit_test(runs_higher_priorities_first),
		cmocka_unit_test(names_a_task_after_itself_or_its_codelet),
		cmocka_unit_test(bounds_the_tasks_in_flight),
		cmocka_unit_test(a_window_may_be_as_small_as_one),
		cmocka_unit_test(does_not_wait_for_room_that_only_it_can_make),
		cmocka_unit_test(gives_the_memory_of_tasks_back),
		cmocka_unit_test(runs_pinned_tasks_where_they_are_pinned),
		cmocka_unit_test(asks_the_codelet_who_may_run_it),
		cmocka_unit_test(uses_one_of_the_implementations),
		cmocka_unit_test(refuses_a_task_that_no_worker_can_run),
		cmocka_unit_test(a_mask_of_all_architectures_is_no_limit),
		cmocka_unit_test(names_a_worker_that_does_not_exist),
		cmocka_unit_test(refuses_contradictory_descriptions),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
