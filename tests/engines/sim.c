/* SPDX-License-Identifier: MIT */
/*
 * Tasks in virtual time: how long they take, what order keeps, who waits for what and until when, and what goes
 * wrong. Transfers are in sim_data.c.
 */
#include "sim_bed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- durations --- */

static void a_task_takes_its_length(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);

	(void)state;
	SIM_SUBMIT(bed, 0, 12.5, .codelet = &sim_plain);
	sim_assert_us(sim_now_us(bed), 0);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 12.5);
	sim_assert_us(bed->fates[0].start_us, 0);
	sim_assert_us(bed->fates[0].end_us, 12.5);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void workers_run_one_task_at_a_time(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 30);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_faster_worker_takes_less(void **state)
{
	struct sim_bed *bed = sim_start("machine m\nclass slow cpu\nclass fast cpu speed 4\nworkers 1 slow\n"
					"workers 1 fast\n",
					"tree-eager", NULL);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_plain, .workers = (const unsigned[]){ 0 }, .nworkers = 1);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_plain, .workers = (const unsigned[]){ 1 }, .nworkers = 1);
	sim_wait(bed);
	sim_assert_us(bed->fates[0].end_us, 100);
	sim_assert_us(bed->fates[1].end_us, 25);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void kernels_are_known_by_their_bytes(void **state)
{
	struct sim_bed *bed = sim_start("machine m\nclass core cpu\nworkers 1 core\n"
					"kernel simple 1000 core 10us\nkernel simple 4000 core 80us\n",
					"tree-eager", NULL);
	struct xy_handle *small = sim_vector(bed, 1000), *medium = sim_vector(bed, 2000),
			 *large = sim_vector(bed, 4000);

	(void)state;
	SIM_SUBMIT(bed, 0, 0, .codelet = &sim_update, .handles = { small });
	SIM_SUBMIT(bed, 1, 0, .codelet = &sim_update, .handles = { medium });
	SIM_SUBMIT(bed, 2, 0, .codelet = &sim_update, .handles = { large });
	sim_wait(bed);
	sim_assert_us(bed->fates[0].end_us - bed->fates[0].start_us, 10);
	/* 10 us * 2^b, with 4^b = 8 */
	sim_assert_us(bed->fates[1].end_us - bed->fates[1].start_us, 10 * pow(2, 1.5));
	sim_assert_us(bed->fates[2].end_us - bed->fates[2].start_us, 80);
	sim_unregister(&small);
	sim_unregister(&medium);
	sim_unregister(&large);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static double seven(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	(void)task, (void)arch, (void)implementation;
	return 7;
}

static double by_worker(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task, (void)implementation;
	return 10 + worker;
}

static void a_codelets_own_model_goes_before_the_machine_file(void **state)
{
	static const struct xy_model arch = { .kind = XY_MODEL_ARCH, .per_arch = seven };
	static const struct xy_model worker = { .kind = XY_MODEL_WORKER, .per_worker = by_worker };
	struct xy_codelet first = sim_update, second = sim_update;
	struct sim_bed *bed = sim_start("machine m\nclass core cpu\nworkers 2 core\nkernel simple 1000 core 99us\n",
					"tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 1000);

	(void)state;
	first.model = &arch;
	second.model = &worker;
	SIM_SUBMIT(bed, 0, 0, .codelet = &first, .handles = { h });
	SIM_SUBMIT(bed, 1, 0, .codelet = &second, .handles = { h }, .workers = (const unsigned[]){ 1 }, .nworkers = 1);
	sim_wait(bed);
	sim_assert_us(bed->fates[0].end_us, 7);
	sim_assert_us(bed->fates[1].end_us, 7 + 11);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static const struct xy_model empty_history = { .name = "sim_test_history", .kind = XY_MODEL_HISTORY };

static void a_model_that_knows_nothing_leaves_it_to_the_file_and_the_length(void **state)
{
	struct xy_codelet codelet = sim_update;
	struct sim_bed *bed = sim_start("machine m\nclass core cpu\nworkers 1 core\n"
					"kernel sim_test_history 1000 core 21us\n",
					"tree-eager", NULL);
	struct xy_handle *known = sim_vector(bed, 1000), *other = sim_vector(bed, 500);

	(void)state;
	codelet.model = &empty_history;
	SIM_SUBMIT(bed, 0, 5, .codelet = &codelet, .handles = { known });
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 21);
	SIM_SUBMIT(bed, 1, 5, .codelet = &codelet, .handles = { other });
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 26);
	sim_unregister(&known);
	sim_unregister(&other);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void many_tasks_without_a_duration_are_one_line(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = "cpu:2" });

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		HELPER_SUBMIT(h, .codelet = &sim_plain);
	assert_int_equal(helper_wait(h), -ENODATA);
	assert_non_null(strstr(xy_error(h->rt), "nothing says how long it takes"));
	helper_one_line(h, "nothing says how long it takes");
	assert_int_equal(helper_stop(h), 0);
}

