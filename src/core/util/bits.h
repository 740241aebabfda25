/* SPDX-License-Identifier: MIT */
/*
 * Sets of small numbers as bits in words, each word changed at once.
 */
#ifndef XYLEM_CORE_UTIL_BITS_H
#define XYLEM_CORE_UTIL_BITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t xy__bits_words(size_t n)
{
	return (n + 63) / 64;
}

static inline void xy__bits_set(_Atomic uint64_t *bits, size_t i, bool value)
{
	uint64_t bit = (uint64_t)1 << i % 64;

	/* relaxed: only a hint where to look */
	if (!(atomic_load_explicit(&bits[i / 64], memory_order_relaxed) & bit) == !value)
		return;
	if (value)
		atomic_fetch_or_explicit(&bits[i / 64], bit, memory_order_relaxed);
	else
		atomic_fetch_and_explicit(&bits[i / 64], ~bit, memory_order_relaxed);
}

/* The first set bit from `from` up to but not including `to`; `to` without one. */
static inline size_t xy__bits_next(_Atomic uint64_t *bits, size_t from, size_t to)
{
	while (from < to) {
		uint64_t word = atomic_load_explicit(&bits[from / 64], memory_order_relaxed) >> from % 64;

		if (word) {
			from += (size_t)__builtin_ctzll(word);
			return from < to ? from : to;
		}
		from = from - from % 64 + 64;
	}
	return to;
}

#endif
