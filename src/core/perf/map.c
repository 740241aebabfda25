/* SPDX-License-Identifier: MIT */
/*
 * The side of a map that adds to it. At most half of a table is in use, so that searches end.
 */
#include <stdlib.h>

#include "core/perf/map.h"

enum { MAP_FIRST = 16 };

static void map_put(struct xy__map_table *table, uint64_t key, void *value)
{
	uint64_t i = xy__map_place(key);

	while (atomic_load_explicit(&table->slots[i & table->mask].key, memory_order_relaxed))
		i++;
	table->slots[i & table->mask].value = value;
	/* release: pairs with the acquire in xy__map_find */
	atomic_store_explicit(&table->slots[i & table->mask].key, key, memory_order_release);
}

static bool map_grow(struct xy__map *map)
{
	struct xy__map_table *old = atomic_load_explicit(&map->table, memory_order_relaxed), *table;
	size_t size = old ? 2 * (size_t)(old->mask + 1) : MAP_FIRST;

	table = calloc(1, sizeof *table + size * sizeof table->slots[0]);
	if (!table)
		return false;
	table->mask = size - 1;
	table->smaller = old;
	for (size_t i = 0; old && i <= old->mask; i++) {
		uint64_t key = atomic_load_explicit(&old->slots[i].key, memory_order_relaxed);

		if (key)
			map_put(table, key, old->slots[i].value);
	}
	/* release: pairs with the acquire in xy__map_find */
	atomic_store_explicit(&map->table, table, memory_order_release);
	return true;
}

bool xy__map_add(struct xy__map *map, uint64_t key, void *value)
{
	struct xy__map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);

	if ((!table || 2 * (uint64_t)map->count >= table->mask) && !map_grow(map))
		return false;
	map_put(atomic_load_explicit(&map->table, memory_order_relaxed), key, value);
	map->count++;
	return true;
}

void xy__map_fini(struct xy__map *map)
{
	struct xy__map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);

	while (table) {
		struct xy__map_table *smaller = table->smaller;

		free(table);
		table = smaller;
	}
	atomic_store_explicit(&map->table, NULL, memory_order_relaxed);
	map->count = 0;
}

void xy__map_each(const struct xy__map *map, void (*visit)(void *arg, void *value), void *arg)
{
	struct xy__map_table *table = atomic_load_explicit(&((struct xy__map *)map)->table, memory_order_acquire);

	for (size_t i = 0; table && i <= table->mask; i++)
		if (atomic_load_explicit(&table->slots[i].key, memory_order_acquire))
			visit(arg, table->slots[i].value);
}