static void a_stall_names_the_component_that_holds_tasks(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = "cpu:2",
								  .sched = "hoards | eager | each worker { }",
								  .plugins = "tests/plugins/.libs/hoards.so" });

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		HELPER_SUBMIT(h, .codelet = &sim_plain, .length_us = 1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(xy_wait_for(h->rt, 4), -ETIMEDOUT);
	helper_one_line(h, "stalled with 3 tasks left: hoards#0 holds 3 ready tasks, which no worker takes");
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), -EDEADLK);
}

static void a_stall_names_the_application(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = "cpu:2" });
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	HELPER_SUBMIT(h, .codelet = &sim_update, .handles = { x }, .length_us = 1);
	assert_int_equal(xy_wait_for(h->rt, 4), -ETIMEDOUT);
	helper_one_line(h, "stalled with 1 tasks left: they wait for data that the application holds");
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_task_of_which_nothing_is_known_fails(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 8);

	(void)state;
	SIM_SUBMIT(bed, 0, 0, .codelet = &sim_update, .handles = { h });
	SIM_SUBMIT(bed, 1, 3, .codelet = &sim_update, .handles = { h });
	assert_int_equal(helper_wait(bed->h), -ENODATA);
	assert_non_null(strstr(xy_error(bed->rt), "nothing says how long it takes"));
	assert_int_equal(bed->fates[0].status, -ENODATA);
	assert_int_equal(bed->fates[1].ended, 0);
	assert_int_equal(xy_unregister(&h), -ECANCELED);
	assert_int_equal(sim_stop(bed, 1), 0);
}

static void overhead_counts_for_each_task(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", &(struct xy_config){ .sim_overhead_us = 2 });

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 24);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void submission_takes_time_if_asked_for(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", &(struct xy_config){ .sim_submit_us = 3 });
	struct xy_task *task;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		SIM_SUBMIT(bed, i, 4, .codelet = &sim_plain);
	sim_assert_us(sim_now_us(bed), 9);
	task = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 4, .arg = SIM_MARK(3));
	sim_assert_us(sim_now_us(bed), 9);
	assert_int_equal(xy_task_submit(task), 0);
	sim_assert_us(sim_now_us(bed), 12);
	assert_int_equal(helper_wait_task(bed->h, task), 0);
	xy_task_release(task);
	assert_int_equal(xy_submit(bed->rt, &(struct xy_task_desc){ .codelet = &sim_plain,
								    .length_us = 4,
								    .arg = SIM_MARK(4),
								    .synchronous = true }),
			 0);
	sim_wait(bed);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(bed->fates[i].ended, 1);
	/* Each begins when it is submitted: which is when the call begins, and takes until it returns. */
	for (unsigned i = 0; i + 1 < 4; i++)
		assert_true(bed->fates[i].start_us <= 3.0 * (i + 1) + 1e-6);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static double noise_of(double noise, uint64_t seed, unsigned n, double *spread)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager",
					&(struct xy_config){ .sim_noise = noise, .seed = seed });
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_plain);
	sim_wait(bed);
	for (unsigned i = 0; i < n; i++) {
		double us = bed->fates[i].end_us - bed->fates[i].start_us;

		assert_true(us > 0);
		sum += us;
		squares += us * us;
	}
	assert_int_equal(sim_stop(bed, 0), 0);
	*spread = sqrt(squares / n - sum / n * sum / n);
	return sum / n;
}

static void noise_has_the_mean_and_the_spread_that_were_asked_for(void **state)
{
	double spread, other_spread, mean = noise_of(0.2, 1, 4000, &spread), other;

	(void)state;
	assert_true(fabs(mean - 100) < 1.5); /* 20 / sqrt(4000) is 0.3 */
	assert_true(fabs(spread - 20) < 1.5);
	other = noise_of(0.2, 2, 4000, &other_spread);
	assert_true(other != mean);
	assert_true(noise_of(0.2, 1, 4000, &other_spread) == mean && other_spread == spread);
}

