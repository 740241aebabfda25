/* SPDX-License-Identifier: MIT */
/*
 * Memory of a node, and making room for more. Freed memory is kept for the next copy of the same size. When none is
 * left, copies are evicted in this order: those valid elsewhere that no queued task needs, the oldest first; then
 * those that must first be saved, in RAM or, from there, on disk; then those that queued tasks need.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/channel.h"
#include "core/data/host.h"
#include "core/data/lend.h"
#include "core/data/node.h"
#include "core/data/transfer.h"
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

/* --- eviction --- */

/* Where a copy is saved, as far as there is one: that of RAM on disk, others in RAM. */
static const struct xy__copy *evict_target(const struct xy__copy *copy)
{
	const struct xy__copies *copies = copy->handle->copies;

	return copy->node == XY__RAM ? copies->on[copy->handle->runtime->memory.disk] : &copies->ram;
}

/* Whether something is written there now, or arrives. */
static bool evict_target_is_busy(const struct xy__copy *copy)
{
	const struct xy__copy *target = evict_target(copy);

	return target && (target->pins || target->incoming);
}

/* Whether a copy may be evicted, without saving it (level 0 and 2) or after (1 and 3). Its handle is locked. */
static bool evict_allows(const struct xy__copy *copy, unsigned level)
{
	const struct xy__memory *memory = &copy->handle->runtime->memory;
	const struct xy__copies *copies = copy->handle->copies;
	uint64_t valid = atomic_load_explicit(&copy->handle->valid, memory_order_relaxed), mine = xy__bit(copy->node);
	bool clean = copy->scratch || !(valid & mine) || (valid & ~mine & ~memory->lost);

	if (copy->pins || copy->incoming || (level < 2 && copies->advice == XY_ADVICE_KEEP))
		return false;
	/* A copy is saved only where nothing writes and nothing else is arriving. */
	return clean == !(level & 1) && (clean || (copy->unsaved < XY__SAVE_TRIES && !evict_target_is_busy(copy)));
}

/* Unlocks the handles of those that live in a copy's memory, up to one of them; NULL: all. One that is unlocked may
 * leave at once. */
static void family_unlock(struct xy__copy *lender, const struct xy__copy *end)
{
	for (struct xy__copy *copy = lender->borrowers, *next; copy != end; copy = next) {
		next = copy->newer;
		xy__lock_drop(&copy->handle->lock);
	}
}

/* Locks the handles of all that live in a copy's memory, or of none. The node and the copy's handle are locked. */
static bool family_lock(struct xy__node *node, struct xy__copy *lender)
{
	for (struct xy__copy *copy = lender->borrowers; copy; copy = copy->newer) {
		if (xy__lock_try(&copy->handle->lock))
			continue;
		xy__node_change(node); /* another thread is handling it */
		family_unlock(lender, copy);
		return false;
	}
	return true;
}

/*
 * evict_allows for a copy with all that live in its memory: they go together. With a level that saves, at least one has
 * to be saved, and those that need not are no obstacle. All are locked.
 */
static bool family_allows(struct xy__node *node, const struct xy__copy *lender, unsigned level)
{
	bool clean = true;

	if (!evict_allows(lender, level & ~1u))
		return false;
	for (struct xy__copy *copy = lender->borrowers; copy; copy = copy->newer) {
		if (level < 2 && atomic_load_explicit(&copy->wanted, memory_order_relaxed))
			return false;
		if (evict_allows(copy, level & ~1u))
			continue;
		clean = false;
		if (!evict_allows(copy, level | 1)) {
			if (evict_target_is_busy(copy))
				xy__node_change(node); /* it could be saved when that is at rest */
			return false;
		}
	}
	return clean == !(level & 1);
}

/* Whether a copy may be evicted, with all that live in its memory. Their handles stay locked if so. */
static bool evict_locks(struct xy__node *node, struct xy__copy *copy, unsigned level)
{
	if (!copy->borrowers)
		return evict_allows(copy, level);
	if (!family_lock(node, copy))
		return false;
	if (family_allows(node, copy, level))
		return true;
	family_unlock(copy, NULL);
	return false;
}

/* The oldest evictable copy, with its handle locked, and those of all that live in it; NULL without one. */
static struct xy__copy *evict_find(struct xy__node *node, unsigned level)
{
	struct xy__copy *copy;

