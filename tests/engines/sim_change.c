/* SPDX-License-Identifier: MIT */
/* Changing a runtime in virtual time: its policy, its workers, several trees, with tasks in flight on devices. */
#include "sim_bed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- workers --- */

static void a_removed_worker_ends_what_it_began_and_no_more(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	assert_int_equal(xy_wait_for(bed->rt, 25e-6), -ETIMEDOUT); /* each runs its third */
	assert_int_equal(xy_worker_remove(bed->rt, 1), 0);
	assert_int_equal(xy_wait_for(bed->rt, 50e-6), -ETIMEDOUT);
	assert_int_equal(xy_worker_add(bed->rt, 1), 0);
	sim_wait(bed);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(bed->fates[i].ended, 1);
		if (bed->fates[i].worker == 1)
			assert_true(bed->fates[i].start_us < 25 || bed->fates[i].start_us >= 75 - 1e-6);
	}
	/* 6 by the time 30, then one at a time until 80; from 75 on two at a time */
	sim_assert_us(sim_now_us(bed), 125);
	assert_int_equal(bed->noverlaps, 0);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void tasks_wait_for_an_absent_worker_without_holding_others_up(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	unsigned absent = 1;
	char *dump;

	(void)state;
	assert_int_equal(xy_worker_remove(bed->rt, 1), 0);
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_plain, .workers = &absent, .nworkers = 1);
	for (unsigned i = 1; i < 5; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	assert_int_equal(xy_wait_for(bed->rt, 1), -ETIMEDOUT);
	assert_int_equal(bed->nended, 4);
	assert_int_equal(bed->fates[0].ended, 0);
	dump = helper_dump(bed->h);
	assert_non_null(strstr(dump, "1 ready tasks wait for workers that are not present"));
	free(dump);
	assert_int_equal(xy_worker_add(bed->rt, 1), 0);
	sim_wait(bed);
	assert_int_equal(bed->fates[0].worker, 1);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- devices --- */

/* A chain on each of some handles, with tasks and transfers in flight while the policy changes each 20 us. */
static double run_on_devices(bool changes, uint64_t *digest)
{
	static const char *const policies[] = { "tree-dmdas", "tree-eager", "tree-ws", "tree-cambium",
						"tree-eager-prefetching" };
	struct sim_bed *bed = sim_start(sim_two_gpus, "tree-eager-prefetching", NULL);
	struct xy_handle *handles[6];
	double now_us;

	for (unsigned k = 0; k < HELPER_COUNT(handles); k++)
		handles[k] = sim_vector(bed, 20000);
	for (unsigned i = 0; i < 20; i++)
		for (unsigned k = 0; k < HELPER_COUNT(handles); k++)
			SIM_SUBMIT(bed, k * 20 + i, 30, .codelet = &sim_update, .handles = { handles[k] });
	for (unsigned i = 0; changes && i < 40 && xy_wait_for(bed->rt, 20e-6) == -ETIMEDOUT; i++) {
		assert_int_equal(xy_set_policy(bed->rt, policies[i % HELPER_COUNT(policies)]), 0);
		if (i % 4 == 1) /* a device with tasks in flight */
			assert_int_equal(xy_worker_remove(bed->rt, 2 + i / 4 % 2), 0);
		if (i % 4 == 3)
			assert_int_equal(xy_set_workers(bed->rt, (unsigned[]){ 0, 1, 2, 3 }, 4), 0);
	}
	assert_int_equal(xy_set_workers(bed->rt, (unsigned[]){ 0, 1, 2, 3 }, 4), 0);
	for (unsigned k = 0; k < HELPER_COUNT(handles); k++)
		sim_unregister(&handles[k]);
	for (unsigned k = 0; k < HELPER_COUNT(handles); k++)
		for (unsigned i = 0; i < 20; i++) {
			const struct sim_fate *fate = &bed->fates[k * 20 + i];

			assert_int_equal(fate->ended, 1);
			assert_true(!i || fate->start_us >= fate[-1].end_us - 1e-6);
		}
	assert_int_equal(bed->noverlaps, 0);
	*digest = bed->digest;
	now_us = sim_now_us(bed);
	assert_int_equal(sim_stop(bed, 0), 0);
	return now_us;
}

static void chains_keep_their_order_on_devices_while_policies_change(void **state)
{
	uint64_t first, second, plain;
	double us = run_on_devices(true, &first);

	(void)state;
	assert_true(run_on_devices(true, &second) == us);
	assert_int_equal(first, second);
	run_on_devices(false, &plain);
	assert_int_not_equal(first, plain);
}

/* --- teams --- */

static const struct xy_codelet spmd = { .name = "spmd", .cpu = { helper_count_body }, .parallel = XY_SPMD };

static void a_team_that_gathers_lets_go(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "fifo | eager { each team { }, each worker { } }", NULL);
	unsigned busy = 1;

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_plain, .workers = &busy, .nworkers = 1);
	assert_int_equal(xy_wait_for(bed->rt, 5e-6), -ETIMEDOUT);
	SIM_SUBMIT(bed, 1, 40, .codelet = &spmd); /* worker 0 waits for worker 1 */
	assert_int_equal(xy_wait_for(bed->rt, 5e-6), -ETIMEDOUT);
	assert_int_equal(xy_set_policy(bed->rt, "tree-eager"), 0);
	assert_int_equal(xy_wait_for(bed->rt, 50e-6), -ETIMEDOUT);
	assert_int_equal(bed->fates[1].ended, 1);
	sim_assert_us(bed->fates[1].end_us, 50); /* alone, at once */
	assert_int_equal(xy_set_policy(bed->rt, "fifo | eager { each team { }, each worker { } }"), 0);
	SIM_SUBMIT(bed, 2, 40, .codelet = &spmd);
	sim_wait(bed);
	sim_assert_us(bed->fates[2].end_us, 120); /* both, when worker 1 is free */
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* A team in the middle of its task completes it in the old tree. */
static void a_team_that_runs_goes_on(void **state)
{
	struct sim_bed *bed = sim_start(
		sim_two_cores, "userchoice { fifo | eager | each worker { }, fifo | eager | each team { } }", NULL);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &spmd, .choice = 2);
	SIM_SUBMIT(bed, 1, 100, .codelet = &spmd, .choice = 2);
	assert_int_equal(xy_wait_for(bed->rt, 5e-6), -ETIMEDOUT);
	assert_int_equal(xy_set_policy(bed->rt, "tree-eager"), 0);
	sim_wait(bed);
	sim_assert_us(bed->fates[0].end_us, 50);
	sim_assert_us(bed->fates[1].end_us, 150);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- contexts --- */

