/* SPDX-License-Identifier: MIT */
/*
 * The programs of doc/tasks.md in one: each function is a section there. Ends with 0 if every result is
 * as the page says.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xylem.h>

static void expect(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "tasks: not as the page says: %s\n", what);
	exit(1);
}

/* --- codelets --- */

struct range {
	long first, count;
};

static _Atomic long total;

static int sum_cpu(struct xy_call *call)
{
	const struct range *range = call->arg;
	long sum = 0;

	for (long i = 0; i < range->count; i++)
		sum += range->first + i;
	atomic_fetch_add(&total, sum);
	return 0;
}

static int sum_formula_cpu(struct xy_call *call)
{
	const struct range *range = call->arg;

	atomic_fetch_add(&total, range->count * (2 * range->first + range->count - 1) / 2);
	return 0;
}

static bool sum_can_execute(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	return worker == 0 || implementation == 1;
}

static const struct xy_codelet sum = {
	.name = "sum",
	.cpu = { sum_cpu, sum_formula_cpu },
	.can_execute = sum_can_execute,
};

/* --- submitting --- */

static void sum_done(void *arg, int status)
{
	atomic_fetch_add((_Atomic int *)arg, status == 0);
}

static void submitting(struct xy_runtime *rt)
{
	_Atomic int done = 0;
	int error = 0;

	for (long i = 0; i < 10 && !error; i++) {
		struct range range = { .first = i * 100, .count = 100 };

		error = xy_submit(rt, &(struct xy_task_desc){
					      .codelet = &sum,
					      .arg = &range,
					      .arg_size = sizeof range, /* copied: range is gone before the task runs */
					      .priority = (int)i,
					      .name = "sum of a hundred",
					      .callback = sum_done,
					      .callback_arg = &done,
				      });
	}
	error = error ? error : xy_wait(rt);
	expect(!error && done == 10 && total == 999 * 1000 / 2, "ten sums");
}

static void inserting(struct xy_runtime *rt)
{
	struct range range = { .first = 1, .count = 1000 };
	int error;

	total = 0;
	error = xy_insert(rt, &sum, xy_copy(&range, sizeof range), xy_priority(3), xy_name("sum of a thousand"));
	error = error ? error : xy_wait(rt);
	expect(!error && total == 1000 * 1001 / 2, "one sum");
}

/* --- synchronous, pinned, with a time limit --- */

static int where_cpu(struct xy_call *call)
{
	*(unsigned *)call->arg = call->worker;
	return 0;
}

static const struct xy_codelet where = { .name = "where", .cpu = { where_cpu } };

static void pinned(struct xy_runtime *rt)
{
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(rt)), last = nworkers - 1, ran_on = nworkers;
	struct xy_task *task = NULL;
	int error;

	error = xy_submit(
		rt, &(struct xy_task_desc){
			    .codelet = &where, .arg = &ran_on, .workers = &last, .nworkers = 1, .synchronous = true });
	expect(!error && ran_on == last, "a task that is pinned");

	error = xy_task_create(rt, &(struct xy_task_desc){ .codelet = &where, .arg = &ran_on }, &task);
	if (!error)
		error = xy_task_submit(task);
	if (!error)
		error = xy_task_wait_for(task, 60); /* seconds; -ETIMEDOUT after that */
	xy_task_release(task);
	expect(!error && ran_on < nworkers, "waiting for a task with a limit");
}

/* --- once per worker --- */

static int prepare(struct xy_call *call)
{
	double **buffers = call->arg;

	buffers[call->worker] = malloc(1000 * sizeof **buffers);
	return buffers[call->worker] ? 0 : -ENOMEM;
}

static int tidy(struct xy_call *call)
{
	free(((double **)call->arg)[call->worker]);
	return 0;
}

static void prepared(struct xy_runtime *rt)
{
	double **buffers = calloc(xy_machine_nworkers(xy_runtime_machine(rt)), sizeof *buffers);
	int error;

	expect(buffers, "memory");
	error = xy_on_each_worker(rt, XY_ON_CPU, prepare, buffers);
	expect(!error && buffers[0], "a buffer for each worker");
	error = xy_on_each_worker(rt, XY_ON_CPU, tidy, buffers);
	expect(!error, "freeing them");
	free(buffers);
}

/* --- groups and events --- */

static void grouped(struct xy_runtime *rt)
{
	const struct range range = { .first = 0, .count = 10 };
	struct xy_group *group;
	int error;

	total = 0;
	error = xy_group_create(rt, &group);
	for (long i = 0; i < 10 && !error; i++)
		error = xy_insert(rt, &sum, xy_copy(&range, sizeof range), xy_into(group));
	error = error ? error : xy_group_wait(group);
	xy_group_free(group);
	expect(!error && total == 450, "a group");
}

