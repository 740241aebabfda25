/* SPDX-License-Identifier: MIT */
/*
 * Locks, for authors of components. The library knows who holds one: the debug build checks the order of locks, and a
 * dump names the holder.
 */
#ifndef XYLEM_LOCK_H
#define XYLEM_LOCK_H

#include <xylem/agent.h>
#include <xylem/atomic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lock for a component's state: short critical sections, spins briefly, then sleeps. */
struct xy_lock {
	XY_ATOMIC(int) word; /* 0 free, else its holder, and bit 0 if threads sleep */
};

/*
 * The word of a lock that the agent holds: twice its worker's number + 4, 2 for all others, and in the upper bits the
 * verb that took it. While the rules are checked bit 0 is set, so that each drop reaches xy_lock_wake.
 */
static inline int xy_lock_holder(const struct xy_agent *by)
{
	return by->mark + by->verb + 2;
}

/* The slow paths of the two functions below, which a component built for a debug library always takes. */
void xy_lock_wait(struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by);
void xy_lock_wake(struct xy_lock *lock, struct xy_component *self, const struct xy_agent *by);
#ifdef XY_DEBUG
#define XY_LOCK_SLOWLY 1
#else
#define XY_LOCK_SLOWLY 0
#endif

static inline void xy_lock_take(struct xy_lock *lock, struct xy_component *self, struct xy_agent *by)
{
	int expected = 0;

	/* acquire: pairs with the release in xy_lock_drop */
	if (XY_LOCK_SLOWLY || !atomic_compare_exchange_strong_explicit(&lock->word, &expected, xy_lock_holder(by),
								       XY_ORDER(acquire), XY_ORDER(relaxed)))
		xy_lock_wait(lock, self, by);
}

static inline void xy_lock_drop(struct xy_lock *lock, struct xy_component *self, struct xy_agent *by)
{
	/* release: pairs with the acquire in xy_lock_take and xy_lock_wait */
	if ((atomic_exchange_explicit(&lock->word, 0, XY_ORDER(release)) & 1) || XY_LOCK_SLOWLY)
		xy_lock_wake(lock, self, by);
}

#ifdef __cplusplus
}
#endif
#endif
