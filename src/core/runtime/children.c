/* SPDX-License-Identifier: MIT */
/*
 * Children: tasks that end before their parent does, and codelets that wait for them.
 */
#include "core/runtime/children.h"

#include <errno.h>

#include "core/runtime/cycles.h"
#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/halt.h"
#include "core/runtime/inbox.h"
#include "core/runtime/search.h"
#include "core/runtime/submit.h"
#include "core/runtime/task_build.h"

enum { MOST_WALKS = 8 }; /* tasks set aside that a look examines */

/* --- counting --- */

static void children_reset(struct xy_task *task, int children)
{
	task->parent = NULL;
	atomic_store(&task->children, children);
	atomic_store(&task->children_status, 0);
	atomic_store(&task->waits_on, 0);
}

void xy__children_expect(struct xy_task *task, struct xy_runtime *rt)
{
	task->flags |= XY__TASK_NESTED;
	xy__task_attend_end(task);
	children_reset(task, 1);
	/* relaxed: a worker that takes the task sees this too */
	atomic_fetch_or_explicit(&rt->notes, XY__NOTES_CHILDREN, memory_order_relaxed);
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (!atomic_load_explicit(&rt->workers[i].choosy, memory_order_relaxed))
			atomic_store_explicit(&rt->workers[i].choosy, true, memory_order_relaxed);
}

void xy__children_again(struct xy_task *task)
{
	children_reset(task, task->flags & XY__TASK_NESTED ? 1 : 0);
}

void xy__children_add(struct xy_task *parent, struct xy_task *task)
{
	xy__task_attend_end(task);
	task->parent = parent;
	atomic_fetch_add(&parent->children, 1);
}

static void children_fail(struct xy_task *task, int status)
{
	int none = 0;

	if (status)
		atomic_compare_exchange_strong(&task->children_status, &none, status);
}

void xy__children_less(struct xy_task *task, int status, struct xy__endings *endings, struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;
	unsigned waits_on;
	int left;

	children_fail(task, status);
	left = atomic_fetch_sub(&task->children, 1) - 1;
	/* Unless this was the last, the memory may belong to another task by now; a worker woken in vain looks and
	 * sleeps again. */
	waits_on = atomic_load(&task->waits_on);
	if (left > 1)
		return;
	if (left == 1) {
		if (waits_on && waits_on <= rt->nworkers)
			rt->engine->wake(&rt->main.engine, waits_on - 1);
		return;
	}
	if (waits_on == XY__CHILDREN_DISOWNED) {
		xy__task_unref(task, agent);
		return;
	}
	if (!atomic_load(&task->status))
		atomic_store(&task->status, atomic_load(&task->children_status));
	xy__endings_add(endings, task);
}

bool xy__children_end(struct xy_task *task, int *status, bool *held)
{
	*held = atomic_load(&task->waits_on) == XY__CHILDREN_DISOWNED;
	if (*held)
		return true;
	atomic_store(&task->status, *status);
	if (atomic_fetch_sub(&task->children, 1) != 1)
		return false;
	if (!*status)
		*status = atomic_load(&task->children_status);
	return true;
}

void xy__children_let_go(struct xy_task *task, struct xy__agent *agent)
{
	if (atomic_fetch_sub(&task->children, 1) == 1)
		xy__task_unref(task, agent);
}

bool xy__children_descends(const struct xy_task *task, const struct xy_task *from)
{
	while (task && task != from)
		task = xy__children_parent(task);
	return task;
}

/* --- deadlocks --- */

/* Whether something waits for the task, directly or not, with its start or end, and the task waits for that with its
 * end. Such a cycle leads through a task that waits for this one or for one of its ancestors. */
static bool children_form_cycle(struct xy_task *task, struct xy_runtime *rt)
{
	const struct xy_task *ancestor = task;
	bool cycle;

	while (ancestor && !xy__cycles_has_successors((struct xy_task *)ancestor))
		ancestor = xy__children_parent(ancestor);
	if (!ancestor)
		return false;
	xy__lock_take(&rt->cycles_lock);
	cycle = xy__cycles_reaches(rt, task, task);
	xy__lock_drop(&rt->cycles_lock);
	return cycle;
}

