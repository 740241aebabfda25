/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: which tasks a task waits for, and what happens when the last of them has ended.
 */
#ifndef XYLEM_CORE_DEPS_H
#define XYLEM_CORE_DEPS_H

#include "core/runtime.h"

/* A thread that waits for the end of a task, hung into its list of successors. Its memory is a block of
 * edges, so that whoever looks at the list finds no memory that is gone. */
struct xy__waiter {
	struct xy__edge edge;
	_Atomic int done;
	_Atomic int references;      /* the thread and the list; the last one frees it */
};
_Static_assert(sizeof(struct xy__waiter) <= sizeof(struct xy__edge_block), "a waiter is a block of edges");

void xy__waiter_unref(struct xy__waiter *waiter, struct xy__agent *agent);

/* Makes task, which is being built by the caller, wait for `before` unless that has ended. The kind is
 * 0 or XY__EDGE_ORDER (a failure does not follow). 1: waits, 0: need not; -ENOMEM. */
int xy__deps_after(struct xy_task *task, struct xy_task *before, unsigned kind, struct xy__agent *agent);

/* Registers the task's accesses with its handles, in the order of submission, and adds up what it waits for.
 * 0 with the number of predecessors in *count, -ENOMEM, -ELOOP (with mark: predecessors that carry it). */
int xy__deps_register(struct xy_task *task, uint64_t mark, int *count, struct xy__agent *agent);

/* Ends the submission of a task that waits for so many; it may run at once. */
void xy__deps_submitted(struct xy_task *task, int count, struct xy__agent *agent);

/* The task has ended with this status: tells everybody and drops the runtime's reference. Tasks that
 * follow and have nothing to run (cancelled, empty) end as well. */
void xy__deps_end(struct xy_task *task, int status, struct xy__agent *agent);

/* Gives up a task that was created and not submitted, with the caller's reference: it ends without
 * running once its predecessors have, and what waits for it is cancelled. */
void xy__task_abandon(struct xy_task *task, struct xy__agent *agent);

/* Drops a reference, frees the task with the last one. */
void xy__task_unref(struct xy_task *task, struct xy__agent *agent);

#endif
