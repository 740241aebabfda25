/* SPDX-License-Identifier: MIT */
/*
 * Submitting tasks, waiting for them, letting them go.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/partition.h"
#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/inbox.h"
#include "core/runtime/submit.h"
#include "core/runtime/task_build.h"
#include "core/data/redux.h"
#include "core/runtime/group.h"
#include "core/runtime/cycles.h"
#include "core/runtime/decline.h"
#include "core/runtime/deps.h"
#include "core/task/division.h"
#include "core/runtime/record.h"
#include "core/runtime/task_build.h"
#include "core/runtime/wait.h"
#include "core/util/message.h"

const char *xy__task_problem(int error)
{
	switch (error) {
	case -ENODEV:
		return "no worker can run it";
	case -EINVAL:
		return "its description is contradictory: a handle of another runtime or without a mode, "
		       "handles without a codelet, or a count without its array";
	case -ELOOP:
		return "it would wait for itself";
	case -ESHUTDOWN:
		return "the runtime is stopping";
	default:
		return strerror(-error);
	}
}

/* Where to write about a task, or about none. */
static const struct xy__log *task_log(const struct xy_task *task)
{
	return task ? &task->pool->runtime->settings.log : NULL;
}

/* A refused access has already been logged, with the name of the handle. */
static int task_refuse(struct xy_runtime *rt, const char *name, int error)
{
	if (error == -EBUSY)
		return error;
	xy__log(&rt->settings.log, "task '%s' is not submitted: %s", name, xy__task_problem(error));
	return error;
}

static const char *desc_name(const struct xy_task_desc *desc)
{
	if (desc->name)
		return desc->name;
	return desc->codelet && desc->codelet->name ? desc->codelet->name : "without a name";
}

int xy__submit_refuse(struct xy_runtime *rt, const struct xy_task_desc *desc, int error)
{
	struct xy__message message;
	char text[256];

	xy__message_init(&message, text, sizeof text);
	if (error == -EINVAL)
		xy__desc_explain(rt, desc, &message);
	if (!message.used)
		return task_refuse(rt, desc_name(desc), error);
	xy__log(&rt->settings.log, "task '%s' is not submitted: %s", desc_name(desc), text);
	return error;
}

static bool desc_after_is_wrong(const struct xy_task_desc *desc, const struct xy_runtime *rt)
{
	for (unsigned i = 0; i < desc->nafter; i++)
		if (!desc->after || !desc->after[i] || desc->after[i]->pool->runtime != rt)
			return true;
	return false;
}

/* Counts without arrays, modes without handles, tasks of another runtime, an impossible length. */
static inline bool desc_is_odd(const struct xy_task_desc *desc, const struct xy_runtime *rt)
{
	uint64_t length; /* its bits: those of negative numbers, infinity and NaN are above those of any proper one */
	const double most = XY__LENGTH_MAX_US;
	uint64_t length_max;

	memcpy(&length, &desc->length_us, sizeof length);
	memcpy(&length_max, &most, sizeof length_max);
	return (desc->arg_size && !desc->arg) || (desc->nafter && desc_after_is_wrong(desc, rt)) ||
	       (!desc->handles[0] && !desc->accesses && desc->codelet && desc->codelet->modes[0]) ||
	       (length > length_max && desc->length_us != 0);
}

/* Why a task can't be submitted, logged; 0 if it can. */
static int desc_check(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	if (!rt) {
		xy__log(NULL, "a task is not submitted: no runtime (stopped, or never started)");
		return -EINVAL;
	}
	if (!desc) {
		xy__log(&rt->settings.log, "a task is not submitted: no description");
		return -EINVAL;
	}
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "a task is not submitted");
	if (desc_is_odd(desc, rt))
		return xy__submit_refuse(rt, desc, -EINVAL);
	if (atomic_load_explicit(&rt->stopping, memory_order_relaxed))
		return task_refuse(rt, desc_name(desc), -ESHUTDOWN);
	return 0;
}

static int task_after_all(struct xy_task *task, const struct xy_task_desc *desc, struct xy__agent *agent)
{
	int count = 0;

	for (unsigned i = 0; i < desc->nafter; i++) {
		/* Checked and paid for by the caller: it can't fail. */
		if (xy__deps_after(task, desc->after[i], 0, agent) > 0)
			count++;
		if (agent->runtime->record)
			xy__record_after(agent->runtime, task, desc->after[i]);
	}
	return count;
}

/* --- submission --- */

