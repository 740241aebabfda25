/* SPDX-License-Identifier: MIT */
/* A component's lock: what its word says, and a few steps without a call, for functions that save no registers. */
#ifndef XYLEM_CORE_TREE_LOCK_H
#define XYLEM_CORE_TREE_LOCK_H

#include <stdatomic.h>
#include <xylem/component.h>

/* What an agent does, in xy_agent.verb and in the words of the locks it takes. */
enum {
	XY__VERB_SHIFT = 24,
	XY__VERB_PUSH = 1 << XY__VERB_SHIFT,
	XY__VERB_PULL = 2 << XY__VERB_SHIFT,
	XY__VERB_CAN_PUSH = 3 << XY__VERB_SHIFT,
	XY__VERB_CAN_PULL = 4 << XY__VERB_SHIFT,
	XY__VERB_PASSED = 5 << XY__VERB_SHIFT,
	XY__VERB_TICK = 6 << XY__VERB_SHIFT,
	XY__VERB_STARTED = 7 << XY__VERB_SHIFT,
	XY__VERB_ENDED = 8 << XY__VERB_SHIFT,
	XY__VERB_SUBMITTED = 9 << XY__VERB_SHIFT,
	XY__VERB_ITERATION = 10 << XY__VERB_SHIFT,
	XY__VERB_WORKERS_CHANGED = 11 << XY__VERB_SHIFT,
	XY__VERB_PIECE_ENDED = 12 << XY__VERB_SHIFT,
};

/* The holder in the word of a lock: the number of a worker, -1 for any other agent, XY__LOCK_NOBODY if it is free. */
enum { XY__LOCK_NOBODY = -2 };
int xy__lock_worker(int word);
/* The verb or hook that took the lock, as the library knows it, or NULL. The word is not that of a free lock. */
const char *xy__lock_verb(int word);

/* Drops a lock for which threads wait. Returns the task, so that a function can end with this call. */
struct xy_task *xy__lock_wake_with(struct xy_task *task, struct xy_lock *lock, struct xy_component *self,
				   struct xy_agent *by);

/* Takes the lock in this verb if it is free. Nothing follows a failure: the caller ends with its slow path. */
static inline bool xy__lock_enter(struct xy_lock *lock, const struct xy_agent *by, int verb)
{
	int expected = 0;

	/* acquire: as in xy_lock_take */
	return !XY_LOCK_SLOWLY && atomic_compare_exchange_strong_explicit(&lock->word, &expected, by->mark + verb + 2,
									  memory_order_acquire, memory_order_relaxed);
}

/* Drops the lock. True: threads wait for it, and xy_lock_wake is to follow. */
static inline bool xy__lock_let_go(struct xy_lock *lock)
{
	/* release: as in xy_lock_drop */
	return __builtin_expect(atomic_exchange_explicit(&lock->word, 0, memory_order_release) & 1, 0);
}

/* Drops the lock and returns the task. */
static inline struct xy_task *xy__lock_leave(struct xy_task *task, struct xy_lock *lock, struct xy_component *self,
					     struct xy_agent *by)
{
	if (xy__lock_let_go(lock))
		return xy__lock_wake_with(task, lock, self, by);
	return task;
}

#endif
