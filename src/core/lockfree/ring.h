/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue: any number of producers, one consumer at a time (ensured by the caller's lock). Each slot records
 * which item it holds; only producers write slots, so they never wait for one that the consumer has. A checker may
 * define XY__ITEM, its own item type, and XY__RING_ALIGN, which keeps the ends apart.
 */
#ifndef XYLEM_CORE_LOCKFREE_RING_H
#define XYLEM_CORE_LOCKFREE_RING_H

#ifndef XY__ITEM
#include "core/task/task.h"
#define XY__ITEM struct xy_task
#define XY__RING_ALIGN alignas(128)
#endif

struct xy__ring_slot {
	_Atomic(size_t) turn; /* position + 1 of the item that it holds or held last */
	_Atomic(XY__ITEM *) item;
};

struct xy__ring {
	XY__RING_ALIGN struct xy__ring_slot *slots; /* constant: apart from what either side writes */
	size_t mask;                                /* number of slots, a power of two, less one */
	XY__RING_ALIGN _Atomic(size_t) tail;        /* next position to write: producers */
	_Atomic(size_t) free_until;                 /* positions before this one may be written: producers */
	XY__RING_ALIGN _Atomic(size_t) head;        /* next position to read: the consumer */
};

static inline void xy__ring_init(struct xy__ring *ring, struct xy__ring_slot *slots, size_t count)
{
	ring->slots = slots;
	ring->mask = count - 1;
	atomic_store_explicit(&ring->tail, (size_t)0, memory_order_relaxed);
	atomic_store_explicit(&ring->free_until, count, memory_order_relaxed);
	atomic_store_explicit(&ring->head, (size_t)0, memory_order_relaxed);
	for (size_t i = 0; i < count; i++)
		atomic_store_explicit(&slots[i].turn, (size_t)0, memory_order_relaxed);
}

/* Whether a position may be written. Reads the consumer's cache line only once per round. */
static inline bool xy__ring_is_free(struct xy__ring *ring, size_t position)
{
	size_t until;

	/* acquire: pairs with the release below, of another producer */
	if ((ptrdiff_t)(position - atomic_load_explicit(&ring->free_until, memory_order_acquire)) < 0)
		return true;
	/* acquire: pairs with the release in take */
	until = atomic_load_explicit(&ring->head, memory_order_acquire) + ring->mask + 1;
	atomic_store_explicit(&ring->free_until, until, memory_order_release);
	return (ptrdiff_t)(position - until) < 0;
}

/* False: the ring is full. */
static inline bool xy__ring_put(struct xy__ring *ring, XY__ITEM *item)
{
	size_t position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	struct xy__ring_slot *slot;

	do {
		if (!xy__ring_is_free(ring, position))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&ring->tail, &position, position + 1, memory_order_relaxed,
							memory_order_relaxed));
	slot = &ring->slots[position & ring->mask];
	atomic_store_explicit(&slot->item, item, memory_order_relaxed);
	/* release: pairs with the acquire in take */
	atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
	return true;
}

/* For a consumer that takes several items at once: the position of the oldest one, ... */
static inline size_t xy__ring_head(struct xy__ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_relaxed);
}

/* ... the item at a position, NULL if there is none yet, ... */
static inline XY__ITEM *xy__ring_look(struct xy__ring *ring, size_t position)
{
	struct xy__ring_slot *slot = &ring->slots[position & ring->mask];

	/* acquire: pairs with the release in put */
	if (atomic_load_explicit(&slot->turn, memory_order_acquire) != position + 1)
		return (XY__ITEM *)0;
	return atomic_load_explicit(&slot->item, memory_order_relaxed);
}

/* ... and the position up to which they are taken. */
static inline void xy__ring_took(struct xy__ring *ring, size_t position)
{
	/* release: pairs with the acquire in xy__ring_is_free: the items were read before they are overwritten */
	atomic_store_explicit(&ring->head, position, memory_order_release);
}

/* The oldest item, NULL if empty. One consumer at a time. */
static inline XY__ITEM *xy__ring_take(struct xy__ring *ring)
{
	size_t position = xy__ring_head(ring);
	XY__ITEM *item = xy__ring_look(ring, position);

	if (item)
		xy__ring_took(ring, position + 1);
	return item;
}

/* Whether there is an item, from any thread; may be out of date at once. */
static inline bool xy__ring_has(struct xy__ring *ring)
{
	size_t position = atomic_load_explicit(&ring->head, memory_order_relaxed);

	return atomic_load_explicit(&ring->slots[position & ring->mask].turn, memory_order_relaxed) == position + 1;
}

#endif
