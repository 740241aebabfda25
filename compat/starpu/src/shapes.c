/* SPDX-License-Identifier: MIT */
/*
 * The predefined interfaces. The view of Xylem's interface is StarPU's struct
 * itself, so that codelets get the buffers of the call as they are.
 */
#include "internal.h"

struct xs_shape {
	struct xy_interface interface;
	struct starpu_data_interface_ops *ops;
	size_t pointer; /* offset of the first address */
};

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

#define SHAPE(kind, ID, first, squeeze, bytes) \
	static char kind##_name[] = #kind; \
	struct starpu_data_interface_ops starpu_interface_##kind##_ops = { .interfaceid = STARPU_##ID##_INTERFACE_ID, \
									   .interface_size = bytes, \
									   .name = kind##_name }; \
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

/* --- registration --- */

static void shape_register(starpu_data_handle_t *handle, int home_node, const struct xs_shape *shape, const void *view);

/* Data of a disk: its pointer is the object there; it gets memory of its own. */
static void shape_register_object(starpu_data_handle_t *handle, int home_node, const struct xs_shape *shape,
				  const void *view)
{
	char copy[XS_VIEW_ROOM];
	void *object = xs_shape_pointer(shape, view);

	memcpy(copy, view, shape->interface.view_size);
	memset(copy + shape->pointer, 0, sizeof(void *));
	shape_register(handle, -1, shape, copy);
	if (!*handle)
		return;
	(*handle)->home_node = home_node;
	xs_disk_load(*handle, object);
}

static void shape_register(starpu_data_handle_t *handle, int home_node, const struct xs_shape *shape, const void *view)
{
	struct xy_handle *xy;
	int error;

	*handle = NULL;
	if (xs_disk_is(home_node)) {
		shape_register_object(handle, home_node, shape, view);
		return;
	}
	if (!xs_global.rt) {
		xs_fail(-ENODEV, "data is registered before starpu_init");
		return;
	}
	error = xy_register(xs_global.rt, &xy, &shape->interface, view);
	if (error) {
		xs_fail(error, "a %s can't be registered: %s", shape->interface.name, strerror(-error));
		return;
	}
	*handle = xs_handle_wrap(xy, shape->ops, home_node);
	if (!*handle)
		xy_unregister(&xy);
	else if (home_node < 0 && (*handle)->shape)
		starpu_memory_allocate(STARPU_MAIN_RAM, (*handle)->counted = xy_handle_size(xy),
				       (int)STARPU_MEMORY_OVERFLOW);
}

/* The home node is where the program's memory is; -1: there is none yet,
 * whatever the pointer. */
#define HOME(pointer) (home_node < 0 ? 0 : (uintptr_t)(pointer))

void starpu_data_register(starpu_data_handle_t *handleptr, int home_node, void *data_interface,
			  struct starpu_data_interface_ops *ops)
{
	const struct xs_shape *shape = xs_shape_of(ops);

	if (shape) {
		shape_register(handleptr, home_node, shape, data_interface);
		return;
	}
	xs_opaque_register(handleptr, home_node, data_interface, ops);
}

/* The struct without its addresses, which a worker may be setting now. */
static void view_blank(const struct xs_shape *shape, const void *from, void *to)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts = shape->interface.parts(from, parts);

	memset(to, 0, shape->interface.view_size);
	for (size_t at = 0; at < shape->interface.view_size; at += sizeof(void *)) {
		bool address = false;

		for (unsigned i = 0; i < nparts; i++)
			address = address || parts[i].pointer == at;
		if (!address)
			memcpy((char *)to + at, (const char *)from + at, sizeof(void *));
	}
	if (xs_view_is_dense(to))
		((struct starpu_vector_interface *)to)->dev_handle = 0;
}

void starpu_data_register_same(starpu_data_handle_t *handledst, starpu_data_handle_t handlesrc)
{
	_Alignas(void *) char view[XS_VIEW_ROOM];

	if (!handlesrc->shape) {
		xs_opaque_register(handledst, -1, xs_view(handlesrc), handlesrc->ops);
		return;
	}
	view_blank(handlesrc->shape, xy_handle_view(handlesrc->xy), view);
	shape_register(handledst, -1, handlesrc->shape, view);
}

void starpu_variable_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t size)
{
	shape_register(
		handle, home_node, &variable_shape,
		&(struct starpu_variable_interface){ STARPU_VARIABLE_INTERFACE_ID, HOME(ptr), HOME(ptr), 0, size });
}

