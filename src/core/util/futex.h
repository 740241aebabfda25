/* SPDX-License-Identifier: MIT */
/* Sleeping on a word until it changes, and a lock made of one word. */
#ifndef XYLEM_CORE_UTIL_FUTEX_H
#define XYLEM_CORE_UTIL_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__x86_64__) || defined(__i386__)
#define xy__pause() __builtin_ia32_pause()
#else
#define xy__pause() ((void)0)
#endif

/* Orders everything before it before everything after it, for the store-then-look of sleepers and
 * wakers. ThreadSanitizer ignores fences; here they order atomics only, so that it loses nothing. */
static inline void xy__fence(void)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
	atomic_thread_fence(memory_order_seq_cst);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

/* Sleeps while *word == value, at most seconds (< 0: no limit). Returns at any time, also for no
 * reason: the caller looks at the word again. */
void xy__futex_wait(_Atomic(int) *word, int value, double seconds);

/* Wakes up to count threads that sleep on the word. */
void xy__futex_wake(_Atomic(int) *word, int count);

/* Seconds of a clock that never jumps. */
double xy__now(void);

/* --- a lock: 0 free, 1 taken, 2 taken with sleepers --- */

void xy__lock_wait(_Atomic(int) *lock);
/* Takes the lock unless that takes longer; polls, for rare use. */
bool xy__lock_take_for(_Atomic(int) *lock, double seconds);

static inline bool xy__lock_try(_Atomic(int) *lock)
{
	int expected = 0;

	/* acquire: pairs with the release in xy__lock_drop */
	return atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed);
}

static inline void xy__lock_take(_Atomic(int) *lock)
{
	if (!xy__lock_try(lock))
		xy__lock_wait(lock);
}

static inline void xy__lock_drop(_Atomic(int) *lock)
{
	/* release: pairs with the acquire in xy__lock_try and xy__lock_wait */
	if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
		xy__futex_wake(lock, 1);
}

#endif
