/* SPDX-License-Identifier: MIT */
/* The fields of each predefined interface: by the codelet's macros, and by handle. */
#include "check.h"

static int numbers[64];
static uint32_t columns[4] = { 0, 1, 0, 1 }, rows[5] = { 0, 2, 4, 4, 4 };

static void variable(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	STARPU_VARIABLE_CHECK(b);
	CHECK(STARPU_VARIABLE_GET_PTR(b) == (uintptr_t)numbers && STARPU_VARIABLE_GET_DEV_HANDLE(b) &&
	      !STARPU_VARIABLE_GET_OFFSET(b));
	CHECK(STARPU_VARIABLE_GET_ELEMSIZE(b) == sizeof(int));
}

static void vector(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	STARPU_VECTOR_CHECK(b);
	CHECK(STARPU_VECTOR_GET_PTR(b) == (uintptr_t)numbers && STARPU_VECTOR_GET_DEV_HANDLE(b) &&
	      !STARPU_VECTOR_GET_OFFSET(b));
	CHECK(STARPU_VECTOR_GET_NX(b) == 5 && STARPU_VECTOR_GET_ELEMSIZE(b) == sizeof(int));
	CHECK(STARPU_VECTOR_GET_ALLOCSIZE(b) == 5 * sizeof(int) && STARPU_VECTOR_GET_SLICE_BASE(b) == 0);
	STARPU_VECTOR_SET_NX(b, 3);
	CHECK(STARPU_VECTOR_GET_NX(b) == 3);
	STARPU_VECTOR_SET_NX(b, 5);
}

static void matrix(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	STARPU_MATRIX_CHECK(b);
	CHECK(STARPU_MATRIX_GET_PTR(b) == (uintptr_t)numbers && STARPU_MATRIX_GET_DEV_HANDLE(b) &&
	      !STARPU_MATRIX_GET_OFFSET(b));
	CHECK(STARPU_MATRIX_GET_NX(b) == 3 && STARPU_MATRIX_GET_NY(b) == 2 && STARPU_MATRIX_GET_LD(b) == 4);
	CHECK(STARPU_MATRIX_GET_ELEMSIZE(b) == sizeof(int) && STARPU_MATRIX_GET_ALLOCSIZE(b) > 0);
	STARPU_MATRIX_SET_NX(b, 2);
	STARPU_MATRIX_SET_NY(b, 1);
	STARPU_MATRIX_SET_LD(b, 2);
	CHECK(STARPU_MATRIX_GET_NX(b) == 2 && STARPU_MATRIX_GET_NY(b) == 1 && STARPU_MATRIX_GET_LD(b) == 2);
	STARPU_MATRIX_SET_NX(b, 3);
	STARPU_MATRIX_SET_NY(b, 2);
	STARPU_MATRIX_SET_LD(b, 4);
}

static void block(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	STARPU_BLOCK_CHECK(b);
	CHECK(STARPU_BLOCK_GET_DEV_HANDLE(b) && !STARPU_BLOCK_GET_OFFSET(b));
	CHECK(STARPU_BLOCK_GET_ELEMSIZE(b) == sizeof(int));
	STARPU_BLOCK_SET_NX(b, 1);
	STARPU_BLOCK_SET_NY(b, 2);
	STARPU_BLOCK_SET_NZ(b, 3);
	STARPU_BLOCK_SET_LDY(b, 4);
	STARPU_BLOCK_SET_LDZ(b, 12);
	CHECK(STARPU_BLOCK_GET_NX(b) == 1 && STARPU_BLOCK_GET_NY(b) == 2 && STARPU_BLOCK_GET_NZ(b) == 3);
	CHECK(STARPU_BLOCK_GET_LDY(b) == 4 && STARPU_BLOCK_GET_LDZ(b) == 12);
	STARPU_BLOCK_SET_NX(b, 2);
	STARPU_BLOCK_SET_NY(b, 3);
	STARPU_BLOCK_SET_NZ(b, 4);
	STARPU_BLOCK_SET_LDY(b, 3);
	STARPU_BLOCK_SET_LDZ(b, 9);
}

