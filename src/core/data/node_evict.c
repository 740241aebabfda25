/* SPDX-License-Identifier: MIT */
/*
 * Making room on a node: copies are evicted in this order: those valid elsewhere that no queued task needs; then those
 * that must first be saved, in RAM or, from there, on disk; then those that queued tasks need. Each time first what no
 * submitted task uses, then what is read last, then the oldest.
 */
#include <errno.h>

#include "core/data/channel.h"
#include "core/data/handle.h"
#include "core/data/lend.h"
#include "core/data/node.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"

enum {
	EVICT_CANDIDATES = 32, /* that are compared */
	EVICT_READERS = 256    /* of a handle that are looked at */
};
#define EVICT_NEVER UINT32_MAX

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

static void evict_unlock(struct xy__copy *copy)
{
	if (copy->borrowers)
		family_unlock(copy, NULL);
	xy__lock_drop(&copy->handle->lock);
}

/*
 * When a copy is used next, as far as the submitted tasks tell: the number of the first that reads it, EVICT_NEVER
 * without one, 0 if that is not known, as with a writer to come. Its handle is locked.
 */
static uint32_t evict_next_use(const struct xy__copy *copy)
{
	const struct xy_handle *h = copy->handle;
	const struct xy__tasks *readers = &h->readers;

	if (h->copies->advice == XY_ADVICE_WONT_USE || copy->scratch)
		return EVICT_NEVER;
	if (copy->borrowers || h->commuting || h->reducing || (h->writer.task && !xy__use_has_ended(&h->writer)))
		return 0;
	for (unsigned i = 0; i < readers->count; i++)
		if (i == EVICT_READERS)
			return 0;
		else if (!xy__use_has_ended(&readers->items[i]))
			return atomic_load_explicit(&readers->items[i].task->number, memory_order_relaxed);
	return EVICT_NEVER;
}

/* Whether a copy may be evicted. Its handle is locked then, and those of all that live in it. */
static bool evict_takes(struct xy__node *node, struct xy__copy *copy, unsigned level)
{
	if (level < 2 && atomic_load_explicit(&copy->wanted, memory_order_relaxed))
		return false;
	if (!xy__lock_try(&copy->handle->lock)) {
		xy__node_change(node); /* another thread is handling it */
		return false;
	}
	if (evict_locks(node, copy, level))
		return true;
	if (evict_target_is_busy(copy))
		xy__node_change(node); /* it could be saved when that is at rest */
	xy__lock_drop(&copy->handle->lock);
	return false;
}

/*
 * Of the oldest evictable copies, the one that is used last; with its handle locked, and those of all that live in it;
 * NULL without one.
 */
static struct xy__copy *evict_find(struct xy__node *node, unsigned level)
{
	struct xy__copy *best = NULL;
	uint32_t latest = 0;
	unsigned n = 0;

	xy__lock_take(&node->lock);
	for (struct xy__copy *copy = node->oldest; copy && n < EVICT_CANDIDATES && latest < EVICT_NEVER;
	     copy = copy->newer) {
		uint32_t next;

		if (!evict_takes(node, copy, level))
			continue;
		n++;
		next = evict_next_use(copy);
		if (best && next <= latest) {
			evict_unlock(copy);
			continue;
		}
		if (best)
			evict_unlock(best);
		best = copy;
		latest = next;
	}
	xy__lock_drop(&node->lock);
	return best;
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

bool xy__node_make_room(struct xy__node *node, size_t bytes, enum xy__effort effort, struct xy__agent *agent)
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
