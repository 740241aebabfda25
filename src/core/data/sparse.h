/* SPDX-License-Identifier: MIT */
/* Shared by the interfaces of sparse matrices: plain arrays, and 32-bit indices. */
#ifndef XYLEM_CORE_DATA_SPARSE_H
#define XYLEM_CORE_DATA_SPARSE_H

#include <xylem/interface.h>

/* A plain array that was checked; pointer says where in the view its address is. */
static inline struct xy_part xy__sparse_part(size_t pointer, size_t n, size_t elem)
{
	return (struct xy_part){ .pointer = pointer, .row_bytes = n * elem };
}

/* 0, or -EOVERFLOW with a sentence: whether n elements of `elem` bytes fit into a size_t. */
int xy__sparse_check_bytes(size_t n, size_t elem, char *error, size_t error_size);

/* 0, or -EOVERFLOW with a sentence: whether an index of 32 bits reaches the first and the n after it. */
int xy__sparse_check_index(const char *what, size_t first, size_t n, char *error, size_t error_size);

#endif
