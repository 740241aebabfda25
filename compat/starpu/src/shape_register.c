/* SPDX-License-Identifier: MIT */
/*
 * Registering data of the predefined interfaces.
 */
#include "shapes.h"

static void shape_register(starpu_data_handle_t *handle, int home_node, struct starpu_data_interface_ops *ops,
			   const void *view);

/* Data of a disk: its pointer is the object there; it gets memory of its own. */
static void shape_register_object(starpu_data_handle_t *handle, int home_node, const struct xs_shape *shape,
				  const void *view)
{
	char copy[XS_VIEW_ROOM];
	void *object = xs_shape_pointer(shape, view);

	memcpy(copy, view, shape->interface.view_size);
	memset(copy + shape->pointer, 0, sizeof(void *));
	shape_register(handle, -1, shape->ops, copy);
	if (!*handle)
		return;
	(*handle)->home_node = home_node;
	(*handle)->initialised = true;
	xs_disk_load(*handle, object);
}

static void shape_register(starpu_data_handle_t *handle, int home_node, struct starpu_data_interface_ops *ops,
			   const void *view)
{
	const struct xs_shape *shape = xs_shape_of(ops);
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
	if (xs_shape_of(ops)) {
		shape_register(handleptr, home_node, ops, data_interface);
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

void xs_shape_blank(const struct _starpu_data_state *h, void *view)
{
	view_blank(h->shape, xy_handle_view(h->xy), view);
}

void xs_shape_adopt(struct _starpu_data_state *h, const void *view)
{
	struct xy_handle *xy;
	int error = xy_register(xs_global.rt, &xy, &h->shape->interface, view);

	if (error) {
		xs_fail(error, "'%s' can't have the program's memory: %s", xy_handle_name(h->xy), strerror(-error));
		return;
	}
	xy_unregister(&h->xy);
	h->xy = xy;
}

void starpu_data_register_same(starpu_data_handle_t *handledst, starpu_data_handle_t handlesrc)
{
	_Alignas(void *) char view[XS_VIEW_ROOM];

	if (!handlesrc->shape) {
		xs_opaque_register(handledst, -1, xs_view(handlesrc), handlesrc->ops);
		return;
	}
	xs_shape_blank(handlesrc, view);
	shape_register(handledst, -1, handlesrc->ops, view);
}

void starpu_variable_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t size)
{
	shape_register(
		handle, home_node, &starpu_interface_variable_ops,
		&(struct starpu_variable_interface){ STARPU_VARIABLE_INTERFACE_ID, HOME(ptr), HOME(ptr), 0, size });
}

void starpu_vector_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t nx,
					   size_t elemsize, size_t allocsize)
{
	shape_register(handle, home_node, &starpu_interface_vector_ops,
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
	shape_register(handle, home_node, &starpu_interface_matrix_ops,
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
	shape_register(handle, home_node, &starpu_interface_block_ops,
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
	shape_register(handle, home_node, &starpu_interface_tensor_ops,
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

	shape_register(handle, home_node, &starpu_interface_csr_ops,
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

	shape_register(handle, home_node, &starpu_interface_bcsr_ops,
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

	shape_register(handleptr, home_node, &starpu_interface_coo_ops,
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
	shape_register(handle, home_node, &starpu_interface_multiformat_ops,
		       &(struct starpu_multiformat_interface){ .id = STARPU_MULTIFORMAT_INTERFACE_ID,
							       .cpu_ptr = home_node < 0 ? NULL : ptr,
							       .nx = nobjects,
							       .ops = format_ops });
}

void starpu_void_data_register(starpu_data_handle_t *handle)
{
	void *nothing = NULL;

	shape_register(handle, 0, &starpu_interface_void_ops, &nothing);
}

int starpu_data_register_ops(struct starpu_data_interface_ops *ops)
{
	if (ops->interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
		ops->interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	return (int)ops->interfaceid;
}
