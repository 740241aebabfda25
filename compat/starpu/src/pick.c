/* SPDX-License-Identifier: MIT */
/*
 * Filters whose children have fewer dimensions than the parent, and those of ndim. All of them see the parent as an
 * array of some dimensions, cut it or fix one index, and turn the rest into the child's struct.
 */
#include "internal.h"

struct array {
	uintptr_t ptr, dev_handle;
	size_t offset, elemsize;
	unsigned ndim;
	uint32_t n[XY_NDIMS], ld[XY_NDIMS];
};

/* --- to and from the structs --- */

static struct array array_of(const void *interface)
{
	struct array a = { .ndim = 0 };

	switch (*(const enum starpu_data_interface_id *)interface) {
	case STARPU_MATRIX_INTERFACE_ID: {
		const struct starpu_matrix_interface *m = interface;

		a = (struct array){ m->ptr, m->dev_handle, m->offset, m->elemsize, 2, { m->nx, m->ny }, { 1, m->ld } };
		break;
	}
	case STARPU_BLOCK_INTERFACE_ID: {
		const struct starpu_block_interface *b = interface;

		a = (struct array){
			b->ptr, b->dev_handle, b->offset, b->elemsize, 3, { b->nx, b->ny, b->nz }, { 1, b->ldy, b->ldz }
		};
		break;
	}
	case STARPU_TENSOR_INTERFACE_ID: {
		const struct starpu_tensor_interface *t = interface;

		a = (struct array){ t->ptr,
				    t->dev_handle,
				    t->offset,
				    t->elemsize,
				    4,
				    { t->nx, t->ny, t->nz, t->nt },
				    { 1, t->ldy, t->ldz, t->ldt } };
		break;
	}
	default: {
		const struct starpu_ndim_interface *d = interface;

		a = (struct array){ d->ptr, d->dev_handle, d->offset, d->elemsize, (unsigned)d->ndim, { 0 }, { 0 } };
		memcpy(a.n, d->nn, d->ndim * sizeof *a.n);
		memcpy(a.ld, d->ldn, d->ndim * sizeof *a.ld);
	}
	}
	return a;
}

static void array_move(struct array *a, size_t elements)
{
	if (!a->dev_handle)
		return;
	a->ptr += elements * a->elemsize;
	a->dev_handle = a->ptr;
	a->offset += elements * a->elemsize;
}

/* Child i of n pieces of a dimension, with a margin on both sides. */
static void array_cut(struct array *a, unsigned dimension, unsigned i, unsigned n, uint32_t margin)
{
	uint32_t inner = a->n[dimension] > 2 * margin ? a->n[dimension] - 2 * margin : 0;
	unsigned length;
	size_t first;

	starpu_filter_nparts_compute_chunk_size_and_offset(inner, n, 1, i, 1, &length, &first);
	array_move(a, first * a->ld[dimension]);
	a->n[dimension] = length + 2 * margin;
}

/* One index of a dimension, which is then gone. */
static void array_fix(struct array *a, unsigned dimension, size_t index)
{
	array_move(a, index * a->ld[dimension]);
	for (unsigned d = dimension; d + 1 < a->ndim; d++) {
		a->n[d] = a->n[d + 1];
		a->ld[d] = a->ld[d + 1];
	}
	a->ndim--;
}

static void to_variable(const struct array *a, void *child)
{
	*(struct starpu_variable_interface *)child = (struct starpu_variable_interface){ STARPU_VARIABLE_INTERFACE_ID,
											 a->ptr, a->dev_handle,
											 a->offset, a->elemsize };
}

static void to_vector(const struct array *a, void *child)
{
	*(struct starpu_vector_interface *)child = (struct starpu_vector_interface){ .id = STARPU_VECTOR_INTERFACE_ID,
										     .ptr = a->ptr,
										     .dev_handle = a->dev_handle,
										     .offset = a->offset,
										     .nx = a->n[0],
										     .elemsize = a->elemsize,
										     .allocsize = a->n[0] *
												  a->elemsize };
}

static void to_matrix(const struct array *a, void *child)
{
	*(struct starpu_matrix_interface *)child =
		(struct starpu_matrix_interface){ .id = STARPU_MATRIX_INTERFACE_ID,
						  .ptr = a->ptr,
						  .dev_handle = a->dev_handle,
						  .offset = a->offset,
						  .nx = a->n[0],
						  .ny = a->n[1],
						  .ld = a->ld[1],
						  .elemsize = a->elemsize,
						  .allocsize = (size_t)a->n[0] * a->n[1] * a->elemsize };
}

static void to_block(const struct array *a, void *child)
{
	*(struct starpu_block_interface *)child = (struct starpu_block_interface){ .id = STARPU_BLOCK_INTERFACE_ID,
										   .ptr = a->ptr,
										   .dev_handle = a->dev_handle,
										   .offset = a->offset,
										   .nx = a->n[0],
										   .ny = a->n[1],
										   .nz = a->n[2],
										   .ldy = a->ld[1],
										   .ldz = a->ld[2],
										   .elemsize = a->elemsize };
}

static void to_tensor(const struct array *a, void *child)
{
	*(struct starpu_tensor_interface *)child = (struct starpu_tensor_interface){ .id = STARPU_TENSOR_INTERFACE_ID,
										     .ptr = a->ptr,
										     .dev_handle = a->dev_handle,
										     .offset = a->offset,
										     .nx = a->n[0],
										     .ny = a->n[1],
										     .nz = a->n[2],
										     .nt = a->n[3],
										     .ldy = a->ld[1],
										     .ldz = a->ld[2],
										     .ldt = a->ld[3],
										     .elemsize = a->elemsize };
}

