/* SPDX-License-Identifier: MIT */
/*
 * Workers of different kinds: tasks for some of them, for others and for all, that release each other, while most
 * workers sleep. Whoever is not woken for a task that nobody else can run leaves it there for ever.
 */
#include "../core/data/bed.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HANDLES = 12, TASKS = 200, UNTOLD = 1 };

static _Atomic int ran;

static int count_body(struct xy_call *call)
{
	(void)call;
	atomic_fetch_add(&ran, 1);
	return 0;
}

static bool not_the_first(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return worker != 0;
}

static const struct xy_codelet kinds[] = {
	{ .name = "cpu", .cpu = { count_body }, .modes = { XY_RW, XY_R } },
	{ .name = "cuda", .cuda = { count_body }, .modes = { XY_RW, XY_R } },
	{ .name = "both", .cpu = { count_body }, .cuda = { count_body }, .modes = { XY_RW, XY_R } },
	{ .name = "picky",
	  .cpu = { count_body },
	  .cuda = { count_body },
	  .modes = { XY_RW, XY_R },
	  .can_execute = not_the_first },
};

/* Tasks in chains, each of a kind of its own; sometimes with a callback, which is told the status once all is over; and
 * pauses in which workers fall asleep. */
static unsigned submit_some(struct helper *h, struct xy_handle **handles, uint64_t *random, bool picky)
{
	unsigned n = 1 + helper_below(random, TASKS);
	int status[TASKS], expected[TASKS];

	for (unsigned i = 0; i < n; i++) {
		unsigned a = helper_below(random, HANDLES), b = (a + 1 + helper_below(random, HANDLES - 1)) % HANDLES;
		bool calls = helper_below(random, 8) == 0;

		status[i] = UNTOLD;
		expected[i] = calls ? 0 : UNTOLD;
		HELPER_SUBMIT(h, .codelet = &kinds[helper_below(random, picky ? 4 : 3)],
			      .handles = { handles[a], handles[b] }, .priority = (int)helper_below(random, 3) - 1,
			      .callback = calls ? helper_status : NULL, .callback_arg = &status[i]);
		if (helper_below(random, 32) == 0)
			nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_memory_equal(status, expected, n * sizeof status[0]);
	return n;
}

static void try_policy(const char *sched, bool picky, uint64_t seed)
{
	const struct xy_config config = { .sched = sched };
	struct helper *h = bed_start(2, &config, false);
	struct xy_handle *handles[HANDLES];
	static uint32_t cells[HANDLES][4];
	unsigned n = 0;

	print_message("# %s, seed %llu\n", sched, (unsigned long long)seed);
	atomic_store(&ran, 0);
	for (unsigned i = 0; i < HANDLES; i++)
		handles[i] = bed_vector(h, cells[i], 4);
	for (unsigned round = 0; round < helper_scale(40); round++)
		n += submit_some(h, handles, &seed, picky);
	assert_int_equal(atomic_load(&ran), n);
	for (unsigned i = 0; i < HANDLES; i++)
		bed_unregister(h, &handles[i]);
	assert_int_equal(bed_stop(h, 0), 0);
}

static const char *const policies[] = {
	"tree-eager",
	"tree-eager-prefetching",
	"tree-prio",
	"tree-random",
	"tree-random-prio-prefetching",
	"tree-ws",
	"fifo(ready) | eager | each arch { fifo(ntasks=4, ready) | eager | each worker { } }",
};

static void no_task_is_left_for_a_worker_that_sleeps(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++)
		try_policy(policies[i], false, i + 1);
}

static void nor_with_tasks_that_choose_their_workers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++)
		try_policy(policies[i], true, i + 101);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_task_is_left_for_a_worker_that_sleeps),
		cmocka_unit_test(nor_with_tasks_that_choose_their_workers),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
