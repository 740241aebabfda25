/* SPDX-License-Identifier: MIT */
/*
 * Tasks that are tried again. The task that the program submitted keeps its data; each try is a copy of it that runs
 * on the same worker, until the program's check is satisfied.
 */
#include "internal.h"

/* The check of a program that has none: again if it failed. */
static void check_again(void *arg)
{
	struct starpu_task *meta = arg, *current = starpu_task_get_current(), *next;

	if (!current->failed) {
		starpu_task_ft_success(meta);
		return;
	}
	next = starpu_task_ft_create_retry(meta, current, check_again);
	if (!next || starpu_task_submit_nodeps(next))
		xs_fail(-ENOMEM, "a task can't be tried again");
}

void starpu_task_ft_prologue(void *check_ft)
{
	struct starpu_task *task = starpu_task_get_current();
	struct xs_job *job = task ? xs_job(task) : NULL;

	if (job)
		job->check = check_ft ? (void (*)(void *))check_ft : check_again;
	else
		xs_fail(-EINVAL, "starpu_task_ft_prologue is for the prologue of a task");
}

struct starpu_task *starpu_task_ft_create_retry(const struct starpu_task *meta_task,
						const struct starpu_task *template_task, void (*check_ft)(void *))
{
	struct starpu_task *try = starpu_task_dup((struct starpu_task *)template_task);
	struct xs_job *job = try ? xs_job(try) : NULL;

	if (!job)
		return NULL;
	try->callback_func = check_ft;
	try->callback_arg = (void *)(uintptr_t)meta_task;
	try->prologue_callback_func = NULL;
	try->use_tag = 0;
	try->failed = 0;
	job->meta = ((struct starpu_task *)(uintptr_t)meta_task)->starpu_private;
	return try;
}

void starpu_task_ft_failed(struct starpu_task *task)
{
	task->failed = 1;
}

void starpu_task_ft_success(struct starpu_task *meta_task)
{
	struct xs_job *job = meta_task->starpu_private;

	if (job)
		job->succeeded = true;
}

/* Submitting a try hands it to the thread that runs its task. */
int xs_retry_submit(struct xs_job *job)
{
	if (job->meta->next_try)
		return xs_fail(-EBUSY, "a task has been submitted to be tried again twice");
	job->meta->next_try = job->task;
	return 0;
}

int xs_retry_run(struct xs_job *job, int (*call)(void *arg, struct starpu_task *task), void *arg)
{
	struct starpu_task *try = starpu_task_ft_create_retry(job->task, job->task, job->check);
	int status = try ? 0 : -ENOMEM;

	job->succeeded = false;
	while (try) {
		job->next_try = NULL;
		xs_thread.task = try;
		status = call(arg, try);
		if (try->callback_func)
			try->callback_func(try->callback_arg);
		xs_task_free(try);
		try = job->next_try;
	}
	xs_thread.task = job->task;
	if (!status && !job->succeeded)
		xs_fail(-EIO, "task '%s' is neither tried again nor successful", starpu_task_get_name(job->task));
	return status;
}
