/* SPDX-License-Identifier: MIT */
/*
 * Fork and join by explicit dependencies: many tasks without handles, and one that runs when all of them have ended.
 * All of them are then submitted a second time.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <xylem.h>

enum { PARTS = 100 };

static _Atomic long sum;

static int add_cpu(struct xy_call *call)
{
	atomic_fetch_add(&sum, *(int *)call->arg);
	return 0;
}

static int show_cpu(struct xy_call *call)
{
	(void)call;
	printf("the sum is %ld\n", atomic_load(&sum));
	return 0;
}

static const struct xy_codelet add = { .name = "add", .cpu = { add_cpu } };
static const struct xy_codelet show = { .name = "show", .cpu = { show_cpu } };

int main(void)
{
	struct xy_task *parts[PARTS] = { NULL }, *join = NULL;
	struct xy_runtime *rt;
	int error = xy_start(&rt, NULL);

	/* The number is copied into the task, so that it may change. */
	for (int i = 0; i < PARTS && !error; i++)
		error = xy_task_create(rt, &(struct xy_task_desc){ .codelet = &add, .arg = &i, .arg_size = sizeof i },
				       &parts[i]);
	if (!error)
		error = xy_task_create(rt, &(struct xy_task_desc){ .codelet = &show, .after = parts, .nafter = PARTS },
				       &join);
	/* The join may be submitted first: it waits for tasks, not for the order of submission. */
	if (!error)
		error = xy_task_submit(join);
	for (int i = 0; i < PARTS && !error; i++)
		error = xy_task_submit(parts[i]);
	if (!error)
		error = xy_task_wait(join);
	/* Once more, without the join: a task that has ended can be submitted again. */
	for (int i = 0; i < PARTS && !error; i++)
		error = xy_task_submit(parts[i]);
	if (!error)
		error = xy_wait(rt);
	printf("after the second round it is %ld\n", atomic_load(&sum));
	for (int i = 0; i < PARTS; i++)
		xy_task_release(parts[i]);
	xy_task_release(join);
	return xy_stop(&rt) || error ? 1 : 0;
}
