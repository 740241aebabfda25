/* SPDX-License-Identifier: MIT */
/*
 * What is told about tasks on their way: to the program's observer (struct xy_watch) and to the hooks of components.
 * rt->notes says whether anybody listens, so that a task nobody asks about costs one test at each place. It also has
 * the other reasons for which a submission takes the long way, so that all of them together cost one test.
 *
 * Hooks are called by agents, so none runs while the trees are exchanged: see halt.h.
 */
#ifndef XYLEM_CORE_RUNTIME_NOTES_H
#define XYLEM_CORE_RUNTIME_NOTES_H

#include "core/runtime/worker.h"

/* Makes the hooks of all trees heard; at start, and while the runtime is halted. */
void xy__notes_listen(struct xy_runtime *rt);
/* The runtime stops: no further task is accepted. */
void xy__notes_stop(struct xy_runtime *rt);

/* A task was submitted that no other thread knows yet; a task is ready. Called if rt->notes says so. */
void xy__notes_submitted(struct xy__agent *agent, struct xy_task *task);
void xy__notes_ready(struct xy_runtime *rt, const struct xy_task *task);

/* A worker has taken a task, at run->begin_s; fills in the rest of *run.
 * For timed runtimes, like the next two. */
void xy__notes_started(struct xy__worker *worker, const struct xy_task *task, struct xy__run *run);
/* It is done with the task. */
void xy__notes_ended(struct xy__worker *worker, const struct xy_task *task, int status, const struct xy__run *run);
/* It took a task and does not run it: the task was cancelled (-ECANCELED), or goes back (-EAGAIN). Only hooks hear. */
void xy__notes_unused(struct xy__worker *worker, const struct xy_task *task, int status, unsigned epoch);

/* Counts a task that the agent submits and that no other thread knows yet, and tells listeners. */
static inline void xy__notes_count(struct xy__agent *agent, struct xy_task *task)
{
	/* relaxed: a hint; see xy__notes_listen. What a nested task submits comes after it was built. */
	if (__builtin_expect(atomic_load_explicit(&agent->runtime->notes, memory_order_relaxed) &
				     (XY__NOTES_SUBMITTED | XY__NOTES_CHILDREN),
			     0))
		xy__notes_submitted(agent, task);
	xy__agent_add(&agent->submitted);
}

#endif
