/* SPDX-License-Identifier: MIT */
/* Calling a filter, and what filters share: dividing elements or rows into ranges. */
#ifndef XYLEM_CORE_DATA_FILTER_H
#define XYLEM_CORE_DATA_FILTER_H

#include <limits.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

/* How many children the filter makes of the handle. 0 or -errno with a line in the log. */
int xy__filter_count(struct xy_handle *h, const struct xy_filter *filter, unsigned *n);
/* Makes the children of a plan, without names. The handle has memory. 0, or -errno with a line and none are made. */
int xy__filter_cut(struct xy_plan *plan, const struct xy_filter *filter);

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
