/* SPDX-License-Identifier: MIT */
/*
 * The predefined filters. They divide one dimension into pieces of almost equal
 * length, the first ones being longer by one element where it does not come out
 * even.
 */
#include "internal.h"

void starpu_filter_nparts_compute_chunk_size_and_offset(unsigned n, unsigned nparts, size_t elemsize, unsigned id,
							unsigned ld, unsigned *chunk_size, size_t *offset)
{
	unsigned least = n / nparts, longer = n % nparts;

	*chunk_size = least + (id < longer);
	if (offset)
		*offset = ((size_t)id * least + (id < longer ? id : longer)) * ld * elemsize;
}

static void move(uintptr_t *ptr, uintptr_t *dev_handle, size_t *offset, size_t by)
{
	if (!*dev_handle)
		return;
	*ptr += by;
	*dev_handle = *ptr;
	*offset += by;
}

/* A piece of a dimension of n elements: where it begins, in elements, and how
 * long it is. */
struct piece {
	size_t first;
	uint32_t length;
};

static struct piece piece_of(uint32_t n, unsigned nparts, unsigned id)
{
	unsigned length;
	size_t first;

	starpu_filter_nparts_compute_chunk_size_and_offset(n, nparts, 1, id, 1, &length, &first);
	return (struct piece){ first, length };
}

/* piece_of with a margin on both sides, which the parent has as well. */
static struct piece shadow_of(uint32_t n, unsigned nparts, unsigned id, const struct starpu_data_filter *f)
{
	uint32_t margin = (uint32_t)(uintptr_t)f->filter_arg_ptr;
	struct piece piece = piece_of(n > 2 * margin ? n - 2 * margin : 0, nparts, id);

	piece.length += 2 * margin;
	return piece;
}

/* --- vectors --- */

static void vector_cut(const void *parent, void *child, struct piece piece)
{
	const struct starpu_vector_interface *p = parent;
	struct starpu_vector_interface *c = child;

	*c = *p;
	c->nx = piece.length;
	c->allocsize = c->nx * c->elemsize;
	c->slice_base = p->slice_base + (uint32_t)piece.first;
	move(&c->ptr, &c->dev_handle, &c->offset, piece.first * p->elemsize);
}

#define FILTER(name) \
	void starpu_##name(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id, \
			   unsigned nparts)

FILTER(vector_filter_block)
{
	(void)f;
	vector_cut(parent_interface, child_interface,
		   piece_of(((struct starpu_vector_interface *)parent_interface)->nx, nparts, id));
}

FILTER(vector_filter_block_shadow)
{
	vector_cut(parent_interface, child_interface,
		   shadow_of(((struct starpu_vector_interface *)parent_interface)->nx, nparts, id, f));
}

FILTER(vector_filter_divide_in_2)
{
	uint32_t nx = ((struct starpu_vector_interface *)parent_interface)->nx, first = f->filter_arg;

	(void)nparts;
	vector_cut(parent_interface, child_interface,
		   id ? (struct piece){ first, nx - first } : (struct piece){ 0, first });
}

FILTER(vector_filter_list)
{
	const uint32_t *lengths = f->filter_arg_ptr;
	struct piece piece = { 0, lengths[id] };

	(void)nparts;
	for (unsigned i = 0; i < id; i++)
		piece.first += lengths[i];
	vector_cut(parent_interface, child_interface, piece);
}

FILTER(vector_filter_list_long)
{
	const long *lengths = f->filter_arg_ptr;
	struct piece piece = { 0, (uint32_t)lengths[id] };

	(void)nparts;
	for (unsigned i = 0; i < id; i++)
		piece.first += (size_t)lengths[i];
	vector_cut(parent_interface, child_interface, piece);
}

FILTER(vector_filter_pick_variable)
{
	const struct starpu_vector_interface *p = parent_interface;
	struct starpu_variable_interface *c = child_interface;
	size_t first = (size_t)(uintptr_t)f->filter_arg_ptr + id;

	(void)nparts;
	*c = (struct starpu_variable_interface){ STARPU_VARIABLE_INTERFACE_ID, p->ptr, p->dev_handle, p->offset,
						 p->elemsize };
	move(&c->ptr, &c->dev_handle, &c->offset, first * p->elemsize);
}