/* It may already hang on others, which have to end before its memory can be used again. */
static void task_give_up(struct xy_task *task, int count, struct xy__agent *agent)
{
	atomic_store_explicit(&task->codelet, 0, memory_order_relaxed);
	atomic_store_explicit(&task->status, -ECANCELED, memory_order_relaxed);
	if (task->flags & XY__TASK_CALLBACK) {
		task->callback = NULL;
		task->group = NULL;
	}
	task->flags |= XY__TASK_UNCOUNTED;
	task->naccesses = 0;
	xy__task_set_state(task, XY__TASK_WAITING);
	xy__deps_submitted(task, count, agent);
}

void xy__task_abandon(struct xy_task *task, struct xy__agent *agent)
{
	task_give_up(task, task->extra ? (int)task->extra->nafter : 0, agent);
}

int xy__submit_register(struct xy_task *task, int *count, struct xy__agent *agent)
{
	int more = 0, error = 0;

	if (task->naccesses)
		error = xy__deps_register(task, &more, agent);
	else
		xy__task_reopen(task);
	if (error)
		return error;
	*count += more;
	xy__task_set_state(task, XY__TASK_WAITING);
	return 0;
}

void xy__submit_noted(struct xy_task *task, struct xy__agent *agent)
{
	xy__agent_submitted(agent, task);
	xy__inbox_put(agent->runtime, task, agent);
}

void xy__submit_let_go(struct xy_task *task, int count, struct xy__agent *agent)
{
	xy__agent_submitted(agent, task);
	xy__deps_submitted(task, count, agent);
}

int xy__submit_after(struct xy_task *task, const struct xy_task_desc *desc, struct xy__agent *agent)
{
	int count, error;

	if (!xy__pool_reserve_edges(&agent->pool, desc->nafter)) {
		xy__task_unref(task, agent);
		return -ENOMEM;
	}
	count = task_after_all(task, desc, agent);
	error = xy__submit_register(task, &count, agent);
	if (error == -EBUSY)
		xy__partition_refuse_task(task);
	if (error)
		task_give_up(task, count, agent);
	else
		xy__submit_let_go(task, count, agent);
	return error;
}

static inline int submit_new(const struct xy_task_desc *desc, struct xy__agent *agent)
{
	struct xy_task *task;
	int error = xy__task_build(&task, desc, agent);

	if (error)
		return error;
	return desc->nafter ? xy__submit_after(task, desc, agent) : xy__submit_built(task, desc->codelet, agent);
}

static int submit_and_wait(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy_task *task;
	int error;

	if (xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "task '%s' is not submitted: a codelet or callback can't wait for it",
			desc_name(desc));
		return -EDEADLK;
	}
	error = xy_task_create(rt, desc, &task);
	if (error)
		return error;
	error = xy_task_submit(task);
	if (!error)
		error = xy_task_wait(task);
	xy_task_release(task);
	return error;
}

int xy_submit(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy__agent *agent;
	int error;

	if (!rt || !desc || desc_is_odd(desc, rt) || atomic_load_explicit(&rt->stopping, memory_order_relaxed) ||
	    xy__fork_is_child(rt)) {
		error = desc_check(rt, desc);
		if (error)
			return error;
	}
	if (__builtin_expect(desc->tag | (uintptr_t)desc->group | desc->synchronous, 0))
		return desc->synchronous ? submit_and_wait(rt, desc) : xy__submit_into_group(rt, desc);
	agent = xy__submit_enter(rt);
	error = submit_new(desc, agent);
	xy__agent_leave(agent);
	if (__builtin_expect(rt->engine->submitted && !error, 0))
		rt->engine->submitted(rt);
	return error ? xy__submit_refuse(rt, desc, error) : 0;
}

/* The group of a task that may be submitted again lives as long as the task. On error the task is gone. */
static int task_keep_group(struct xy_task *task, const struct xy_task_desc *desc, struct xy__agent *agent)
{
	struct xy__task_extra *extra = xy__task_extra(task);
	int error = -ENOMEM;

	if (extra)
		extra->group = xy__group_of(agent->runtime, desc, &error);
	if (!extra || !extra->group) {
		xy__task_unref(task, agent);
		return error;
	}
	xy__task_attend_end(task);
	task->group = extra->group;
	return 0;
}

int xy_task_create(struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy_task **out)
{
	struct xy__agent *agent;
	struct xy_task *task;
	int error;

	if (!out) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_task_create: the output pointer is NULL");
		return -EINVAL;
	}
	*out = NULL;
	error = desc_check(rt, desc);
	if (error)
		return error;
	agent = xy__agent_enter(rt);
	error = xy__task_build(&task, desc, agent);
	if (!error)
		task->flags |= XY__TASK_KEPT;
	if (!error && (desc->group || desc->tag))
		error = task_keep_group(task, desc, agent);
	xy__agent_leave(agent);
	for (unsigned i = 0; i < desc->nafter && !error; i++) {
		error = xy_task_after(task, desc->after[i]);
		if (error) {
			xy_task_release(task);
			return error;
		}
	}
	if (error)
		return xy__submit_refuse(rt, desc, error);
	*out = task;
	return 0;
}