	xy__lock_take(&node->lock);
	for (copy = node->oldest; copy; copy = copy->newer) {
		if (level < 2 && atomic_load_explicit(&copy->wanted, memory_order_relaxed))
			continue;
		if (!xy__lock_try(&copy->handle->lock)) {
			xy__node_change(node); /* another thread is handling it */
			continue;
		}
		if (evict_locks(node, copy, level))
			break;
		if (evict_target_is_busy(copy))
			xy__node_change(node); /* it could be saved when that is at rest */
		xy__lock_drop(&copy->handle->lock);
	}
	xy__lock_drop(&node->lock);
	return copy;
}

static bool evict_clean(struct xy__node *node, unsigned level)
{
	struct xy__copy *copy = evict_find(node, level);

	if (!copy)
		return false;
	while (copy->borrowers) {
		struct xy_handle *h = copy->borrowers->handle;

		xy__lend_return(copy->borrowers);
		xy__lock_drop(&h->lock);
	}
	xy__copy_release(copy);
	xy__lock_drop(&copy->handle->lock);
	atomic_fetch_add_explicit(&node->evictions, 1, memory_order_relaxed);
	return true;
}

static int evict_save(struct xy__node *node, struct xy__copy *copy, struct xy__agent *agent)
{
	int error = xy__transfer_evict(copy, agent);

	if (!error) {
		atomic_fetch_add_explicit(&node->evictions, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&node->writebacks, 1, memory_order_relaxed);
	} else if (error != -EAGAIN && !atomic_load(&node->save_error)) {
		xy__node_saved(node, error);
	}
	return error;
}

/* Starts saving those that live in a copy's memory and are valid nowhere else. */
static int evict_save_family(struct xy__node *node, struct xy__copy *lender, unsigned level, struct xy__agent *agent)
{
	int error = 0;

	for (struct xy__copy *copy = lender->borrowers; copy && !error; copy = copy->newer)
		if (evict_allows(copy, level))
			error = evict_save(node, copy, agent);
	family_unlock(lender, NULL);
	return error;
}

/* Starts saving copies of this many bytes; those that fail stay. */
static void evict_dirty(struct xy__node *node, unsigned level, size_t bytes, struct xy__agent *agent)
{
	struct xy__copy *copy;
	size_t saved = 0;

	while (saved < bytes && (copy = evict_find(node, level))) {
		int error = copy->borrowers ? evict_save_family(node, copy, level, agent)
					    : evict_save(node, copy, agent);

		saved += error ? bytes : copy->bytes;
		xy__lock_drop(&copy->handle->lock);
	}
	xy__channels_issue(agent->runtime);
}

/*
 * Makes room in RAM by saving on disk, which takes long: other transfers go on meanwhile, and what is being saved is
 * counted instead of waiting until all is at rest. A prefetch may start it too, for the tasks that follow.
 */
static bool ram_make_room(struct xy__node *node, size_t bytes, enum xy__effort effort, struct xy__agent *agent)
{
	size_t saving = atomic_load(&node->saving);

	if (saving < bytes)
		evict_dirty(node, 1, bytes - saving, agent);
	if (effort == XY__EFFORT_IDLE || atomic_load(&node->saving) || atomic_load(&node->busy))
		return false;
	if (evict_clean(node, 2))
		return true;
	evict_dirty(node, 3, bytes, agent);
	return false;
}

/* Makes room; true if there is more than before. What is being saved will be room later. */
static bool node_make_room(struct xy__node *node, size_t bytes, enum xy__effort effort, struct xy__agent *agent)
{
	if (xy__node_flush(node, bytes) || evict_clean(node, 0))
		return true;
	if (node->disk) /* the only copy stays */
		return effort != XY__EFFORT_IDLE && evict_clean(node, 2);
	if (node->id == XY__RAM)
		return node->memory->disk && ram_make_room(node, bytes, effort, agent);
	if (effort == XY__EFFORT_IDLE || atomic_load(&node->busy))
		return false;
	evict_dirty(node, 1, bytes, agent);
	if (atomic_load(&node->busy))
		return false;
	if (evict_clean(node, 2))
		return true;
	evict_dirty(node, 3, bytes, agent);
	return false;
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
	} while (node_make_room(node, bytes, effort, agent));
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
