/* SPDX-License-Identifier: MIT */
/*
 * A lock-free stack of chains of tasks: any thread pushes, one takes everything. There is no pop of one node, hence no
 * ABA. A checker may define XY__NODE, its own type with a plain member `next`.
 */
#ifndef XYLEM_CORE_LOCKFREE_STACK_H
#define XYLEM_CORE_LOCKFREE_STACK_H

#ifndef XY__NODE
#include "core/task/task.h"
#define XY__NODE struct xy_task
#endif

/* Pushes the nodes from first to last, linked by next. */
static inline void xy__stack_push(_Atomic(XY__NODE *) *stack, XY__NODE *first, XY__NODE *last)
{
	XY__NODE *head = atomic_load_explicit(stack, memory_order_relaxed);

	do {
		last->next = head;
		/* release: pairs with the acquire in xy__stack_take */
	} while (!atomic_compare_exchange_weak_explicit(stack, &head, first, memory_order_release,
							memory_order_relaxed));
}

/* Everything that was pushed, the last first, linked by next; NULL when empty. */
static inline XY__NODE *xy__stack_take(_Atomic(XY__NODE *) *stack)
{
	if (!atomic_load_explicit(stack, memory_order_relaxed))
		return (XY__NODE *)0;
	/* acquire: pairs with the release in xy__stack_push */
	return atomic_exchange_explicit(stack, (XY__NODE *)0, memory_order_acquire);
}

#endif
