/* SPDX-License-Identifier: MIT */
/* Rounds on a state in a temporary folder: queues and files are given, so no job runs and no clock is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "farm/cluster.h"

struct world {
	struct farm farm;
	struct farm_state state;
	struct farm_round round;
	struct farm_queue queue;
	bool done[8], claimed[8];
	struct farm_claim claims[8];
	struct farm_end ends[8];
	struct farm_kill kills[8];
	struct farm_seen seen;
	char log[400]; /* what the hands did */
	char folder[64];
};

static char said[2000];

static void note(void *arg, const char *line)
{
	(void)arg;
	snprintf(said, sizeof(said), "%s", line);
}

static const struct farm_report report = { .say = note };

static void hand(struct world *w, const char *what, const char *whom)
{
	size_t used = strlen(w->log);

	snprintf(w->log + used, sizeof(w->log) - used, "%s %s;", what, whom);
}

static void release(void *arg, size_t piece)
{
	struct world *w = arg;

	hand(w, "release", w->farm.pieces[piece].name);
}

static void hold(void *arg, size_t piece)
{
	struct world *w = arg;

	hand(w, "hold", w->farm.pieces[piece].name);
}

static void forget(void *arg, const char *job)
{
	hand(arg, "forget", job);
}

static void cancel(void *arg, const char *job, bool killed)
{
	hand(arg, killed ? "kill" : "cancel", job);
}

static void add_piece(struct world *w, const char *name, const char *needs)
{
	struct farm_piece piece = {
		.name = (char *)name, .source = "test", .line = 1, .goal = { .loss = -1, .time_s = -1 }
	};

	farm_words_add(&w->farm, &piece.argv, "run");
	if (needs)
		farm_words_add(&w->farm, &piece.depends_on, needs);
	assert_non_null(farm_add(&w->farm, &piece));
}

static struct world *world_make(void)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	farm_init(&w->farm);
	snprintf(w->folder, sizeof(w->folder), "/tmp/xylem-round-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	w->farm.name = "test";
	w->farm.file = w->farm.folder = w->farm.base = w->folder;
	w->farm.max_fails_per_job = 1;
	add_piece(w, "a", NULL);
	add_piece(w, "b", NULL);
	add_piece(w, "c", "a");
	assert_int_equal(farm_check(&w->farm, &report), 0);
	assert_int_equal(farm_state_open(&w->state, &w->farm, false, &report), 0);
	farm_state_set_time(&w->state, 1000);
	w->round = (struct farm_round){ .state = &w->state, .hands = { release, hold, forget, cancel, w } };
	w->seen = (struct farm_seen){ .queue = &w->queue,
				      .done = w->done,
				      .claimed = w->claimed,
				      .claims = w->claims,
				      .ends = w->ends,
				      .kills = w->kills };
	return w;
}

static void world_free(struct world *w)
{
	char command[100];

	farm_round_fini(&w->round);
	farm_state_close(&w->state);
	farm_queue_fini(&w->queue);
	snprintf(command, sizeof(command), "rm -rf %s", w->folder);
	assert_int_equal(system(command), 0);
	farm_fini(&w->farm);
	free(w);
}

static void run_round(struct world *w)
{
	w->log[0] = '\0';
	assert_int_equal(farm_round(&w->round, &w->seen), 0);
	w->seen.nclaims = w->seen.nends = w->seen.nkills = 0;
}

static void queue_job(struct world *w, const char *id)
{
	struct farm_queued *queued = farm_queue_add(&w->queue);

	assert_non_null(queued);
	snprintf(queued->id, sizeof(queued->id), "%s", id);
	memcpy(queued->set, w->farm.pieces[0].set, sizeof(queued->set));
}

static void claim(struct world *w, size_t piece, const char *job)
{
	w->claimed[piece] = true;
	w->claims[w->seen.nclaims].piece = piece;
	snprintf(w->claims[w->seen.nclaims++].job, 64, "%s", job);
}

static void end(struct world *w, const char *job, bool had_piece, int status)
{
	w->ends[w->seen.nends] = (struct farm_end){ .had_piece = had_piece, .status = status };
	snprintf(w->ends[w->seen.nends++].job, 64, "%s", job);
}

static void submits_what_is_open_and_no_more(void **state)
{
	struct world *w = world_make();

	(void)state;
	run_round(w);
	assert_int_equal(w->state.records[2].step, FARM_BLOCKED);
	assert_int_equal(w->round.norders, 1);
	assert_int_equal(w->round.orders[0].count, 2);
	assert_int_equal(farm_round_submitted(&w->round, 0, "7_0"), 0);
	assert_int_equal(farm_round_submitted(&w->round, 0, "7_1"), 0);
	queue_job(w, "7_0");
	queue_job(w, "7_1");
	run_round(w);
	assert_int_equal(w->round.norders, 0);
	assert_false(w->round.over);
	world_free(w);
}

