/* SPDX-License-Identifier: MIT */
/*
 * The list of those who wait for an event: anybody adds until it happens, one closes it once. After
 * that nobody can be added, and who tries learns that the event is past. The member `next` is atomic,
 * but always relaxed, for those who look at lists without taking part (the dump). A checker may define
 * XY__EDGE and XY__EDGE_CLOSED, a node's type of its own and a value that is no node.
 */
#ifndef XYLEM_CORE_LOCKFREE_SUCCESSORS_H
#define XYLEM_CORE_LOCKFREE_SUCCESSORS_H

#ifndef XY__EDGE
#include "core/task.h"
#define XY__EDGE struct xy__edge
#define XY__EDGE_CLOSED XY__CLOSED
#endif

/* False: the list is closed, and everything before its closing is visible. */
static inline bool xy__successors_add(_Atomic(XY__EDGE *) *list, XY__EDGE *edge)
{
	/* acquire: pairs with the release half of the exchange in close, when closed */
	XY__EDGE *head = atomic_load_explicit(list, memory_order_acquire);

	do {
		if (head == XY__EDGE_CLOSED)
			return false;
		atomic_store_explicit(&edge->next, head, memory_order_relaxed);
		/* release: pairs with the acquire half of the exchange in close */
	} while (!atomic_compare_exchange_weak_explicit(list, &head, edge, memory_order_release,
							memory_order_acquire));
	return true;
}

/* Closes the list and returns its members in the order in which they were added. */
static inline XY__EDGE *xy__successors_close(_Atomic(XY__EDGE *) *list)
{
	XY__EDGE *edge = atomic_exchange_explicit(list, XY__EDGE_CLOSED, memory_order_acq_rel);
	XY__EDGE *reversed = (XY__EDGE *)0;

	while (edge) {
		XY__EDGE *next = atomic_load_explicit(&edge->next, memory_order_relaxed);

		atomic_store_explicit(&edge->next, reversed, memory_order_relaxed);
		reversed = edge;
		edge = next;
	}
	return reversed;
}

#endif
