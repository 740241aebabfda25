/* SPDX-License-Identifier: MIT */
/* Shared by the interfaces of dense arrays: elements in several dimensions, the contiguous one first. */
#ifndef XYLEM_CORE_DATA_ARRAY_H
#define XYLEM_CORE_DATA_ARRAY_H

#include <xylem/interface.h>

struct xy__array {
	unsigned ndims;      /* 1 to XY_NDIMS */
	size_t n[XY_NDIMS];  /* elements in each */
	size_t ld[XY_NDIMS]; /* elements from one to the next in each; the first is 1 */
	size_t elem;         /* bytes of an element */
};

/* 0, or -EINVAL or -EOVERFLOW with a sentence: no size is 0, nothing overlaps, and the bytes can be counted. */
int xy__array_check(const struct xy__array *array, char *error, size_t error_size);

/* Describes one that was checked, and returns 1; pointer says where in the view its address is. */
unsigned xy__array_part(const struct xy__array *array, size_t pointer, struct xy_part *part);

#endif
