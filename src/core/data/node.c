/* SPDX-License-Identifier: MIT */
/*
 * Memory of a node. Freed memory is kept for the next copy of the same size. When none is left, copies are evicted: see
 * node_evict.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/host.h"
#include "core/data/node.h"
#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

/* --- memory from the driver --- */

/* Main memory for copies of the runtime is pinned like that of its handles. */
static int node_fresh(struct xy__node *node, size_t bytes, void **memory)
{
	if (node->id != XY__RAM)
		return node->driver->allocate(node->device, bytes, memory);
	*memory = xy__host_block(node->memory, bytes);
	return *memory ? 0 : -ENOMEM;
}

static void node_return(struct xy__node *node, void *memory)
{
	if (node->id != XY__RAM)
		node->driver->free(node->device, memory);
	else if (!xy__host_free(node->memory, memory))
		free(memory);
}

/* Whether so many bytes more are beyond the limit. What the application holds is its own. The node is locked. */
static bool node_is_full(const struct xy__node *node, size_t bytes)
{
	return bytes > node->limit || node->used - node->held > node->limit - bytes;
}

/* --- unused chunks --- */

static struct xy__chunk **cache_list(struct xy__node *node, size_t bytes)
{
	return &node->cache[(bytes * 0x9e3779b97f4a7c15u >> 32) % XY__CACHE_LISTS];
}

/* A chunk of exactly this size, NULL without one. */
static void *cache_take(struct xy__node *node, size_t bytes)
{
	for (struct xy__chunk **link = cache_list(node, bytes); *link; link = &(*link)->next) {
		struct xy__chunk *chunk = *link;
		void *memory = chunk->memory;

		if (chunk->bytes != bytes)
			continue;
		*link = chunk->next;
		node->cached -= bytes;
		free(chunk);
		return memory;
	}
	return NULL;
}

void xy__node_give(struct xy__node *node, void *memory, size_t bytes)
{
	/* A disk has a list of its own, and may not want to use it again. */
	struct xy__chunk *chunk = node->disk ? NULL : malloc(sizeof *chunk);

	xy__lock_take(&node->lock);
	xy__node_change(node);
	if (chunk) {
		struct xy__chunk **list = cache_list(node, bytes);

		*chunk = (struct xy__chunk){ *list, memory, bytes };
		*list = chunk;
		node->cached += bytes;
	} else {
		node->used -= bytes;
	}
	xy__lock_drop(&node->lock);
	if (!chunk)
		node_return(node, memory);
}

bool xy__node_flush(struct xy__node *node, size_t bytes)
{
	struct xy__chunk *flushed = NULL;
	bool any;

	xy__lock_take(&node->lock);
	for (unsigned i = 0; i < XY__CACHE_LISTS; i++)
		while (node->cache[i] && (!flushed || node_is_full(node, bytes))) {
			struct xy__chunk *chunk = node->cache[i];

			node->cache[i] = chunk->next;
			node->cached -= chunk->bytes;
			node->used -= chunk->bytes;
			chunk->next = flushed;
			flushed = chunk;
		}
	xy__lock_drop(&node->lock);
	any = flushed != NULL;
	while (flushed) {
		struct xy__chunk *next = flushed->next;

		node_return(node, flushed->memory);
		free(flushed);
		flushed = next;
	}
	if (any)
		xy__node_change(node); /* the device may have refused an allocation before it got that back */
	return any;
}

/* --- memory of a node --- */

static void node_note_most(struct xy__node *node)
{
	uint64_t most = node->used - node->cached;

	if (most > atomic_load_explicit(&node->used_most, memory_order_relaxed))
		atomic_store_explicit(&node->used_most, most, memory_order_relaxed);
}

/* Whether a task has waited long for memory, so that no other takes any without need. */
static bool node_is_starved(struct xy__node *node)
{
	bool starved;

	xy__lock_take(&node->lock);
	starved = node->starving;
	xy__lock_drop(&node->lock);
	return starved;
}

static int node_allocate(struct xy__node *node, size_t bytes, void **memory, bool beyond)
{
	int error;

	xy__lock_take(&node->lock);
	*memory = cache_take(node, bytes);
	if (*memory || (!beyond && node_is_full(node, bytes))) {
		node_note_most(node);
		xy__lock_drop(&node->lock);
		return *memory ? 0 : -ENOMEM;
	}
	node->used += bytes;
	xy__lock_drop(&node->lock);
	error = node_fresh(node, bytes, memory);
	xy__lock_take(&node->lock);
	if (error)
		node->used -= bytes;
	node_note_most(node);
	xy__lock_drop(&node->lock);
	return error;
}

