/* SPDX-License-Identifier: MIT */
/* Threads and events that wait for the end of one task. */
#ifndef XYLEM_CORE_RUNTIME_WAITER_H
#define XYLEM_CORE_RUNTIME_WAITER_H

#include "core/runtime/agent.h"

/*
 * A thread waiting for the end of a task, in its list of successors. Its memory is a block of edges, so that readers
 * of the list never touch freed memory.
 */
struct xy__waiter {
	struct xy__edge_block *next; /* of the block, as is its owner */
	struct xy__pool *owner;
	struct xy__edge edge;
	_Atomic int done;
	_Atomic int references; /* the thread and the list; the last one frees it */
	int event;              /* (c) to be signalled and closed, beside the futex; -1: none */
};
_Static_assert(sizeof(struct xy__waiter) <= sizeof(struct xy__edge_block) &&
		       offsetof(struct xy__waiter, edge) == offsetof(struct xy__edge_block, edges),
	       "a waiter is a block of edges");

/* A waiter in the task's list, or one that is done already; its event is the caller's then. NULL without memory. */
struct xy__waiter *xy__waiter_create(struct xy_task *task, int event);
void xy__waiter_unref(struct xy__waiter *waiter, struct xy__agent *agent);

#endif
