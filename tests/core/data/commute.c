/* SPDX-License-Identifier: MIT */
/* Commuting accesses: in any order among neighbours, one at a time, never a deadlock. */
#include "../../helper.h"

#include <errno.h>
#include <stdio.h>

enum { HANDLES = 5 };

static struct xy_handle *handles[HANDLES];

static void register_all(struct helper *h)
{
	for (int i = 0; i < HANDLES; i++)
		assert_int_equal(xy_void_register(h->rt, &handles[i]), 0);
}

static void unregister_all(void)
{
	for (int i = 0; i < HANDLES; i++)
		assert_int_equal(xy_unregister(&handles[i]), 0);
}

/* Who is in a task that has these handles. */
struct alone {
	_Atomic int inside[HANDLES];
	_Atomic int ran;
	unsigned mask;
	struct alone *all;
};

static int alone_body(struct xy_call *call)
{
	struct alone *a = call->arg;
	int error = 0;

	for (int i = 0; i < HANDLES; i++)
		if ((a->mask & 1u << i) && atomic_fetch_add(&a->all->inside[i], 1))
			error = -ERANGE;
	for (int i = 0; i < HANDLES; i++)
		if (a->mask & 1u << i)
			atomic_fetch_sub(&a->all->inside[i], 1);
	atomic_fetch_add(&a->all->ran, 1);
	return error;
}

static const struct xy_codelet alone_codelet = { .name = "alone", .cpu = { alone_body } };

static void submit_alone(struct helper *h, struct alone *all, unsigned mask, enum xy_mode mode)
{
	struct xy_access accesses[HANDLES + 1] = { 0 };
	struct alone mine = { .mask = mask, .all = all };
	unsigned n = 0;

	for (int i = 0; i < HANDLES; i++)
		if (mask & 1u << i)
			accesses[n++] = (struct xy_access){ handles[i], mode };
	HELPER_SUBMIT(h, .codelet = &alone_codelet, .arg = &mine, .arg_size = sizeof mine, .accesses = accesses);
}

static void one_at_a_time_and_no_deadlock(void **state)
{
	uint64_t seed = 11;

	(void)state;
	print_message("# seed %d\n", (int)seed);
	for (unsigned workers = 1; workers <= 8; workers *= 2) {
		struct helper *h = helper_start(NULL, workers);
		struct alone all = { .ran = 0 };
		int n = (int)helper_scale(5000);

		register_all(h);
		for (int i = 0; i < n; i++)
			submit_alone(h, &all, 1 + helper_below(&seed, (1 << HANDLES) - 1),
				     helper_below(&seed, 50) ? XY_RW | XY_COMMUTE : XY_RW);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(all.ran, n);
		unregister_all();
		assert_int_equal(helper_stop(h), 0);
	}
}

static void the_order_among_neighbours_is_free(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_access access;
	_Atomic int n = 0;
	struct xy_task *never, *first;

	(void)state;
	register_all(h);
	access = (struct xy_access){ handles[0], XY_RW | XY_COMMUTE };
	never = HELPER_CREATE(h, .name = "never");
	/* submitted first, but kept from running; its neighbour does not wait for it, what follows does */
	first = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(access), .after = &never,
			      .nafter = 1);
	assert_int_equal(xy_task_submit(first), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(access));
	helper_reach(h, &n, 1);
	access.mode = XY_R;
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(access));
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(n, 1);
	assert_int_equal(xy_task_submit(never), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 3);
	xy_task_release(never);
	xy_task_release(first);
	unregister_all();
	assert_int_equal(helper_stop(h), 0);
}

static void readers_between_end_a_group(void **state)
{
	struct helper *h = helper_start("tree-eager", 3);
	struct gate gates[3] = { { 0 } };
	enum xy_mode modes[3] = { XY_RW | XY_COMMUTE, XY_R, XY_RW | XY_COMMUTE };

	(void)state;
	register_all(h);
	for (int i = 0; i < 3; i++) {
		struct xy_access access = { handles[0], modes[i] };

		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gates[i], .accesses = XY_ACCESSES(access));
	}
	for (int i = 0; i < 3; i++) {
		helper_reach(h, &gates[i].inside, 1);
		for (int j = i + 1; j < 3; j++)
			assert_int_equal(gates[j].inside, 0);
		helper_open(&gates[i]);
	}
	assert_int_equal(helper_wait(h), 0);
	unregister_all();
	assert_int_equal(helper_stop(h), 0);
}

static void a_commuting_task_that_fails_lets_the_next_one_in(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_access access;
	_Atomic int n = 0;

	(void)state;
	register_all(h);
	access = (struct xy_access){ handles[0], XY_RW | XY_COMMUTE };
	for (int i = 0; i < 100; i++)
		HELPER_SUBMIT(h, .codelet = i % 2 ? &helper_count : &helper_fail, .arg = &n, .retries = (unsigned)i % 4,
			      .accesses = XY_ACCESSES(access));
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(n, 50);
	assert_int_equal(xy_unregister(&handles[0]), -EIO);
	assert_int_equal(xy_void_register(h->rt, &handles[0]), 0);
	unregister_all();
	assert_int_equal(helper_stop(h), 0);
}

static void the_application_commutes_too(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct alone all = { .ran = 0 };

	(void)state;
	register_all(h);
	for (int i = 0; i < 200; i++) {
		submit_alone(h, &all, 3, XY_RW | XY_COMMUTE);
		submit_alone(h, &all, 6, XY_RW | XY_COMMUTE);
		assert_int_equal(xy_acquire(handles[1], XY_RW | XY_COMMUTE), 0);
		assert_int_equal(atomic_fetch_add(&all.inside[1], 1), 0);
		atomic_fetch_sub(&all.inside[1], 1);
		assert_int_equal(xy_release(handles[1]), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(all.ran, 400);
	unregister_all();
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_at_a_time_and_no_deadlock),
		cmocka_unit_test(the_order_among_neighbours_is_free),
		cmocka_unit_test(readers_between_end_a_group),
		cmocka_unit_test(a_commuting_task_that_fails_lets_the_next_one_in),
		cmocka_unit_test(the_application_commutes_too),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
