/* SPDX-License-Identifier: MIT */
/*
 * What the functions of the predefined interfaces do, by the parts of memory that a struct describes.
 */
#include "shapes.h"

static unsigned parts_of(const struct xs_shape *shape, const void *view, struct xy_part *parts)
{
	return shape->interface.parts(view, parts);
}

static size_t part_bytes(const struct xy_part *part)
{
	size_t bytes = part->row_bytes;

	for (unsigned d = 0; d < part->ndims; d++)
		bytes *= part->count[d];
	return bytes;
}

static char **address_of(void *view, const struct xy_part *part)
{
	return (char **)((char *)view + part->pointer);
}

/* Dense structs have the address a second time, for devices. */
static void view_address(void *view, const struct xy_part *part, char *address)
{
	*address_of(view, part) = address;
	if (xs_view_is_dense(view)) {
		struct starpu_vector_interface *dense = view;

		dense->dev_handle = (uintptr_t)address;
		dense->offset = 0;
	}
}

void xs_shape_fill(const struct xs_shape *shape, struct _starpu_data_state *h, int home_node, const void *view)
{
	struct xy_part parts[XY_NPARTS];

	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		void *local = starpu_data_get_interface_on_node(h, node);
		unsigned n;

		memcpy(local, view, shape->interface.view_size);
		n = (int)node == home_node ? 0 : parts_of(shape, local, parts);
		for (unsigned i = 0; i < n; i++)
			view_address(local, &parts[i], NULL);
	}
}

starpu_ssize_t xs_shape_allocate(const struct xs_shape *shape, void *view, unsigned node)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n;
	size_t sum = 0;

	if (shape->interface.compact)
		shape->interface.compact(view);
	n = parts_of(shape, view, parts);
	for (unsigned i = 0; i < n; i++) {
		size_t bytes = part_bytes(&parts[i]);
		char *address = (char *)starpu_malloc_on_node(node, bytes);

		view_address(view, &parts[i], address);
		if (!address && bytes) {
			xs_shape_free(shape, view, node);
			return -ENOMEM;
		}
		sum += bytes;
	}
	return (starpu_ssize_t)sum;
}

void xs_shape_free(const struct xs_shape *shape, void *view, unsigned node)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = parts_of(shape, view, parts);

	for (unsigned i = 0; i < n; i++) {
		if (*address_of(view, &parts[i]))
			starpu_free_on_node(node, (uintptr_t)*address_of(view, &parts[i]), part_bytes(&parts[i]));
		view_address(view, &parts[i], NULL);
	}
}

/* --- content as bytes --- */

/* Copies the rows of a part, to the bytes or from them. Returns the bytes behind. */
static char *part_move(const struct xy_part *part, unsigned dimension, char *at, char *bytes, bool pack)
{
	if (dimension == 0) {
		memcpy(pack ? bytes : at, pack ? at : bytes, part->row_bytes);
		return bytes + part->row_bytes;
	}
	for (size_t i = 0; i < part->count[dimension - 1]; i++)
		bytes = part_move(part, dimension - 1, at + i * part->stride[dimension - 1], bytes, pack);
	return bytes;
}

size_t xs_shape_bytes(const struct xs_shape *shape, const void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = parts_of(shape, view, parts);
	size_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += part_bytes(&parts[i]);
	return sum;
}

int xs_shape_move(const struct xs_shape *shape, void *view, char *bytes, size_t count, bool pack)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = parts_of(shape, view, parts);

	if (count < xs_shape_bytes(shape, view))
		return -EINVAL;
	for (unsigned i = 0; i < n; i++) {
		char *at = *address_of(view, &parts[i]);

		if (!at && parts[i].row_bytes)
			return -EINVAL;
		bytes = part_move(&parts[i], parts[i].ndims, at, bytes, pack);
	}
	return 0;
}

int xs_shape_pack(const struct xs_shape *shape, void *view, unsigned node, void **ptr, starpu_ssize_t *count)
{
	size_t bytes = xs_shape_bytes(shape, view);

	*count = (starpu_ssize_t)bytes;
	if (!ptr)
		return 0;
	*ptr = (void *)starpu_malloc_on_node_flags(node, bytes, 0);
	return *ptr ? xs_shape_move(shape, view, *ptr, bytes, true) : -ENOMEM;
}

