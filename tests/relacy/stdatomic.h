/* SPDX-License-Identifier: MIT */
/*
 * Relacy's atomics under the names of C11, so that the library's headers can be checked as they are. A check
 * may weaken one order of one function ("xy__ring_put release") and must then find the fault.
 */
#ifndef XYLEM_TESTS_RELACY_STDATOMIC_H
#define XYLEM_TESTS_RELACY_STDATOMIC_H

#include <cstring>
#include <iostream>
#include <relacy/relacy.hpp>

/* --- a fault, if there is one --- */

struct relacy_fault {
	const char *function;
	rl::memory_order order;
};

inline relacy_fault &relacy_fault_now()
{
	static relacy_fault fault = { "", rl::mo_relaxed };

	return fault;
}

inline bool relacy_fault_is(const char *name)
{
	return !std::strcmp(relacy_fault_now().function, name);
}

/* The order to use where the source says `order`. */
inline rl::memory_order relacy_order(const char *function, rl::memory_order order)
{
	const relacy_fault &fault = relacy_fault_now();

	if (fault.order != order || !relacy_fault_is(function))
		return order;
	return order == rl::mo_seq_cst ? rl::mo_acq_rel : rl::mo_relaxed;
}

/* --- the names of C11 --- */

#undef memory_order_relaxed
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#define memory_order_relaxed rl::mo_relaxed, $
#define memory_order_acquire relacy_order(__func__, rl::mo_acquire), $
#define memory_order_release relacy_order(__func__, rl::mo_release), $
#define memory_order_acq_rel relacy_order(__func__, rl::mo_acq_rel), $
#define memory_order_seq_cst relacy_order(__func__, rl::mo_seq_cst), $

using rl::atomic_thread_fence;
#define _Atomic(type) rl::atomic<type>
#define atomic_load_explicit(object, order) (object)->load(order)
#define atomic_store_explicit(object, value, order) (object)->store(value, order)
#define atomic_exchange_explicit(object, value, order) (object)->exchange(value, order)
#define atomic_fetch_add_explicit(object, value, order) (object)->fetch_add(value, order)
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure) \
	relacy_compare_exchange<true>(object, expected, value, success, failure)
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure) \
	relacy_compare_exchange<false>(object, expected, value, success, failure)

#define atomic_load(object) (object)->load(rl::mo_seq_cst, $)
#define atomic_store(object, value) (object)->store(value, rl::mo_seq_cst, $)
#define atomic_fetch_add(object, value) (object)->fetch_add(value, rl::mo_seq_cst, $)
#define atomic_fetch_sub(object, value) (object)->fetch_sub(value, rl::mo_seq_cst, $)
#define atomic_compare_exchange_strong(object, expected, value) \
	(object)->compare_exchange_strong(*(expected), value, rl::mo_seq_cst, $, rl::mo_seq_cst, $)

/* Relacy knows no failure order that is stronger than the one of success; a fence after the failure stands
 * for it. */
template <bool weak, typename T, typename V>
bool relacy_compare_exchange(rl::atomic<T> *object, T *expected, V value, rl::memory_order success,
			     rl::debug_info_param info, rl::memory_order failure, rl::debug_info_param)
{
	bool done;

	if (weak)
		done = object->compare_exchange_weak(*expected, (T)value, success, info);
	else
		done = object->compare_exchange_strong(*expected, (T)value, success, info);
	if (!done && failure == rl::mo_acquire)
		rl::atomic_thread_fence(rl::mo_acquire, info);
	return done;
}

/* --- memory that is not atomic: Relacy reports races on it --- */

template <typename T> class relacy_plain
{
      public:
	relacy_plain &operator=(T value)
	{
		variable($) = value;
		return *this;
	}
	operator T() const
	{
		return variable($);
	}
	T operator->() const
	{
		return variable($);
	}

      private:
	rl::var<T> variable;
};

/* --- running --- */

/* Runs a suite this often; true if it holds, else its history is on stdout. */
template <typename suite> bool relacy_holds(unsigned iterations)
{
	std::ostream nowhere(0);
	rl::test_params params;

	params.iteration_count = iterations;
	params.execution_depth_limit = 20000;
	params.progress_stream = &nowhere;
	return rl::simulate<suite>(params);
}

/* Reads "function order" from the command line; false if it is not there. */
inline bool relacy_read_fault(int argc, char **argv)
{
	relacy_fault &fault = relacy_fault_now();

	if (argc > 1)
		fault.function = argv[1];
	for (int order = rl::mo_relaxed; argc > 2 && order <= rl::mo_seq_cst; order++)
		if (!std::strcmp(rl::format((rl::memory_order)order), argv[2]))
			fault.order = (rl::memory_order)order;
	return argc > 1;
}

#endif