struct starpu_data_interface_ops *starpu_vector_filter_pick_variable_child_ops(struct starpu_data_filter *f,
									       unsigned child)
{
	(void)f;
	(void)child;
	return &starpu_interface_variable_ops;
}

/* --- matrices: block divides x, vertical_block divides y --- */

static void matrix_cut(const void *parent, void *child, struct piece piece, bool vertical)
{
	const struct starpu_matrix_interface *p = parent;
	struct starpu_matrix_interface *c = child;

	*c = *p;
	*(vertical ? &c->ny : &c->nx) = piece.length;
	c->allocsize = (size_t)c->nx * c->ny * c->elemsize;
	move(&c->ptr, &c->dev_handle, &c->offset, piece.first * (vertical ? p->ld : 1) * p->elemsize);
}

FILTER(matrix_filter_block)
{
	(void)f;
	matrix_cut(parent_interface, child_interface,
		   piece_of(((struct starpu_matrix_interface *)parent_interface)->nx, nparts, id), false);
}

FILTER(matrix_filter_block_shadow)
{
	matrix_cut(parent_interface, child_interface,
		   shadow_of(((struct starpu_matrix_interface *)parent_interface)->nx, nparts, id, f), false);
}

FILTER(matrix_filter_vertical_block)
{
	(void)f;
	matrix_cut(parent_interface, child_interface,
		   piece_of(((struct starpu_matrix_interface *)parent_interface)->ny, nparts, id), true);
}

FILTER(matrix_filter_vertical_block_shadow)
{
	matrix_cut(parent_interface, child_interface,
		   shadow_of(((struct starpu_matrix_interface *)parent_interface)->ny, nparts, id, f), true);
}

/* Column y as a vector. */
FILTER(matrix_filter_pick_vector_y)
{
	const struct starpu_matrix_interface *p = parent_interface;
	struct starpu_vector_interface *c = child_interface;
	size_t y = (size_t)(uintptr_t)f->filter_arg_ptr + id;

	(void)nparts;
	*c = (struct starpu_vector_interface){ .id = STARPU_VECTOR_INTERFACE_ID,
					       .ptr = p->ptr,
					       .dev_handle = p->dev_handle,
					       .offset = p->offset,
					       .nx = p->nx,
					       .elemsize = p->elemsize,
					       .allocsize = p->nx * p->elemsize };
	move(&c->ptr, &c->dev_handle, &c->offset, y * p->ld * p->elemsize);
}

struct starpu_data_interface_ops *starpu_matrix_filter_pick_vector_child_ops(struct starpu_data_filter *f,
									     unsigned child)
{
	(void)f;
	(void)child;
	return &starpu_interface_vector_ops;
}

/* --- blocks --- */

static void block_cut(const void *parent, void *child, struct piece piece, unsigned dimension)
{
	const struct starpu_block_interface *p = parent;
	struct starpu_block_interface *c = child;
	size_t stride = dimension == 0 ? 1 : dimension == 1 ? p->ldy : p->ldz;

	*c = *p;
	*(dimension == 0 ? &c->nx : dimension == 1 ? &c->ny : &c->nz) = piece.length;
	move(&c->ptr, &c->dev_handle, &c->offset, piece.first * stride * p->elemsize);
}

static uint32_t block_size(const void *parent, unsigned dimension)
{
	const struct starpu_block_interface *p = parent;

	return dimension == 0 ? p->nx : dimension == 1 ? p->ny : p->nz;
}

