/* SPDX-License-Identifier: MIT */
/* xy_on_each_worker calls a function once on each worker, and waits. */
#include "../../helper.h"

#include <errno.h>
#include <pthread.h>

enum { WORKERS = 3 };

struct visits {
	_Atomic int n[WORKERS];
	pthread_t threads[WORKERS];
	unsigned fails; /* on this worker */
	int inside;
};

static int visit(struct xy_call *call)
{
	struct visits *visits = call->arg;

	atomic_fetch_add(&visits->n[call->worker], 1);
	visits->threads[call->worker] = pthread_self();
	return call->worker == visits->fails ? -EIO : 0;
}

static void visits_each_worker_once(void **state)
{
	static const char *const policies[] = {
		NULL, "tree-eager", "tree-ws", "tree-heft", "tree-eager-prefetching", "tree-random"
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++) {
		struct helper *h = helper_start(policies[i], WORKERS);
		struct visits visits = { .fails = WORKERS };

		assert_int_equal(xy_on_each_worker(h->rt, 0, visit, &visits), 0);
		assert_int_equal(xy_on_each_worker(h->rt, XY_ON_CPU, visit, &visits), 0);
		assert_int_equal(xy_on_each_worker(h->rt, XY_ON_CUDA, visit, &visits), 0); /* there is none */
		for (unsigned w = 0; w < WORKERS; w++)
			assert_int_equal(visits.n[w], 2);
		assert_false(pthread_equal(visits.threads[0], visits.threads[1]));
		assert_false(pthread_equal(visits.threads[0], pthread_self()));
		assert_int_equal(helper_stop(h), 0);
	}
}

static void comes_while_other_tasks_run(void **state)
{
	struct helper *h = helper_start("tree-eager", WORKERS);
	struct visits visits = { .fails = WORKERS };
	_Atomic int n = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		if (i % 100 == 0)
			assert_int_equal(xy_on_each_worker(h->rt, 0, visit, &visits), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	for (unsigned w = 0; w < WORKERS; w++)
		assert_int_equal(visits.n[w], 20);
	assert_int_equal(n, 2000);
	assert_int_equal(helper_stop(h), 0);
}

static int visit_inside(struct xy_call *call)
{
	((struct visits *)call->arg)->inside = xy_on_each_worker(call->runtime, 0, visit, call->arg);
	return 0;
}

static void returns_what_went_wrong(void **state)
{
	static const struct xy_codelet codelet = { .name = "inside", .cpu = { visit_inside } };
	struct helper *h = helper_start("tree-eager", WORKERS);
	struct visits visits = { .fails = 1 };

	(void)state;
	assert_int_equal(xy_on_each_worker(h->rt, 0, visit, &visits), -EIO);
	for (unsigned w = 0; w < WORKERS; w++)
		assert_int_equal(visits.n[w], 1);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_on_each_worker(h->rt, 0, NULL, &visits), -EINVAL);
	helper_one_line(h, "no function");
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = &visits);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(visits.inside, -EDEADLK);
	helper_one_line(h, "can't wait for other workers");
	assert_int_equal(helper_stop(h), 0);
}

static void calls_nothing_in_a_simulation(void **state)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sim = "mirage", .machines = TEST_MACHINES, .sched = "tree-eager" });
	struct visits visits = { .fails = WORKERS };

	(void)state;
	assert_int_equal(xy_on_each_worker(h->rt, 0, visit, &visits), 0);
	for (unsigned w = 0; w < WORKERS; w++)
		assert_int_equal(visits.n[w], 0);
	assert_true(xy_now(h->rt) == 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visits_each_worker_once),
		cmocka_unit_test(comes_while_other_tasks_run),
		cmocka_unit_test(returns_what_went_wrong),
		cmocka_unit_test(calls_nothing_in_a_simulation),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
