/* SPDX-License-Identifier: MIT */
/*
 * The system's side of futex.h.
 */
#include "core/util/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef LOCK_SPINS
#define LOCK_SPINS 100 /* a checker may want fewer */
#endif

void xy__futex_wait(_Atomic(int) *word, int value, double seconds)
{
	struct timespec limit, *limit_pointer = NULL;

	if (seconds >= 0) {
		if (seconds > 1e9)
			seconds = 1e9;
		limit.tv_sec = (time_t)seconds;
		limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
		limit_pointer = &limit;
	}
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit_pointer, NULL, 0);
}

void xy__futex_wake(_Atomic(int) *word, int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

double xy__now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void xy__lock_wait(_Atomic(int) *lock)
{
	for (int i = 0; i < LOCK_SPINS; i++) {
		if (atomic_load_explicit(lock, memory_order_relaxed) == 0 && xy__lock_try(lock))
			return;
		xy__pause();
	}
	/* acquire: pairs with the release in xy__lock_drop */
	while (atomic_exchange_explicit(lock, 2, memory_order_acquire) != 0)
		xy__futex_wait(lock, 2, -1);
}

bool xy__lock_take_for(_Atomic(int) *lock, double seconds)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	double end = xy__now() + seconds;

	while (!xy__lock_try(lock)) {
		if (xy__now() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
