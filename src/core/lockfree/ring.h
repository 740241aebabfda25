/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue: any number of producers, one consumer at a time (the caller's lock sees to that).
 * Each slot carries the turn at which it may be written or read next. A checker may define XY__ITEM, a
 * type of its own for what the ring holds pointers to, and XY__RING_ALIGN, which keeps the ends apart.
 */
#ifndef XYLEM_CORE_LOCKFREE_RING_H
#define XYLEM_CORE_LOCKFREE_RING_H

#ifndef XY__ITEM
#include "core/task.h"
#define XY__ITEM struct xy_task
#define XY__RING_ALIGN alignas(128)
#endif

struct xy__ring_slot {
	_Atomic(size_t) turn;      /* position: free for it; position + 1: holds it */
	_Atomic(XY__ITEM *) item;
};

struct xy__ring {
	XY__RING_ALIGN _Atomic(size_t) tail;   /* next position to write: producers */
	XY__RING_ALIGN _Atomic(size_t) head;   /* next position to read: the consumer */
	struct xy__ring_slot *slots;
	size_t mask;                           /* number of slots, a power of two, less one */
};

static inline void xy__ring_init(struct xy__ring *ring, struct xy__ring_slot *slots, size_t count)
{
	ring->slots = slots;
	ring->mask = count - 1;
	atomic_store_explicit(&ring->tail, (size_t)0, memory_order_relaxed);
	atomic_store_explicit(&ring->head, (size_t)0, memory_order_relaxed);
	for (size_t i = 0; i < count; i++)
		atomic_store_explicit(&slots[i].turn, i, memory_order_relaxed);
}

/* False: the ring is full. */
static inline bool xy__ring_put(struct xy__ring *ring, XY__ITEM *item)
{
	size_t position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	struct xy__ring_slot *slot;

	for (;;) {
		size_t turn;

		slot = &ring->slots[position & ring->mask];
		/* acquire: pairs with the release in take, which freed the slot */
		turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
		if (turn == position) {
			if (atomic_compare_exchange_weak_explicit(&ring->tail, &position, position + 1,
								  memory_order_relaxed,
								  memory_order_relaxed))
				break;
		} else if ((ptrdiff_t)(turn - position) < 0) {
			return false;
		} else {
			position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
		}
	}
	atomic_store_explicit(&slot->item, item, memory_order_relaxed);
	/* release: pairs with the acquire in take */
	atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
	return true;
}

/* The oldest item, NULL when there is none. One consumer at a time. */
static inline XY__ITEM *xy__ring_take(struct xy__ring *ring)
{
	size_t position = atomic_load_explicit(&ring->head, memory_order_relaxed);
	struct xy__ring_slot *slot = &ring->slots[position & ring->mask];
	XY__ITEM *item;

	/* acquire: pairs with the release in put */
	if (atomic_load_explicit(&slot->turn, memory_order_acquire) != position + 1)
		return (XY__ITEM *)0;
	item = atomic_load_explicit(&slot->item, memory_order_relaxed);
	/* release: pairs with the acquire in put of the next round */
	atomic_store_explicit(&slot->turn, position + ring->mask + 1, memory_order_release);
	atomic_store_explicit(&ring->head, position + 1, memory_order_relaxed);
	return item;
}

/* Whether there is something to take, from any thread; may be out of date at once. */
static inline bool xy__ring_has(struct xy__ring *ring)
{
	size_t position = atomic_load_explicit(&ring->head, memory_order_relaxed);

	return atomic_load_explicit(&ring->slots[position & ring->mask].turn, memory_order_relaxed) ==
	       position + 1;
}

#endif
