/* SPDX-License-Identifier: MIT */
/*
 * Groups and tags: tasks that are waited for together.
 */
#include "core/runtime/group.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/waiter.h"

#define SIMULATED "in a simulation time passes only while a thread waits: use "

static const struct xy__log *group_log(const struct xy_group *group)
{
	return group ? &group->runtime->settings.log : NULL;
}

static struct xy_group *group_new(struct xy_runtime *rt, uint64_t tag)
{
	struct xy_group *group = calloc(1, sizeof *group);

	if (!group)
		return NULL;
	group->runtime = rt;
	group->tag = tag;
	atomic_init(&group->references, 1);
	atomic_init(&group->event, -1);
	return group;
}

static void group_destroy(struct xy_group *group)
{
	int event = atomic_load(&group->event);

	if (event >= 0)
		close(event);
	free(group);
}

/* --- tags --- */

static struct xy_group **tag_place(struct xy_runtime *rt, uint64_t tag)
{
	struct xy_group **place = &rt->tags[tag * 0x9e3779b97f4a7c15u >> 56 & (XY__TAG_BUCKETS - 1)];

	while (*place && (*place)->tag != tag)
		place = &(*place)->next;
	return place;
}

/* The group of a tag with a reference, made if it is wanted and not there; else NULL. */
static struct xy_group *tag_find(struct xy_runtime *rt, uint64_t tag, bool wanted)
{
	struct xy_group **place, *group;

	xy__lock_take(&rt->tags_lock);
	place = tag_place(rt, tag);
	group = *place;
	if (group)
		atomic_fetch_add(&group->references, 1);
	else if (wanted)
		group = *place = group_new(rt, tag);
	xy__lock_drop(&rt->tags_lock);
	return group;
}

/* A status that nobody has asked for stays. */
static void tag_unref(struct xy_group *group)
{
	struct xy_runtime *rt = group->runtime;
	bool last;

	xy__lock_take(&rt->tags_lock);
	last = atomic_fetch_sub(&group->references, 1) == 1 && !atomic_load(&group->error);
	if (last)
		*tag_place(rt, group->tag) = group->next;
	xy__lock_drop(&rt->tags_lock);
	if (last)
		group_destroy(group);
}

void xy__tags_fini(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < XY__TAG_BUCKETS; i++)
		while (rt->tags[i]) {
			struct xy_group *group = rt->tags[i];

			rt->tags[i] = group->next;
			group_destroy(group);
		}
}

/* --- tasks come and go --- */

struct xy_group *xy__group_of(struct xy_runtime *rt, const struct xy_task_desc *desc, int *error)
{
	struct xy_group *group;

	*error = -EINVAL;
	if (desc->group && (desc->tag || desc->group->runtime != rt))
		return NULL;
	if (desc->group) {
		atomic_fetch_add(&desc->group->references, 1);
		return desc->group;
	}
	*error = -ENOMEM;
	group = tag_find(rt, desc->tag, true);
	return group;
}

void xy__group_enter(struct xy_group *group)
{
	atomic_fetch_add(&group->references, 1);
	atomic_fetch_add(&group->pending, 1);
}

void xy__event_signal(int event)
{
	const uint64_t one = 1;
	ssize_t written;

	do
		written = write(event, &one, sizeof one);
	while (written < 0 && errno == EINTR);
}

void xy__group_leave(struct xy_group *group, int status)
{
	int none = 0;

	if (status)
		atomic_compare_exchange_strong(&group->error, &none, status);
	if (atomic_fetch_sub(&group->pending, 1) == 1) {
		int event;

		/* Before the look at the event, as xy_group_eventfd stores that before it looks at this. */
		atomic_store(&group->emptied, true);
		event = atomic_load(&group->event);
		if (event >= 0)
			xy__event_signal(event);
		xy__futex_wake(&group->pending, INT_MAX);
	}
	xy__group_unref(group);
}

void xy__group_unref(struct xy_group *group)
{
	if (group->tag)
		tag_unref(group);
	else if (atomic_fetch_sub(&group->references, 1) == 1)
		group_destroy(group);
}

/* --- for users --- */

int xy_group_create(struct xy_runtime *rt, struct xy_group **out)
{
	if (!rt || !out) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_group_create: %s",
			rt ? "the output pointer is NULL" : "no runtime (stopped, or never started)");
		return -EINVAL;
	}
	*out = group_new(rt, 0);
	return *out ? 0 : -ENOMEM;
}

void xy_group_free(struct xy_group *group)
{
	if (group)
		xy__group_unref(group);
}

