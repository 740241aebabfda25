/* SPDX-License-Identifier: MIT */
/*
 * The list of waiters for an event: any thread adds until the event happens, and one thread closes it once. After
 * that, adding fails, which tells the caller that the event is past. The memory of a list is reused for other events:
 * its head contains a tag, and adding for an event with another tag fails too, even if the list is reused
 * concurrently. The member `next` is atomic, but always relaxed, for readers that don't take part (the dump). A
 * checker may define XY__EDGE, its own node type.
 */
#ifndef XYLEM_CORE_LOCKFREE_SUCCESSORS_H
#define XYLEM_CORE_LOCKFREE_SUCCESSORS_H

#ifndef XY__EDGE
#include "core/task/task.h"
#define XY__EDGE struct xy__edge
#endif

/* A head: the newest edge, or 0, or 1 when closed, below; the tag in the highest 16 bits. User addresses
 * have 47 or 48 bits. */
#define XY__HEAD_CLOSED ((uint64_t)1)
#define XY__HEAD_EDGE (((uint64_t)1 << 48) - 1)

static inline uint64_t xy__head_tag(uint32_t generation)
{
	return (uint64_t)generation << 48;
}

static inline XY__EDGE *xy__head_edge(uint64_t head)
{
	return (XY__EDGE *)(uintptr_t)(head & XY__HEAD_EDGE & ~XY__HEAD_CLOSED);
}

static inline bool xy__head_is_open(uint64_t head, uint32_t generation)
{
	return ((head ^ xy__head_tag(generation)) & (~XY__HEAD_EDGE | XY__HEAD_CLOSED)) == 0;
}

/* Adds to the list of the event with this generation. False: it is past, and everything before it is
 * visible. */
static inline bool xy__successors_add(_Atomic(uint64_t) *list, XY__EDGE *edge, uint32_t generation)
{
	/* acquire: pairs with the release half of the exchange in close, when closed */
	uint64_t head = atomic_load_explicit(list, memory_order_acquire);

	do {
		if (!xy__head_is_open(head, generation))
			return false;
		atomic_store_explicit(&edge->next, xy__head_edge(head), memory_order_relaxed);
		/* release: pairs with the acquire half of the exchange in close */
	} while (!atomic_compare_exchange_weak_explicit(list, &head,
							(uint64_t)(uintptr_t)edge | xy__head_tag(generation),
							memory_order_release, memory_order_acquire));
	return true;
}

/* xy__successors_add for a caller that has just read the head, with acquire, and knows that it has the tag. */
static inline bool xy__successors_add_to(_Atomic(uint64_t) *list, uint64_t head, XY__EDGE *edge, uint32_t generation)
{
	uint64_t newest = head & XY__HEAD_EDGE;

	if (head & XY__HEAD_CLOSED)
		return false;
	atomic_store_explicit(&edge->next, (XY__EDGE *)(uintptr_t)newest, memory_order_relaxed);
	/* release: as in xy__successors_add; relaxed: which reads it again */
	if (atomic_compare_exchange_strong_explicit(list, &head, (head ^ newest) | (uint64_t)(uintptr_t)edge,
						    memory_order_release, memory_order_relaxed))
		return true;
	return xy__successors_add(list, edge, generation);
}

/* Closes the list and returns its members in the order in which they were added. */
static inline XY__EDGE *xy__successors_close(_Atomic(uint64_t) *list, uint32_t generation)
{
	XY__EDGE *edge = xy__head_edge(
		atomic_exchange_explicit(list, xy__head_tag(generation) | XY__HEAD_CLOSED, memory_order_acq_rel));
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
