/* SPDX-License-Identifier: MIT */
/* Who is stuck: what can be said from outside about agents that do not come out of a component. */
#ifndef XYLEM_CORE_RUNTIME_STUCK_H
#define XYLEM_CORE_RUNTIME_STUCK_H

#include "core/runtime/agent.h"

struct xy__message;

enum { XY__STUCK_NOBODY = -2 };

/* The worker that holds the lock for which callers of a component sleep, -1 for a thread of the application,
 * XY__STUCK_NOBODY if none sleeps or the lock is free. */
int xy__stuck_holder(struct xy_component *c);

/* Adds why an agent has not left the runtime for long: the worker and the component that keep it, as far as known. */
void xy__stuck_explain(struct xy_runtime *rt, const struct xy__agent *agent, struct xy__message *message);

#endif