/* --- two of a kind --- */

static void part_copy(const struct xy_part *to_part, char *to, const struct xy_part *from_part, const char *from)
{
	size_t rows = 1;

	for (unsigned d = 0; d < to_part->ndims; d++)
		rows *= to_part->count[d];
	for (size_t row = 0; row < rows; row++) {
		size_t rest = row, a = 0, b = 0;

		for (unsigned d = 0; d < to_part->ndims; d++) {
			a += rest % to_part->count[d] * to_part->stride[d];
			b += rest % to_part->count[d] * from_part->stride[d];
			rest /= to_part->count[d];
		}
		memcpy(to + a, from + b, to_part->row_bytes);
	}
}

int xs_shape_copy(const struct xs_shape *shape, const void *from, unsigned from_node, void *to, unsigned to_node)
{
	struct xy_part to_parts[XY_NPARTS], from_parts[XY_NPARTS];
	unsigned n = parts_of(shape, to, to_parts);

	if (from_node != STARPU_MAIN_RAM || to_node != STARPU_MAIN_RAM)
		return xs_fail(-ENOTSUP, "a copy of a %s from node %u to node %u", shape->interface.name, from_node,
			       to_node);
	if (!xs_shape_is_like(shape, from, to))
		return -EINVAL;
	parts_of(shape, from, from_parts);
	for (unsigned i = 0; i < n; i++) {
		char *at = *address_of(to, &to_parts[i]);
		const char *source = *(char *const *)((const char *)from + from_parts[i].pointer);

		if (at && source)
			part_copy(&to_parts[i], at, &from_parts[i], source);
	}
	return 0;
}

int xs_shape_is_like(const struct xs_shape *shape, const void *a, const void *b)
{
	struct xy_part a_parts[XY_NPARTS], b_parts[XY_NPARTS];
	unsigned n = parts_of(shape, a, a_parts);

	parts_of(shape, b, b_parts);
	for (unsigned i = 0; i < n; i++) {
		if (a_parts[i].row_bytes != b_parts[i].row_bytes || a_parts[i].ndims != b_parts[i].ndims)
			return 0;
		for (unsigned d = 0; d < a_parts[i].ndims; d++)
			if (a_parts[i].count[d] != b_parts[i].count[d])
				return 0;
	}
	return 1;
}

int xs_shape_is_inside(const struct xs_shape *shape, const void *view, const void *ptr)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = parts_of(shape, view, parts);

	for (unsigned i = 0; i < n; i++) {
		const char *start = *(char *const *)((const char *)view + parts[i].pointer), *at = ptr;
		size_t last = 0;

		for (unsigned d = 0; d < parts[i].ndims; d++)
			last += (parts[i].count[d] - !!parts[i].count[d]) * parts[i].stride[d];
		if (start && at >= start && at < start + last + parts[i].row_bytes)
			return 1;
	}
	return 0;
}

uint32_t xs_shape_hash(const struct xs_shape *shape, const void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = parts_of(shape, view, parts);
	uint32_t hash = 0;

	for (unsigned i = 0; i < n; i++) {
		hash = starpu_hash_crc32c_be((uint32_t)parts[i].row_bytes, hash);
		for (unsigned d = 0; d < parts[i].ndims; d++)
			hash = starpu_hash_crc32c_be((uint32_t)parts[i].count[d], hash);
	}
	return hash;
}

/* The kind's letter, and the bytes and number of rows of the first part. */
starpu_ssize_t xs_shape_describe(const struct xs_shape *shape, const void *view, char *buf, size_t size)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = parts_of(shape, view, parts);
	int used = snprintf(buf, size, "%c", shape->interface.name[0] - 'a' + 'A');

	if (!n)
		return used;
	used += snprintf(buf + used, size > (size_t)used ? size - (size_t)used : 0, "%zu", parts[0].row_bytes);
	for (unsigned d = 0; d < parts[0].ndims; d++)
		used += snprintf(buf + used, size > (size_t)used ? size - (size_t)used : 0, "x%zu", parts[0].count[d]);
	return used;
}
