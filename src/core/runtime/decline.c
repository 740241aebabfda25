/* SPDX-License-Identifier: MIT */
/*
 * Tasks that a device declines. The nodes that have declined a task, and those that have passed it on untried, are in
 * the task, so that it visits each of them once. When only the latter are left, they have to try.
 */
#include "core/runtime/decline.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/runtime/runtime.h"
#include "core/runtime/task_build.h"

enum { DECLINES_MANY = 3 };
static const double pause_shortest_s = 0.1, pause_longest_s = 10;

static bool decline_has_other(struct xy_task *task, struct xy_runtime *rt)
{
	task->constrained = true;
	/* relaxed: a worker that finds the task in a queue, or is woken for it, sees this too */
	atomic_store_explicit(&rt->workers_differ, true, memory_order_relaxed);
	return xy__task_can_run_alive(task);
}

/* The reasons so far, and this one. They are only text: without memory the message is shorter. */
static void decline_note(struct xy__task_extra *extra, const char *reason)
{
	char *all = NULL;

	if (asprintf(&all, "%s%s%s", extra->reasons ? extra->reasons : "", extra->reasons ? "; " : "", reason) < 0)
		return;
	free(extra->reasons);
	extra->reasons = all;
}

void xy__task_undecline(struct xy_task *task)
{
	struct xy__task_extra *extra = task->extra;

	if (!extra)
		return;
	extra->declined = extra->passed = 0;
	extra->insists = false;
	free(extra->reasons);
	extra->reasons = NULL;
}

bool xy__decline_insist(struct xy_task *task, struct xy_runtime *rt)
{
	if (!task->extra || !task->extra->passed)
		return false;
	task->extra->passed = 0;
	task->extra->insists = true;
	return decline_has_other(task, rt);
}

bool xy__decline(struct xy__worker *worker, struct xy_task *task, const char *reason, char *text, size_t size)
{
	struct xy__task_extra *extra = xy__task_extra(task);

	snprintf(text, size, "%s", reason);
	if (!extra)
		return false;
	decline_note(extra, reason);
	extra->declined |= xy__bit(worker->node);
	if (decline_has_other(task, worker->agent.runtime))
		return true;
	if (xy__decline_insist(task, worker->agent.runtime))
		return true;
	if (extra->reasons)
		snprintf(text, size, "%s", extra->reasons);
	xy__task_undecline(task); /* a task with retries begins anew */
	return false;
}

void xy__declines_add(struct xy__declines *declines, struct xy__worker *worker, const char *reason)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (++declines->streak < DECLINES_MANY)
		return;
	if (!declines->pause_s)
		declines->pause_s = pause_shortest_s;
	declines->until_s = xy_now(rt) + declines->pause_s;
	declines->pause_s = declines->pause_s * 2 < pause_longest_s ? declines->pause_s * 2 : pause_longest_s;
	if (!declines->told)
		xy__log(&rt->settings.log,
			"%s is avoided for a while: it could not run %u tasks in a row, the last: %s",
			xy_machine_worker(rt->machine, worker->id)->name, declines->streak, reason);
	declines->told = true;
}

bool xy__declines_pause(const struct xy__declines *declines, const struct xy_runtime *rt)
{
	return declines->until_s > 0 && xy_now(rt) < declines->until_s;
}

bool xy__declines_avoid(struct xy__declines *declines, struct xy__worker *worker, struct xy_task *task)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy__task_extra *extra;

	if (!xy__declines_pause(declines, rt))
		return false;
	extra = xy__task_extra(task);
	if (!extra || extra->insists)
		return false;
	extra->passed |= xy__bit(worker->node);
	if (decline_has_other(task, rt))
		return true;
	extra->passed &= ~xy__bit(worker->node);
	return false;
}
