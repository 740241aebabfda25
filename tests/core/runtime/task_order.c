/* SPDX-License-Identifier: MIT */
/* The order of tasks: explicit dependencies and cycles. */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>

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
/* --- explicit dependencies --- */

static void waits_for_predecessors_in_any_state(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct order order = { 0 };
	struct place places[4] = { { &order, 0 }, { &order, 1 }, { &order, 2 }, { &order, 3 } };
	struct xy_task *ended = HELPER_CREATE(h, .codelet = &note, .arg = &places[0]);
	struct xy_task *created = HELPER_CREATE(h, .codelet = &note, .arg = &places[1]);
	struct xy_task *submitted = HELPER_CREATE(h, .codelet = &note, .arg = &places[2], .after = &created,
						  .nafter = 1);
	struct xy_task *last = HELPER_CREATE(h, .codelet = &note, .arg = &places[3]);

	(void)state;
	assert_int_equal(xy_task_submit(ended), 0);
	assert_int_equal(helper_wait_task(h, ended), 0);
	assert_int_equal(xy_task_submit(submitted), 0);
	assert_int_equal(xy_task_after(last, ended), 0);
	assert_int_equal(xy_task_after(last, submitted), 0);
	assert_int_equal(xy_task_after(last, created), 0);
	assert_int_equal(xy_task_submit(last), 0);
	assert_int_equal(xy_task_wait_for(last, 0), -ETIMEDOUT);
	assert_int_equal(order.n, 1);
	assert_int_equal(xy_task_submit(created), 0);
	assert_int_equal(helper_wait_task(h, last), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(order.ids[i], i);
	xy_task_release(ended);
	xy_task_release(created);
	xy_task_release(submitted);
	xy_task_release(last);
	assert_int_equal(helper_stop(h), 0);
}

static void waits_for_the_tasks_of_a_description(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct order order = { 0 };
	struct place places[2] = { { &order, 0 }, { &order, 1 } };
	struct xy_task *before = HELPER_CREATE(h, .codelet = &note, .arg = &places[0]);

	(void)state;
	HELPER_SUBMIT(h, .codelet = &note, .arg = &places[1], .after = &before, .nafter = 1);
	assert_int_equal(xy_wait_for(h->rt, 0), -ETIMEDOUT);
	assert_int_equal(xy_task_submit(before), 0);
	xy_task_release(before);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(order.n, 2);
	assert_int_equal(order.ids[1], 1);
	assert_int_equal(helper_stop(h), 0);
}

static int all_before_body(struct xy_call *call)
{
	_Atomic int *n = call->arg;

	return atomic_load(n) == 200 ? 0 : -ERANGE;
}

static void waits_for_hundreds_of_predecessors(void **state)
{
	static const struct xy_codelet last = { .name = "last", .cpu = { all_before_body } };
	struct helper *h = helper_start(NULL, 2);
	struct xy_task *before[200], *tasks[2];
	_Atomic int n = 0;

	(void)state;
	for (int i = 0; i < 200; i++)
		before[i] = HELPER_CREATE(h, .codelet = &helper_count, .arg = &n);
	for (int i = 0; i < 2; i++)
		tasks[i] = HELPER_CREATE(h, .codelet = &last, .arg = &n, .after = before, .nafter = 200);
	HELPER_SUBMIT(h, .codelet = &last, .arg = &n, .after = before, .nafter = 200);
	assert_int_equal(xy_task_submit(tasks[0]), 0);
	for (int i = 0; i < 200; i++)
		assert_int_equal(xy_task_submit(before[i]), 0);
	assert_int_equal(xy_task_submit(tasks[1]), 0);
	assert_int_equal(helper_wait(h), 0);
	for (int i = 0; i < 200; i++)
		xy_task_release(before[i]);
	xy_task_release(tasks[0]);
	xy_task_release(tasks[1]);
	assert_int_equal(helper_stop(h), 0);
}

static void releases_hundreds_of_successors(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_task *first = HELPER_CREATE(h, .priority = 0);
	_Atomic int n = 0;

	(void)state;
	for (int i = 0; i < 500; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .after = &first, .nafter = 1);
	assert_int_equal(n, 0);
	assert_int_equal(xy_task_submit(first), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 500);
	xy_task_release(first);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_a_dependency_of_a_submitted_task(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_task *a = HELPER_CREATE(h, .name = "a");
	struct xy_task *b = HELPER_CREATE(h, .name = "b");

	(void)state;
	assert_int_equal(xy_task_submit(a), 0);
	assert_int_equal(xy_task_after(a, b), -EBUSY);
	helper_one_line(h, "'a'");
	assert_int_equal(helper_wait_task(h, a), 0);
	assert_int_equal(xy_task_after(a, b), -EBUSY);
	helper_one_line(h, "'a'");
	xy_task_release(a);
	xy_task_release(b);
	assert_int_equal(helper_stop(h), 0);
}

/* --- cycles --- */

static void refuses_a_cycle_of_any_length(void **state)
{
	enum { N = 50 };
	struct helper *h = helper_start(NULL, 1);
	struct xy_task *tasks[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		tasks[i] = HELPER_CREATE(h, .name = "link");
		assert_int_equal(xy_task_after(tasks[i], tasks[i]), -ELOOP);
		helper_one_line(h, "'link'");
		if (i)
			assert_int_equal(xy_task_after(tasks[i], tasks[i - 1]), 0);
	}
	for (int i = 1; i < N; i++) {
		assert_int_equal(xy_task_after(tasks[0], tasks[i]), -ELOOP);
		helper_one_line(h, "'link'");
	}
	for (int i = N; i-- > 1;)
		assert_int_equal(xy_task_submit(tasks[i]), 0);
	assert_int_equal(xy_task_after(tasks[0], tasks[N - 1]), -ELOOP);
	helper_one_line(h, "'link'");
	assert_int_equal(xy_task_submit(tasks[0]), 0);
	assert_int_equal(helper_wait(h), 0);
	for (int i = 0; i < N; i++)
		xy_task_release(tasks[i]);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_a_cycle_through_data(void **state)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { helper_count_body }, .modes = { XY_RW } };
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x, *y;
	_Atomic int n = 0;
	struct xy_task *first = NULL;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_int_equal(xy_void_register(h->rt, &y), 0);
	first = HELPER_CREATE(h, .codelet = &use, .handles = { y }, .arg = &n, .name = "first");
	/* second waits for first; third waits for second because of x, and uses y as first does */
	HELPER_SUBMIT(h, .codelet = &use, .handles = { x }, .arg = &n, .after = &first, .nafter = 1);
	HELPER_SUBMIT(h, .codelet = &use, .arg = &n, .accesses = XY_ACCESSES({ x, XY_R }, { y, XY_R }));
	assert_int_equal(xy_task_submit(first), -ELOOP);
	helper_one_line(h, "'first'");
	assert_int_equal(n, 0);
	xy_task_release(first);
	assert_int_equal(helper_wait(h), -ECANCELED);
	assert_int_equal(n, 0);
	assert_int_equal(xy_unregister(&x), -ECANCELED);
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_a_cycle_with_an_acquire(void **state)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { helper_count_body }, .modes = { XY_RW } };
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x;
	_Atomic int n = 0;
	int status = 1;
	struct xy_task *first;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	first = HELPER_CREATE(h, .codelet = &use, .handles = { x }, .arg = &n);
	HELPER_SUBMIT(h, .codelet = &use, .handles = { x }, .arg = &n, .after = &first, .nafter = 1);
	assert_int_equal(xy_acquire_callback(x, XY_R, helper_status, &status), 0);
	assert_int_equal(status, 1);
	assert_int_equal(xy_task_submit(first), -ELOOP);
	helper_one_line(h, "'use'");
	xy_task_release(first);
	assert_int_equal(helper_wait(h), -ECANCELED);
	assert_int_equal(xy_unregister(&x), -ECANCELED);
	assert_int_equal(status, -ECANCELED);
	assert_int_equal(helper_stop(h), 0);
}

