/* SPDX-License-Identifier: MIT */
/*
 * The application's own accesses. An acquire is a task that never enters the tree: when its turn comes it
 * is held by the application, and xy_release ends it.
 */
#include <errno.h>
#include <string.h>

#include "core/data/acquire.h"
#include "core/data/departed.h"
#include "core/data/fetch.h"
#include "core/data/handle.h"
#include "core/data/partition.h"
#include "core/data/signal.h"
#include "core/data/transfer.h"
#include "core/runtime/fork.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/task_build.h"

/* In the task, in place of a copied argument: notified when the data has arrived in RAM. */
struct acquire_await {
	struct xy__await base;
	struct xy_task *task;
};
_Static_assert(sizeof(struct acquire_await) <= XY__TASK_ARGUMENT, "it fits");

static void acquire_told(struct xy__await *await, struct xy__agent *agent)
{
	xy__deps_acquired(((struct acquire_await *)await)->task, agent);
}

int xy__acquire_fetch(struct xy_task *task, struct xy__agent *agent)
{
	struct xy_handle *h = xy__access_handle(task->accesses[0]);
	struct acquire_await *await = (struct acquire_await *)task->argument;
	int error;

	if (!h->copies || (task->flags & XY__TASK_UNFETCHED))
		return 0;
	await->base.told = acquire_told;
	await->task = task;
	error = xy__fetch_acquire(h, xy__access_mode(task->accesses[0]), &await->base, agent);
	if (error && error != -EAGAIN && error != -ENODATA)
		xy__log(&h->runtime->settings.log, "'%s' could not be copied back to RAM: %s", xy_handle_name(h),
			strerror(-error));
	return error;
}

void xy__acquire_ready(struct xy_task *task, int status, struct xy__endings *endings, struct xy__agent *agent)
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
	xy__agent_call_back(agent, endings, callback, arg, status);
}

static int acquire_check(struct xy_handle *h, unsigned mode, const char *who)
{
	if (!xy__handle_is_here(h, who))
		return -EINVAL;
	if (mode == XY_R || mode == XY_W || mode == XY_RW || mode == (XY_RW | XY_COMMUTE))
		return 0;
	xy__log(&h->runtime->settings.log, "%s: '%s': the mode must be R, W, RW or RW with COMMUTE", who,
		xy_handle_name(h));
	return -EINVAL;
}

static int acquire_no_memory(struct xy_handle *h)
{
	xy__log(&h->runtime->settings.log, "xy_acquire: not enough memory for '%s'", xy_handle_name(h));
	return -ENOMEM;
}

/* --- threads that would wait for themselves --- */

/* The thread is in task->arg of an acquire that it waited for. After a callback, any thread may release. */
static bool acquire_is_mine(struct xy_handle *h)
{
	bool mine = false;

	xy__lock_take(&h->lock);
	for (const struct xy_task *task = h->held; task && !mine; task = task->next)
		mine = task->arg == xy__agent_thread();
	xy__lock_drop(&h->lock);
	return mine;
}

static int acquire_refuse(struct xy_handle *h, const char *who)
{
	xy__log(&h->runtime->settings.log,
		"%s: this thread has acquired '%s' and would wait for itself: release it first", who,
		xy_handle_name(h));
	return -EDEADLK;
}

int xy__acquire_check_mine(struct xy_handle *h, const char *who)
{
	return acquire_is_mine(h) ? acquire_refuse(h, who) : 0;
}

/* The turn of an acquire that no thread waits for has come. */
static void acquire_abandoned(void *handle, int status)
{
	if (!status)
		xy__acquire_order_end(handle);
}

/*
 * Whether a wait for the registered task would never end: the thread holds the handle already, and the tasks before
 * this one wait for its release. Its place in the order stays, and is given up when it comes.
 */
static bool acquire_waits_for_itself(struct xy_task *task, struct xy_handle *h, unsigned mode, int count)
{
	if (!task->arg || !(count > 0 || mode & XY_COMMUTE) || !acquire_is_mine(h))
		return false;
	task->arg = NULL;
	task->flags |= XY__TASK_UNFETCHED;
	xy__task_set_callback(task, acquire_abandoned, h);
	return true;
}

static int acquire_submit(struct xy_handle *h, unsigned mode, unsigned flags, void (*callback)(void *arg, int status),
			  void *arg)
{
	struct xy__agent *agent;
	struct xy_task *task;
	bool refused = false;
	int count = 0, error;

	if (xy__fork_is_child(h->runtime))
		return xy__fork_refuse(h->runtime, "xy_acquire");
	agent = xy__agent_enter(h->runtime);
	task = xy__task_blank(agent);
	if (!task) {
		xy__agent_leave(agent);
		return acquire_no_memory(h);
	}
	flags |= mode & XY_COMMUTE ? XY__TASK_COMMUTES : 0;
	task->flags = (uint16_t)(XY__TASK_ACQUIRE | XY__TASK_UNCOUNTED | flags);
	memset(task->argument, 0, sizeof(struct acquire_await));
	task->wanted_on = XY__RAM;
	task->naccesses = 1;
	task->accesses[0] = xy__access(h, mode);
	xy__task_set_callback(task, callback, arg);
	xy__task_set_name(task, "xy_acquire");
	task->arg = callback == xy__signal_give ? xy__agent_thread() : NULL;
	xy__task_set_state(task, XY__TASK_WAITING);
	error = xy__deps_register(task, &count, agent);
	if (!error)
		refused = acquire_waits_for_itself(task, h, mode, count);
	if (error)
		xy__task_unref(task, agent);
	else
		xy__deps_submitted(task, count, agent);
	xy__agent_leave(agent);
	if (refused)
		return acquire_refuse(h, "xy_acquire");
	if (error == -EBUSY)
		return xy__partition_refuse(h, mode, "the application's access is refused");
	return error ? acquire_no_memory(h) : 0;
}