/* Makes a task that has ended as it was when it was created. */
static int task_again(struct xy_task *task, struct xy__agent *agent)
{
	if (!xy__task_has_ended(task) || xy__children_are_left(task))
		return -EALREADY;
	/*
	 * Its list and status stay closed until its handles are locked: a task that uses them before comes before this
	 * one and has nothing to wait for.
	 */
	xy__pool_drop_edges(&agent->pool, task);
	task->implementation = 0;
	atomic_store_explicit(&task->missing, XY__SUBMITTING, memory_order_relaxed);
	if (task->extra) {
		task->extra->retries = task->extra->retries_asked;
		task->extra->nafter = 0;
		xy__task_undecline(task);
		if (task->extra->division)
			xy__division_open(task);
	}
	if (task->flags & XY__TASK_CALLBACK)
		xy__children_again(task);
	return 0;
}

static int task_submit_locked(struct xy_task *task, int *count, struct xy__agent *agent)
{
	int error = 0;

	if (atomic_load(&task->state) != XY__TASK_CREATED)
		error = task_again(task, agent);
	if (error)
		return error;
	*count = task->extra ? (int)task->extra->nafter : 0;
	/* The runtime's reference, beside the user's. */
	atomic_fetch_add_explicit(&task->references, 1, memory_order_relaxed);
	error = xy__submit_register(task, count, agent);
	if (error)
		xy__task_unref(task, agent);
	else if (agent->parent)
		xy__children_add(agent->parent, task);
	return error;
}

int xy_task_submit(struct xy_task *task)
{
	struct xy_runtime *rt;
	struct xy__agent *agent;
	int count = 0, error;

	if (!task || !(task->flags & XY__TASK_KEPT)) {
		xy__log(task_log(task), "xy_task_submit: %s", task ? "the task was not created" : "no task");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_task_submit");
	if (atomic_load_explicit(&rt->stopping, memory_order_relaxed))
		return task_refuse(rt, xy_task_name(task), -ESHUTDOWN);
	if (!xy__agent_inside(rt))
		xy__wait_room(rt);
	agent = xy__agent_enter(rt);
	xy__lock_take(&rt->graph_lock);
	error = task_submit_locked(task, &count, agent);
	if (!error && task->extra && task->extra->group)
		xy__group_enter(task->extra->group);
	xy__lock_drop(&rt->graph_lock);
	if (agent->closings)
		xy__redux_submit(agent);
	if (!error)
		xy__submit_let_go(task, count, agent);
	xy__agent_leave(agent);
	if (__builtin_expect(rt->engine->submitted && !error, 0))
		rt->engine->submitted(rt);
	if (error == -EALREADY) {
		xy__log(&rt->settings.log, "task '%s' is already submitted and has not ended", xy_task_name(task));
		return -EBUSY;
	}
	if (error == -EBUSY)
		return xy__partition_refuse_task(task);
	return error ? task_refuse(rt, xy_task_name(task), error) : 0;
}

/* --- waiting and letting go --- */

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
		xy__log(task_log(task), "xy_task_wait: %s%s%s", task ? "'" : "", task ? xy_task_name(task) : "no task",
			task ? "' was not submitted" : "");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_task_wait");
	if (xy__agent_inside(rt)) {
		xy__log(task_log(task), "xy_task_wait: a codelet or callback can't wait for '%s'", xy_task_name(task));
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

void xy_task_release(struct xy_task *task)
{
	struct xy__agent *agent;

	if (!task || xy__fork_is_child(task->pool->runtime))
		return;
	agent = xy__agent_enter(task->pool->runtime);
	if (atomic_load(&task->state) == XY__TASK_CREATED)
		xy__task_abandon(task, agent);
	else
		xy__task_unref(task, agent);
	xy__agent_leave(agent);
}

const char *xy_task_name(const struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	/* acquire: pairs with the release in xy__task_set_name */
	if (atomic_load_explicit(&((struct xy_task *)task)->codelet, memory_order_acquire) & XY__NAMED)
		return atomic_load_explicit(&((struct xy_task *)task)->name, memory_order_relaxed);
	return codelet && codelet->name ? codelet->name : "without a name";
}

unsigned long long xy_task_number(const struct xy_task *task)
{
	return atomic_load_explicit(&((struct xy_task *)task)->number, memory_order_relaxed);
}
