/* SPDX-License-Identifier: MIT */
/*
 * Questions to components that may never answer, because a lock is stuck: each is asked by a thread of its own, which
 * is left behind when it takes too long.
 */
#ifndef XYLEM_CORE_RUNTIME_PROBE_H
#define XYLEM_CORE_RUNTIME_PROBE_H

#include <stdio.h>
#include "core/runtime/runtime.h"

/*
 * Writes what `ask` writes to its stream to `out`, which may be NULL if that is nothing. -ETIMEDOUT: there is no answer
 * within the time; another error: there is no thread or memory to ask. `subject` must live as long as the tree.
 */
int xy__probe(struct xy_runtime *rt, void (*ask)(struct xy_runtime *rt, void *subject, FILE *out), void *subject,
	      double seconds, FILE *out);
/* Waits for threads left behind; false if some still wait for an answer: the tree can't be freed. */
bool xy__probe_settle(struct xy_runtime *rt, double seconds);

#endif