int xy__children_leave(struct xy_task *task, int status)
{
	struct xy_runtime *rt = task->pool->runtime;

	if (atomic_load(&task->children) == 1 || !children_form_cycle(task, rt))
		return status;
	xy__log(&rt->settings.log, "task '%s' (number %llu) can't end after its children: one of them waits for it",
		xy_task_name(task), xy_task_number(task));
	atomic_store(&task->waits_on, XY__CHILDREN_DISOWNED);
	return status ? status : -EDEADLK;
}

/* --- tasks set aside --- */

/* It has left the tree, but is still for the workers of its context. */
static bool children_may_take(const struct xy__worker *worker, const struct xy_task *task)
{
	return worker->context == xy__inbox_context(worker->agent.runtime, task) && xy_task_can_run(task, worker->id);
}

void xy__children_set_aside(struct xy__worker *worker, struct xy_task *task)
{
	struct xy_runtime *rt = worker->agent.runtime;

	task->next = NULL;
	xy__lock_take(&rt->aside_lock);
	*(rt->aside ? rt->aside_end : &rt->aside) = task;
	rt->aside_end = &task->next;
	atomic_fetch_add(&rt->naside, 1);
	xy__lock_drop(&rt->aside_lock);
	xy__fence(); /* pairs with the fence of a worker going to sleep */
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (!atomic_load(&rt->workers[i].waits) && children_may_take(&rt->workers[i], task) &&
		    rt->engine->wake(&rt->main.engine, i) != XY__WAKE_BUSY)
			return;
}

static void aside_remove(struct xy_runtime *rt, struct xy_task **place)
{
	struct xy_task *task = *place;

	*place = task->next;
	if (rt->aside_end == &task->next)
		rt->aside_end = place;
	atomic_fetch_sub(&rt->naside, 1);
}

struct xy_task *xy__children_take_aside(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task **place, *task;

	if (!atomic_load_explicit(&rt->naside, memory_order_relaxed)) /* the last look follows a fence */
		return NULL;
	xy__lock_take(&rt->aside_lock);
	for (place = &rt->aside; (task = *place); place = &task->next)
		if (children_may_take(worker, task)) {
			aside_remove(rt, place);
			break;
		}
	xy__lock_drop(&rt->aside_lock);
	return task;
}

/* Whether the waiting task needs one that was set aside, and that can't end meanwhile. */
static bool aside_is_needed(struct xy_runtime *rt, struct xy_task *task, struct xy_task *waits)
{
	bool needed;

	xy__lock_take(&rt->cycles_lock);
	needed = xy__cycles_reaches(rt, task, waits);
	xy__lock_drop(&rt->cycles_lock);
	return needed;
}

/* One that this waiting task waits for. The others that were examined go to the end of the list. */
static struct xy_task *children_take_needed(struct xy__worker *worker, struct xy_task *waits)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	for (unsigned i = 0; i < MOST_WALKS && atomic_load(&rt->naside); i++) {
		xy__lock_take(&rt->aside_lock);
		task = rt->aside;
		if (task)
			aside_remove(rt, &rt->aside);
		xy__lock_drop(&rt->aside_lock);
		if (!task)
			return NULL;
		if (children_may_take(worker, task) && aside_is_needed(rt, task, waits))
			return task;
		xy__children_set_aside(worker, task);
	}
	return NULL;
}

/* --- waiting --- */

static struct xy_task *children_find_work(struct xy__worker *worker, struct xy_task *waits)
{
	struct xy_task *task = xy__search_try(worker);

	if (!task && atomic_load(&worker->agent.runtime->naside))
		task = children_take_needed(worker, waits);
	return task ? task : worker->agent.runtime->engine->idle(worker);
}

/* Runs other tasks until the children have ended, or the runtime stops. */
static void children_help(struct xy__worker *worker, struct xy_task *waits)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *outer = atomic_load(&worker->waits), *task;
	double started_s = worker->started_s, begin_s = worker->special ? xy__now() : 0;

	xy__halt_enter(&worker->agent, (uintptr_t)waits | XY__DOING_INSIDE);
	worker->agent.parent = NULL;
	atomic_store(&worker->waits, waits);
	atomic_store(&waits->waits_on, worker->id + 1);
	xy_agent_offer_to_itself(&worker->agent.base);
	while (!xy__children_have_ended(worker) && !atomic_load(&rt->stopping)) {
		task = children_find_work(worker, waits);
		if (task)
			xy__worker_do(worker, task);
		/* relaxed: for the dump */
		atomic_store_explicit(&worker->agent.doing, (uintptr_t)waits | XY__DOING_INSIDE, memory_order_relaxed);
	}
	atomic_store(&waits->waits_on, 0);
	atomic_store(&worker->waits, outer);
	worker->agent.parent = waits;
	xy_agent_offer_to_others(&worker->agent.base);
	xy__search_offer_rest(worker); /* what it kept for itself */
	worker->started_s = started_s;
	if (worker->special)
		worker->away_s += xy__now() - begin_s;
	xy__halt_leave(&worker->agent, (uintptr_t)waits);
}

