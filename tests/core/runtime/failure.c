/* SPDX-License-Identifier: MIT */
/*
 * Failures: which tasks run, which are cancelled, how often a failing one is tried, on single cases and on
 * random graphs against a model that goes through the tasks in the order of submission.
 */
#include "../../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- single rules --- */

static struct xy_handle *handle(struct helper *h)
{
	struct xy_handle *x;

	assert_int_equal(xy_void_register(h->rt, &x), 0);
	return x;
}

/* Runs a task with one access and returns its status. */
static int use(struct helper *h, const struct xy_codelet *codelet, struct xy_handle *x, enum xy_mode mode)
{
	_Atomic int n = 0;
	struct xy_access access = { x, mode };

	return xy_submit(h->rt,
			 &(struct xy_task_desc){
				 .codelet = codelet, .arg = &n, .accesses = XY_ACCESSES(access), .synchronous = true });
}

static void who_reads_what_was_not_written_is_cancelled(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h);

	(void)state;
	assert_int_equal(use(h, &helper_fail, x, XY_W), -EIO);
	assert_int_equal(helper_wait(h), -EIO);
	/* also when submitted later, and again and again */
	for (int i = 0; i < 10; i++) {
		assert_int_equal(use(h, &helper_count, x, XY_R), -ECANCELED);
		assert_int_equal(use(h, &helper_count, x, XY_RW), -ECANCELED);
		assert_int_equal(use(h, &helper_count, x, XY_RW | XY_COMMUTE), -ECANCELED);
	}
	assert_int_equal(helper_wait(h), -ECANCELED);
	assert_int_equal(xy_unregister(&x), -ECANCELED);
	assert_int_equal(helper_stop(h), 0);
}

static void who_writes_over_it_is_not_cancelled(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h);

	(void)state;
	assert_int_equal(use(h, &helper_fail, x, XY_W), -EIO);
	assert_int_equal(use(h, &helper_count, x, XY_R), -ECANCELED);
	assert_int_equal(use(h, &helper_count, x, XY_W), 0);
	assert_int_equal(use(h, &helper_count, x, XY_R), 0);
	assert_int_equal(use(h, &helper_count, x, XY_RW), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void the_failure_of_a_reader_spoils_nothing(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x = handle(h);

	(void)state;
	assert_int_equal(use(h, &helper_count, x, XY_W), 0);
	assert_int_equal(use(h, &helper_fail, x, XY_R), -EIO);
	assert_int_equal(use(h, &helper_count, x, XY_R), 0);
	assert_int_equal(use(h, &helper_count, x, XY_RW), 0);
	assert_int_equal(use(h, &helper_fail, x, XY_R), -EIO);
	assert_int_equal(use(h, &helper_count, x, XY_W), 0);
	assert_int_equal(use(h, &helper_fail, x, XY_SCRATCH), -EIO);
	assert_int_equal(use(h, &helper_count, x, XY_R), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Positions for the component in-order. */
static void a_cancelled_task_keeps_nobody_in_order_behind_it(void **state)
{
	static const unsigned workers[] = { 0, 1 };
	struct helper *h = helper_start("tree-in-order", 2);
	struct xy_handle *x = handle(h);
	struct xy_access write = { x, XY_W }, read = { x, XY_R };
	_Atomic int ran = 0, cancelled = 0;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const unsigned *at = &workers[i];

		if (i == 0)
			HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = XY_ACCESSES(write), .workers = at,
				      .nworkers = 1, .priority = -1000000000);
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &cancelled, .accesses = XY_ACCESSES(read),
			      .workers = at, .nworkers = 1, .priority = -1000000001 + (int)i);
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &ran, .workers = at, .nworkers = 1,
			      .priority = -1000000002 + (int)i);
	}
	assert_int_equal(helper_wait(h), -EIO);
	/* also one that is submitted when it is known to be in vain */
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &ran, .workers = workers, .nworkers = 1,
		      .priority = -1000000004);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &cancelled, .accesses = XY_ACCESSES(read), .workers = workers,
		      .nworkers = 1, .priority = -1000000003);
	assert_int_equal(helper_wait(h), -ECANCELED);
	assert_int_equal(ran, 3);
	assert_int_equal(cancelled, 0);
	assert_int_equal(xy_unregister(&x), -EIO);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void a_cancelled_writer_waits_for_those_before_it(void **state)
{
	struct helper *h = helper_start("tree-eager", 3);
	struct xy_handle *x = handle(h), *y = handle(h);
	struct gate reader = { 0 }, writer = { 0 };
	struct xy_access read = { y, XY_R }, write = { y, XY_W };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &reader, .accesses = XY_ACCESSES(read));
	assert_int_equal(use(h, &helper_fail, x, XY_W), -EIO);
	HELPER_SUBMIT(h, .codelet = &helper_count, .accesses = XY_ACCESSES({ x, XY_R }, { y, XY_W }));
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &writer, .accesses = XY_ACCESSES(write));
	helper_reach(h, &reader.inside, 1);
	/* y is still read: the cancelled task between must not let the next writer in */
	assert_int_equal(xy_wait_for(h->rt, 0.01), -ETIMEDOUT);
	assert_int_equal(writer.inside, 0);
	helper_open(&reader);
	helper_reach(h, &writer.inside, 1);
	helper_open(&writer);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_unregister(&x), -EIO);
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_long_chain_is_cancelled_without_recursion(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .ncpu = 2, .window = 1000000 });
	struct xy_handle *x = handle(h);
	struct gate gate = { 0 };
	struct xy_access access = { x, XY_RW };
	_Atomic int n = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .accesses = XY_ACCESSES(access));
	HELPER_SUBMIT(h, .codelet = &helper_fail, .name = "culprit", .accesses = XY_ACCESSES(access));
	for (unsigned i = 0; i < helper_scale(100000); i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .accesses = XY_ACCESSES(access));
	helper_open(&gate);
	assert_int_equal(helper_wait(h), -EIO);
	assert_non_null(strstr(xy_error(h->rt), "'culprit'"));
	assert_int_equal(n, 0);
	assert_int_equal(xy_unregister(&x), -ECANCELED);
	assert_int_equal(helper_stop(h), 0);
}

