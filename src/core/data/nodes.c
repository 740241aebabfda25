/* SPDX-License-Identifier: MIT */
/*
 * What applications may ask of memory nodes, and the loss of a device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/memory.h"
#include "core/runtime/runtime.h"

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
	atomic_store(&rt->deaths.count, dead);
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (rt->workers[i].node == node)
			rt->engine.wake(&rt->engine, i); /* to send away what waits for it */
	xy__log(&rt->settings.log, "%s is lost and not used any more%s%s", rt->memory.nodes[node].name,
		*why ? ": " : "", why);
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
			!rt ? "runtime" : !stats ? "place for the answer" : "such memory node");
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

const char *xy__memory_owner(struct xy_runtime *rt, const void *memory)
{
	const struct xy_driver *asked = NULL;

	for (unsigned i = 0; i < rt->memory.nnodes; i++) {
		const struct xy__node *node = &rt->memory.nodes[i];

		if (node->driver == asked || !node->driver->owns)
			continue;
		asked = node->driver;
		if (asked->owns(node->device, memory))
			return asked->name;
	}
	return NULL;
}

/* --- memory from which copies are fast --- */

/* The first device whose driver can do it; NULL if there is none. Which one is constant. */
static struct xy__node *pinning_node(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->memory.nnodes; i++)
		if (rt->memory.nodes[i].driver->host_allocate)
			return &rt->memory.nodes[i];
	return NULL;
}

void *xy_memory_allocate(struct xy_runtime *rt, size_t bytes)
{
	struct xy__node *node = rt ? pinning_node(rt) : NULL;

	if (!rt || !bytes) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_memory_allocate: no %s", rt ? "size" : "runtime");
		return NULL;
	}
	return node ? node->driver->host_allocate(node->device, bytes) : malloc(bytes);
}

void xy_memory_free(struct xy_runtime *rt, void *memory)
{
	struct xy__node *node = rt ? pinning_node(rt) : NULL;

	if (!memory)
		return;
	if (!rt)
		xy__log(NULL, "xy_memory_free: no runtime");
	else if (node)
		node->driver->host_free(node->device, memory);
	else
		free(memory);
}

static int pinning_check(struct xy_runtime *rt, const void *memory, const char *who)
{
	if (rt && memory)
		return 0;
	xy__log(rt ? &rt->settings.log : NULL, "%s: no %s", who, rt ? "memory" : "runtime");
	return -EINVAL;
}

int xy_memory_pin(struct xy_runtime *rt, void *memory, size_t bytes)
{
	struct xy__node *node = rt ? pinning_node(rt) : NULL;
	int error = pinning_check(rt, bytes ? memory : NULL, "xy_memory_pin");

	if (error)
		return error;
	return node && node->driver->host_pin ? node->driver->host_pin(node->device, memory, bytes) : -ENOTSUP;
}

int xy_memory_unpin(struct xy_runtime *rt, void *memory)
{
	struct xy__node *node = rt ? pinning_node(rt) : NULL;
	int error = pinning_check(rt, memory, "xy_memory_unpin");

	if (error)
		return error;
	if (!node || !node->driver->host_unpin)
		return -ENOTSUP;
	node->driver->host_unpin(node->device, memory);
	return 0;
}
