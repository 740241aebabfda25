/* SPDX-License-Identifier: MIT */
/* Who is stuck: what can be said from outside about agents that do not come out of a component. */
#ifndef XYLEM_CORE_RUNTIME_STUCK_H
#define XYLEM_CORE_RUNTIME_STUCK_H

#include "core/runtime/agent.h"

/* The worker that holds the lock for which callers of a component sleep, -1 for a thread of the application,
 * XY__LOCK_NOBODY if none sleeps or the lock is free; and the verb in which it was taken, NULL if not known. */
int xy__stuck_holder(struct xy_component *c, const char **verb);

/* Logs that the trees stay as they are, and why, as far as known: the agent has not left the runtime for long, or, with
 * NULL, a component has not answered. */
void xy__stuck_complain(struct xy_runtime *rt, const struct xy__agent *agent);
/* Logs why components have not answered a probe, whose error this is, and that the trees stay as they are. */
void xy__stuck_unanswered(struct xy_runtime *rt, int error);

/* Logs that the holder of a component's lock, whose word this is, will never drop it; xy_wait fails. */
void xy__stuck_abandoned(struct xy_runtime *rt, const struct xy_component *c, int word);

#endif
