/* SPDX-License-Identifier: MIT */
/* Shared by the drivers, to start a copy with as few commands as possible. */
#ifndef XYLEM_DRIVERS_COPY_H
#define XYLEM_DRIVERS_COPY_H

#include <xylem/driver.h>

/* Rows that follow each other without gaps become one row. */
static inline void xy__copy_simplify(struct xy_copy *copy)
{
	for (int turn = 0; turn < 2; turn++) {
		if (copy->nrows > 1 && (copy->to_row != copy->row_bytes || copy->from_row != copy->row_bytes))
			return;
		copy->row_bytes *= copy->nrows;
		copy->nrows = copy->nplanes;
		copy->to_row = copy->to_plane;
		copy->from_row = copy->from_plane;
		copy->nplanes = 1;
	}
}

/* Bytes without gaps. */
static inline bool xy__copy_is_linear(const struct xy_copy *copy)
{
	return copy->nrows == 1 && copy->nplanes == 1;
}

/* Whether rows don't overlap, in planes of whole rows that don't either: at an end with these strides. */
static inline bool xy__copy_is_box(const struct xy_copy *copy, size_t row, size_t plane)
{
	if (row < copy->row_bytes)
		return false;
	return copy->nplanes == 1 || (plane % row == 0 && plane / row >= copy->nrows);
}

#endif
