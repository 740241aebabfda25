/* SPDX-License-Identifier: MIT */
/*
 * The fields of data of the predefined interfaces, by handle.
 */
#include "shapes.h"

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

/* --- the program's own memory on a node: in RAM, for data that has none and was not used so far --- */

union view {
	struct starpu_variable_interface dense;
	struct starpu_matrix_interface matrix;
	struct starpu_block_interface block;
	struct starpu_tensor_interface tensor;
	char room[XS_VIEW_ROOM];
};

void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned node)
{
	if ((int)node != handle->home_node && (node != STARPU_MAIN_RAM || handle->home_node >= 0))
		xs_fail(-ENOTSUP, "'%s': the program's memory on node %u can't be used", xy_handle_name(handle->xy),
			node);
}

/* Whether the memory is to be used: view is then the struct with it. */
static bool memory_begin(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, union view *view)
{
	starpu_data_ptr_register(handle, node);
	if (node != STARPU_MAIN_RAM || handle->home_node >= 0 || !handle->shape)
		return false;
	xs_shape_blank(handle, view);
	view->dense.ptr = view->dense.dev_handle = ptr;
	return true;
}

void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				  size_t offset)
{
	union view view;

	(void)dev_handle;
	(void)offset;
	if (memory_begin(handle, node, ptr, &view))
		xs_shape_adopt(handle, &view);
}

void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset)
{
	starpu_variable_ptr_register(handle, node, ptr, dev_handle, offset);
}

void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset, uint32_t ld)
{
	union view view;

	(void)dev_handle;
	(void)offset;
	if (!memory_begin(handle, node, ptr, &view))
		return;
	view.matrix.ld = ld;
	xs_shape_adopt(handle, &view);
}

void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
			       size_t offset, uint32_t ldy, uint32_t ldz)
{
	union view view;

	(void)dev_handle;
	(void)offset;
	if (!memory_begin(handle, node, ptr, &view))
		return;
	view.block.ldy = ldy;
	view.block.ldz = ldz;
	xs_shape_adopt(handle, &view);
}

void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset, uint32_t ldy, uint32_t ldz, uint32_t ldt)
{
	union view view;

	(void)dev_handle;
	(void)offset;
	if (!memory_begin(handle, node, ptr, &view))
		return;
	view.tensor.ldy = ldy;
	view.tensor.ldz = ldz;
	view.tensor.ldt = ldt;
	xs_shape_adopt(handle, &view);
}

void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
			      size_t offset, uint32_t *ldn)
{
	(void)ldn;
	if (node == STARPU_MAIN_RAM && handle->home_node < 0)
		xs_fail(-ENOTSUP, "starpu_ndim_ptr_register: register the data with its memory");
	else
		starpu_variable_ptr_register(handle, node, ptr, dev_handle, offset);
}
