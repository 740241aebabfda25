/* SPDX-License-Identifier: MIT */
/* Calls of the observer and of hooks: see notes.h. */
#include "core/runtime/notes.h"

#include <errno.h>
#include "core/runtime/children.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/inbox.h"

/* --- who listens --- */

void xy__notes_listen(struct xy_runtime *rt)
{
	const struct xy_watch *watch = rt->settings.watch;
	unsigned have = 0;

	for (unsigned k = 0; k < rt->ncontexts; k++)
		have |= rt->contexts[k]->tree ? rt->contexts[k]->tree->hooks.have : 0;
	rt->notes_runs = have & (XY__HOOK_STARTED | XY__HOOK_ENDED);
	for (unsigned i = 0; i < rt->nworkers; i++)
		rt->workers[i].special = xy__runtime_is_timed(rt) || rt->workers[i].member;
	/* relaxed: a task that is submitted meanwhile may go unheard */
	atomic_fetch_and_explicit(&rt->notes, XY__NOTES_CHILDREN | XY__NOTES_LOST | XY__NOTES_STOPPING,
				  memory_order_relaxed);
	atomic_fetch_or_explicit(&rt->notes,
				 ((watch && watch->submitted) || have & XY__HOOK_SUBMITTED ? XY__NOTES_SUBMITTED : 0u) |
					 (watch && watch->ready ? XY__NOTES_READY : 0u) |
					 (rt->routed ? XY__NOTES_ROUTED : 0u) |
					 (rt->engine->submitted ? XY__NOTES_ENGINE : 0u),
				 memory_order_relaxed);
}

void xy__notes_stop(struct xy_runtime *rt)
{
	atomic_fetch_or(&rt->notes, XY__NOTES_STOPPING);
	atomic_store(&rt->stopping, true);
}

/* --- calls --- */

void xy__notes_submitted(struct xy__agent *agent, struct xy_task *task)
{
	struct xy_runtime *rt = agent->runtime;
	const struct xy_watch *watch = rt->settings.watch;
	struct xy_tree *tree;

	if (agent->parent && !(task->flags & XY__TASK_KEPT)) /* others were added with the lock of the graph held */
		xy__children_add(agent->parent, task);
	if (watch && watch->submitted)
		watch->submitted(watch->arg, task);
	tree = xy__inbox_context(rt, task)->tree;
	if (tree && tree->hooks.have & XY__HOOK_SUBMITTED && xy__task_codelet(task))
		xy__hooks_submitted(tree, task, &agent->base);
}

void xy__notes_ready(struct xy_runtime *rt, const struct xy_task *task)
{
	const struct xy_watch *watch = rt->settings.watch;

	watch->ready(watch->arg, task, xy_now(rt));
}

void xy__notes_started(struct xy__worker *worker, const struct xy_task *task, struct xy__run *run)
{
	struct xy_runtime *rt = worker->agent.runtime;

	run->epoch = worker->context->epoch;
	run->start_s = run->begin_s;
	if (rt->notes_runs && worker->context->tree)
		xy__hooks_started(worker->context->tree, task, worker->id, &worker->agent.base);
}

/* The end of a task, for the hooks that heard of its start. */
static void notes_tell(struct xy__worker *worker, const struct xy_report *report, unsigned epoch)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (rt->notes_runs && epoch == worker->context->epoch && worker->context->tree)
		xy__hooks_ended(worker->context->tree, report, &worker->agent.base);
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
	agent = xy__agent_enter(rt);
	xy__lock_take(&rt->iteration_lock);
	for (unsigned k = 0; k < rt->ncontexts; k++)
		if (rt->contexts[k]->tree && rt->contexts[k]->tree->hooks.have & XY__HOOK_ITERATION)
			xy__hooks_iteration(rt->contexts[k]->tree, number, &agent->base);
	xy__lock_drop(&rt->iteration_lock);
	xy__agent_leave(agent);
	return 0;
}