/* --- the application's calls --- */

int xy_acquire_callback(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status), void *arg)
{
	int error = acquire_check(h, mode, "xy_acquire_callback");

	if (error)
		return error;
	if (!callback) {
		xy__log(&h->runtime->settings.log, "xy_acquire_callback: no callback for '%s'", xy_handle_name(h));
		return -EINVAL;
	}
	return xy__handle_allocate(h) ? acquire_no_memory(h) : acquire_submit(h, mode, 0, callback, arg);
}

int xy__acquire_order(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status), void *arg)
{
	return acquire_submit(h, mode, XY__TASK_UNFETCHED, callback, arg);
}

static int acquire_and_wait(struct xy_handle *h, enum xy_mode mode, unsigned flags, int *status)
{
	struct xy__signal wait = { .done = 0 };
	int error = acquire_submit(h, mode, flags, xy__signal_give, &wait);

	if (error)
		return error;
	xy__signal_await(&wait, h->runtime);
	*status = wait.status;
	return 0;
}

int xy__acquire_wait(struct xy_handle *h, enum xy_mode mode, int *status)
{
	return acquire_and_wait(h, mode, 0, status);
}

int xy__acquire_order_wait(struct xy_handle *h, enum xy_mode mode, int *status)
{
	return acquire_and_wait(h, mode, XY__TASK_UNFETCHED, status);
}

int xy_acquire(struct xy_handle *h, enum xy_mode mode)
{
	int status = 0, error = acquire_check(h, mode, "xy_acquire");

	if (error)
		return error;
	if (xy__agent_inside(h->runtime)) {
		xy__log(&h->runtime->settings.log,
			"xy_acquire: a codelet or callback can't wait for '%s'; use xy_acquire_callback",
			xy_handle_name(h));
		return -EDEADLK;
	}
	error = xy__handle_allocate(h) ? acquire_no_memory(h) : xy__acquire_wait(h, mode, &status);
	return error ? error : status;
}

/* The calling thread's own acquire, else the last one; NULL if there is none. */
static struct xy_task *acquire_take(struct xy_handle *h)
{
	struct xy_task **best = NULL, *task = NULL;

	xy__lock_take(&h->lock);
	for (struct xy_task **link = &h->held; *link; link = &(*link)->next) {
		bool mine = (*link)->arg == xy__agent_thread();

		if ((*link)->flags & XY__TASK_UNFETCHED || (best && !mine))
			continue;
		best = link;
		if (mine)
			break;
	}
	if (best) {
		task = *best;
		*best = task->next;
		if (h->copies)
			xy__copy_let_go(h->copies->on[task->wanted_on]);
	}
	xy__lock_drop(&h->lock);
	return task;
}

/* The link to a place in the order that a thread waited for, or to one that none did: NULL. There is one. */
static struct xy_task **acquire_place(struct xy_handle *h, const void *thread)
{
	struct xy_task **link = &h->held;

	while (!((*link)->flags & XY__TASK_UNFETCHED) || (*link)->arg != thread)
		link = &(*link)->next;
	return link;
}

static void acquire_leave(struct xy_handle *h, const void *thread)
{
	struct xy_task **link, *task;
	struct xy__agent *agent;

	xy__lock_take(&h->lock);
	link = acquire_place(h, thread);
	task = *link;
	*link = task->next;
	xy__lock_drop(&h->lock);
	agent = xy__agent_enter(h->runtime);
	xy__deps_release(task, agent);
	xy__agent_leave(agent);
}

void xy__acquire_order_keep(struct xy_handle *h, unsigned node)
{
	struct xy_task *task;

	xy__lock_take(&h->lock);
	task = *acquire_place(h, xy__agent_thread());
	task->flags &= (uint16_t)~XY__TASK_UNFETCHED;
	task->wanted_on = (uint8_t)node;
	xy__lock_drop(&h->lock);
}

void xy__acquire_order_end(struct xy_handle *h)
{
	acquire_leave(h, NULL);
}

void xy__acquire_order_end_mine(struct xy_handle *h)
{
	acquire_leave(h, xy__agent_thread());
}

int xy_release(struct xy_handle *h)
{
	struct xy__agent *agent;
	struct xy_task *task;

	if (!h && !xy__handle_is_here(h, "xy_release"))
		return -EINVAL;
	/* Also of a handle that leaves: that waits for the release. */
	task = acquire_take(h);
	if (!task && !xy__handle_is_here(h, "xy_release"))
		return -EINVAL;
	if (!task) {
		xy__log(&h->runtime->settings.log, "xy_release: '%s' is not acquired", xy_handle_name(h));
		return -EINVAL;
	}
	agent = xy__agent_enter(h->runtime);
	xy__deps_release(task, agent);
	xy__agent_leave(agent);
	return 0;
}