static void polled(struct xy_task *task)
{
	struct pollfd event = { .fd = xy_task_eventfd(task), .events = POLLIN };

	expect(poll(&event, 1, 60000) == 1, "an event");
	close(event.fd);
}

static void events(struct xy_runtime *rt)
{
	struct xy_task *task;
	unsigned ran_on;

	expect(!xy_task_create(rt, &(struct xy_task_desc){ .codelet = &where, .arg = &ran_on }, &task), "creating");
	expect(!xy_task_submit(task), "submitting");
	polled(task);
	xy_task_release(task);
}

/* --- tasks that make tasks --- */

static _Atomic long leaves;

static int split_cpu(struct xy_call *call);
static const struct xy_codelet split = { .name = "split", .cpu = { split_cpu } };

static int split_cpu(struct xy_call *call)
{
	int depth = *(int *)call->arg - 1, error = 0;

	if (depth < 0) {
		atomic_fetch_add(&leaves, 1);
		return 0;
	}
	for (int i = 0; i < 2 && !error; i++)
		error = xy_submit(call->runtime,
				  &(struct xy_task_desc){ .codelet = &split, .arg = &depth, .arg_size = sizeof depth });
	return error;
}

static void nested(struct xy_runtime *rt)
{
	int depth = 10, error;

	error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &split, .arg = &depth });
	error = error ? error : xy_wait(rt);
	expect(!error && leaves == 1024, "a tree of tasks");
}

/* --- waiting for children --- */

struct count {
	int depth;
	long leaves;
};

static int count_cpu(struct xy_call *call);
static const struct xy_codelet count = { .name = "count", .cpu = { count_cpu }, .parallel = XY_NESTED };

static int count_cpu(struct xy_call *call)
{
	struct count *own = call->arg, halves[2] = { { own->depth - 1, 0 }, { own->depth - 1, 0 } };
	int error = 0;

	for (int i = 0; i < 2 && own->depth && !error; i++)
		error = xy_insert(call->runtime, &count, xy_arg(&halves[i]));
	error = error ? error : xy_wait_children(call); /* halves must outlive them */
	own->leaves = own->depth ? halves[0].leaves + halves[1].leaves : 1;
	return error;
}

static void waiting_for_children(struct xy_runtime *rt)
{
	struct count all = { .depth = 8 };
	int error = xy_insert(rt, &count, xy_arg(&all));

	error = error ? error : xy_wait(rt);
	expect(!error && all.leaves == 256, "a tree of tasks that wait");
}

/* --- ends after ends --- */

static int range_cpu(struct xy_call *call)
{
	struct xy_task *part;
	int error = xy_task_create(
		call->runtime,
		&(struct xy_task_desc){ .codelet = &sum, .arg = call->arg, .arg_size = sizeof(struct range) }, &part);

	if (error)
		return error;
	error = xy_task_end_after(call->task, part);
	error = error ? error : xy_task_submit(part);
	xy_task_release(part);
	return error;
}

static const struct xy_codelet ranged = { .name = "ranged", .cpu = { range_cpu } };

static void ends_later(struct xy_runtime *rt)
{
	struct range range = { .first = 1, .count = 10 };
	int error;

	total = 0;
	error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &ranged, .arg = &range, .synchronous = true });
	expect(!error && total == 55, "a task that ends after another");
}

/* --- errors of the caller --- */

static const struct xy_codelet nowhere = { .name = "nowhere", .cpu = { where_cpu }, .where = XY_ON_CUDA };

static void silent(void *arg, const char *line)
{
	(void)line;
	++*(int *)arg;
}

static void mistakes(void)
{
	struct xy_runtime *rt;
	int lines = 0, error;

	error = xy_start(&rt,
			 &(struct xy_config){
				 .sched = "tree-eager", .ignore_environment = true, .log = silent, .log_arg = &lines });
	expect(!error, "a second runtime");
	expect(xy_submit(rt, &(struct xy_task_desc){ .codelet = &nowhere }) == -ENODEV, "no worker can run it");
	expect(xy_submit(rt, NULL) == -EINVAL, "no description");
	expect(lines == 2, "one log line for each mistake");
	expect(!xy_stop(&rt) && !rt, "stopping");
	expect(xy_submit(rt, &(struct xy_task_desc){ .codelet = &where }) == -EINVAL, "no runtime");
}

int main(void)
{
	struct xy_runtime *rt;

	expect(!xy_start(&rt, NULL), "starting");
	submitting(rt);
	inserting(rt);
	pinned(rt);
	prepared(rt);
	grouped(rt);
	events(rt);
	nested(rt);
	waiting_for_children(rt);
	ends_later(rt);
	mistakes();
	expect(!xy_stop(&rt), "stopping");
	return 0;
}
