/* SPDX-License-Identifier: MIT */
/* Calls of the observer and of hooks: see notes.h. */
#include "core/runtime/notes.h"

#include <errno.h>
#include "core/runtime/children.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"

/* --- who listens --- */

static void notes_listen(struct xy_runtime *rt)
{
	const struct xy_watch *watch = rt->settings.watch;
	unsigned have = rt->tree->hooks.have;

	rt->notes_runs = have & (XY__HOOK_STARTED | XY__HOOK_ENDED);
	for (unsigned i = 0; i < rt->nworkers; i++)
		rt->workers[i].special = xy__runtime_is_timed(rt) || rt->workers[i].member;
	/* relaxed: a task that is submitted meanwhile may go unheard */
	atomic_fetch_and_explicit(&rt->notes, XY__NOTES_CHILDREN, memory_order_relaxed);
	atomic_fetch_or_explicit(&rt->notes,
				 ((watch && watch->submitted) || have & XY__HOOK_SUBMITTED ? XY__NOTES_SUBMITTED : 0u) |
					 (watch && watch->ready ? XY__NOTES_READY : 0u),
				 memory_order_relaxed);
}

int xy__notes_attach(struct xy_runtime *rt)
{
	notes_listen(rt);
	return rt->engine->ticks(rt, rt->tree->hooks.have & XY__HOOK_TICK ? rt->tree : NULL);
}

void xy__notes_detach(struct xy_runtime *rt)
{
	rt->engine->ticks(rt, NULL);
	atomic_fetch_add(&rt->epoch, 1);
}

/* --- calls --- */

void xy__notes_submitted(struct xy__agent *agent, struct xy_task *task)
{
	struct xy_runtime *rt = agent->runtime;
	const struct xy_watch *watch = rt->settings.watch;

	if (agent->parent && !(task->flags & XY__TASK_KEPT)) /* others were added with the lock of the graph held */
		xy__children_add(agent->parent, task);
	if (watch && watch->submitted)
		watch->submitted(watch->arg, task);
	if (rt->tree->hooks.have & XY__HOOK_SUBMITTED && xy__task_codelet(task))
		xy__hooks_submitted(rt->tree, task, &agent->base);
}

void xy__notes_ready(struct xy_runtime *rt, const struct xy_task *task)
{
	const struct xy_watch *watch = rt->settings.watch;

	watch->ready(watch->arg, task, xy_now(rt));
}

void xy__notes_started(struct xy__worker *worker, const struct xy_task *task, struct xy__run *run)
{
	struct xy_runtime *rt = worker->agent.runtime;

	run->epoch = atomic_load(&rt->epoch);
	run->begin_s = run->start_s = xy_now(rt);
	if (rt->notes_runs)
		xy__hooks_started(rt->tree, task, worker->id, &worker->agent.base);
}

/* The end of a task, for the hooks that heard of its start. */
static void notes_tell(struct xy__worker *worker, const struct xy_report *report, unsigned epoch)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (rt->notes_runs && epoch == atomic_load(&rt->epoch))
		xy__hooks_ended(rt->tree, report, &worker->agent.base);
}

void xy__notes_ended(struct xy__worker *worker, const struct xy_task *task, int status, const struct xy__run *run)
{
	const struct xy_watch *watch = worker->agent.runtime->settings.watch;
	const struct xy_report report = { .task = task,
					  .worker = worker->id,
					  .implementation = task->implementation,
					  .status = status,
					  .begin_s = run->begin_s,
					  .start_s = run->start_s,
					  .end_s = run->end_s };

	notes_tell(worker, &report, run->epoch);
	if (watch && watch->ended)
		watch->ended(watch->arg, &report);
}

void xy__notes_unused(struct xy__worker *worker, const struct xy_task *task, int status, unsigned epoch)
{
	double now_s = xy_now(worker->agent.runtime);
	const struct xy_report report = {
		.task = task, .worker = worker->id, .status = status, .begin_s = now_s, .start_s = now_s, .end_s = now_s
	};

	notes_tell(worker, &report, epoch);
}

int xy_iteration(struct xy_runtime *rt, uint64_t number)
{
	struct xy__agent *agent;

	if (!rt) {
		xy__log(NULL, "xy_iteration: no runtime (stopped, or never started)");
		return -EINVAL;
	}
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_iteration");
	if (!(rt->tree->hooks.have & XY__HOOK_ITERATION))
		return 0;
	agent = xy__agent_enter(rt);
	xy__lock_take(&rt->iteration_lock);
	xy__hooks_iteration(rt->tree, number, &agent->base);
	xy__lock_drop(&rt->iteration_lock);
	xy__agent_leave(agent);
	return 0;
}