static int positive_body(struct xy_call *call)
{
	(void)call;
	return 42;
}

static void an_error_may_be_any_number(void **state)
{
	static const struct xy_codelet positive = { .name = "positive", .cpu = { positive_body } };
	struct helper *h = helper_start(NULL, 1);

	(void)state;
	HELPER_SUBMIT(h, .codelet = &positive);
	assert_int_equal(helper_wait(h), 42);
	assert_non_null(strstr(xy_error(h->rt), "'positive'"));
	assert_non_null(strstr(xy_error(h->rt), "42"));
	assert_int_equal(helper_stop(h), 0);
}

/* --- random graphs --- */

enum { HANDLES = 8, MOST_ACCESSES = 3, MOST_AFTER = 3, MOST_TASKS = 400 };

struct job {
	/* the task */
	unsigned naccesses, nafter, fails, retries; /* fails: how often it fails before it succeeds */
	unsigned handle[MOST_ACCESSES], after[MOST_AFTER];
	enum xy_mode mode[MOST_ACCESSES];
	struct xy_task *task;
	char name[16];
	/* what the model says */
	unsigned runs;
	int status;
	/* what happened */
	_Atomic unsigned ran, called;
	_Atomic int ended;
};

/* What the model knows of a handle. */
struct cell {
	bool spoilt;        /* who reads it now is cancelled */
	bool in_group;      /* the last writers commute */
	bool spoilt_before; /* the group began with spoilt data */
};

static int job_body(struct xy_call *call)
{
	struct job *job = call->arg;

	return atomic_fetch_add(&job->ran, 1) < job->fails ? -EIO : 0;
}

static void job_ended(void *arg, int status)
{
	struct job *job = arg;

	atomic_fetch_add(&job->called, 1);
	atomic_store(&job->ended, status);
}

static bool job_has(const struct job *job, unsigned handle)
{
	for (unsigned i = 0; i < job->naccesses; i++)
		if (job->handle[i] == handle)
			return true;
	return false;
}

static void job_random(struct job *job, unsigned index, uint64_t *seed)
{
	static const enum xy_mode modes[] = { XY_R, XY_R, XY_R, XY_W, XY_W, XY_RW, XY_RW | XY_COMMUTE };
	unsigned naccesses = helper_below(seed, MOST_ACCESSES + 1);

	memset(job, 0, sizeof *job);
	snprintf(job->name, sizeof job->name, "job-%u", index);
	for (unsigned i = 0; i < naccesses; i++) {
		unsigned handle = helper_below(seed, HANDLES);

		if (job_has(job, handle))
			continue;
		job->handle[job->naccesses] = handle;
		job->mode[job->naccesses++] = modes[helper_below(seed, HELPER_COUNT(modes))];
	}
	for (unsigned i = 0; i < MOST_AFTER && index && helper_below(seed, 3) == 0; i++)
		job->after[job->nafter++] = helper_below(seed, index);
	job->fails = helper_below(seed, 10) ? 0 : 1 + helper_below(seed, 3);
	job->retries = helper_below(seed, 3);
}

/* Whether the job is cancelled, and what it then does to its handles. */
static void job_model(struct job *job, const struct job *jobs, struct cell *cells)
{
	bool cancelled = false;

	for (unsigned i = 0; i < job->nafter; i++)
		cancelled |= jobs[job->after[i]].status != 0;
	for (unsigned i = 0; i < job->naccesses; i++) {
		struct cell *c = &cells[job->handle[i]];

		if (job->mode[i] & XY_COMMUTE)
			cancelled |= c->in_group ? c->spoilt_before : c->spoilt;
		else if (job->mode[i] & XY_R)
			cancelled |= c->spoilt;
	}
	job->runs = cancelled ? 0 : job->fails <= job->retries ? job->fails + 1 : job->retries + 1;
	job->status = cancelled ? -ECANCELED : job->fails <= job->retries ? 0 : -EIO;
	for (unsigned i = 0; i < job->naccesses; i++) {
		struct cell *c = &cells[job->handle[i]];

		if (job->mode[i] & XY_COMMUTE) {
			if (!c->in_group)
				*c = (struct cell){ .in_group = true, .spoilt_before = c->spoilt };
			c->spoilt |= job->status != 0;
		} else {
			c->in_group = false;
			if (job->mode[i] & XY_W)
				c->spoilt = job->status != 0;
		}
	}
}