void starpu_vector_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t nx,
					   size_t elemsize, size_t allocsize)
{
	shape_register(handle, home_node, &vector_shape,
		       &(struct starpu_vector_interface){ .id = STARPU_VECTOR_INTERFACE_ID,
							  .ptr = HOME(ptr),
							  .dev_handle = HOME(ptr),
							  .nx = nx,
							  .elemsize = elemsize,
							  .allocsize = allocsize });
}

void starpu_vector_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t nx,
				 size_t elemsize)
{
	starpu_vector_data_register_allocsize(handle, home_node, ptr, nx, elemsize, nx * elemsize);
}

void starpu_matrix_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ld,
					   uint32_t nx, uint32_t ny, size_t elemsize, size_t allocsize)
{
	shape_register(handle, home_node, &matrix_shape,
		       &(struct starpu_matrix_interface){ .id = STARPU_MATRIX_INTERFACE_ID,
							  .ptr = HOME(ptr),
							  .dev_handle = HOME(ptr),
							  .nx = nx,
							  .ny = ny,
							  .ld = ld,
							  .elemsize = elemsize,
							  .allocsize = allocsize });
}

void starpu_matrix_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ld, uint32_t nx,
				 uint32_t ny, size_t elemsize)
{
	starpu_matrix_data_register_allocsize(handle, home_node, ptr, ld, nx, ny, elemsize, (size_t)nx * ny * elemsize);
}

void starpu_block_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ldy, uint32_t ldz,
				uint32_t nx, uint32_t ny, uint32_t nz, size_t elemsize)
{
	shape_register(handle, home_node, &block_shape,
		       &(struct starpu_block_interface){ .id = STARPU_BLOCK_INTERFACE_ID,
							 .ptr = HOME(ptr),
							 .dev_handle = HOME(ptr),
							 .nx = nx,
							 .ny = ny,
							 .nz = nz,
							 .ldy = ldy,
							 .ldz = ldz,
							 .elemsize = elemsize });
}

void starpu_tensor_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ldy, uint32_t ldz,
				 uint32_t ldt, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t nt, size_t elemsize)
{
	shape_register(handle, home_node, &tensor_shape,
		       &(struct starpu_tensor_interface){ .id = STARPU_TENSOR_INTERFACE_ID,
							  .ptr = HOME(ptr),
							  .dev_handle = HOME(ptr),
							  .nx = nx,
							  .ny = ny,
							  .nz = nz,
							  .nt = nt,
							  .ldy = ldy,
							  .ldz = ldz,
							  .ldt = ldt,
							  .elemsize = elemsize });
}

void starpu_csr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow, uintptr_t nzval,
			      uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, size_t elemsize)
{
	bool none = home_node < 0;

	shape_register(handle, home_node, &csr_shape,
		       &(struct starpu_csr_interface){ .id = STARPU_CSR_INTERFACE_ID,
						       .nnz = nnz,
						       .nrow = nrow,
						       .nzval = HOME(nzval),
						       .colind = none ? NULL : colind,
						       .rowptr = none ? NULL : rowptr,
						       .ram_colind = colind,
						       .ram_rowptr = rowptr,
						       .firstentry = firstentry,
						       .elemsize = elemsize });
}

void starpu_bcsr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow,
			       uintptr_t nzval, uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, uint32_t r,
			       uint32_t c, size_t elemsize)
{
	bool none = home_node < 0;

	shape_register(handle, home_node, &bcsr_shape,
		       &(struct starpu_bcsr_interface){ .id = STARPU_BCSR_INTERFACE_ID,
							.nnz = nnz,
							.nrow = nrow,
							.nzval = HOME(nzval),
							.colind = none ? NULL : colind,
							.rowptr = none ? NULL : rowptr,
							.ram_colind = colind,
							.ram_rowptr = rowptr,
							.firstentry = firstentry,
							.r = r,
							.c = c,
							.elemsize = elemsize });
}

void starpu_coo_data_register(starpu_data_handle_t *handleptr, int home_node, uint32_t nx, uint32_t ny,
			      uint32_t n_values, uint32_t *columns, uint32_t *rows, uintptr_t values, size_t elemsize)
{
	bool none = home_node < 0;

	shape_register(handleptr, home_node, &coo_shape,
		       &(struct starpu_coo_interface){ .id = STARPU_COO_INTERFACE_ID,
						       .columns = none ? NULL : columns,
						       .rows = none ? NULL : rows,
						       .values = HOME(values),
						       .nx = nx,
						       .ny = ny,
						       .n_values = n_values,
						       .elemsize = elemsize });
}

