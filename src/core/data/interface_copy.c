/* SPDX-License-Identifier: MIT */
/*
 * From two views of one content to copies of at most three dimensions: dimensions that follow each other
 * without a gap on both sides become one, and those beyond the third become several copies.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"

/* An array on its way: rows, and the dimensions above them with a stride on each side. */
struct copies_array {
	void *to, *from;
	size_t row_bytes;
	unsigned ndims;
	struct copies_dimension {
		size_t count, to, from;
	} dims[XY_NDIMS - 1];
};

/* Adds a dimension above those that are there, or makes one of them larger. */
static void copies_add_dimension(struct copies_array *array, size_t count, size_t to, size_t from)
{
	struct copies_dimension *last = array->ndims ? &array->dims[array->ndims - 1] : NULL;

	if (count == 1)
		return;
	if (!last && to == array->row_bytes && from == array->row_bytes)
		array->row_bytes *= count;
	else if (last && to == last->count * last->to && from == last->count * last->from)
		last->count *= count;
	else
		array->dims[array->ndims++] = (struct copies_dimension){ count, to, from };
}

static struct xy_copy *copies_reserve(struct xy__copy_list *list, size_t more)
{
	size_t capacity = list->count + more;
	struct xy_copy *items;

	if (capacity <= list->capacity)
		return list->items + list->count;
	if (capacity > UINT32_MAX)
		return NULL;
	items = reallocarray(list->items == list->few ? NULL : list->items, capacity, sizeof *items);
	if (!items)
		return NULL;
	if (list->items == list->few)
		memcpy(items, list->few, list->count * sizeof *items);
	list->items = items;
	list->capacity = (unsigned)capacity;
	return items + list->count;
}

/* One copy for each place in the dimensions from the third on. */
static int copies_add(struct xy__copy_list *list, const struct copies_array *array)
{
	static const struct copies_dimension one = { 1, 0, 0 };
	const struct copies_dimension *rows = array->ndims > 0 ? &array->dims[0] : &one;
	const struct copies_dimension *planes = array->ndims > 1 ? &array->dims[1] : &one;
	struct xy_copy copy = {
		.to.memory = array->to,
		.from.memory = array->from,
		.row_bytes = array->row_bytes,
		.nrows = rows->count,
		.to_row = rows->to,
		.from_row = rows->from,
		.nplanes = planes->count,
		.to_plane = planes->to,
		.from_plane = planes->from,
	};
	size_t n = 1, at[XY_NDIMS] = { 0 };
	struct xy_copy *place;

	for (unsigned d = 2; d < array->ndims; d++)
		n *= array->dims[d].count;
	place = copies_reserve(list, n);
	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		place[i] = copy;
		for (unsigned d = 2; d < array->ndims; d++) {
			const struct copies_dimension *dim = &array->dims[d];

			copy.to.offset += dim->to;
			copy.from.offset += dim->from;
			if (++at[d] < dim->count)
				break;
			at[d] = 0;
			copy.to.offset -= dim->count * dim->to;
			copy.from.offset -= dim->count * dim->from;
		}
	}
	list->count += (unsigned)n;
	return 0;
}

int xy__interface_copies(const struct xy_interface *interface, unsigned without, const void *to_view,
			 const void *from_view, struct xy__copy_list *list)
{
	struct xy_part to[XY_NPARTS], from[XY_NPARTS];
	unsigned nparts = xy__interface_parts(interface, to_view, to);
	int error = 0;

	xy__interface_parts(interface, from_view, from);
	list->items = list->few;
	list->count = 0;
	list->capacity = XY_NPARTS;
	for (unsigned i = 0; i < nparts && !error; i++) {
		struct copies_array array = {
			.to = *xy__part_pointer((void *)to_view, &to[i]),
			.from = *xy__part_pointer((void *)from_view, &from[i]),
			.row_bytes = to[i].row_bytes,
		};

		if (!to[i].row_bytes || (without >> i & 1))
			continue;
		for (unsigned d = 0; d < to[i].ndims; d++)
			copies_add_dimension(&array, to[i].count[d], to[i].stride[d], from[i].stride[d]);
		error = copies_add(list, &array);
	}
	return error;
}

void xy__copy_list_fini(struct xy__copy_list *list)
{
	if (list->items != list->few)
		free(list->items);
}

void xy__copy_in_ram(const struct xy_copy *copy)
{
	for (size_t plane = 0; plane < copy->nplanes; plane++) {
		char *to = (char *)copy->to.memory + copy->to.offset + plane * copy->to_plane;
		const char *from = (const char *)copy->from.memory + copy->from.offset + plane * copy->from_plane;

		for (size_t row = 0; row < copy->nrows; row++)
			memcpy(to + row * copy->to_row, from + row * copy->from_row, copy->row_bytes);
	}
}