static void to_ndim(const struct array *a, void *child)
{
	size_t bytes = a->elemsize;

	for (unsigned d = 0; d < a->ndim; d++)
		bytes *= a->n[d];
	*(struct starpu_ndim_interface *)child = (struct starpu_ndim_interface){ .id = STARPU_NDIM_INTERFACE_ID,
										 .ptr = a->ptr,
										 .dev_handle = a->dev_handle,
										 .offset = a->offset,
										 .allocsize = bytes,
										 .nn = xs_sizes(a->n, a->ndim),
										 .ldn = xs_sizes(a->ld, a->ndim),
										 .ndim = a->ndim,
										 .elemsize = a->elemsize };
}

/* --- the filters --- */

#define FILTER(name) \
	void starpu_##name(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id, \
			   unsigned nparts)

/* The id-th of neighbouring slices, from the one that filter_arg_ptr says. */
static struct array slice(const void *parent, const struct starpu_data_filter *f, unsigned id, unsigned dimension)
{
	struct array a = array_of(parent);

	array_fix(&a, dimension < a.ndim ? dimension : 0, (size_t)(uintptr_t)f->filter_arg_ptr + id);
	return a;
}

#define SLICES(name, dimension, convert) \
	FILTER(name) \
	{ \
		struct array a = slice(parent_interface, f, id, dimension); \
\
		(void)nparts; \
		convert(&a, child_interface); \
	}

SLICES(block_filter_pick_matrix_z, 2, to_matrix)
SLICES(block_filter_pick_matrix_y, 1, to_matrix)
SLICES(tensor_filter_pick_block_t, 3, to_block)
SLICES(tensor_filter_pick_block_z, 2, to_block)
SLICES(tensor_filter_pick_block_y, 1, to_block)
SLICES(ndim_filter_pick_ndim, f->filter_arg, to_ndim)
SLICES(ndim_filter_5d_pick_tensor, f->filter_arg, to_tensor)
SLICES(ndim_filter_4d_pick_block, f->filter_arg, to_block)
SLICES(ndim_filter_3d_pick_matrix, f->filter_arg, to_matrix)
SLICES(ndim_filter_2d_pick_vector, f->filter_arg, to_vector)
SLICES(ndim_filter_1d_pick_variable, 0, to_variable)

/* One element, at the indices that filter_arg_ptr points to. */
static void element(const void *parent, void *child, const struct starpu_data_filter *f)
{
	const uint32_t *indices = f->filter_arg_ptr;
	struct array a = array_of(parent);
	size_t at = 0;

	for (unsigned d = 0; d < a.ndim; d++)
		at += (size_t)indices[d] * a.ld[d];
	array_move(&a, at);
	to_variable(&a, child);
}

#define ELEMENT(name) \
	FILTER(name) \
	{ \
		(void)id; \
		(void)nparts; \
		element(parent_interface, child_interface, f); \
	}
ELEMENT(matrix_filter_pick_variable)
ELEMENT(block_filter_pick_variable)
ELEMENT(tensor_filter_pick_variable)
ELEMENT(ndim_filter_pick_variable)

#define PIECES(name, dimension, margin, convert) \
	FILTER(name) \
	{ \
		struct array a = array_of(parent_interface); \
\
		(void)f; \
		if (a.ndim) \
			array_cut(&a, (dimension) < a.ndim ? (dimension) : 0, id, nparts, margin); \
		convert(&a, child_interface); \
	}
#define MARGIN ((uint32_t)(uintptr_t)f->filter_arg_ptr)

PIECES(tensor_filter_block_shadow, 0, MARGIN, to_tensor)
PIECES(tensor_filter_vertical_block_shadow, 1, MARGIN, to_tensor)
PIECES(tensor_filter_depth_block_shadow, 2, MARGIN, to_tensor)
PIECES(tensor_filter_time_block_shadow, 3, MARGIN, to_tensor)
PIECES(ndim_filter_block, f->filter_arg, 0, to_ndim)
PIECES(ndim_filter_block_shadow, f->filter_arg, MARGIN, to_ndim)
PIECES(ndim_filter_to_tensor, f->filter_arg, 0, to_tensor)
PIECES(ndim_filter_to_block, f->filter_arg, 0, to_block)
PIECES(ndim_filter_to_matrix, f->filter_arg, 0, to_matrix)
PIECES(ndim_filter_to_vector, f->filter_arg, 0, to_vector)
PIECES(ndim_filter_to_variable, 0, 0, to_variable)

#define CHILD(name, kind) \
	struct starpu_data_interface_ops *starpu_##name##_child_ops(struct starpu_data_filter *f, unsigned child) \
	{ \
		(void)f; \
		(void)child; \
		return &starpu_interface_##kind##_ops; \
	}

CHILD(matrix_filter_pick_variable, variable)
CHILD(block_filter_pick_matrix, matrix)
CHILD(block_filter_pick_variable, variable)
CHILD(tensor_filter_pick_block, block)
CHILD(tensor_filter_pick_variable, variable)
CHILD(ndim_filter_pick_tensor, tensor)
CHILD(ndim_filter_pick_block, block)
CHILD(ndim_filter_pick_matrix, matrix)
CHILD(ndim_filter_pick_vector, vector)
CHILD(ndim_filter_pick_variable, variable)
CHILD(ndim_filter_to_tensor, tensor)
CHILD(ndim_filter_to_block, block)
CHILD(ndim_filter_to_matrix, matrix)
CHILD(ndim_filter_to_vector, vector)
CHILD(ndim_filter_to_variable, variable)