static void never_more_jobs_than_max_simultaneous_jobs(void **state)
{
	struct world *w = world_make();

	(void)state;
	w->farm.max_simultaneous_jobs = 1;
	run_round(w);
	assert_int_equal(w->round.orders[0].count, 1);
	farm_round_submitted(&w->round, 0, "1");
	queue_job(w, "1");
	run_round(w);
	assert_int_equal(w->round.orders[0].count, 0);
	world_free(w);
}

/* Job 7_1 starts first and takes a, for which 7_0 stood: then 7_0 stands for b. */
static void a_job_takes_the_first_open_piece_whatever_it_stood_for(void **state)
{
	struct world *w = world_make();

	(void)state;
	run_round(w);
	farm_round_submitted(&w->round, 0, "7_0");
	farm_round_submitted(&w->round, 0, "7_1");
	queue_job(w, "7_0");
	queue_job(w, "7_1");
	claim(w, 0, "7_1");
	run_round(w);
	assert_int_equal(w->state.records[0].step, FARM_RUNNING);
	assert_string_equal(w->state.jobs[w->state.records[0].job].id, "7_1");
	assert_int_equal(w->state.records[1].step, FARM_SUBMITTED);
	assert_string_equal(w->state.jobs[w->state.records[1].job].id, "7_0");
	/* The file says the same. */
	assert_int_equal(farm_state_reload(&w->state), 0);
	assert_string_equal(w->state.jobs[w->state.records[1].job].id, "7_0");
	world_free(w);
}

static void a_job_that_vanishes_is_replaced_until_the_piece_is_given_up(void **state)
{
	struct world *w = world_make();

	(void)state;
	run_round(w);
	farm_round_submitted(&w->round, 0, "1");
	queue_job(w, "1");
	claim(w, 0, "1");
	run_round(w);
	w->queue.count = 0;
	run_round(w);
	assert_string_equal(w->log, "release a;");
	assert_int_equal(w->state.records[0].step, FARM_FAILED);
	assert_int_equal(w->round.orders[0].count, 2);
	farm_round_submitted(&w->round, 0, "2");
	queue_job(w, "2");
	claim(w, 0, "2");
	run_round(w);
	w->queue.count = 0;
	end(w, "2", true, 3);
	run_round(w);
	assert_string_equal(w->log, "forget 2;");
	assert_int_equal(w->state.records[0].step, FARM_GIVEN_UP);
	assert_int_equal(farm_round_retry(&w->round, 0), 0);
	assert_int_equal(w->state.records[0].step, FARM_WAITING);
	world_free(w);
}

/* A manager was killed between sbatch and its transaction. */
static void jobs_that_only_the_queue_knows_are_adopted(void **state)
{
	struct world *w = world_make();

	(void)state;
	queue_job(w, "9_0");
	queue_job(w, "9_1");
	queue_job(w, "9_2");
	claim(w, 1, "9_2");
	run_round(w);
	assert_int_equal(w->state.records[0].step, FARM_SUBMITTED);
	assert_int_equal(w->state.records[1].step, FARM_RUNNING);
	assert_int_equal(w->round.norders, 0);
	world_free(w);
}

/* The queue may be older than the claim of an unknown job: only the second time it is wrong for sure. */
static void a_claim_of_an_unknown_job_is_removed_in_the_second_round(void **state)
{
	struct world *w = world_make();

	(void)state;
	claim(w, 1, "77");
	run_round(w);
	assert_string_equal(w->log, "");
	claim(w, 1, "77");
	run_round(w);
	assert_string_equal(w->log, "release b;");
	world_free(w);
}

static void done_files_count_whatever_the_queue_says(void **state)
{
	struct world *w = world_make();

	(void)state;
	w->done[0] = w->done[1] = w->done[2] = true;
	run_round(w);
	assert_int_equal(w->state.records[2].step, FARM_DONE);
	assert_true(w->round.over);
	world_free(w);
}