/* Whoever comes first: the second of two tasks that want to wait for each other must be told so. */
struct racers {
	struct helper *h;
	struct xy_handle *x, *y;
	struct xy_task *first;
	_Atomic int round, done, n;
	int rounds, error;
};

static void *race_thread(void *arg)
{
	struct racers *r = arg;

	for (int i = 1; i <= r->rounds && !r->error; i++) {
		struct xy_access write = { r->x, XY_RW }, read[] = { { r->x, XY_R }, { r->y, XY_R }, { 0 } };

		for (unsigned spins = 1; atomic_load(&r->round) < i; spins++)
			if (spins % 1000 == 0)
				sched_yield();
		/* hangs on the first task, and then something hangs on it that uses the same data */
		r->error = xy_submit(r->h->rt, &(struct xy_task_desc){ .codelet = &helper_count,
								       .arg = &r->n,
								       .accesses = XY_ACCESSES(write),
								       .after = &r->first,
								       .nafter = 1 });
		if (!r->error)
			r->error = xy_submit(
				r->h->rt,
				&(struct xy_task_desc){ .codelet = &helper_count, .arg = &r->n, .accesses = read });
		helper_add(&r->done);
	}
	return NULL;
}

static void refuses_a_cycle_that_two_threads_make(void **state)
{
	static const struct xy_codelet use = { .name = "use", .cpu = { helper_count_body }, .modes = { XY_RW } };
	struct racers r = { .h = helper_start(NULL, 2), .rounds = (int)helper_scale(5000) };
	uint64_t seed = 3;
	int loops = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(xy_void_register(r.h->rt, &r.x), 0);
	assert_int_equal(xy_void_register(r.h->rt, &r.y), 0);
	assert_int_equal(pthread_create(&thread, NULL, race_thread, &r), 0);
	for (int i = 1; i <= r.rounds; i++) {
		int error, expected;

		atomic_store(&r.n, 0);
		r.first = HELPER_CREATE(r.h, .codelet = &use, .handles = { i % 2 ? r.x : r.y }, .arg = &r.n);
		helper_add(&r.round);
		for (unsigned pauses = helper_below(&seed, 2000); pauses; pauses--)
			atomic_load(&r.round);
		error = xy_task_submit(r.first);
		assert_true(error == 0 || error == -ELOOP);
		loops += error != 0;
		helper_reach(r.h, &r.done, i);
		xy_task_release(r.first);
		expected = error ? 0 : 3;
		assert_int_equal(helper_wait(r.h), error ? -ECANCELED : 0);
		assert_int_equal(r.n, expected);
		/* what was cancelled was not written: make it good */
		assert_int_equal(xy_acquire(r.x, XY_W), 0);
		assert_int_equal(xy_release(r.x), 0);
		helper_forget(r.h);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(r.error, 0);
	print_message("# %d cycles in %d rounds\n", loops, r.rounds);
	assert_int_equal(xy_unregister(&r.x), 0);
	assert_int_equal(xy_unregister(&r.y), 0);
	assert_int_equal(helper_stop(r.h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_predecessors_in_any_state),
		cmocka_unit_test(waits_for_the_tasks_of_a_description),
		cmocka_unit_test(waits_for_hundreds_of_predecessors),
		cmocka_unit_test(releases_hundreds_of_successors),
		cmocka_unit_test(refuses_a_dependency_of_a_submitted_task),
		cmocka_unit_test(refuses_a_cycle_of_any_length),
		cmocka_unit_test(refuses_a_cycle_through_data),
		cmocka_unit_test(refuses_a_cycle_with_an_acquire),
		cmocka_unit_test(refuses_a_cycle_that_two_threads_make),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
