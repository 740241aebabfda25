/* SPDX-License-Identifier: MIT */
/*
 * Checks of the sizes of sparse matrices.
 */
#include "core/data/sparse.h"

#include <errno.h>

#include "core/util/message.h"

int xy__sparse_check_bytes(size_t n, size_t elem, char *error, size_t error_size)
{
	struct xy__message message;
	size_t bytes;

	if (!__builtin_mul_overflow(n, elem, &bytes))
		return 0;
	xy__message_init(&message, error, error_size);
	xy__message_add(&message, "the size in bytes does not fit");
	return -EOVERFLOW;
}

int xy__sparse_check_index(const char *what, size_t first, size_t n, char *error, size_t error_size)
{
	struct xy__message message;

	if (first <= UINT32_MAX && n <= UINT32_MAX - first)
		return 0;
	xy__message_init(&message, error, error_size);
	xy__message_add(&message, "%zu %s, more than 32 bits can index", n, what);
	return -EOVERFLOW;
}
