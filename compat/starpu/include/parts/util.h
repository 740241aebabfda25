/* SPDX-License-Identifier: MIT */
/* Attributes, assertions of the program, atomic operations and barriers. */
#ifndef XYLEM_STARPU_UTIL_H
#define XYLEM_STARPU_UTIL_H

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <starpu_config.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define STARPU_GNUC_PREREQ(major, minor) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((major) << 16) + (minor))
#define STARPU_UNLIKELY(expr) (__builtin_expect(!!(expr), 0))
#define STARPU_LIKELY(expr) (__builtin_expect(!!(expr), 1))
#define STARPU_ATTRIBUTE_UNUSED __attribute__((unused))
#define STARPU_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define STARPU_ATTRIBUTE_VISIBILITY_DEFAULT __attribute__((visibility("default")))
#define STARPU_ATTRIBUTE_INTERNAL __attribute__((visibility("internal")))
#define STARPU_ATTRIBUTE_MALLOC __attribute__((malloc))
#define STARPU_ATTRIBUTE_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#define STARPU_ATTRIBUTE_PURE __attribute__((pure))
#define STARPU_ATTRIBUTE_ALIGNED(size) __attribute__((aligned(size)))
#define STARPU_ATTRIBUTE_FORMAT(type, string, first) __attribute__((format(type, string, first)))
#define STARPU_ATTRIBUTE_CALLOC_SIZE(num, size) __attribute__((alloc_size(num, size)))
#define STARPU_ATTRIBUTE_ALLOC_SIZE(size) __attribute__((alloc_size(size)))
#define STARPU_INLINE __starpu_inline
/* The parameters of functions that differ between StarPU's versions. */
#ifdef __cplusplus
#define XYLEM_STARPU_ANY ...
#else
#define XYLEM_STARPU_ANY
#endif
#define STARPU_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#if defined(STARPU_USE_DEPRECATED_API) || defined(STARPU_USE_DEPRECATED_ONE_ZERO_API)
#define STARPU_DEPRECATED
#else
#define STARPU_DEPRECATED __attribute__((deprecated))
#endif

#define STARPU_MIN(a, b) ((a) < (b) ? (a) : (b))
#define STARPU_MAX(a, b) ((a) < (b) ? (b) : (a))
#define STARPU_POISON_PTR ((void *)0xdeadbeef)
#define STARPU_DUMP_BACKTRACE() \
	do { \
	} while (0)

/* Assertions of the program about itself: they end it, as the C library's do.
 */
#ifdef STARPU_NO_ASSERT
#define STARPU_ASSERT(x) \
	do { \
		if (0) \
			(void)(x); \
	} while (0)
