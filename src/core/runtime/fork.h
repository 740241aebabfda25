/* SPDX-License-Identifier: MIT */
/*
 * A process that fork made has the memory of a runtime, but none of its threads. This tells the two apart, at the cost
 * of one load.
 */
#ifndef XYLEM_CORE_RUNTIME_FORK_H
#define XYLEM_CORE_RUNTIME_FORK_H

#include "core/runtime/runtime.h"

/* For a runtime that works in a child, too, as it has no threads. */
void xy__fork_ignore(struct xy_runtime *rt);
/* For a runtime with threads: from now on the child is told apart. Without a kernel that can, it is not. */
void xy__fork_guard(struct xy_runtime *rt);
void xy__fork_unguard(struct xy_runtime *rt);

/* Whether the calling process is a child of the one that started the runtime. */
static inline bool xy__fork_is_child(const struct xy_runtime *rt)
{
	return !*rt->started_here;
}

/* Logs that `who` does nothing in a child; -ESHUTDOWN. */
int xy__fork_refuse(const struct xy_runtime *rt, const char *who);

#endif
