/* SPDX-License-Identifier: MIT */
/*
 * Filters for dense arrays of any number of dimensions: a child is a range of elements in each of them. Only its
 * first element and its sizes differ from the parent's, never the distances.
 */
#include <errno.h>
#include <string.h>

#include "core/data/filter.h"
#include "core/util/message.h"

/* The sizes of a view of a dense interface, whichever it is. */
struct dense {
	char *ptr;
	unsigned ndims;
	size_t *n[XY_NDIMS]; /* where they are in the view */
	size_t ld[XY_NDIMS];
	size_t elem;
};

static bool dense_of_ndim(struct dense *dense, struct xy_ndim *view)
{
	*dense = (struct dense){ .ptr = view->ptr, .ndims = (unsigned)view->ndims, .elem = view->elem };
	for (unsigned d = 0; d < dense->ndims; d++) {
		dense->n[d] = &view->n[d];
		dense->ld[d] = view->ld[d];
	}
	return true;
}

/* False for an interface that is not dense. */
static bool dense_of(struct dense *dense, const struct xy_interface *interface, void *view)
{
	struct xy_vector *v = view;
	struct xy_matrix *m = view;
	struct xy_block *b = view;
	struct xy_tensor *t = view;

	if (interface == &xy_vector_interface)
		*dense = (struct dense){ v->ptr, 1, { &v->n }, { 1 }, v->elem };
	else if (interface == &xy_matrix_interface)
		*dense = (struct dense){ m->ptr, 2, { &m->nx, &m->ny }, { 1, m->ld }, m->elem };
	else if (interface == &xy_block_interface)
		*dense = (struct dense){ b->ptr, 3, { &b->nx, &b->ny, &b->nz }, { 1, b->ldy, b->ldz }, b->elem };
	else if (interface == &xy_tensor_interface)
		*dense = (struct dense){
			t->ptr, 4, { &t->nx, &t->ny, &t->nz, &t->nt }, { 1, t->ldy, t->ldz, t->ldt }, t->elem
		};
	else if (interface == &xy_ndim_interface)
		return dense_of_ndim(dense, view);
	else
		return false;
	return true;
}

/* The sizes of the parent, if it can be cut in this dimension. */
static int dense_parent(const struct xy_cut *cut, unsigned dimension, struct dense *dense)
{
	struct xy__message message;

	xy__message_init(&message, cut->error, cut->error_size);
	if (!dense_of(dense, cut->interface, (void *)cut->parent))
		xy__message_add(&message, "the filter is for vector, matrix, block, tensor and ndim, not for %s",
				cut->interface->name);
	else if (dimension >= dense->ndims)
		xy__message_add(&message, "no dimension %u: there are only %u", dimension, dense->ndims);
	else
		return 0;
	return -EINVAL;
}

/* The child becomes the parent, but for a range in one dimension. */
static void dense_cut(const struct xy_cut *cut, unsigned dimension, struct xy__range range)
{
	struct dense dense;

	dense_of(&dense, cut->interface, cut->child);
	*dense.n[dimension] = range.length;
	*(void **)cut->child = dense.ptr + range.first * dense.ld[dimension] * dense.elem;
}

static void dense_begin(const struct xy_cut *cut)
{
	memcpy(cut->child, cut->parent, cut->interface->view_size);
}

/* --- blocks --- */

static int blocks_count(const struct xy_cut *cut, unsigned *n)
{
	struct dense dense;
	int error = dense_parent(cut, cut->filter->dimension, &dense);

	return error ? error : xy__range_check(cut, *n, *dense.n[cut->filter->dimension]);
}

static int blocks_child(const struct xy_cut *cut)
{
	unsigned dimension = cut->filter->dimension;
	struct dense dense;
	int error = dense_parent(cut, dimension, &dense);

	if (error)
		return error;
	dense_begin(cut);
	dense_cut(cut, dimension, xy__range(cut->i, cut->n, *dense.n[dimension]));
	return 0;
}

/* --- list --- */

static int list_count(const struct xy_cut *cut, unsigned *n)
{
	struct dense dense;
	int error = dense_parent(cut, cut->filter->dimension, &dense);

	return error ? error : xy__range_check_list(cut, *n, *dense.n[cut->filter->dimension]);
}

static int list_child(const struct xy_cut *cut)
{
	dense_begin(cut);
	dense_cut(cut, cut->filter->dimension, xy__range_of_list(cut->filter->lengths, cut->i));
	return 0;
}

/* --- halves --- */

static size_t halves_first(const struct xy_cut *cut, size_t total)
{
	return cut->filter->length ? cut->filter->length : total - total / 2;
}