/* --- order --- */

static void no_task_starts_before_those_it_waits_for(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-ws", NULL);
	struct xy_handle *a = sim_vector(bed, 8), *b = sim_vector(bed, 8);

	(void)state;
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_write, .handles = { a });
	SIM_SUBMIT(bed, 1, 5, .codelet = &sim_read, .handles = { a });
	SIM_SUBMIT(bed, 2, 7, .codelet = &sim_read, .handles = { a });
	SIM_SUBMIT(bed, 3, 1, .codelet = &sim_copy, .handles = { a, b });
	SIM_SUBMIT(bed, 4, 1, .codelet = &sim_update, .handles = { a });
	sim_wait(bed);
	for (unsigned i = 1; i < 4; i++) {
		assert_true(bed->fates[i].start_us >= bed->fates[0].end_us);
		assert_true(bed->fates[4].start_us >= bed->fates[i].end_us);
		sim_assert_us(bed->fates[i].ready_us, 10);
	}
	sim_unregister(&a);
	sim_unregister(&b);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void commuting_tasks_run_one_at_a_time(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 8);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_commute, .handles = { h });
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 60);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void reductions_are_combined(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 8);

	(void)state;
	assert_int_equal(xy_handle_set_reduction(h, &sim_zero, &sim_join), 0);
	for (unsigned i = 0; i < 6; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_add, .handles = { h });
	SIM_SUBMIT(bed, 6, 1, .codelet = &sim_read, .handles = { h });
	sim_wait(bed);
	/* Three rounds on two cores, then their two copies become part of it, one after the other. */
	sim_assert_us(sim_now_us(bed), 30 + 2 * 4 + 1);
	assert_int_equal(bed->nforeign, 2);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- waiting --- */

static void waiting_ends_when_the_task_does(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_task *task;

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_plain);
	task = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 10, .arg = SIM_MARK(1));
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(bed->h, task), 0);
	sim_assert_us(sim_now_us(bed), 10);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(bed->h, task), 0);
	sim_assert_us(sim_now_us(bed), 20);
	xy_task_release(task);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 100);
	assert_int_equal(sim_stop(bed, 0), 0);
}

struct submit_more {
	struct sim_bed *bed;
	unsigned mark, left;
};

/* The next one of a row, from the callback of the one before. */
static void submit_more(void *arg, int status)
{
	struct submit_more *more = arg;

	assert_int_equal(status, 0);
	if (!more->left--)
		return;
	assert_int_equal(xy_wait(more->bed->rt), -EDEADLK);
	helper_forget(more->bed->h);
	SIM_SUBMIT(more->bed, ++more->mark, 10, .codelet = &sim_plain, .callback = submit_more, .callback_arg = more);
}

static void waiting_for_a_task_does_not_wait_for_those_of_its_callback(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct submit_more more = { .bed = bed, .left = 4 };
	struct xy_task *task = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 10, .arg = SIM_MARK(0),
					     .callback = submit_more, .callback_arg = &more);

	(void)state;
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(bed->h, task), 0);
	sim_assert_us(sim_now_us(bed), 10);
	xy_task_release(task);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 50);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(bed->fates[i].ended, 1);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_limit_is_one_of_virtual_time(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_task *task;

	(void)state;
	task = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 100, .arg = SIM_MARK(0));
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(xy_wait_for(bed->rt, 30e-6), -ETIMEDOUT);
	sim_assert_us(sim_now_us(bed), 30);
	assert_int_equal(xy_task_wait_for(task, 30e-6), -ETIMEDOUT);
	sim_assert_us(sim_now_us(bed), 60);
	assert_int_equal(xy_task_wait_for(task, 0), -ETIMEDOUT);
	assert_int_equal(xy_wait_for(bed->rt, 0), -ETIMEDOUT);
	sim_assert_us(sim_now_us(bed), 60);
	assert_int_equal(xy_task_wait_for(task, 50e-6), 0);
	sim_assert_us(sim_now_us(bed), 100);
	assert_int_equal(xy_wait_for(bed->rt, 0), 0);
	xy_task_release(task);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void waiting_for_what_never_happens_takes_the_whole_limit(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 8);

	(void)state;
	assert_int_equal(xy_acquire(h, XY_RW), 0);
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_update, .handles = { h });
	assert_int_equal(xy_wait_for(bed->rt, 0.01), -ETIMEDOUT);
	sim_assert_us(sim_now_us(bed), 10000);
	assert_int_equal(xy_release(h), 0);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 10010);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void the_window_lets_time_pass(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", &(struct xy_config){ .window = 16 });

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
		assert_true(i < 32 || sim_now_us(bed) > 0);
	}
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 1000);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void more_tasks_than_the_inbox_holds_come_through(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", &(struct xy_config){ .window = 1u << 20 });

	(void)state;
	for (unsigned i = 0; i < SIM_MARKS; i++)
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain);
	sim_assert_us(sim_now_us(bed), 0);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 5.0 * SIM_MARKS);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- the application's accesses --- */