/* The worker inside the call, which is nested and the innermost one of the thread; NULL if it is not. */
static struct xy__worker *children_worker(const struct xy_call *call)
{
	struct xy__agent *agent = call && call->runtime ? xy__agent_inside(call->runtime) : NULL;

	if (!agent || agent->base.worker < 0 || agent->parent != call->task)
		return NULL;
	return &call->runtime->workers[agent->base.worker];
}

int xy_wait_children(struct xy_call *call)
{
	struct xy__worker *worker = children_worker(call);
	struct xy_runtime *rt = call ? call->runtime : NULL;
	const char *wrong = NULL;

	if (!worker) {
		xy__log(rt ? &rt->settings.log : NULL,
			"xy_wait_children: only an XY_NESTED codelet can wait, in the thread that was called");
		return -EINVAL;
	}
	if (worker->agent.endings)
		wrong = "a callback can't wait";
	else if (atomic_load(&call->task->children) > 1 && children_form_cycle(call->task, rt))
		wrong = "one of the children waits for the task itself";
	if (wrong) {
		xy__log(&rt->settings.log, "xy_wait_children: %s, in task '%s' (number %llu)", wrong,
			xy_task_name(call->task), xy_task_number(call->task));
		return -EDEADLK;
	}
	if (atomic_load(&call->task->children) > 1)
		children_help(worker, call->task);
	if (atomic_load(&call->task->children) > 1)
		return -ESHUTDOWN;
	return atomic_exchange(&call->task->children_status, 0);
}

/* --- ends after ends --- */

/* Whether the task is not submitted, or the caller is its codelet. */
static bool task_can_be_extended(const struct xy_task *task, const struct xy__agent *agent)
{
	if (atomic_load(&((struct xy_task *)task)->state) == XY__TASK_CREATED)
		return true;
	return agent->base.worker >= 0 && (atomic_load(&agent->doing) & ~XY__DOING_INSIDE) == (uintptr_t)task;
}

static int task_end_after_locked(struct xy_task *task, struct xy_task *before, struct xy__agent *agent)
{
	int waits;

	if (!task_can_be_extended(task, agent))
		return -EBUSY;
	if (before == task || xy__cycles_reaches(agent->runtime, task, before))
		return -ELOOP;
	if (!xy__children_are_left(task)) {
		struct xy_task *parent = xy__children_parent(task);

		xy__task_attend_end(task);
		children_reset(task, 1);
		task->parent = parent;
	}
	atomic_fetch_add(&task->children, 1);
	waits = xy__deps_after(task, before, XY__EDGE_END, agent);
	if (waits <= 0)
		atomic_fetch_sub(&task->children, 1);
	return waits < 0 ? waits : 0;
}

int xy_task_end_after(struct xy_task *task, struct xy_task *before)
{
	struct xy_runtime *rt;
	struct xy__agent *agent;
	int error;

	if (!task || !before || task->pool->runtime != before->pool->runtime) {
		const struct xy_task *one = task ? task : before;

		xy__log(one ? &one->pool->runtime->settings.log : NULL,
			"xy_task_end_after: two tasks of one runtime are needed");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_task_end_after");
	agent = xy__agent_enter(rt);
	xy__lock_take(&rt->cycles_lock);
	error = task_end_after_locked(task, before, agent);
	xy__lock_drop(&rt->cycles_lock);
	xy__agent_leave(agent);
	if (error)
		xy__log(&rt->settings.log, "task '%s' can't end after '%s': %s", xy_task_name(task),
			xy_task_name(before),
			error == -EBUSY ? "it is submitted, and the caller is not its codelet"
					: xy__submit_problem(error));
	return error;
}
