/* SPDX-License-Identifier: MIT */
/* Waiting for one task. */
#include "core/runtime/waiter.h"

#include <errno.h>

#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"

struct xy__waiter *xy__waiter_create(struct xy_task *task, int event)
{
	struct xy__agent *agent = xy__agent_enter(task->pool->runtime);
	struct xy__waiter *waiter = (struct xy__waiter *)xy__pool_take_block(&agent->pool);

	if (waiter) {
		atomic_store(&waiter->edge.target, (uintptr_t)waiter | XY__EDGE_WAITER);
		atomic_store(&waiter->done, 0);
		atomic_store(&waiter->references, 2);
		waiter->event = event;
		if (!xy__successors_add(&task->successors, &waiter->edge, xy__task_generation(task))) {
			atomic_store(&waiter->done, 1);
			atomic_store(&waiter->references, 1);
		}
	}
	xy__agent_leave(agent);
	return waiter;
}

void xy__waiter_unref(struct xy__waiter *waiter, struct xy__agent *agent)
{
	if (atomic_fetch_sub(&waiter->references, 1) == 1)
		xy__pool_give_block(&agent->pool, (struct xy__edge_block *)waiter);
}

static bool waiter_is_done(void *arg)
{
	return atomic_load(&((struct xy__waiter *)arg)->done);
}

int xy_task_wait_for(struct xy_task *task, double seconds)
{
	struct xy__condition condition;
	struct xy__waiter *waiter;
	struct xy__agent *agent;
	struct xy_runtime *rt;
	int status;

	if (!task || atomic_load(&task->state) == XY__TASK_CREATED) {
		xy__log(task ? &task->pool->runtime->settings.log : NULL, "xy_task_wait: %s%s%s", task ? "'" : "",
			task ? xy_task_name(task) : "no task", task ? "' was not submitted" : "");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_task_wait");
	if (xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "xy_task_wait: a codelet or callback can't wait for '%s'",
			xy_task_name(task));
		return -EDEADLK;
	}
	/* acquire: pairs with the closing of the list */
	if (xy__task_has_ended(task))
		return atomic_load(&task->status);
	if (!(seconds > 0))
		return -ETIMEDOUT;
	waiter = xy__waiter_create(task, -1);
	if (!waiter)
		return -ENOMEM;
	condition = (struct xy__condition){ .holds = waiter_is_done, .arg = waiter, .word = &waiter->done };
	status = rt->engine->wait_until(rt, &condition, seconds) ? atomic_load(&task->status) : -ETIMEDOUT;
	agent = xy__agent_enter(rt);
	xy__waiter_unref(waiter, agent);
	xy__agent_leave(agent);
	return status;
}

int xy_task_wait(struct xy_task *task)
{
	return xy_task_wait_for(task, XY__FOREVER_S);
}
