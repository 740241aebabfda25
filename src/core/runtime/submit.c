/* SPDX-License-Identifier: MIT */
/*
 * Creating, submitting and releasing tasks.
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
#include "core/runtime/notes.h"
#include "core/runtime/submit.h"
#include "core/runtime/task_build.h"
#include "core/runtime/task_refuse.h"
#include "core/data/redux.h"
#include "core/runtime/group.h"
#include "core/runtime/cycles.h"
#include "core/runtime/decline.h"
#include "core/runtime/deps.h"
#include "core/task/division.h"
#include "core/runtime/record.h"
#include "core/runtime/wait.h"
#include "core/util/message.h"

const char *xy__submit_problem(int error)
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
	xy__log(&rt->settings.log, "task '%s' is not submitted: %s", name, xy__submit_problem(error));
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
		xy__task_refuse_reason(rt, desc, &message);
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

void xy__submit_abandon(struct xy_task *task, struct xy__agent *agent)
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
	xy__notes_count(agent, task);
	xy__inbox_put(agent->runtime, task, agent);
}

void xy__submit_let_go(struct xy_task *task, int count, struct xy__agent *agent)
{
	xy__notes_count(agent, task);
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

/* Any description, from any thread. */
static __attribute__((noinline)) int submit_any(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy__agent *agent;
	int error = desc_check(rt, desc);

	if (error)
		return error;
	if (__builtin_expect(desc->tag | (uintptr_t)desc->group | desc->synchronous, 0))
		return desc->synchronous ? submit_and_wait(rt, desc) : xy__submit_into_group(rt, desc);
	agent = xy__submit_enter(rt);
	error = submit_new(desc, agent);
	xy__agent_leave(agent);
	if (__builtin_expect(rt->engine->submitted && !error, 0))
		rt->engine->submitted(rt);
	return error ? xy__submit_refuse(rt, desc, error) : 0;
}

/* Whether a description has nothing but a codelet, handles, an argument and a priority. */
static inline bool desc_is_plain(const struct xy_task_desc *desc)
{
	uint64_t length, deadline, counts; /* their bits: 0 is 0 */

	memcpy(&length, &desc->length_us, sizeof length);
	memcpy(&deadline, &desc->deadline_s, sizeof deadline);
	memcpy(&counts, &desc->nafter, sizeof counts); /* with nworkers, which follows */
	_Static_assert(offsetof(struct xy_task_desc, nworkers) == offsetof(struct xy_task_desc, nafter) + 4,
		       "in a row");
	return !((uintptr_t)desc->accesses | desc->arg_size | desc->retries | (uintptr_t)desc->name |
		 (uintptr_t)desc->callback | counts | (uintptr_t)desc->group | desc->tag | length | desc->choice |
		 desc->synchronous | (uintptr_t)desc->sched_data | deadline | (uintptr_t)desc->context |
		 desc->range.stop);
}

/* Submits a task as described but for its handles, whatever these are. NULL: it can't be, and is gone. */
static __attribute__((noinline)) struct xy_task *submit_handles(struct xy_task *task, const struct xy_task_desc *desc,
								struct xy__agent *agent, int *error)
{
	if (xy__task_take_handles(task, desc, agent->runtime)) {
		xy__task_unbuild(task, agent);
		return NULL;
	}
	*error = xy__submit_built(task, true, agent);
	return task;
}

/* Submits a plain description. What keeps it from that is found and said in submit_any, which begins anew. */
static inline __attribute__((always_inline)) int submit_plain(struct xy_runtime *rt, const struct xy_task_desc *desc,
							      bool accesses)
{
	const struct xy_codelet *codelet = desc->codelet;
	unsigned archs = codelet ? xy__codelet_plain_archs(codelet, rt) : 0;
	struct xy__agent *agent = archs ? xy__submit_enter_plainly(rt) : NULL;
	struct xy_task *task = agent ? xy__task_plain(codelet, archs, desc->arg, desc->priority, agent) : NULL;
	int error = 0, count;

	if (!agent)
		return submit_any(rt, desc);
	if (task && accesses) {
		if (xy__deps_take_plainly(task, desc, rt, &count))
			xy__submit_registered(rt, task, count, agent);
		else
			task = submit_handles(task, desc, agent, &error);
	} else if (task && codelet->modes[0]) {
		xy__task_unbuild(task, agent);
		task = NULL;
	} else if (task) {
		xy__submit_alone(rt, task, agent);
	}
	xy__agent_leave_outermost(agent);
	if (!task)
		return submit_any(rt, desc);
	return error ? xy__submit_refuse(rt, desc, error) : 0;
}

static __attribute__((noinline)) int submit_alone(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	return submit_plain(rt, desc, false);
}

static __attribute__((noinline)) int submit_accessing(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	return submit_plain(rt, desc, true);
}

int xy_submit(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	if (!rt || !desc || !desc_is_plain(desc))
		return submit_any(rt, desc);
	return desc->handles[0] ? submit_accessing(rt, desc) : submit_alone(rt, desc);
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
	xy__lock_take(&rt->cycles_lock);
	error = task_submit_locked(task, &count, agent);
	if (!error && task->extra && task->extra->group)
		xy__group_enter(task->extra->group);
	xy__lock_drop(&rt->cycles_lock);
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

void xy_task_release(struct xy_task *task)
{
	struct xy__agent *agent;

	if (!task || xy__fork_is_child(task->pool->runtime))
		return;
	agent = xy__agent_enter(task->pool->runtime);
	if (atomic_load(&task->state) == XY__TASK_CREATED)
		xy__submit_abandon(task, agent);
	else
		xy__task_unref(task, agent);
	xy__agent_leave(agent);
}