static void contexts_run_side_by_side(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_context *side;

	(void)state;
	assert_int_equal(xy_context_create(bed->rt,
					   &(struct xy_context_desc){
						   .policy = "tree-prio", .workers = (unsigned[]){ 1 }, .nworkers = 1 },
					   &side),
			 0);
	for (unsigned i = 0; i < 10; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	for (unsigned i = 10; i < 20; i++)
		SIM_SUBMIT(bed, i, 20, .codelet = &sim_plain, .context = side, .priority = (int)i);
	assert_int_equal(xy_wait_for(bed->rt, 105e-6), -ETIMEDOUT);
	assert_int_equal(bed->nended, 15);
	assert_int_equal(xy_context_destroy(&side), 0); /* worker 0 helps */
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 160);
	for (unsigned i = 0; i < 20; i++)
		assert_true(bed->fates[i].worker == (i >= 10) || bed->fates[i].start_us >= 105 - 1e-6);
	for (unsigned i = 12; i < 20; i++) /* by priority, also after the change; but the first to come went first */
		assert_true(bed->fates[i].start_us <= bed->fates[i - 1].start_us + 1e-6);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- pieces --- */

static void pieces_in_flight_complete_their_task_in_another_tree(void **state)
{
	const char *divides = "divide(items=10) | fifo | eager | each worker { }";
	struct sim_bed *bed = sim_start(sim_two_cores, divides, NULL);
	_Atomic int status = 1;

	(void)state;
	SIM_SUBMIT(bed, 0, 1000, .codelet = &sim_plain, .range = { 0, 100 }, .callback = helper_status,
		   .callback_arg = (void *)&status);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(xy_wait_for(bed->rt, 45e-6), -ETIMEDOUT);
		assert_int_equal(xy_set_policy(bed->rt, i % 2 ? divides : "tree-eager"), 0);
	}
	sim_wait(bed);
	assert_int_equal(status, 0);
	assert_int_equal(sim_stop(bed, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_removed_worker_ends_what_it_began_and_no_more),
		cmocka_unit_test(tasks_wait_for_an_absent_worker_without_holding_others_up),
		cmocka_unit_test(chains_keep_their_order_on_devices_while_policies_change),
		cmocka_unit_test(a_team_that_gathers_lets_go),
		cmocka_unit_test(a_team_that_runs_goes_on),
		cmocka_unit_test(contexts_run_side_by_side),
		cmocka_unit_test(pieces_in_flight_complete_their_task_in_another_tree),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
