/* SPDX-License-Identifier: MIT */
/* Waiting for the runtime, and waking waiters. */
#ifndef XYLEM_CORE_RUNTIME_WAIT_H
#define XYLEM_CORE_RUNTIME_WAIT_H

#include "core/runtime/runtime.h"

/* Tells the waiters to look; cheap when there are none. */
void xy__wait_news(struct xy_runtime *rt);
/* Waits while too many tasks are in flight and some of them can run. */
void xy__wait_room(struct xy_runtime *rt);
/* Some tasks have ended: notifies threads that wait for room if there is some. */
void xy__wait_progress(struct xy_runtime *rt);
/* Waits until no task is left, or until nothing moves any more. */
void xy__wait_settle(struct xy_runtime *rt);
void xy__wait_fail(struct xy_runtime *rt, const struct xy_task *task, int status, const char *reason);
/* A component broke a rule, in words: the next wait fails with -EPROTO, unless a task failed before. */
void xy__wait_broken(struct xy_runtime *rt, const char *line);

#endif
