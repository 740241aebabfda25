/* SPDX-License-Identifier: MIT */
/*
 * Teams in virtual time: a parallel task begins when all members are free, occupies all of them, and takes as long as
 * one of them would need divided by their number.
 */
#include "sim_bed.h"

#include <errno.h>
#include <math.h>

/* Teams of two in each package, and one of all four. */
static const char two_packages[] = "machine packages\n"
				   "topology package:2 core:2\n"
				   "class core cpu\n"
				   "workers 4 core\n";

/* The choice 1 is for single workers, 2 for teams. */
static const char by_choice[] = "userchoice { fifo | eager | each worker {}, fifo | eager | each team {} }";

static const struct xy_codelet fork_join = { .name = "fork", .cpu = { helper_count_body }, .parallel = XY_FORK_JOIN };
static const struct xy_codelet spmd = { .name = "spmd", .cpu = { helper_count_body }, .parallel = XY_SPMD };
static const struct xy_codelet update = {
	.name = "update", .cpu = { helper_count_body }, .parallel = XY_SPMD, .modes = { XY_RW }
};

static void a_team_takes_a_share_of_the_time(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, by_choice, &(struct xy_config){ .sim_overhead_us = 1 });

	(void)state;
	SIM_SUBMIT(bed, 0, 120, .codelet = &fork_join, .choice = 2);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 61);
	SIM_SUBMIT(bed, 1, 120, .codelet = &spmd, .choice = 2);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 2 * 61);
	SIM_SUBMIT(bed, 2, 120, .codelet = &spmd); /* alone */
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 2 * 61 + 121);
	assert_int_equal(bed->nended, 3);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_team_begins_when_all_are_free(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, by_choice, &(struct xy_config){ .profile = true });
	struct xy_worker_stats stats;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		SIM_SUBMIT(bed, i, 10 * (i + 1), .codelet = &sim_plain, .workers = &i, .nworkers = 1);
	assert_int_equal(xy_wait_for(bed->rt, 5e-6), -ETIMEDOUT);
	SIM_SUBMIT(bed, 4, 100, .codelet = &fork_join, .choice = 2);
	SIM_SUBMIT(bed, 5, 100, .codelet = &fork_join, .choice = 2);
	sim_wait(bed);
	sim_assert_us(bed->fates[4].start_us, 20);
	sim_assert_us(bed->fates[4].end_us, 70);
	sim_assert_us(bed->fates[5].end_us, 120);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(xy_worker_stats(bed->rt, i, &stats), 0);
		assert_true(fabs(stats.busy_s * 1e6 - (10 * (i + 1) + 100)) < 0.01);
	}
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void members_do_nothing_else_meanwhile(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, by_choice, NULL);

	(void)state;
	SIM_SUBMIT(bed, 0, 400, .codelet = &fork_join, .choice = 2);
	assert_int_equal(xy_wait_for(bed->rt, 5e-6), -ETIMEDOUT);
	for (unsigned i = 1; i < 9; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	SIM_SUBMIT(bed, 9, 400, .codelet = &fork_join, .choice = 2);
	sim_wait(bed);
	for (unsigned i = 1; i < 9; i++)
		assert_true(bed->fates[i].start_us >= 200 - 1e-6);
	/* Between two tasks of teams each runs one of its own. */
	sim_assert_us(bed->fates[9].start_us, 210);
	sim_assert_us(sim_now_us(bed), 210 + 200 + 30);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void the_order_of_data_holds_for_teams(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, by_choice, NULL);
	struct xy_handle *h = sim_vector(bed, 1000);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		SIM_SUBMIT(bed, i, 40, .codelet = &update, .handles = { h }, .choice = 1 + i % 2);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 5 * 40 + 5 * 20);
	for (unsigned i = 1; i < 10; i++)
		sim_assert_us(bed->fates[i].start_us, bed->fates[i - 1].end_us);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_failing_task_of_a_team_lets_all_go(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, by_choice, NULL);

	(void)state;
	SIM_SUBMIT(bed, 0, 0, .codelet = &spmd, .choice = 2, .retries = 1);
	SIM_SUBMIT(bed, 1, 40, .codelet = &spmd, .choice = 2);
	SIM_SUBMIT(bed, 2, 40, .codelet = &sim_plain);
	assert_int_equal(helper_wait(bed->h), -ENODATA);
	assert_int_equal(bed->fates[0].ended, 2);
	assert_int_equal(bed->fates[1].status, 0);
	assert_int_equal(bed->fates[1].ended, 1);
	assert_int_equal(bed->fates[2].ended, 1);
	assert_int_equal(sim_stop(bed, 1), 0);
}

/* Teams that overlap, tasks that may go anywhere, data on and off devices. */
static void run_random(const char *machine, const char *sched, uint64_t seed)
{
	enum { TASKS = 400, DATA = 5 };
	struct sim_bed *bed = sim_start(machine, sched, &(struct xy_config){ .seed = seed, .sim_noise = 0.3 });
	struct xy_handle *h[DATA];
	uint64_t random = seed;

	for (unsigned i = 0; i < DATA; i++)
		h[i] = sim_vector(bed, 5000);
	for (unsigned i = 0; i < TASKS; i++) {
		const struct xy_codelet *const codelets[] = { &fork_join, &update, &sim_update, &sim_plain };
		const struct xy_codelet *codelet = codelets[helper_below(&random, 4)];
		struct xy_handle *data = codelet->modes[0] ? h[helper_below(&random, DATA)] : NULL;

		SIM_SUBMIT(bed, i, 1 + helper_below(&random, 100), .codelet = codelet, .handles = { data },
			   .choice = 1 + (codelet->parallel && helper_below(&random, 2)),
			   .priority = (int)helper_below(&random, 4));
		if (!helper_below(&random, 50))
			sim_wait(bed);
	}
	sim_wait(bed);
	for (unsigned i = 0; i < TASKS; i++)
		assert_int_equal(bed->fates[i].ended, 1);
	for (unsigned i = 0; i < DATA; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void teams_of_all_policies_run_each_task_once(void **state)
{
	static const char *const policies[] = { "tree-parallel-random", "tree-parallel-random-prio", by_choice };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			run_random(two_packages, policies[i], seed);
			run_random(sim_two_cores, policies[i], seed);
			run_random("mirage", policies[i], seed);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_team_takes_a_share_of_the_time),
		cmocka_unit_test(a_team_begins_when_all_are_free),
		cmocka_unit_test(members_do_nothing_else_meanwhile),
		cmocka_unit_test(the_order_of_data_holds_for_teams),
		cmocka_unit_test(a_failing_task_of_a_team_lets_all_go),
		cmocka_unit_test(teams_of_all_policies_run_each_task_once),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