static int halves_count(const struct xy_cut *cut, unsigned *n)
{
	struct xy__message message;
	struct dense dense;
	int error = dense_parent(cut, cut->filter->dimension, &dense);
	size_t total = error ? 0 : *dense.n[cut->filter->dimension];

	if (error)
		return error;
	xy__message_init(&message, cut->error, cut->error_size);
	if (*n != 0 && *n != 2)
		xy__message_add(&message, "there are two halves, not %u", *n);
	else if (halves_first(cut, total) >= total)
		xy__message_add(&message, "of %zu elements, the first half takes %zu, which leaves nothing", total,
				halves_first(cut, total));
	else
		*n = 2;
	return *n == 2 && !*cut->error ? 0 : -EINVAL;
}

static int halves_child(const struct xy_cut *cut)
{
	unsigned dimension = cut->filter->dimension;
	struct dense dense;
	int error = dense_parent(cut, dimension, &dense);
	size_t total, lengths[2];

	if (error)
		return error;
	total = *dense.n[dimension];
	lengths[0] = halves_first(cut, total);
	lengths[1] = total - lengths[0];
	dense_begin(cut);
	dense_cut(cut, dimension, xy__range_of_list(lengths, cut->i));
	return 0;
}

/* --- shadow --- */

static int shadow_count(const struct xy_cut *cut, unsigned *n)
{
	size_t length = cut->filter->length, total;
	struct xy__message message;
	struct dense dense;
	int error = dense_parent(cut, cut->filter->dimension, &dense);

	if (error)
		return error;
	total = *dense.n[cut->filter->dimension];
	if (length < total / 2 + total % 2)
		return xy__range_check(cut, *n, total - 2 * length);
	xy__message_init(&message, cut->error, cut->error_size);
	xy__message_add(&message, "shadows of %zu on both sides leave nothing of %zu elements", length, total);
	return -EINVAL;
}

static int shadow_child(const struct xy_cut *cut)
{
	unsigned dimension = cut->filter->dimension;
	size_t length = cut->filter->length;
	struct xy__range range;
	struct dense dense;
	int error = dense_parent(cut, dimension, &dense);

	if (error)
		return error;
	range = xy__range(cut->i, cut->n, *dense.n[dimension] - 2 * length);
	range.length += 2 * length;
	dense_begin(cut);
	dense_cut(cut, dimension, range);
	return 0;
}

/* --- grid --- */

static unsigned grid_along(const struct xy_cut *cut, unsigned dimension)
{
	return cut->filter->grid[dimension] ? cut->filter->grid[dimension] : 1;
}

/* None at all would be one child like the parent: more likely it was forgotten. */
static int grid_count(const struct xy_cut *cut, unsigned *n)
{
	unsigned last = 0, asked = *n;
	struct xy__message message;
	struct dense dense;
	int error;

	for (unsigned d = 0; d < XY_NDIMS; d++)
		last = cut->filter->grid[d] ? d : last;
	error = dense_parent(cut, last, &dense);
	*n = cut->filter->grid[last] ? 1 : 0;
	for (unsigned d = 0; *n && d <= last && !error; d++) {
		error = xy__range_check(cut, grid_along(cut, d), *dense.n[d]);
		if (!error && __builtin_mul_overflow(*n, grid_along(cut, d), n))
			*n = UINT_MAX;
	}
	if (error || !asked || asked == *n)
		return error;
	xy__message_init(&message, cut->error, cut->error_size);
	xy__message_add(&message, "the grid has %u children, but %u are requested", *n, asked);
	return -EINVAL;
}

static int grid_child(const struct xy_cut *cut)
{
	unsigned at = cut->i;
	struct dense dense;
	int error = dense_parent(cut, 0, &dense);

	if (error)
		return error;
	dense_begin(cut);
	for (unsigned d = 0; d < dense.ndims; d++) {
		unsigned along = grid_along(cut, d);

		dense_cut(cut, d, xy__range(at % along, along, *dense.n[d]));
		at /= along;
	}
	return 0;
}

const struct xy_filter_ops xy_filter_blocks = { .name = "blocks", .count = blocks_count, .child = blocks_child };
const struct xy_filter_ops xy_filter_list = { .name = "list", .count = list_count, .child = list_child };
const struct xy_filter_ops xy_filter_halves = { .name = "halves", .count = halves_count, .child = halves_child };
const struct xy_filter_ops xy_filter_grid = { .name = "grid", .count = grid_count, .child = grid_child };
const struct xy_filter_ops xy_filter_shadow = {
	.name = "shadow",
	.overlaps = true,
	.count = shadow_count,
	.child = shadow_child,
};
