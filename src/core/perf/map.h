/* SPDX-License-Identifier: MIT */
/*
 * Numbers to pointers. Any thread looks up without a lock; adding requires the owner's lock. Nothing is ever removed,
 * and outgrown tables stay until the end, because a reader may still use them.
 */
#ifndef XYLEM_CORE_PERF_MAP_H
#define XYLEM_CORE_PERF_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xy__map_slot {
	_Atomic uint64_t key; /* 0: free */
	void *value;          /* constant once there is a key */
};

struct xy__map_table {
	struct xy__map_table *smaller; /* the one before */
	uint64_t mask;
	struct xy__map_slot slots[];
};

struct xy__map {
	_Atomic(struct xy__map_table *) table; /* NULL: nothing there yet */
	unsigned count;                        /* owner's lock */
};

static inline uint64_t xy__map_place(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u) >> 20;
}

/* The value of a key, which is not 0; NULL if unknown. */
static inline void *xy__map_find(const struct xy__map *map, uint64_t key)
{
	/* acquire: pairs with the release in xy__map_add */
	struct xy__map_table *table = atomic_load_explicit(&((struct xy__map *)map)->table, memory_order_acquire);

	for (uint64_t i = xy__map_place(key); table; i++) {
		struct xy__map_slot *slot = &table->slots[i & table->mask];
		uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire); /* likewise */

		if (found == key)
			return slot->value;
		if (!found)
			break;
	}
	return NULL;
}

/* Adds a key that is not there. False without memory. */
bool xy__map_add(struct xy__map *map, uint64_t key, void *value);
void xy__map_fini(struct xy__map *map);
/* Calls visit for each value. */
void xy__map_each(const struct xy__map *map, void (*visit)(void *arg, void *value), void *arg);

#endif