static void tensor(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	STARPU_TENSOR_CHECK(b);
	CHECK(STARPU_TENSOR_GET_DEV_HANDLE(b) && !STARPU_TENSOR_GET_OFFSET(b));
	CHECK(STARPU_TENSOR_GET_ELEMSIZE(b) == sizeof(int));
	STARPU_TENSOR_SET_NX(b, 1);
	STARPU_TENSOR_SET_NY(b, 1);
	STARPU_TENSOR_SET_NZ(b, 1);
	STARPU_TENSOR_SET_NT(b, 1);
	STARPU_TENSOR_SET_LDY(b, 5);
	STARPU_TENSOR_SET_LDZ(b, 6);
	STARPU_TENSOR_SET_LDT(b, 7);
	CHECK(STARPU_TENSOR_GET_LDY(b) == 5 && STARPU_TENSOR_GET_LDZ(b) == 6 && STARPU_TENSOR_GET_LDT(b) == 7);
	CHECK(STARPU_TENSOR_GET_NT(b) == 1);
	STARPU_TENSOR_SET_NX(b, 2);
	STARPU_TENSOR_SET_NY(b, 2);
	STARPU_TENSOR_SET_NZ(b, 2);
	STARPU_TENSOR_SET_NT(b, 2);
	STARPU_TENSOR_SET_LDY(b, 2);
	STARPU_TENSOR_SET_LDZ(b, 4);
	STARPU_TENSOR_SET_LDT(b, 8);
}

static void csr(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	CHECK(STARPU_CSR_GET_NZVAL_DEV_HANDLE(b) && STARPU_CSR_GET_COLIND_DEV_HANDLE(b));
	CHECK(STARPU_CSR_GET_ROWPTR_DEV_HANDLE(b) && !STARPU_CSR_GET_OFFSET);
	CHECK(STARPU_CSR_GET_RAM_COLIND(b)[1] == 1 && STARPU_CSR_GET_RAM_ROWPTR(b)[1] == 2);
}

static void bcsr(void *buffers[], void *arg)
{
	const struct starpu_bcsr_interface *seen = buffers[0];
	void *b = buffers[0];

	(void)arg;
	CHECK(seen->nnz == 4 && seen->nrow == 2 && seen->r == 2 && seen->c == 2);
	CHECK(STARPU_BCSR_GET_NZVAL_DEV_HANDLE(b) && STARPU_BCSR_GET_COLIND_DEV_HANDLE(b));
	CHECK(STARPU_BCSR_GET_ROWPTR_DEV_HANDLE(b) && !STARPU_BCSR_GET_OFFSET);
	CHECK(STARPU_BCSR_GET_RAM_COLIND(b)[1] == 1 && STARPU_BCSR_GET_RAM_ROWPTR(b)[1] == 2);
}

static void coo(void *buffers[], void *arg)
{
	void *b = buffers[0];

	(void)arg;
	CHECK(STARPU_COO_GET_COLUMNS_DEV_HANDLE(b) && STARPU_COO_GET_ROWS_DEV_HANDLE(b));
	CHECK(STARPU_COO_GET_VALUES_DEV_HANDLE(b) && !STARPU_COO_GET_OFFSET);
	CHECK(STARPU_COO_GET_ELEMSIZE(b) == sizeof(int));
}

/* Runs the codelet, and unregisters the data. */
static void use(starpu_data_handle_t h, void (*function)(void *buffers[], void *arg), enum starpu_data_interface_id id)
{
	struct starpu_codelet cl = { .cpu_funcs = { function }, .nbuffers = 1, .modes = { STARPU_RW } };

	CHECK(starpu_data_get_interface_id(h) == id);
	OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
	starpu_data_unregister(h);
}