int xy__node_take(struct xy__node *node, size_t bytes, void **memory, enum xy__effort effort, struct xy__agent *agent)
{
	int error;

	if (effort == XY__EFFORT_IDLE && node_is_starved(node))
		return -EAGAIN;
	do {
		if (xy__node_is_lost(&agent->runtime->memory, node->id))
			return -ENODEV;
		error = node_allocate(node, bytes, memory, false);
		if (error == -ENODEV)
			xy__node_lose(agent->runtime, node->id);
		if (error != -ENOMEM)
			return error;
	} while (xy__node_make_room(node, bytes, effort, agent));
	return effort == XY__EFFORT_BEYOND ? node_allocate(node, bytes, memory, true) : -EAGAIN;
}

/* --- waiting for room --- */

bool xy__node_await_room(struct xy__node *node, struct xy__await *await)
{
	bool waits;

	xy__lock_take(&node->lock);
	/* After a transfer that ends now, its thread takes the list: see xy__node_tell. */
	waits = atomic_load(&node->busy);
	if (waits) {
		await->next = node->rooms;
		node->rooms = await;
	}
	xy__lock_drop(&node->lock);
	return waits;
}

void xy__node_tell(struct xy__node *node, struct xy__agent *agent)
{
	struct xy__await *awaits;

	xy__lock_take(&node->lock);
	awaits = node->rooms;
	node->rooms = NULL;
	xy__lock_drop(&node->lock);
	while (awaits) {
		struct xy__await *next = awaits->next;

		awaits->told(awaits, agent);
		awaits = next;
	}
}

void xy__node_saved(struct xy__node *node, int error)
{
	atomic_store(&node->save_error, error);
}

/* --- failure --- */

void xy__node_lose(struct xy_runtime *rt, unsigned node)
{
	unsigned dead;
	const char *why = rt->memory.nodes[node].driver->explain();

	if (atomic_fetch_or(&rt->memory.lost, xy__bit(node)) & xy__bit(node))
		return;
	atomic_store(&rt->workers_differ, true);
	/* One after the other, and counted when it is complete: a task that is sent away meanwhile may come here. */
	dead = atomic_fetch_add(&rt->deaths.begun, 1) + 1;
	while (atomic_load(&rt->deaths.count) != dead - 1)
		xy__pause();
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (rt->workers[i].node == node)
			atomic_store(&rt->deaths.of[i], (uint8_t)dead);
	atomic_fetch_or(&rt->notes, XY__NOTES_LOST);
	atomic_store(&rt->deaths.count, dead);
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (rt->workers[i].node == node)
			rt->main.engine.wake(&rt->main.engine, i); /* to send away what waits for it */
	xy__log(&rt->settings.log, "%s is lost and no longer used%s%s", rt->memory.nodes[node].name, *why ? ": " : "",
		why);
}

void xy__blame_set(struct xy_handle *h, int status, const struct xy_driver *driver)
{
	struct xy__blame *blame = &h->runtime->memory.blame;

	xy__lock_take(&blame->lock);
	blame->handle = h;
	blame->status = status;
	snprintf(blame->words, sizeof blame->words, "%s", driver->explain());
	xy__lock_drop(&blame->lock);
}

void xy__blame_get(struct xy_handle *h, int status, char *text, size_t size)
{
	struct xy__blame *blame = &h->runtime->memory.blame;
	bool known;

	xy__lock_take(&blame->lock);
	known = blame->handle == h && blame->status == status && *blame->words;
	snprintf(text, size, "%s", known ? blame->words : strerror(-status));
	xy__lock_drop(&blame->lock);
}

int xy_node_stats(const struct xy_runtime *rt, unsigned node, struct xy_node_stats *stats)
{
	struct xy__node *n;

	if (!rt || !stats || node >= xy_machine_nnodes(rt->machine)) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_node_stats: no %s",
			!rt      ? "runtime"
			: !stats ? "output pointer"
				 : "such memory node");
		return -EINVAL;
	}
	*stats = (struct xy_node_stats){ .lost = xy__node_is_lost(&rt->memory, node) };
	if (node >= rt->memory.nnodes)
		return 0;
	n = &rt->memory.nodes[node];
	stats->bytes_in = atomic_load(&n->bytes_in);
	stats->bytes_out = atomic_load(&n->bytes_out);
	stats->transfers = atomic_load(&n->transfers_in);
	stats->evictions = atomic_load(&n->evictions);
	stats->writebacks = atomic_load(&n->writebacks);
	stats->most_bytes = atomic_load(&n->used_most);
	stats->limit_bytes = n->limit == SIZE_MAX ? 0 : n->limit;
	xy__lock_take(&n->lock);
	stats->used_bytes = n->used - n->cached;
	xy__lock_drop(&n->lock);
	return 0;
}
