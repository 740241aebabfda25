/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous unregistration: a task that moves the content to RAM, in its place among the tasks, and frees the
 * handle when it ends. Tasks without order count as one more predecessor of it. Unlike other tasks that move data it
 * is counted, so that the application waits for it and gets its error.
 */
#include "core/data/leave.h"

#include <errno.h>

#include "core/data/data_task.h"
#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/data/partition.h"
#include "core/data/redux.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/fork.h"
#include "core/runtime/task_build.h"

/* The callback of the task. Nothing of the handle moves any more. */
static void leave_finish(void *arg, int status)
{
	struct xy_handle *h = arg;

	(void)status;
	xy__transfers_end(h);
	xy__handle_unlink(h);
	xy__handle_depart(h);
}

void xy__leave_unused(struct xy_handle *h)
{
	struct xy_task *task = h->leaving;
	struct xy__agent *agent;

	/* acq_rel: what each predecessor did happens before the end of the handle */
	if (atomic_fetch_sub_explicit(&task->missing, 1, memory_order_acq_rel) != 1)
		return;
	agent = xy__agent_enter(task->pool->runtime);
	xy__deps_submitted(task, 0, agent);
	xy__agent_leave(agent);
}

/* The task in its place in the order, which no end of a predecessor makes ready yet; NULL without memory. */
static struct xy_task *leave_register(struct xy_handle *h, struct xy__agent *agent)
{
	struct xy_task *task = xy__data_task_create("xy_unregister_submit", 1, agent);
	int count;

	if (!task)
		return NULL;
	task->flags &= (uint16_t)~XY__TASK_UNCOUNTED;
	task->accesses[0] = xy__access(h, XY_RW);
	xy__data_task_leaves(task);
	xy__task_set_callback(task, leave_finish, h);
	atomic_store(&h->sequential, true);
	if (xy__data_task_register(task, &count, agent))
		return NULL;
	/* acq_rel: like the decrement in xy__leave_unused; 1: the tasks without order */
	atomic_fetch_add_explicit(&task->missing, count + 1 - XY__SUBMITTING, memory_order_acq_rel);
	return task;
}

int xy_unregister_submit(struct xy_handle **pointer)
{
	struct xy_handle *h = pointer ? *pointer : NULL;
	struct xy__agent *agent;
	int error;

	if (!xy__handle_is_here(h, "xy_unregister_submit"))
		return -EINVAL;
	if (xy__fork_is_child(h->runtime))
		return xy__fork_refuse(h->runtime, "xy_unregister_submit");
	error = xy__partition_keeps(h, "xy_unregister_submit");
	if (error)
		return error;
	agent = xy__agent_enter(h->runtime);
	h->leaving = leave_register(h, agent);
	xy__redux_submit(agent);
	if (h->leaving) {
		atomic_store(&h->serves, NULL);
		*pointer = NULL;
		xy__agent_add(&agent->submitted);
		atomic_fetch_add(&h->unordered, XY__LEAVING + 1);
		xy__handle_unused(h);
	} else {
		xy__log(&h->runtime->settings.log, "xy_unregister_submit: not enough memory for '%s'",
			xy_handle_name(h));
		error = -ENOMEM;
	}
	xy__agent_leave(agent);
	return error;
}