static void job_submit(struct helper *h, struct job *job, const struct job *jobs, struct xy_handle **handles)
{
	static const struct xy_codelet codelet = { .name = "job", .cpu = { job_body } };
	struct xy_access accesses[MOST_ACCESSES + 1] = { 0 };
	struct xy_task *after[MOST_AFTER];

	for (unsigned i = 0; i < job->naccesses; i++)
		accesses[i] = (struct xy_access){ handles[job->handle[i]], job->mode[i] };
	for (unsigned i = 0; i < job->nafter; i++)
		after[i] = jobs[job->after[i]].task;
	job->task = HELPER_CREATE(h, .codelet = &codelet, .arg = job, .name = job->name, .retries = job->retries,
				  .accesses = accesses, .after = after, .nafter = job->nafter, .callback = job_ended,
				  .callback_arg = job);
	assert_int_equal(xy_task_submit(job->task), 0);
}

/* What xy_wait says: one of the jobs that failed, with its name. */
static void check_error(struct helper *h, const struct job *jobs, unsigned n, int error)
{
	unsigned failed = 0, named = 0;

	for (unsigned i = 0; i < n; i++)
		if (jobs[i].status == -EIO) {
			char quoted[24];

			snprintf(quoted, sizeof quoted, "'%s'", jobs[i].name);
			failed++;
			named += strstr(xy_error(h->rt), quoted) != NULL;
		}
	assert_int_equal(error, failed ? -EIO : 0);
	assert_int_equal(named, failed ? 1 : 0);
}

static void check_jobs(struct helper *h, struct job *jobs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct job *job = &jobs[i];

		if (job->ran != job->runs || job->ended != job->status || job->called != 1)
			fail_msg("%s ran %u times instead of %u, status %d instead of %d, called back %u times",
				 job->name, job->ran, job->runs, job->ended, job->status, job->called);
		assert_int_equal(helper_wait_task(h, job->task), job->status);
		xy_task_release(job->task);
	}
}

static void run_graph(struct helper *h, uint64_t seed, unsigned n)
{
	struct job *jobs = calloc(n, sizeof *jobs);
	struct xy_handle *handles[HANDLES];
	struct cell cells[HANDLES] = { { 0 } };
	struct gate gate = { 0 };
	bool before = seed % 2; /* everything is submitted before anything fails, or not */

	assert_non_null(jobs);
	for (unsigned i = 0; i < HANDLES; i++) {
		struct xy_access access;

		handles[i] = handle(h);
		access = (struct xy_access){ handles[i], XY_W };
		HELPER_SUBMIT(h, .codelet = before ? &helper_gate : NULL, .arg = &gate,
			      .accesses = XY_ACCESSES(access));
	}
	for (unsigned i = 0; i < n; i++) {
		job_random(&jobs[i], i, &seed);
		job_model(&jobs[i], jobs, cells);
		job_submit(h, &jobs[i], jobs, handles);
	}
	helper_open(&gate);
	check_error(h, jobs, n, helper_wait(h));
	check_jobs(h, jobs, n);
	for (unsigned i = 0; i < HANDLES; i++)
		assert_int_equal(xy_unregister(&handles[i]) != 0, cells[i].spoilt);
	free(jobs);
}

static void random_graphs_fail_as_the_model_says(void **state)
{
	static const struct {
		const char *sched;
		unsigned nworkers;
	} runs[] = {
		{ "tree-eager", 1 },  { "tree-ws", 2 }, { "tree-eager-prefetching", 2 },
		{ "tree-random", 8 }, { "tree-ws", 8 },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(runs); i++) {
		struct helper *h = helper_start(runs[i].sched, runs[i].nworkers);
		unsigned seeds = helper_scale(30);

		print_message("# %s, %u workers, seeds 1 to %u\n", runs[i].sched, runs[i].nworkers, seeds);
		for (uint64_t seed = 1; seed <= seeds; seed++)
			run_graph(h, seed, MOST_TASKS);
		assert_int_equal(helper_stop(h), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_reads_what_was_not_written_is_cancelled),
		cmocka_unit_test(who_writes_over_it_is_not_cancelled),
		cmocka_unit_test(the_failure_of_a_reader_spoils_nothing),
		cmocka_unit_test(a_cancelled_task_keeps_nobody_in_order_behind_it),
		cmocka_unit_test(a_cancelled_writer_waits_for_those_before_it),
		cmocka_unit_test(a_long_chain_is_cancelled_without_recursion),
		cmocka_unit_test(an_error_may_be_any_number),
		cmocka_unit_test(random_graphs_fail_as_the_model_says),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
