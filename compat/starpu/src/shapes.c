/* SPDX-License-Identifier: MIT */
/*
 * The predefined interfaces. The view of Xylem's interface is StarPU's struct
 * itself, so that codelets get the buffers of the call as they are.
 */
#include "shapes.h"

static unsigned one_part(struct xy_part *part, size_t pointer, size_t bytes)
{
	*part = (struct xy_part){ .pointer = pointer, .row_bytes = bytes };
	return 1;
}

static void part_dimension(struct xy_part *part, size_t count, size_t stride)
{
	part->count[part->ndims] = count;
	part->stride[part->ndims++] = stride;
}

static unsigned variable_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_variable_interface *v = view;

	return one_part(parts, offsetof(struct starpu_variable_interface, ptr), v->elemsize);
}

static unsigned vector_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_vector_interface *v = view;

	return one_part(parts, offsetof(struct starpu_vector_interface, ptr), v->nx * v->elemsize);
}

static unsigned matrix_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_matrix_interface *m = view;

	one_part(parts, offsetof(struct starpu_matrix_interface, ptr), m->nx * m->elemsize);
	part_dimension(parts, m->ny, m->ld * m->elemsize);
	return 1;
}

static void matrix_compact(void *view)
{
	struct starpu_matrix_interface *m = view;

	m->ld = m->nx;
}

static unsigned block_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_block_interface *b = view;

	one_part(parts, offsetof(struct starpu_block_interface, ptr), b->nx * b->elemsize);
	part_dimension(parts, b->ny, b->ldy * b->elemsize);
	part_dimension(parts, b->nz, b->ldz * b->elemsize);
	return 1;
}

static void block_compact(void *view)
{
	struct starpu_block_interface *b = view;

	b->ldy = b->nx;
	b->ldz = b->nx * b->ny;
}

static unsigned tensor_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_tensor_interface *t = view;

	one_part(parts, offsetof(struct starpu_tensor_interface, ptr), t->nx * t->elemsize);
	part_dimension(parts, t->ny, t->ldy * t->elemsize);
	part_dimension(parts, t->nz, t->ldz * t->elemsize);
	part_dimension(parts, t->nt, t->ldt * t->elemsize);
	return 1;
}

static void tensor_compact(void *view)
{
	struct starpu_tensor_interface *t = view;

	t->ldy = t->nx;
	t->ldz = t->nx * t->ny;
	t->ldt = t->ldz * t->nz;
}

static unsigned csr_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_csr_interface *c = view;

	one_part(&parts[0], offsetof(struct starpu_csr_interface, nzval), c->nnz * c->elemsize);
	one_part(&parts[1], offsetof(struct starpu_csr_interface, colind), c->nnz * sizeof(uint32_t));
	one_part(&parts[2], offsetof(struct starpu_csr_interface, rowptr), (c->nrow + 1) * sizeof(uint32_t));
	return 3;
}

static unsigned bcsr_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_bcsr_interface *c = view;

	one_part(&parts[0], offsetof(struct starpu_bcsr_interface, nzval), (size_t)c->nnz * c->r * c->c * c->elemsize);
	one_part(&parts[1], offsetof(struct starpu_bcsr_interface, colind), c->nnz * sizeof(uint32_t));
	one_part(&parts[2], offsetof(struct starpu_bcsr_interface, rowptr), (c->nrow + 1) * sizeof(uint32_t));
	return 3;
}

static unsigned coo_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_coo_interface *c = view;

	one_part(&parts[0], offsetof(struct starpu_coo_interface, values), c->n_values * c->elemsize);
	one_part(&parts[1], offsetof(struct starpu_coo_interface, columns), c->n_values * sizeof(uint32_t));
	one_part(&parts[2], offsetof(struct starpu_coo_interface, rows), c->n_values * sizeof(uint32_t));
	return 3;
}

static unsigned multiformat_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_multiformat_interface *m = view;

	return one_part(parts, offsetof(struct starpu_multiformat_interface, cpu_ptr), m->nx * m->ops->cpu_elemsize);
}

static unsigned void_parts(const void *view, struct xy_part *parts)
{
	(void)view;
	(void)parts;
	return 0;
}

