/* SPDX-License-Identifier: MIT */
/*
 * Atomic fields that C and C++ lay out alike, so that a component may be written in either.
 */
#ifndef XYLEM_ATOMIC_H
#define XYLEM_ATOMIC_H

#ifdef __cplusplus
#include <atomic>
#define XY_ATOMIC(type) std::atomic<type>
#define XY_ORDER(order) std::memory_order_##order
static_assert(sizeof(std::atomic<double>) == sizeof(double) && sizeof(std::atomic<int>) == sizeof(int),
	      "an atomic field has the size that it has in C");
#else
#include <stdatomic.h>
#define XY_ATOMIC(type) _Atomic(type)
#define XY_ORDER(order) memory_order_##order
#endif

#endif