static void a_kill_rule_cancels_and_the_piece_waits_for_the_end(void **state)
{
	struct world *w = world_make();

	(void)state;
	run_round(w);
	farm_round_submitted(&w->round, 0, "1");
	queue_job(w, "1");
	claim(w, 0, "1");
	run_round(w);
	w->kills[0] = (struct farm_kill){ .job = 0, .reason = "a text is in its log" };
	w->seen.nkills = 1;
	run_round(w);
	assert_string_equal(w->log, "kill 1;");
	assert_int_equal(w->state.records[0].step, FARM_RUNNING);
	w->queue.count = 0;
	run_round(w);
	assert_int_equal(w->state.records[0].step, FARM_FAILED);
	world_free(w);
}

static void a_cancelled_piece_is_held_and_its_job_ended(void **state)
{
	struct world *w = world_make();

	(void)state;
	run_round(w);
	assert_int_equal(farm_round_cancel(&w->round, 1), 0);
	assert_string_equal(w->log, "hold b;");
	assert_int_equal(w->state.records[1].step, FARM_GIVEN_UP);
	w->claimed[1] = true;
	run_round(w);
	assert_int_equal(w->round.orders[0].count, 1);
	world_free(w);
}

/* --- what can go wrong with the state --- */

static void a_full_disk_loses_nothing(void **state)
{
	struct world *w = world_make();
	int error;

	(void)state;
	run_round(w);
	/* SQLite's own limit, the size that the file has, gives the same error as a disk without room. */
	assert_int_equal(sqlite3_exec(w->state.base, "PRAGMA max_page_count=1", NULL, NULL, NULL), 0);
	error = 0;
	for (int i = 0; i < 3000 && !error; i++)
		error = farm_round_cancel(&w->round, 1) || farm_round_retry(&w->round, 1);
	assert_true(error);
	assert_non_null(strstr(said, "the disk is full"));
	assert_int_equal(farm_state_reload(&w->state), 0);
	assert_int_equal(w->state.records[2].step, FARM_BLOCKED);
	sqlite3_exec(w->state.base, "PRAGMA max_page_count=100000", NULL, NULL, NULL);
	run_round(w);
	world_free(w);
}

static void two_farms_in_one_folder_are_refused(void **state)
{
	struct world *w = world_make();
	struct farm_state other;
	struct farm farm = w->farm;

	(void)state;
	farm.file = "/elsewhere/farm.yml";
	assert_int_equal(farm_state_open(&other, &farm, false, &report), -EEXIST);
	assert_non_null(strstr(said, "belongs to the farm of"));
	world_free(w);
}

static void a_state_that_cannot_be_written_is_refused(void **state)
{
	struct world *w = world_make();
	struct farm_state other;
	struct farm farm = w->farm;
	char path[100];

	(void)state;
	/* Whoever runs this may write anywhere: a folder in the place of the file can't be written by anyone. */
	snprintf(path, sizeof(path), "%s/other", w->folder);
	assert_int_equal(mkdir(path, 0777), 0);
	farm.folder = path;
	snprintf(said, sizeof(said), "%s", path);
	strcat(said, "/state.sqlite");
	assert_int_equal(mkdir(said, 0777), 0);
	assert_int_equal(farm_state_open(&other, &farm, false, &report), -EROFS);
	assert_non_null(strstr(said, "read-only or its folder can't be written"));
	assert_int_equal(sqlite3_exec(w->state.base, "PRAGMA query_only=1", NULL, NULL, NULL), 0);
	assert_int_equal(farm_round_cancel(&w->round, 0), -EROFS);
	world_free(w);
}

static void a_clock_that_goes_back_stands_still(void **state)
{
	struct world *w = world_make();

	(void)state;
	run_round(w);
	farm_state_set_time(&w->state, 400);
	assert_non_null(strstr(said, "the clock went back by 600 s"));
	assert_int_equal(w->state.now, 1000);
	said[0] = '\0';
	farm_state_set_time(&w->state, 401);
	assert_string_equal(said, "");
	farm_state_set_time(&w->state, 1001);
	assert_int_equal(w->state.now, 1001);
	farm_state_set_time(&w->state, 991);
	assert_non_null(strstr(said, "the clock went back by 10 s"));
	world_free(w);
}

/* --- what schedulers print --- */

static void squeue_is_read(void **state)
{
	char text[] = "12_0|RUNNING|my_farm-abc123deadbeef\n12_1|PENDING|my_farm-abc123deadbeef\n"
		      "12_2|TIMEOUT|my_farm-abc123deadbeef\n9|RUNNING|another\n13_0|COMPLETING|x-ffffffdeadbeef\n\n";
	struct farm_cluster cluster = { .id = "abc123" };
	struct farm_queue queue = { 0 };

	(void)state;
	assert_int_equal(farm_slurm_parse(&cluster, text, &queue), 0);
	assert_int_equal(queue.count, 3);
	assert_string_equal(queue.at[1].id, "12_1");
	assert_string_equal(queue.at[1].set, "deadbeef");
	assert_true(queue.at[0].running && !queue.at[0].ended && queue.at[2].ended);
	assert_string_equal(queue.at[2].cause, "TIMEOUT");
	farm_queue_fini(&queue);
}

