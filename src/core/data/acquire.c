/* SPDX-License-Identifier: MIT */
/*
 * The application's own accesses. An acquire is a task that never enters the tree: when its turn comes it
 * is held by the application, and xy_release ends it.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/build.h"
#include "core/data/handle.h"
#include "core/deps.h"

/* What a blocking acquire waits on, on its stack. */
struct acquire_wait {
	_Atomic int done;
	int status;
};

static void acquire_wake(void *arg, int status)
{
	struct acquire_wait *wait = arg;

	wait->status = status;
	atomic_store(&wait->done, 1);
	xy__futex_wake(&wait->done, 1);
}

void xy__acquire_ready(struct xy_task *task, int status, struct xy__endings *endings,
		       struct xy__agent *agent)
{
	struct xy_handle *h = xy__access_handle(task->accesses[0]);
	void (*callback)(void *, int) = task->callback;
	void *arg = task->callback_arg;

	task->flags &= (uint16_t)~XY__TASK_CALLBACK;
	if (!status) {
		xy__lock_take(&h->lock);
		xy__task_set_state(task, XY__TASK_HELD);
		task->next = h->held;
		h->held = task;
		xy__lock_drop(&h->lock);
	} else {
		xy__deps_spoil(task, status); /* now: the application may unregister the handle at once */
	}
	xy__call_back(agent, endings, callback, arg, status);
}

static int acquire_check(struct xy_handle *h, unsigned mode, const char *who)
{
	if (h && (mode == XY_R || mode == XY_W || mode == XY_RW || mode == (XY_RW | XY_COMMUTE)))
		return 0;
	xy__log(h ? &h->runtime->settings.log : NULL, "%s: %s", who,
		h ? "the mode must be R, W, RW or RW with COMMUTE" : "no handle");
	return -EINVAL;
}

static int acquire_no_memory(struct xy_handle *h)
{
	xy__log(&h->runtime->settings.log, "xy_acquire: not enough memory for '%s'", xy_handle_name(h));
	return -ENOMEM;
}

static int acquire_submit(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status),
			  void *arg)
{
	struct xy__agent *agent = xy__enter(h->runtime);
	struct xy_task *task = xy__task_blank(agent);
	int count = 0, error;

	if (!task) {
		xy__leave(agent);
		return acquire_no_memory(h);
	}
	task->flags = XY__TASK_ACQUIRE | XY__TASK_UNCOUNTED | (mode & XY_COMMUTE ? XY__TASK_COMMUTES : 0);
	task->naccesses = 1;
	task->accesses[0] = xy__access(h, mode);
	xy__task_set_callback(task, callback, arg);
	xy__task_set_name(task, "xy_acquire");
	xy__task_set_state(task, XY__TASK_WAITING);
	error = xy__deps_register(task, &count, agent);
	if (error)
		xy__task_unref(task, agent);
	else
		xy__deps_submitted(task, count, agent);
	xy__leave(agent);
	return error ? acquire_no_memory(h) : 0;
}

int xy_acquire_callback(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status),
			void *arg)
{
	int error = acquire_check(h, mode, "xy_acquire_callback");

	if (error)
		return error;
	if (!callback) {
		xy__log(&h->runtime->settings.log, "xy_acquire_callback: no callback for '%s'", xy_handle_name(h));
		return -EINVAL;
	}
	return xy__handle_allocate(h) ? acquire_no_memory(h) : acquire_submit(h, mode, callback, arg);
}

int xy__acquire_wait(struct xy_handle *h, enum xy_mode mode, int *status)
{
	struct acquire_wait wait = { .done = 0 };
	int error = acquire_submit(h, mode, acquire_wake, &wait);

	if (error)
		return error;
	while (!atomic_load(&wait.done))
		xy__futex_wait(&wait.done, 0, -1);
	*status = wait.status;
	return 0;
}

int xy_acquire(struct xy_handle *h, enum xy_mode mode)
{
	int status = 0, error = acquire_check(h, mode, "xy_acquire");

	if (error)
		return error;
	if (xy__inside(h->runtime)) {
		xy__log(&h->runtime->settings.log,
			"xy_acquire: a codelet or callback can't wait for '%s'; use xy_acquire_callback",
			xy_handle_name(h));
		return -EDEADLK;
	}
	error = xy__handle_allocate(h) ? acquire_no_memory(h) : xy__acquire_wait(h, mode, &status);
	return error ? error : status;
}

int xy_release(struct xy_handle *h)
{
	struct xy__agent *agent;
	struct xy_task *task;

	if (!h) {
		xy__log(NULL, "xy_release: no handle");
		return -EINVAL;
	}
	xy__lock_take(&h->lock);
	task = h->held;
	if (task)
		h->held = task->next;
	xy__lock_drop(&h->lock);
	if (!task) {
		xy__log(&h->runtime->settings.log, "xy_release: '%s' is not held", xy_handle_name(h));
		return -EINVAL;
	}
	agent = xy__enter(h->runtime);
	xy__deps_release(task, agent);
	xy__leave(agent);
	return 0;
}
