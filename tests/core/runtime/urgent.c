/* SPDX-License-Identifier: MIT */
/* An urgent task overtakes all that have not begun, wherever they wait. */
#include "../../helper.h"

static _Atomic int begun, before;

static int other_body(struct xy_call *call)
{
	(void)call;
	atomic_fetch_add(&begun, 1);
	return 0;
}

static int urgent_body(struct xy_call *call)
{
	(void)call;
	atomic_store(&before, atomic_load(&begun));
	return 0;
}

static const struct xy_codelet other = { .name = "other", .cpu = { other_body } };
static const struct xy_codelet urgent = { .name = "urgent", .cpu = { urgent_body } };

/* All workers are busy while the tasks are submitted, the urgent one last. */
static void overtaken(const char *sched, unsigned nworkers, unsigned nothers)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sched = sched, .ncpu = nworkers, .window = 10000 });
	struct gate gate = { 0 };

	atomic_store(&begun, 0);
	atomic_store(&before, -1);
	for (unsigned i = 0; i < nworkers; i++)
		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .workers = &i, .nworkers = 1);
	helper_reach(h, &gate.inside, (int)nworkers);
	for (unsigned i = 0; i < nothers; i++)
		HELPER_SUBMIT(h, .codelet = &other);
	HELPER_SUBMIT(h, .codelet = &urgent, .priority = 1);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(begun, nothers);
	/* One for each worker: what was offered to it before it was asked. */
	assert_in_range(before, 0, nworkers);
	assert_int_equal(helper_stop(h), 0);
}

static void overtakes_those_in_the_inbox(void **state)
{
	static const char *const policies[] = { "tree-prio", "tree-eager-prio", "tree-dmdas",      "tree-dmdap",
						"tree-heft", "tree-heft2",      "tree-heteroprio", "tree-cambium" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++) {
		overtaken(policies[i], 1, 1900);
		overtaken(policies[i], 2, 1900);
		overtaken(policies[i], 1, 4000);
		overtaken(policies[i], 1, 6000); /* more than the inbox has room for */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overtakes_those_in_the_inbox),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