/* The functions of an interface know which one it is. */
#define FUNCTIONS(kind) \
	static void kind##_register(starpu_data_handle_t handle, XYLEM_STARPU_HOME home_node, void *view) \
	{ \
		xs_shape_fill(&kind##_shape, handle, (int)home_node, view); \
	} \
	static starpu_ssize_t kind##_allocate(void *view, unsigned node) \
	{ \
		return xs_shape_allocate(&kind##_shape, view, node); \
	} \
	static void kind##_free(void *view, unsigned node) \
	{ \
		xs_shape_free(&kind##_shape, view, node); \
	} \
	static int kind##_to_ram(void *from, unsigned from_node, void *to, unsigned to_node) \
	{ \
		return xs_shape_copy(&kind##_shape, from, from_node, to, to_node); \
	} \
	static int kind##_to_any(void *from, unsigned from_node, void *to, unsigned to_node, void *async_data) \
	{ \
		(void)async_data; \
		return xs_shape_copy(&kind##_shape, from, from_node, to, to_node); \
	} \
	static void *kind##_pointer(void *view, unsigned node) \
	{ \
		(void)node; \
		return xs_shape_pointer(&kind##_shape, view); \
	} \
	static int kind##_inside(void *view, unsigned node, void *ptr) \
	{ \
		(void)node; \
		return xs_shape_is_inside(&kind##_shape, view, ptr); \
	} \
	static size_t kind##_size(starpu_data_handle_t handle) \
	{ \
		return xs_shape_bytes(&kind##_shape, starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM)); \
	} \
	static uint32_t kind##_footprint(starpu_data_handle_t handle) \
	{ \
		return xs_shape_hash(&kind##_shape, starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM)); \
	} \
	static int kind##_compare(void *a, void *b) \
	{ \
		return xs_shape_is_like(&kind##_shape, a, b); \
	} \
	static void kind##_display(starpu_data_handle_t handle, FILE *f) \
	{ \
		fprintf(f, "%zu\t", kind##_size(handle)); \
	} \
	static starpu_ssize_t kind##_describe(void *view, char *buf, size_t size) \
	{ \
		return xs_shape_describe(&kind##_shape, view, buf, size); \
	} \
	static int kind##_pack(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count) \
	{ \
		return xs_shape_pack(&kind##_shape, starpu_data_get_interface_on_node(handle, node), node, ptr, \
				     count); \
	} \
	static int kind##_peek(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count) \
	{ \
		return xs_shape_move(&kind##_shape, starpu_data_get_interface_on_node(handle, node), ptr, count, \
				     false); \
	} \
	static int kind##_unpack(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count) \
	{ \
		int error = kind##_peek(handle, node, ptr, count); \
\
		starpu_free_on_node_flags(node, (uintptr_t)ptr, count, 0); \
		return error; \
	}

#define SHAPE(kind, ID, first, squeeze, bytes) \
	static const struct xs_shape kind##_shape; \
	FUNCTIONS(kind) \
	static char kind##_name[] = "STARPU_" #ID "_INTERFACE"; \
	static const struct starpu_data_copy_methods kind##_methods = { .ram_to_ram = kind##_to_ram, \
									.any_to_any = kind##_to_any }; \
	struct starpu_data_interface_ops starpu_interface_##kind##_ops = { \
		.register_data_handle = kind##_register, \
		.allocate_data_on_node = kind##_allocate, \
		.free_data_on_node = kind##_free, \
		.copy_methods = &kind##_methods, \
		.to_pointer = kind##_pointer, \
		.pointer_is_inside = kind##_inside, \
		.get_size = kind##_size, \
		.footprint = kind##_footprint, \
		.compare = kind##_compare, \
		.display = kind##_display, \
		.describe = kind##_describe, \
		.pack_data = kind##_pack, \
		.peek_data = kind##_peek, \
		.unpack_data = kind##_unpack, \
		.interfaceid = STARPU_##ID##_INTERFACE_ID, \
		.interface_size = bytes, \
		.name = kind##_name, \
	}; \
	static const struct xs_shape kind##_shape = { \
		{ .name = #kind, .view_size = bytes, .parts = kind##_parts, .compact = squeeze }, \
		&starpu_interface_##kind##_ops, \
		first \
	};
#define OF(kind, field) offsetof(struct starpu_##kind##_interface, field)
#define SIZE(kind) sizeof(struct starpu_##kind##_interface)

SHAPE(variable, VARIABLE, OF(variable, ptr), NULL, SIZE(variable))
SHAPE(vector, VECTOR, OF(vector, ptr), NULL, SIZE(vector))
SHAPE(matrix, MATRIX, OF(matrix, ptr), matrix_compact, SIZE(matrix))
SHAPE(block, BLOCK, OF(block, ptr), block_compact, SIZE(block))
SHAPE(tensor, TENSOR, OF(tensor, ptr), tensor_compact, SIZE(tensor))
#define ndim_parts xs_ndim_parts
SHAPE(ndim, NDIM, OF(ndim, ptr), xs_ndim_compact, SIZE(ndim))
SHAPE(csr, CSR, OF(csr, nzval), NULL, SIZE(csr))
SHAPE(bcsr, BCSR, OF(bcsr, nzval), NULL, SIZE(bcsr))
SHAPE(coo, COO, OF(coo, values), NULL, SIZE(coo))
SHAPE(multiformat, MULTIFORMAT, OF(multiformat, cpu_ptr), NULL, SIZE(multiformat))
SHAPE(void, VOID, 0, NULL, sizeof(void *))

static const struct xs_shape *const shapes[] = {
	&variable_shape, &vector_shape, &matrix_shape, &block_shape,       &tensor_shape, &csr_shape,
	&bcsr_shape,     &coo_shape,    &void_shape,   &multiformat_shape, &ndim_shape,
};

const struct xs_shape *xs_shape_of(const struct starpu_data_interface_ops *ops)
{
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (shapes[i]->ops == ops)
			return shapes[i];
	return NULL;
}

const struct xy_interface *xs_shape_interface(const struct xs_shape *shape)
{
	return &shape->interface;
}

struct starpu_data_interface_ops *xs_shape_ops(const struct xs_shape *shape)
{
	return shape->ops;
}

void *xs_shape_pointer(const struct xs_shape *shape, const void *view)
{
	return shape == &void_shape ? NULL : *(void *const *)((const char *)view + shape->pointer);
}

void *xs_shape_convert(const struct xy_interface *from, const void *view, void *room)
{
	if (from == &xy_variable_interface) {
		const struct xy_variable *v = view;

		*(struct starpu_variable_interface *)room = (struct starpu_variable_interface){
			STARPU_VARIABLE_INTERFACE_ID, (uintptr_t)v->ptr, (uintptr_t)v->ptr, 0, v->size
		};
	} else if (from == &xy_vector_interface) {
		const struct xy_vector *v = view;

		*(struct starpu_vector_interface *)room =
			(struct starpu_vector_interface){ .id = STARPU_VECTOR_INTERFACE_ID,
							  .ptr = (uintptr_t)v->ptr,
							  .dev_handle = (uintptr_t)v->ptr,
							  .nx = (uint32_t)v->n,
							  .elemsize = v->elem,
							  .allocsize = v->n * v->elem };
	} else if (from == &xy_matrix_interface) {
		const struct xy_matrix *m = view;

		*(struct starpu_matrix_interface *)room =
			(struct starpu_matrix_interface){ .id = STARPU_MATRIX_INTERFACE_ID,
							  .ptr = (uintptr_t)m->ptr,
							  .dev_handle = (uintptr_t)m->ptr,
							  .nx = (uint32_t)m->nx,
							  .ny = (uint32_t)m->ny,
							  .ld = (uint32_t)m->ld,
							  .elemsize = m->elem };
	} else {
		return (void *)view;
	}
	return room;
}

/* Dense structs begin alike: identifier, address, handle, offset. */
bool xs_view_is_dense(const void *view)
{
	switch (*(const enum starpu_data_interface_id *)view) {
	case STARPU_VARIABLE_INTERFACE_ID:
	case STARPU_VECTOR_INTERFACE_ID:
	case STARPU_MATRIX_INTERFACE_ID:
	case STARPU_BLOCK_INTERFACE_ID:
	case STARPU_TENSOR_INTERFACE_ID:
	case STARPU_NDIM_INTERFACE_ID:
		return true;
	default:
		return false;
	}
}
