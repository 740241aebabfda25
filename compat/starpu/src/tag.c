/* SPDX-License-Identifier: MIT */
/*
 * Dependencies through tags: numbers of the program's that a task has, or that the program notifies itself.
 */
#include "deps.h"

static void tag_declare(struct xs_tag *tag, starpu_tag_t on)
{
	struct xs_tag *before = tag ? xs_tag_get(on) : NULL;

	if (!before || (before->done && !(before->job && before->job->task->regenerate)))
		return;
	xs_edge_add(&before->successors, (struct xs_edge){ .tag = tag });
}

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t *array)
{
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_get(id);
	for (unsigned i = 0; i < ndeps; i++)
		tag_declare(tag, array[i]);
	pthread_mutex_unlock(&xs_deps_lock);
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...)
{
	struct xs_tag *tag;
	va_list list;

	va_start(list, ndeps);
	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_get(id);
	for (unsigned i = 0; i < ndeps; i++)
		tag_declare(tag, va_arg(list, starpu_tag_t));
	pthread_mutex_unlock(&xs_deps_lock);
	va_end(list);
}

int starpu_tag_wait_array(unsigned ntags, starpu_tag_t *id)
{
	struct xs_waiter waiter = { .cond = PTHREAD_COND_INITIALIZER };

	if (xs_thread.task)
		return xs_fail(-EDEADLK, "starpu_tag_wait: a codelet or callback can't wait for a tag");
	pthread_mutex_lock(&xs_deps_lock);
	for (unsigned i = 0; i < ntags; i++) {
		struct xs_tag *tag = xs_tag_get(id[i]);

		if (tag && !tag->done && xs_edge_add(&tag->successors, (struct xs_edge){ .waiter = &waiter }))
			waiter.left++;
	}
	while (waiter.left)
		pthread_cond_wait(&waiter.cond, &xs_deps_lock);
	pthread_mutex_unlock(&xs_deps_lock);
	return 0;
}

int starpu_tag_wait(starpu_tag_t id)
{
	return starpu_tag_wait_array(1, &id);
}

static void tag_notify(starpu_tag_t id, bool restart)
{
	struct xs_opening o = { 0 };
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_get(id);
	if (tag) {
		if (!tag->done)
			xs_edges_fire(&tag->successors, &o);
		tag->done = !restart;
	}
	xs_opening_unlock(&o);
}

void starpu_tag_notify_from_apps(starpu_tag_t id)
{
	tag_notify(id, false);
}

void starpu_tag_notify_restart_from_apps(starpu_tag_t id)
{
	tag_notify(id, true);
}

void starpu_tag_restart(starpu_tag_t id)
{
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_get(id);
	if (tag)
		tag->done = false;
	pthread_mutex_unlock(&xs_deps_lock);
}

static void tag_end(struct xs_tag *tag, struct xs_opening *o)
{
	struct xs_job *job = tag->job && tag->job->tag == tag ? tag->job : NULL;

	if (job)
		job->tag = NULL;
	xs_sink_leave(&tag->sink);
	xs_deps_try(job, o);
	xs_edges_drop(&tag->successors, o);
	xs_tag_free(tag);
}

void starpu_tag_remove(starpu_tag_t id)
{
	struct xs_opening o = { 0 };
	struct xs_tag *tag;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_find(id);
	if (tag)
		tag_end(tag, &o);
	xs_opening_unlock(&o);
}

struct starpu_task *starpu_tag_get_task(starpu_tag_t id)
{
	struct xs_tag *tag;
	struct starpu_task *task;

	pthread_mutex_lock(&xs_deps_lock);
	tag = xs_tag_find(id);
	task = tag && tag->job ? tag->job->task : NULL;
	pthread_mutex_unlock(&xs_deps_lock);
	return task;
}

static void tag_free(struct xs_tag *tag)
{
	struct xs_opening o = { 0 };

	tag_end(tag, &o); /* no job is left, so no gate is */
}

void xs_tags_fini(void)
{
	pthread_mutex_lock(&xs_deps_lock);
	xs_tag_table_fini(tag_free);
	xs_gates_fini();
	pthread_mutex_unlock(&xs_deps_lock);
}