void starpu_multiformat_data_register(starpu_data_handle_t *handle, int home_node, void *ptr, uint32_t nobjects,
				      struct starpu_multiformat_data_interface_ops *format_ops)
{
	shape_register(handle, home_node, &multiformat_shape,
		       &(struct starpu_multiformat_interface){ .id = STARPU_MULTIFORMAT_INTERFACE_ID,
							       .cpu_ptr = home_node < 0 ? NULL : ptr,
							       .nx = nobjects,
							       .ops = format_ops });
}

void starpu_void_data_register(starpu_data_handle_t *handle)
{
	void *nothing = NULL;

	shape_register(handle, 0, &void_shape, &nothing);
}

/* --- queries --- */

#define GET(kind, type, suffix, field) \
	type starpu_##kind##_get_##suffix(starpu_data_handle_t handle) \
	{ \
		return ((const struct starpu_##kind##_interface *)xs_view(handle))->field; \
	}

GET(variable, size_t, elemsize, elemsize)
GET(variable, uintptr_t, local_ptr, ptr)
GET(vector, uint32_t, nx, nx)
GET(vector, size_t, elemsize, elemsize)
GET(vector, size_t, allocsize, allocsize)
GET(vector, uintptr_t, local_ptr, ptr)
GET(matrix, uint32_t, nx, nx)
GET(matrix, uint32_t, ny, ny)
GET(matrix, uint32_t, local_ld, ld)
GET(matrix, size_t, elemsize, elemsize)
GET(matrix, size_t, allocsize, allocsize)
GET(matrix, uintptr_t, local_ptr, ptr)
GET(block, uint32_t, nx, nx)
GET(block, uint32_t, ny, ny)
GET(block, uint32_t, nz, nz)
GET(block, uint32_t, local_ldy, ldy)
GET(block, uint32_t, local_ldz, ldz)
GET(block, size_t, elemsize, elemsize)
GET(block, uintptr_t, local_ptr, ptr)
GET(tensor, uint32_t, nx, nx)
GET(tensor, uint32_t, ny, ny)
GET(tensor, uint32_t, nz, nz)
GET(tensor, uint32_t, nt, nt)
GET(tensor, uint32_t, local_ldy, ldy)
GET(tensor, uint32_t, local_ldz, ldz)
GET(tensor, uint32_t, local_ldt, ldt)
GET(tensor, size_t, elemsize, elemsize)
GET(tensor, uintptr_t, local_ptr, ptr)
GET(csr, uint32_t, nnz, nnz)
GET(csr, uint32_t, nrow, nrow)
GET(csr, uint32_t, firstentry, firstentry)
GET(csr, uintptr_t, local_nzval, nzval)
GET(csr, uint32_t *, local_colind, colind)
GET(csr, uint32_t *, local_rowptr, rowptr)
GET(csr, size_t, elemsize, elemsize)
GET(bcsr, uint32_t, nnz, nnz)
GET(bcsr, uint32_t, nrow, nrow)
GET(bcsr, uint32_t, firstentry, firstentry)
GET(bcsr, uintptr_t, local_nzval, nzval)
GET(bcsr, uint32_t *, local_colind, colind)
GET(bcsr, uint32_t *, local_rowptr, rowptr)
GET(bcsr, uint32_t, r, r)
GET(bcsr, uint32_t, c, c)
GET(bcsr, size_t, elemsize, elemsize)

/* --- the program's own memory on a node: known only in RAM, where it was registered --- */

void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned node)
{
	if ((int)node != handle->home_node)
		xs_fail(-ENOTSUP, "'%s': the program's memory on node %u can't be used", xy_handle_name(handle->xy),
			node);
}

void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				  size_t offset)
{
	(void)ptr;
	(void)dev_handle;
	(void)offset;
	starpu_data_ptr_register(handle, node);
}

void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset)
{
	starpu_variable_ptr_register(handle, node, ptr, dev_handle, offset);
}

void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset, uint32_t ld)
{
	(void)ld;
	starpu_variable_ptr_register(handle, node, ptr, dev_handle, offset);
}

void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
			       size_t offset, uint32_t ldy, uint32_t ldz)
{
	(void)ldy;
	(void)ldz;
	starpu_variable_ptr_register(handle, node, ptr, dev_handle, offset);
}

void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset, uint32_t ldy, uint32_t ldz, uint32_t ldt)
{
	(void)ldt;
	starpu_block_ptr_register(handle, node, ptr, dev_handle, offset, ldy, ldz);
}

void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
			      size_t offset, uint32_t *ldn)
{
	(void)ldn;
	starpu_variable_ptr_register(handle, node, ptr, dev_handle, offset);
}

int starpu_data_register_ops(struct starpu_data_interface_ops *ops)
{
	if (ops->interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
		ops->interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	return (int)ops->interfaceid;
}