static void dense(void)
{
	starpu_data_handle_t h;

	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, sizeof(int));
	use(h, variable, STARPU_VARIABLE_INTERFACE_ID);
	starpu_vector_data_register_allocsize(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 5, sizeof(int), 5 * sizeof(int));
	CHECK(starpu_vector_get_elemsize(h) == sizeof(int) && starpu_vector_get_allocsize(h) == 5 * sizeof(int));
	CHECK(starpu_vector_get_local_ptr(h) == (uintptr_t)numbers);
	use(h, vector, STARPU_VECTOR_INTERFACE_ID);
	starpu_matrix_data_register_allocsize(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 4, 3, 2, sizeof(int),
					      8 * sizeof(int));
	CHECK(starpu_matrix_get_elemsize(h) == sizeof(int) && starpu_matrix_get_local_ld(h) == 4);
	CHECK(starpu_matrix_get_allocsize(h) == 8 * sizeof(int));
	use(h, matrix, STARPU_MATRIX_INTERFACE_ID);
	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 3, 9, 2, 3, 4, sizeof(int));
	CHECK(starpu_block_get_nx(h) == 2 && starpu_block_get_ny(h) == 3 && starpu_block_get_nz(h) == 4);
	CHECK(starpu_block_get_local_ldy(h) == 3 && starpu_block_get_local_ldz(h) == 9);
	CHECK(starpu_block_get_elemsize(h) == sizeof(int) && starpu_block_get_local_ptr(h) == (uintptr_t)numbers);
	use(h, block, STARPU_BLOCK_INTERFACE_ID);
	starpu_tensor_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 2, 4, 8, 2, 2, 2, 2, sizeof(int));
	CHECK(starpu_tensor_get_nx(h) == 2 && starpu_tensor_get_ny(h) == 2 && starpu_tensor_get_nz(h) == 2);
	CHECK(starpu_tensor_get_nt(h) == 2 && starpu_tensor_get_local_ldy(h) == 2);
	CHECK(starpu_tensor_get_local_ldz(h) == 4 && starpu_tensor_get_local_ldt(h) == 8);
	CHECK(starpu_tensor_get_elemsize(h) == sizeof(int) && starpu_tensor_get_local_ptr(h) == (uintptr_t)numbers);
	use(h, tensor, STARPU_TENSOR_INTERFACE_ID);
	starpu_void_data_register(&h);
	CHECK(starpu_data_get_interface_id(h) == STARPU_VOID_INTERFACE_ID);
	starpu_data_unregister(h);
}

static void sparse(void)
{
	starpu_data_handle_t h;

	starpu_csr_data_register(&h, STARPU_MAIN_RAM, 4, 2, (uintptr_t)numbers, columns, rows, 0, sizeof(int));
	use(h, csr, STARPU_CSR_INTERFACE_ID);
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, 4, 2, (uintptr_t)numbers, columns, rows, 0, 2, 2, sizeof(int));
	CHECK(starpu_bcsr_get_nnz(h) == 4 && starpu_bcsr_get_nrow(h) == 2 && starpu_bcsr_get_firstentry(h) == 0);
	CHECK(starpu_bcsr_get_r(h) == 2 && starpu_bcsr_get_c(h) == 2 && starpu_bcsr_get_elemsize(h) == sizeof(int));
	CHECK(starpu_bcsr_get_local_nzval(h) == (uintptr_t)numbers && starpu_bcsr_get_local_colind(h)[1] == 1);
	CHECK(starpu_bcsr_get_local_rowptr(h)[1] == 2);
	use(h, bcsr, STARPU_BCSR_INTERFACE_ID);
	starpu_coo_data_register(&h, STARPU_MAIN_RAM, 3, 3, 4, columns, rows, (uintptr_t)numbers, sizeof(int));
	use(h, coo, STARPU_COO_INTERFACE_ID);
}

int main(void)
{
	START();
	dense();
	sparse();
	starpu_shutdown();
	return 0;
}