#define BLOCK_FILTER(name, dimension) \
	FILTER(block_filter_##name) \
	{ \
		(void)f; \
		block_cut(parent_interface, child_interface, \
			  piece_of(block_size(parent_interface, dimension), nparts, id), dimension); \
	} \
	FILTER(block_filter_##name##_shadow) \
	{ \
		block_cut(parent_interface, child_interface, \
			  shadow_of(block_size(parent_interface, dimension), nparts, id, f), dimension); \
	}

BLOCK_FILTER(block, 0)
BLOCK_FILTER(vertical_block, 1)
BLOCK_FILTER(depth_block, 2)

/* --- tensors --- */

static void tensor_cut(const void *parent, void *child, unsigned nparts, unsigned id, unsigned dimension)
{
	const struct starpu_tensor_interface *p = parent;
	struct starpu_tensor_interface *c = child;
	const uint32_t sizes[] = { p->nx, p->ny, p->nz, p->nt };
	const size_t strides[] = { 1, p->ldy, p->ldz, p->ldt };
	struct piece piece = piece_of(sizes[dimension], nparts, id);

	*c = *p;
	*(dimension == 0 ? &c->nx : dimension == 1 ? &c->ny : dimension == 2 ? &c->nz : &c->nt) = piece.length;
	move(&c->ptr, &c->dev_handle, &c->offset, piece.first * strides[dimension] * p->elemsize);
}

#define TENSOR_FILTER(name, dimension) \
	FILTER(tensor_filter_##name) \
	{ \
		(void)f; \
		tensor_cut(parent_interface, child_interface, nparts, id, dimension); \
	}

TENSOR_FILTER(block, 0)
TENSOR_FILTER(vertical_block, 1)
TENSOR_FILTER(depth_block, 2)
TENSOR_FILTER(time_block, 3)

/* --- sparse: whole rows --- */

FILTER(csr_filter_vertical_block)
{
	const struct starpu_csr_interface *p = parent_interface;
	struct starpu_csr_interface *c = child_interface;
	struct piece piece = piece_of(p->nrow, nparts, id);
	uint32_t begin = p->rowptr[piece.first], end = p->rowptr[piece.first + piece.length];

	(void)f;
	*c = *p;
	c->nrow = piece.length;
	c->nnz = end - begin;
	c->firstentry = begin;
	c->rowptr = p->rowptr + piece.first;
	c->colind = p->colind + (begin - p->firstentry);
	c->ram_rowptr = c->rowptr;
	c->ram_colind = c->colind;
	c->nzval = p->nzval + (begin - p->firstentry) * p->elemsize;
}

FILTER(bcsr_filter_vertical_block)
{
	const struct starpu_bcsr_interface *p = parent_interface;
	struct starpu_bcsr_interface *c = child_interface;
	struct piece piece = piece_of(p->nrow, nparts, id);
	uint32_t begin = p->rowptr[piece.first], end = p->rowptr[piece.first + piece.length];

	(void)f;
	*c = *p;
	c->nrow = piece.length;
	c->nnz = end - begin;
	c->firstentry = begin;
	c->rowptr = p->rowptr + piece.first;
	c->colind = p->colind + (begin - p->firstentry);
	c->ram_rowptr = c->rowptr;
	c->ram_colind = c->colind;
	c->nzval = p->nzval + (size_t)(begin - p->firstentry) * p->r * p->c * p->elemsize;
}

/* Each block of values as a matrix. */
FILTER(bcsr_filter_canonical_block)
{
	const struct starpu_bcsr_interface *p = parent_interface;
	struct starpu_matrix_interface *c = child_interface;
	size_t bytes = (size_t)p->r * p->c * p->elemsize;

	(void)f;
	(void)nparts;
	*c = (struct starpu_matrix_interface){ .id = STARPU_MATRIX_INTERFACE_ID,
					       .nx = p->c,
					       .ny = p->r,
					       .ld = p->c,
					       .elemsize = p->elemsize,
					       .allocsize = bytes };
	if (p->nzval)
		c->ptr = c->dev_handle = p->nzval + id * bytes;
	c->offset = id * bytes;
}

unsigned starpu_bcsr_filter_canonical_block_get_nchildren(struct starpu_data_filter *f, starpu_data_handle_t handle)
{
	(void)f;
	return starpu_bcsr_get_nnz(handle);
}

struct starpu_data_interface_ops *starpu_bcsr_filter_canonical_block_child_ops(struct starpu_data_filter *f,
									       unsigned child)
{
	(void)f;
	(void)child;
	return &starpu_interface_matrix_ops;
}
