/* SPDX-License-Identifier: MIT */
/* The code of doc/changing.md: another policy, fewer workers, two trees, all while tasks run. */
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>

enum { TASKS = 500 };

static _Atomic int done;

static int work_cpu(struct xy_call *call)
{
	(void)call;
	done++;
	return 0;
}

static const struct xy_codelet work = { .name = "work", .cpu = { work_cpu } };

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s: %d\n", what, error);
	exit(1);
}

static void submit(struct xy_runtime *rt, struct xy_context *context)
{
	for (int i = 0; i < TASKS; i++)
		check(xy_insert(rt, &work, xy_priority(i % 3), xy_in(context)), "xy_insert");
}

int main(void)
{
	struct xy_context *background;
	struct xy_runtime *rt;
	int error;

	check(xy_start(&rt, &(struct xy_config){ .ncpu = 2, .bind = XY_NO, .ignore_environment = true }), "xy_start");
	submit(rt, NULL);
	error = xy_set_policy(rt, "tree-prio");
	check(error, "xy_set_policy");

	error = xy_worker_remove(rt, 1);
	check(error, "xy_worker_remove");
	submit(rt, NULL);
	error = xy_set_workers(rt, NULL, 0);                 /* all cores are free for others */
	error = xy_set_workers(rt, (unsigned[]){ 0, 1 }, 2); /* and in use again */
	check(error, "xy_set_workers");

	error = xy_context_create(
		rt,
		&(struct xy_context_desc){
			.name = "background", .policy = "tree-eager", .workers = (unsigned[]){ 1 }, .nworkers = 1 },
		&background);
	check(error, "xy_context_create");
	error = xy_insert(rt, &work, xy_in(background));
	check(error, "xy_insert");
	submit(rt, background);
	submit(rt, NULL);
	error = xy_context_set_workers(background, (unsigned[]){ 0, 1 }, 2);
	check(error, "xy_context_set_workers");
	error = xy_context_destroy(&background); /* its workers and tasks go to the main context */
	check(error, "xy_context_destroy");
	check(xy_wait(rt), "xy_wait");
	check(done != 4 * TASKS + 1, "tasks done");
	return xy_stop(&rt) ? 1 : 0;
}
