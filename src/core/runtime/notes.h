/* SPDX-License-Identifier: MIT */
/*
 * What is told about tasks on their way: to the program's observer (struct xy_watch) and to the hooks of components.
 * rt->notes says whether anybody listens, so that a task nobody asks about costs one test at each place.
 *
 * A policy swap goes like this: xy__notes_detach, replace rt->tree, xy__notes_attach. While hooks are called the tree
 * must not be destroyed: hold a swap off as for the verbs.
 */
#ifndef XYLEM_CORE_RUNTIME_NOTES_H
#define XYLEM_CORE_RUNTIME_NOTES_H

#include "core/runtime/worker.h"

/*
 * Makes the hooks of rt->tree heard, at start and after a swap; and its ticks, if the engine has started. No worker is
 * between taking a task and running it. 0, or -errno if its ticks can't be called.
 */
int xy__notes_attach(struct xy_runtime *rt);
/*
 * Before a swap: when it returns, no tick of rt->tree runs or will be called, and no task that was started before
 * will be reported to a hook as ended. The caller is not inside a tick.
 */
void xy__notes_detach(struct xy_runtime *rt);

/* A task was submitted that no other thread knows yet; it is ready. Called if rt->notes says so. */
void xy__notes_submitted(struct xy__agent *agent, struct xy_task *task);
void xy__notes_ready(struct xy_runtime *rt, const struct xy_task *task);

/* A worker has taken a task, which fills in run->begin_s and run->epoch. For timed runtimes, like the next two. */
void xy__notes_started(struct xy__worker *worker, const struct xy_task *task, struct xy__run *run);
/* It is done with the task. */
void xy__notes_ended(struct xy__worker *worker, const struct xy_task *task, int status, const struct xy__run *run);
/* It took a task and does not run it: the task was cancelled (-ECANCELED), or goes back (-EAGAIN). Only hooks hear. */
void xy__notes_unused(struct xy__worker *worker, const struct xy_task *task, int status, unsigned epoch);

#endif