static void an_acquire_waits_in_virtual_time(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 8), *other = sim_vector(bed, 8);

	(void)state;
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_write, .handles = { h });
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_write, .handles = { other });
	assert_int_equal(xy_acquire(h, XY_R), 0);
	sim_assert_us(sim_now_us(bed), 10);
	SIM_SUBMIT(bed, 2, 10, .codelet = &sim_read, .handles = { h });
	SIM_SUBMIT(bed, 3, 10, .codelet = &sim_update, .handles = { h });
	assert_int_equal(xy_acquire(other, XY_RW), 0);
	sim_assert_us(sim_now_us(bed), 100);
	assert_int_equal(bed->fates[2].ended, 1);
	assert_int_equal(bed->fates[3].ended, 0);
	assert_int_equal(xy_release(other), 0);
	assert_int_equal(xy_release(h), 0);
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 110);
	sim_unregister(&h);
	sim_unregister(&other);
	assert_int_equal(sim_stop(bed, 0), 0);
}

struct acquired {
	struct sim_bed *bed;
	struct xy_handle *handle;
	double at_us;
};

static void note_acquired(void *arg, int status)
{
	struct acquired *acquired = arg;

	assert_int_equal(status, 0);
	acquired->at_us = sim_now_us(acquired->bed);
	SIM_SUBMIT(acquired->bed, 10, 10, .codelet = &sim_plain);
	assert_int_equal(xy_release(acquired->handle), 0);
}

static void an_acquire_calls_back_when_its_turn_has_come(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", &(struct xy_config){ .sim_submit_us = 1 });
	struct acquired acquired = { .bed = bed, .at_us = -1 };

	(void)state;
	acquired.handle = sim_vector(bed, 8);
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_write, .handles = { acquired.handle });
	assert_int_equal(xy_acquire_callback(acquired.handle, XY_RW, note_acquired, &acquired), 0);
	SIM_SUBMIT(bed, 1, 10, .codelet = &sim_update, .handles = { acquired.handle });
	sim_wait(bed);
	assert_true(acquired.at_us > 9 && acquired.at_us < 11.5);
	assert_int_equal(bed->fates[10].ended, 1);
	assert_true(bed->fates[1].start_us >= acquired.at_us);
	/* At once: in the thread of the application. */
	acquired.at_us = -1;
	assert_int_equal(xy_acquire_callback(acquired.handle, XY_RW, note_acquired, &acquired), 0);
	assert_true(acquired.at_us >= 0);
	sim_wait(bed);
	assert_int_equal(bed->fates[10].ended, 2);
	sim_unregister(&acquired.handle);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- failures --- */

static void a_failing_task_is_tried_again_and_cancels_others(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, 8);
	int status = 1;

	(void)state;
	SIM_SUBMIT(bed, 0, 0, .codelet = &sim_write, .handles = { h }, .retries = 2);
	SIM_SUBMIT(bed, 1, 1, .codelet = &sim_read, .handles = { h }, .callback = helper_status,
		   .callback_arg = &status);
	SIM_SUBMIT(bed, 2, 1, .codelet = &sim_plain);
	assert_int_equal(helper_wait(bed->h), -ENODATA);
	assert_int_equal(bed->fates[0].ended, 3);
	assert_int_equal(status, -ECANCELED);
	assert_int_equal(bed->fates[2].ended, 1);
	SIM_SUBMIT(bed, 3, 1, .codelet = &sim_write, .handles = { h });
	sim_wait(bed);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 1), 0); /* three tries without a duration are one line */
}