static void qstat_of_pbs_pro_is_read(void **state)
{
	char text[] =
		"Job Id: 1234[].pbs01\n    Job_Name = xabc123deadbeef\n    Job_Owner = me@login\n    job_state = B\n"
		"    array_indices_submitted = 0-1\n\n"
		"Job Id: 1234[0].pbs01\n    Job_Name = xabc123deadbeef\n    resources_used.walltime = 00:00:06\n"
		"    job_state = R\n    queue = workq\n    exec_vnode = (node1:ncpus=1)\n"
		"    Variable_List = PBS_O_HOME=/home/me,PBS_O_LANG=C,\n\tPBS_O_WORKDIR=/home/me\n\n"
		"Job Id: 1234[1].pbs01\n    Job_Name = xabc123deadbeef\n    job_state = X\n\n"
		"Job Id: 99.pbs01\n    Job_Name = other\n    job_state = R\n";
	struct farm_cluster cluster = { .id = "abc123" };
	struct farm_queue queue = { 0 };
	struct farm_words ids = { 0 };
	struct farm memory;

	(void)state;
	assert_int_equal(farm_pbs_parse(&cluster, text, &queue), 0);
	assert_int_equal(queue.count, 2);
	assert_string_equal(queue.at[0].id, "1234[0].pbs01");
	assert_true(queue.at[0].running && queue.at[1].ended);
	farm_queue_fini(&queue);
	farm_init(&memory);
	farm_pbs_tasks(&memory, "1234[].pbs01", 2, &ids);
	assert_int_equal(ids.count, 2);
	assert_string_equal(ids.at[1], "1234[1].pbs01");
	farm_fini(&memory);
	assert_int_equal(farm_pbs_kind_of("pbs_version = 2022.1.1\n"), FARM_PBS_PRO);
}

static void qstat_of_torque_is_read(void **state)
{
	char text[] =
		"Job Id: 55.head.cluster\n    Job_Name = xabc123deadbeef\n    Job_Owner = me@head.cluster\n"
		"    resources_used.cput = 00:00:00\n    job_state = C\n    queue = batch\n    exit_status = 271\n\n"
		"Job Id: 56[3].head.cluster\n    Job_Name = xabc123deadbeef\n    job_state = Q\n";
	struct farm_cluster cluster = { .id = "abc123" };
	struct farm_queue queue = { 0 };

	(void)state;
	assert_int_equal(farm_pbs_parse(&cluster, text, &queue), 0);
	assert_int_equal(queue.count, 2);
	assert_true(queue.at[0].ended && !queue.at[1].ended && !queue.at[1].running);
	assert_string_equal(queue.at[1].id, "56[3].head.cluster");
	farm_queue_fini(&queue);
	assert_int_equal(farm_pbs_kind_of("Version: 6.1.2\n"), FARM_PBS_TORQUE);
	assert_int_equal(farm_pbs_kind_of("version: 2.4.16\n"), FARM_PBS_TORQUE);
	assert_int_equal(farm_pbs_kind_of(NULL), FARM_PBS_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(submits_what_is_open_and_no_more),
		cmocka_unit_test(never_more_jobs_than_max_simultaneous_jobs),
		cmocka_unit_test(a_job_takes_the_first_open_piece_whatever_it_stood_for),
		cmocka_unit_test(a_job_that_vanishes_is_replaced_until_the_piece_is_given_up),
		cmocka_unit_test(jobs_that_only_the_queue_knows_are_adopted),
		cmocka_unit_test(a_claim_of_an_unknown_job_is_removed_in_the_second_round),
		cmocka_unit_test(done_files_count_whatever_the_queue_says),
		cmocka_unit_test(a_kill_rule_cancels_and_the_piece_waits_for_the_end),
		cmocka_unit_test(a_cancelled_piece_is_held_and_its_job_ended),
		cmocka_unit_test(a_full_disk_loses_nothing),
		cmocka_unit_test(two_farms_in_one_folder_are_refused),
		cmocka_unit_test(a_state_that_cannot_be_written_is_refused),
		cmocka_unit_test(a_clock_that_goes_back_stands_still),
		cmocka_unit_test(squeue_is_read),
		cmocka_unit_test(qstat_of_pbs_pro_is_read),
		cmocka_unit_test(qstat_of_torque_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