#define STARPU_ASSERT_MSG(x, msg, ...) STARPU_ASSERT(x)
#define STARPU_ASSERT_ACCESSIBLE(ptr) STARPU_ASSERT(ptr)
#else
#define STARPU_ASSERT(x) \
	do { \
		if (STARPU_UNLIKELY(!(x))) { \
			fprintf(stderr, "%s:%d: %s: '%s' does not hold\n", __FILE__, __LINE__, __func__, #x); \
			abort(); \
		} \
	} while (0)
#define STARPU_ASSERT_MSG(x, msg, ...) \
	do { \
		if (STARPU_UNLIKELY(!(x))) { \
			fprintf(stderr, "%s:%d: %s: " msg "\n", __FILE__, __LINE__, __func__, ##__VA_ARGS__); \
			abort(); \
		} \
	} while (0)
#define STARPU_ASSERT_ACCESSIBLE(ptr) \
	do { \
		volatile char starpu_byte STARPU_ATTRIBUTE_UNUSED = *(char *)(ptr); \
	} while (0)
#endif
#define STARPU_ABORT() \
	do { \
		fprintf(stderr, "%s:%d: %s: aborted\n", __FILE__, __LINE__, __func__); \
		abort(); \
	} while (0)
#define STARPU_ABORT_MSG(msg, ...) \
	do { \
		fprintf(stderr, "%s:%d: %s: " msg "\n", __FILE__, __LINE__, __func__, ##__VA_ARGS__); \
		abort(); \
	} while (0)
#define STARPU_CHECK_RETURN_VALUE(err, message, ...) \
	{ \
		if (STARPU_UNLIKELY((err) != 0)) { \
			fprintf(stderr, "unexpected result %d (%s) of " message "\n", (int)(err), \
				strerror(-(int)(err)), ##__VA_ARGS__); \
			STARPU_ABORT(); \
		} \
	}
#define STARPU_CHECK_RETURN_VALUE_IS(err, value, message, ...) \
	{ \
		if (STARPU_UNLIKELY((err) != (value))) { \
			fprintf(stderr, "result %d instead of %d (%s) of " message "\n", (int)(err), (int)(value), \
				strerror(-(int)(err)), ##__VA_ARGS__); \
			STARPU_ABORT(); \
		} \
	}

/* --- atomic operations: add gives the new value, or the old one --- */

#define STARPU_ATOMIC_ADD(ptr, value) (__sync_add_and_fetch((ptr), (value)))
#define STARPU_ATOMIC_ADDL(ptr, value) STARPU_ATOMIC_ADD(ptr, value)
#define STARPU_ATOMIC_ADD64(ptr, value) STARPU_ATOMIC_ADD(ptr, value)
#define STARPU_ATOMIC_OR(ptr, value) (__sync_fetch_and_or((ptr), (value)))
#define STARPU_ATOMIC_ORL(ptr, value) STARPU_ATOMIC_OR(ptr, value)
#define STARPU_ATOMIC_OR64(ptr, value) STARPU_ATOMIC_OR(ptr, value)
#define STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value) (__sync_bool_compare_and_swap((ptr), (old), (value)))
#define STARPU_BOOL_COMPARE_AND_SWAP32(ptr, old, value) STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_BOOL_COMPARE_AND_SWAP64(ptr, old, value) STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_BOOL_COMPARE_AND_SWAP_PTR(ptr, old, value) STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value) (__sync_val_compare_and_swap((ptr), (old), (value)))
#define STARPU_VAL_COMPARE_AND_SWAP32(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP64(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP_PTR(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_EXCHANGE(ptr, value) (__atomic_exchange_n((ptr), (value), __ATOMIC_SEQ_CST))
#define STARPU_VAL_EXCHANGEL(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VAL_EXCHANGE32(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VAL_EXCHANGE64(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_TEST_AND_SET(ptr, value) (__sync_lock_test_and_set((ptr), (value)))
#define STARPU_RELEASE(ptr) (__sync_lock_release((ptr)))
#define STARPU_SYNCHRONIZE() __sync_synchronize()
#define STARPU_RMB() __sync_synchronize()
#define STARPU_WMB() __sync_synchronize()
#define STARPU_CACHELINE_SIZE 64

/* Nothing to tell the checkers of races. */
#define STARPU_HG_DISABLE_CHECKING(variable) ((void)0)
#define STARPU_HG_ENABLE_CHECKING(variable) ((void)0)
#define STARPU_RUNNING_ON_VALGRIND 0
#define STARPU_VALGRIND_YIELD() ((void)0)
#define STARPU_UYIELD() ((void)sched_yield())

/* Random numbers of the C library; STARPU_RAND_SEED wins over the program's
 * seed. */
#define starpu_seed(seed) starpu_getenv_number_default("STARPU_RAND_SEED", (seed))
#define starpu_srand48(seed) srand48(starpu_seed(seed))
#define starpu_drand48() drand48()
#define starpu_lrand48() lrand48()
#define starpu_erand48(xsubi) erand48(xsubi)
#define starpu_drand48_data struct drand48_data
#define starpu_srand48_r(seed, buffer) srand48_r(starpu_seed(seed), buffer)
#define starpu_drand48_r(buffer, result) drand48_r(buffer, result)
#define starpu_lrand48_r(buffer, result) lrand48_r(buffer, result)
#define starpu_erand48_r(xsubi, buffer, result) erand48_r(xsubi, buffer, result)

#endif