static void stopping_cancels_what_can_never_run(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-eager", NULL);
	struct xy_task *never = HELPER_CREATE(bed->h, .codelet = &sim_plain, .length_us = 1);
	int status = 1;

	(void)state;
	SIM_SUBMIT(bed, 0, 1, .codelet = &sim_plain, .after = &never, .nafter = 1, .callback = helper_status,
		   .callback_arg = &status);
	SIM_SUBMIT(bed, 1, 1, .codelet = &sim_plain);
	assert_int_equal(sim_stop(bed, HELPER_ANY_LINES), -ECANCELED);
	assert_int_equal(status, -ECANCELED);
}

static void stopping_waits_for_the_rest(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "tree-ws", NULL);
	int statuses[50];

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		statuses[i] = 1;
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_plain, .callback = helper_status, .callback_arg = &statuses[i]);
	}
	assert_int_equal(sim_stop(bed, 0), 0);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(statuses[i], 0);
}

static void try_to_start(const char *sim, const char *sched, int expected)
{
	int error;
	struct helper *h = helper_try(&(struct xy_config){ .sim = sim, .sched = sched }, &error);

	assert_int_equal(error, expected);
	assert_null(h->rt);
	assert_true(helper_lines(h) > 0);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void what_can_not_start_leaves_nothing_behind(void **state)
{
	(void)state;
	try_to_start("/nowhere/to/be/found.xym", "tree-eager", -ENOENT);
	try_to_start(sim_file("machine m\nclass core cpu\nworkers many core\n"), "tree-eager", -EINVAL);
	try_to_start(sim_file(sim_two_cores), "tree-unheard-of", -ENOENT);
	try_to_start(sim_file(sim_two_cores), "fifo | eager", -EINVAL);
}

static void two_simulations_have_clocks_of_their_own(void **state)
{
	struct sim_bed *first = sim_start(sim_two_cores, "tree-eager", NULL);
	struct sim_bed *second = sim_start(sim_two_cores, "tree-eager", NULL);

	(void)state;
	SIM_SUBMIT(first, 0, 10, .codelet = &sim_plain);
	SIM_SUBMIT(second, 0, 20, .codelet = &sim_plain);
	sim_wait(first);
	sim_assert_us(sim_now_us(first), 10);
	sim_assert_us(sim_now_us(second), 0);
	sim_wait(second);
	sim_assert_us(sim_now_us(second), 20);
	assert_int_equal(sim_stop(first, 0), 0);
	assert_int_equal(sim_stop(second, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_takes_its_length),
		cmocka_unit_test(workers_run_one_task_at_a_time),
		cmocka_unit_test(a_faster_worker_takes_less),
		cmocka_unit_test(kernels_are_known_by_their_bytes),
		cmocka_unit_test(a_codelets_own_model_goes_before_the_machine_file),
		cmocka_unit_test(a_model_that_knows_nothing_leaves_it_to_the_file_and_the_length),
		cmocka_unit_test(many_tasks_without_a_duration_are_one_line),
		cmocka_unit_test(a_stall_names_the_component_that_holds_tasks),
		cmocka_unit_test(a_stall_names_the_application),
		cmocka_unit_test(a_task_of_which_nothing_is_known_fails),
		cmocka_unit_test(overhead_counts_for_each_task),
		cmocka_unit_test(submission_takes_time_if_asked_for),
		cmocka_unit_test(noise_has_the_mean_and_the_spread_that_were_asked_for),
		cmocka_unit_test(no_task_starts_before_those_it_waits_for),
		cmocka_unit_test(commuting_tasks_run_one_at_a_time),
		cmocka_unit_test(reductions_are_combined),
		cmocka_unit_test(waiting_ends_when_the_task_does),
		cmocka_unit_test(waiting_for_a_task_does_not_wait_for_those_of_its_callback),
		cmocka_unit_test(a_limit_is_one_of_virtual_time),
		cmocka_unit_test(waiting_for_what_never_happens_takes_the_whole_limit),
		cmocka_unit_test(the_window_lets_time_pass),
		cmocka_unit_test(more_tasks_than_the_inbox_holds_come_through),
		cmocka_unit_test(an_acquire_waits_in_virtual_time),
		cmocka_unit_test(an_acquire_calls_back_when_its_turn_has_come),
		cmocka_unit_test(a_failing_task_is_tried_again_and_cancels_others),
		cmocka_unit_test(stopping_cancels_what_can_never_run),
		cmocka_unit_test(stopping_waits_for_the_rest),
		cmocka_unit_test(what_can_not_start_leaves_nothing_behind),
		cmocka_unit_test(two_simulations_have_clocks_of_their_own),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
