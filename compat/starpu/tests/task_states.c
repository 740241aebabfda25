/* SPDX-License-Identifier: MIT */
/* The states of a task, and what is asked about a worker while it runs one; locks of workers. */
#include "check.h"
#include <starpu_scheduler.h>

static void f(void *buffers[], void *arg)
{
	struct timespec end;

	(void)buffers;
	(void)arg;
	CHECK(starpu_task_get_current()->status == STARPU_TASK_RUNNING);
	starpu_worker_get_current_task_exp_end((unsigned)starpu_worker_get_id(), &end);
}

static struct starpu_codelet cl = { .cpu_funcs = { NULL, f } };

static void states(struct starpu_task *task)
{
	static const enum starpu_task_status all[] = { STARPU_TASK_INIT,
						       STARPU_TASK_BLOCKED,
						       STARPU_TASK_READY,
						       STARPU_TASK_RUNNING,
						       STARPU_TASK_FINISHED,
						       STARPU_TASK_BLOCKED_ON_TAG,
						       STARPU_TASK_BLOCKED_ON_TASK,
						       STARPU_TASK_BLOCKED_ON_DATA,
						       STARPU_TASK_STOPPED };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		for (unsigned j = 0; j < i; j++)
			CHECK(strcmp(starpu_task_status_get_as_string(all[i]),
				     starpu_task_status_get_as_string(all[j])));
	CHECK(task->status == STARPU_TASK_INIT && (int)STARPU_TASK_INIT == (int)STARPU_TASK_INVALID);
}

static void workers(struct starpu_task *task)
{
	unsigned first = 9;

	CHECK(starpu_worker_can_execute_task_first_impl(0, task, &first) && first == 1);
	starpu_worker_display_count(stderr, STARPU_CPU_WORKER);
	starpu_worker_lock(0);
	CHECK(starpu_worker_trylock(0));
	starpu_worker_unlock(0);
	CHECK(!starpu_worker_trylock(0));
	starpu_worker_unlock(0);
}

int main(void)
{
	struct starpu_task *tasks[3];
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	OK(starpu_init(&conf));
	for (int i = 0; i < 3; i++) {
		tasks[i] = starpu_task_create();
		tasks[i]->cl = &cl;
	}
	states(tasks[0]);
	workers(tasks[0]);
	tasks[2]->destroy = 0;
	for (int i = 0; i < 3; i++)
		OK(starpu_task_submit(tasks[i]));
	OK(starpu_task_wait_for_all());
	CHECK(starpu_task_finished(tasks[2]) && tasks[2]->status == STARPU_TASK_FINISHED);
	starpu_task_clean(tasks[2]);
	free(tasks[2]); /* as programs do, too */
	starpu_shutdown();
	return 0;
}