static bool group_is_empty(void *arg)
{
	return !atomic_load(&((struct xy_group *)arg)->pending);
}

int xy_group_wait_for(struct xy_group *group, double seconds)
{
	const struct xy__condition condition = { .holds = group_is_empty,
						 .arg = group,
						 .word = group ? &group->pending : NULL };
	uint64_t count;
	int event;

	if (!group) {
		xy__log(NULL, "xy_group_wait: no group");
		return -EINVAL;
	}
	if (xy__agent_inside(group->runtime)) {
		xy__log(group_log(group), "xy_group_wait: a codelet or callback can't wait for a group");
		return -EDEADLK;
	}
	if (!group_is_empty(group) &&
	    (!(seconds > 0) || !group->runtime->engine->wait_until(group->runtime, &condition, seconds)))
		return -ETIMEDOUT;
	atomic_store(&group->emptied, false);
	event = atomic_load(&group->event);
	while (event >= 0 && read(event, &count, sizeof count) < 0 && errno == EINTR)
		;
	return atomic_exchange(&group->error, 0);
}

int xy_group_wait(struct xy_group *group)
{
	return xy_group_wait_for(group, XY__FOREVER_S);
}

int xy_group_status(const struct xy_group *group)
{
	struct xy_group *g = (struct xy_group *)group;

	if (!g) {
		xy__log(NULL, "xy_group_status: no group");
		return -EINVAL;
	}
	return group_is_empty(g) ? atomic_load(&g->error) : -EINPROGRESS;
}

int xy_tag_wait_for(struct xy_runtime *rt, uint64_t tag, double seconds)
{
	struct xy_group *group;
	int status;

	if (!rt || !tag) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_tag_wait: %s", rt ? "a tag can't be 0" : "no runtime");
		return -EINVAL;
	}
	group = tag_find(rt, tag, false);
	if (!group)
		return 0;
	status = xy_group_wait_for(group, seconds);
	xy__group_unref(group);
	return status;
}

int xy_tag_wait(struct xy_runtime *rt, uint64_t tag)
{
	return xy_tag_wait_for(rt, tag, XY__FOREVER_S);
}

int xy_group_eventfd(struct xy_group *group)
{
	int event, none = -1;

	if (!group || group->runtime->engine->is_simulated) {
		xy__log(group_log(group), "xy_group_eventfd: %s", group ? SIMULATED "xy_group_wait" : "no group");
		return group ? -ENOTSUP : -EINVAL;
	}
	event = atomic_load(&group->event);
	if (event >= 0)
		return event;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0) {
		int error = -errno;

		xy__log(group_log(group), "xy_group_eventfd: %s", strerror(-error));
		return error;
	}
	if (!atomic_compare_exchange_strong(&group->event, &none, event)) {
		close(event);
		return none;
	}
	if (atomic_load(&group->emptied))
		xy__event_signal(event);
	return event;
}

/* The runtime has a descriptor of its own, so that the caller may close the other one at any time. */
static int event_hang(struct xy_task *task, int event)
{
	int own = fcntl(event, F_DUPFD_CLOEXEC, 0);
	struct xy__waiter *waiter;
	struct xy__agent *agent;

	if (own < 0)
		return -errno;
	waiter = xy__waiter_create(task, own);
	if (!waiter || atomic_load(&waiter->references) == 1) { /* not in the list */
		if (waiter)
			xy__event_signal(own);
		close(own);
	}
	if (!waiter)
		return -ENOMEM;
	agent = xy__agent_enter(task->pool->runtime);
	xy__waiter_unref(waiter, agent);
	xy__agent_leave(agent);
	return 0;
}

int xy_task_eventfd(struct xy_task *task)
{
	bool is_submitted = task && atomic_load(&task->state) != XY__TASK_CREATED;
	const char *wrong = !task                                       ? "no task"
			    : !is_submitted                             ? "the task was not submitted"
			    : task->pool->runtime->engine->is_simulated ? SIMULATED "xy_task_wait"
									: NULL;
	int event, error;

	if (wrong) {
		xy__log(task ? &task->pool->runtime->settings.log : NULL, "xy_task_eventfd: %s", wrong);
		return is_submitted ? -ENOTSUP : -EINVAL;
	}
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	error = event < 0 ? -errno : event_hang(task, event);
	if (!error)
		return event;
	xy__log(&task->pool->runtime->settings.log, "xy_task_eventfd: %s", strerror(-error));
	if (event >= 0)
		close(event);
	return error;
}
