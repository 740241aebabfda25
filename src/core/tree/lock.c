/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of a component's lock. In an audited tree every take and drop comes here, but for those of a lock that
 * has never been dropped yet: a dropped one is left with a word that is free for this file alone.
 */
#include "core/tree/lock.h"

#include "core/tree/audit.h"
#include "core/util/futex.h"

enum { LOCK_SPINS = 100 };

int xy__lock_worker(int word)
{
	unsigned holder = ((unsigned)word & ((1u << XY__VERB_SHIFT) - 1)) / 2;

	if (!word || word == XY__LOCK_WATCHED)
		return XY__LOCK_NOBODY;
	return holder >= 2 ? (int)holder - 2 : -1;
}

const char *xy__lock_verb(int word)
{
	static const char *const names[] = { NULL,         "push",      "pull",      "can_push",
					     "can_pull",   "passed",    "tick",      "started",
					     "ended",      "submitted", "iteration", "workers_changed",
					     "piece_ended" };
	unsigned verb = (unsigned)word >> XY__VERB_SHIFT;

	return verb < sizeof names / sizeof names[0] ? names[verb] : NULL;
}

/* Whether the lock was free and is taken now. */
static bool lock_try(struct xy_lock *lock, int holder)
{
	int expected = 0;

	/* acquire: pairs with the release in xy_lock_drop */
	if (atomic_compare_exchange_strong_explicit(&lock->word, &expected, holder, memory_order_acquire,
						    memory_order_relaxed))
		return true;
	/* an agent without a trail keeps the lock watched: its drop comes to xy_lock_wake, too */
	return expected == XY__LOCK_WATCHED &&
	       atomic_compare_exchange_strong_explicit(&lock->word, &expected, holder | 1, memory_order_acquire,
						       memory_order_relaxed);
}

static bool lock_is_free(const struct xy_lock *lock)
{
	int word = atomic_load_explicit(&((struct xy_lock *)lock)->word, memory_order_relaxed);

	return !word || word == XY__LOCK_WATCHED;
}

/* Leaves behind whose lock is waited for and since when, for the dump. Relaxed: it only looks. */
static void lock_note_sleep(struct xy_lock *lock, struct xy_component *self)
{
	atomic_store_explicit(&self->awaited_s, xy__now(), memory_order_relaxed);
	atomic_store_explicit(&self->awaited, lock, memory_order_relaxed);
}

static void lock_wait(struct xy_lock *lock, struct xy_component *self, int holder)
{
	bool watched = self->tree->audit; /* bit 0 is set already, though nobody sleeps */
	int word;

	for (int i = 0; i < LOCK_SPINS; i++) {
		if (lock_is_free(lock) && lock_try(lock, holder))
			return;
		xy__pause();
	}
	/* One that slept takes the lock with the bit set: others may sleep still. */
	while (!lock_try(lock, holder | 1)) {
		word = atomic_load_explicit(&lock->word, memory_order_relaxed);
		if (!word || word == XY__LOCK_WATCHED)
			continue;
		if (watched || !(word & 1))
			lock_note_sleep(lock, self);
		watched = false;
		if (!(word & 1)) {
			if (!atomic_compare_exchange_strong_explicit(&lock->word, &word, word | 1, memory_order_relaxed,
								     memory_order_relaxed))
				continue;
			word |= 1;
		}
		xy__futex_wait(&lock->word, word, -1);
	}
}

/* Takes a lock that nobody is going to drop; false: waiting helps. */
static bool lock_inherit(struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;
	int word = atomic_load_explicit(&lock->word, memory_order_relaxed);

	if (!engine || !engine->abandoned || !word || word == XY__LOCK_WATCHED ||
	    !engine->abandoned(engine, self, word))
		return false;
	/* relaxed: the holder was this thread, too. Bit 0: a dump may sleep. */
	atomic_store_explicit(&lock->word, xy_lock_holder(by) | 1, memory_order_relaxed);
	return true;
}

/* Others run until the lock is free. */
static void lock_explore(struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by)
{
	struct xy__explorer *explorer = self->tree->audit->explorer;

	while (!lock_try(lock, xy_lock_holder(by)))
		if (!explorer->blocked(explorer, self, lock))
			return;
}

void xy_lock_wait(struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by)
{
	double began;

	if (!by->trail) {
		if (self->tree->audit && self->tree->audit->explorer)
			lock_explore(lock, self, by);
		else if (!lock_inherit(lock, self, by))
			lock_wait(lock, self, xy_lock_holder(by));
		return;
	}
	if (!xy__trail_wants(lock, self, by))
		return;
	began = xy__now();
	if (by->trail->explorer) {
		by->trail->explorer->point(by->trail->explorer, self, "take");
		lock_explore(lock, self, by);
	} else {
		lock_wait(lock, self, xy_lock_holder(by));
	}
	xy__trail_took(lock, self, by, xy__now() - began);
}

void xy_lock_wake(struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by)
{
	int expected = 0;

	if (self->tree->audit)
		atomic_compare_exchange_strong_explicit(&lock->word, &expected, XY__LOCK_WATCHED, memory_order_relaxed,
							memory_order_relaxed);
	xy__futex_wake(&lock->word, 1);
	if (!by->trail)
		return;
	xy__trail_dropped(lock, by);
	if (by->trail->explorer)
		by->trail->explorer->point(by->trail->explorer, self, "drop");
}

struct xy_task *xy__lock_wake_with(struct xy_task *task, struct xy_lock *lock, struct xy_component *self,
				   struct xy_agent *by)
{
	xy_lock_wake(lock, self, by);
	return task;
}
