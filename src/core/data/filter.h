/* SPDX-License-Identifier: MIT */
/* Shared by the filters: dividing elements or rows into ranges. */
#ifndef XYLEM_CORE_DATA_FILTER_H
#define XYLEM_CORE_DATA_FILTER_H

#include <limits.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

struct xy__range {
	size_t first, length;
};

/* The i-th of n ranges of nearly equal length; the first ones are longer. */
static inline struct xy__range xy__range(unsigned i, unsigned n, size_t total)
{
	size_t each = total / n, more = total % n;

	return (struct xy__range){ i * each + (i < more ? i : more), each + (i < more) };
}

/* The i-th range of a list of lengths. */
static inline struct xy__range xy__range_of_list(const size_t *lengths, unsigned i)
{
	struct xy__range range = { 0, lengths[i] };

	while (i > 0)
		range.first += lengths[--i];
	return range;
}

/*
 * 0, or -EINVAL with a sentence: whether n ranges of `total` elements are all non-empty. Zero ranges are reported
 * elsewhere.
 */
int xy__range_check(const struct xy_cut *cut, unsigned n, size_t total);
/* xy__range_check for the filter's list, which must exist and add up. */
int xy__range_check_list(const struct xy_cut *cut, unsigned n, size_t total);

#endif
