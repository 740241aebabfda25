/* SPDX-License-Identifier: MIT */
/* Registration of tensors, arrays of many dimensions, sparse matrices and interfaces of one's own. */
#include "../../helper.h"

#include <errno.h>
#include <string.h>
#include <xylem/interface.h>

/* --- what codelets see --- */

static unsigned char seen[256];

static int see_body(struct xy_call *call)
{
	memcpy(seen, call->buffers[0], *(size_t *)call->arg);
	return 0;
}

/* What a codelet gets begins with these bytes. */
static void shows(struct helper *h, struct xy_handle *handle, const void *view, size_t size)
{
	static const struct xy_codelet see = { .name = "see", .cpu = { see_body }, .modes = { XY_R } };

	HELPER_SUBMIT(h, .codelet = &see, .handles = { handle }, .arg = &size);
	assert_int_equal(helper_wait(h), 0);
	assert_memory_equal(seen, view, size);
	assert_memory_equal(xy_handle_view(handle), view, size);
}

static void shows_codelets_dense_arrays(void **state)
{
	static char data[1000];
	const struct xy_tensor tensor = { data, 2, 3, 4, 5, 3, 10, 41, 2 };
	const struct xy_ndim ndim = { data, 5, { 2, 3, 4, 2, 2 }, { 1, 3, 9, 40, 81 }, 4 };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_tensor_register(h->rt, &x, &tensor), 0);
	shows(h, x, &tensor, sizeof tensor);
	assert_int_equal(xy_handle_size(x), 2 * 3 * 4 * 5 * 2);
	assert_ptr_equal(xy_handle_interface(x), &xy_tensor_interface);
	assert_ptr_equal(xy_handle_pointer(x), data);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_ndim_register(h->rt, &x, &ndim), 0);
	shows(h, x, &ndim, sizeof ndim);
	assert_int_equal(xy_handle_size(x), 2 * 3 * 4 * 2 * 2 * 4);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* A stride of 0 is that of an array without gaps above what was given. */
static void takes_strides_of_zero_as_dense(void **state)
{
	static char data[1000];
	const struct xy_matrix matrix = { data, 2, 3, 2, 4 };
	const struct xy_block block = { data, 2, 3, 4, 5, 15, 2 };
	const struct xy_tensor tensor = { data, 2, 3, 4, 5, 2, 7, 28, 2 };
	const struct xy_ndim ndim = { data, 5, { 2, 3, 4, 2, 2 }, { 1, 2, 6, 25, 50 }, 4 };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_matrix_register(h->rt, &x, &(struct xy_matrix){ data, .nx = 2, .ny = 3, .elem = 4 }), 0);
	shows(h, x, &matrix, sizeof matrix);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_block_register(h->rt, &x, &(struct xy_block){ data, 2, 3, 4, .ldy = 5, .elem = 2 }), 0);
	shows(h, x, &block, sizeof block);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_tensor_register(h->rt, &x, &(struct xy_tensor){ data, 2, 3, 4, 5, .ldz = 7, .elem = 2 }),
			 0);
	shows(h, x, &tensor, sizeof tensor);
	assert_int_equal(xy_unregister(&x), 0);
	/* Entries beyond ndims don't matter. */
	assert_int_equal(xy_ndim_register(h->rt, &x,
					  &(struct xy_ndim){ data, 5, { 2, 3, 4, 2, 2, 9 }, { 0, 0, 0, 25, 0, 9 }, 4 }),
			 0);
	shows(h, x, &ndim, sizeof ndim);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void shows_codelets_sparse_matrices(void **state)
{
	double values[24];
	uint32_t columns[6], rows[6];
	const struct xy_csr csr = { values, columns, rows, .nnz = 6, .nrow = 5, .firstentry = 1, .elem = 8 };
	const struct xy_bcsr bcsr = { values, columns, rows, .nnz = 4, .nrow = 5, .r = 2, .c = 3, .elem = 8 };
	const struct xy_coo coo = { values, columns, rows, 9, 8, 6, 8 };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_csr_register(h->rt, &x, &csr), 0);
	shows(h, x, &csr, sizeof csr);
	assert_int_equal(xy_handle_size(x), 6 * 8 + 6 * 4 + 6 * 4);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_bcsr_register(h->rt, &x, &bcsr), 0);
	shows(h, x, &bcsr, sizeof bcsr);
	assert_int_equal(xy_handle_size(x), 4 * 6 * 8 + 4 * 4 + 6 * 4);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_coo_register(h->rt, &x, &coo), 0);
	shows(h, x, &coo, sizeof coo);
	assert_int_equal(xy_handle_size(x), 6 * (8 + 4 + 4));
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- memory of the runtime --- */

static int identity_body(struct xy_call *call)
{
	const struct xy_csr *csr = xy_csr_at(call, 0);

	for (uint32_t i = 0; i < csr->nnz; i++) {
		((double *)csr->nzval)[i] = 1;
		csr->colind[i] = i;
		csr->rowptr[i + 1] = i + 1;
	}
	return csr->rowptr[0];
}

static void allocates_each_array_at_first_use(void **state)
{
	static const struct xy_codelet write = { .name = "write", .cpu = { identity_body }, .modes = { XY_W } };
	static const struct xy_codelet scratch = {
		.name = "scratch",
		.cpu = { identity_body },
		.modes = { XY_SCRATCH },
	};
	struct helper *h = helper_start(NULL, 2);
	const struct xy_csr *csr;
	struct xy_handle *x;

	(void)state;
	assert_int_equal(
		xy_csr_register(h->rt, &x, &(struct xy_csr){ .nnz = 100, .nrow = 100, .elem = sizeof(double) }), 0);
	HELPER_SUBMIT(h, .codelet = &scratch, .handles = { x });
	assert_int_equal(helper_wait(h), 0);
	csr = xy_handle_view(x);
	assert_null(csr->nzval);
	HELPER_SUBMIT(h, .codelet = &write, .handles = { x });
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_ptr_equal(xy_handle_pointer(x), csr->nzval);
	assert_true(((double *)csr->nzval)[99] == 1);
	assert_int_equal(csr->colind[99], 99);
	assert_int_equal(csr->rowptr[100], 100);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static int scratch_body(struct xy_call *call)
{
	const struct xy_csr *csr = xy_csr_at(call, 0);

	memset(csr->nzval, 1, csr->nnz * csr->elem);
	return !csr->rowptr;
}

static void scratch_of_a_sparse_matrix_is_private(void **state)
{
	static const struct xy_codelet scratch = {
		.name = "scratch",
		.cpu = { scratch_body },
		.modes = { XY_SCRATCH },
	};
	struct helper *h = helper_start(NULL, 1);
	double values[2] = { 1, 2 };
	uint32_t columns[2] = { 0, 1 }, rows[3] = { 0, 1, 2 };
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_csr_register(h->rt, &x,
					 &(struct xy_csr){ .nzval = values,
							   .colind = columns,
							   .rowptr = rows,
							   .nnz = 2,
							   .nrow = 2,
							   .elem = sizeof(double) }),
			 0);
	HELPER_SUBMIT(h, .codelet = &scratch, .handles = { x });
	assert_int_equal(helper_wait(h), 0);
	assert_true(values[0] == 1 && values[1] == 2);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_matrix_without_entries_is_one(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	uint32_t rows[3] = { 0 };
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_csr_register(h->rt, &x, &(struct xy_csr){ .rowptr = rows, .nnz = 0, .nrow = 2, .elem = 8 }),
			 0);
	assert_int_equal(xy_handle_size(x), 12);
	assert_null(xy_handle_pointer(x));
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(xy_coo_register(h->rt, &x, &(struct xy_coo){ .nx = 2, .ny = 2, .n_values = 0, .elem = 8 }), 0);
	assert_int_equal(xy_handle_size(x), 0);
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- broken callers --- */

#define REFUSED(error, call) \
	do { \
		x = (struct xy_handle *)&x; \
		assert_int_equal(call, error); \
		assert_null(x); \
		helper_one_line(h, "xy_register"); \
	} while (0)

static void refuses_dense_sizes_that_make_no_sense(void **state)
{
	const size_t huge = (size_t)1 << (sizeof huge * 8 - 2);
	struct helper *h = helper_start(NULL, 1);
	struct xy_runtime *rt = h->rt;
	struct xy_handle *x;
	char data[8];

	(void)state;
	REFUSED(-EINVAL, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 2, 2, 1, 1, 1, 4, 4, 1 }));
	REFUSED(-EINVAL, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 2, 2, 1, 1, 2, 3, 4, 1 }));
	REFUSED(-EINVAL, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 2, 2, 2, 1, 2, 4, 7, 1 }));
	REFUSED(-EINVAL, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 1, 1, 1, 0, 1, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 1, 1, 1, 1, 1, 1, 1, 0 }));
	REFUSED(-EOVERFLOW, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 1, 1, 1, 4, 1, 1, huge, 1 }));
	REFUSED(-EOVERFLOW, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, 1, 1, 1, 2, 1, 1, huge, 2 }));
	REFUSED(-EOVERFLOW, xy_tensor_register(rt, &x, &(struct xy_tensor){ data, huge, huge, huge, 4, .elem = 1 }));
	REFUSED(-EINVAL, xy_matrix_register(rt, &x, NULL));
	REFUSED(-EINVAL, xy_block_register(rt, &x, NULL));
	REFUSED(-EINVAL, xy_tensor_register(rt, &x, NULL));
	REFUSED(-EINVAL, xy_ndim_register(rt, &x, NULL));
	REFUSED(-EINVAL, xy_ndim_register(rt, &x, &(struct xy_ndim){ .ptr = data, .ndims = 0, .n = { 1 }, .elem = 1 }));
	REFUSED(-EINVAL,
		xy_ndim_register(
			rt, &x,
			&(struct xy_ndim){ .ptr = data, .ndims = 9, .n = { 1, 1, 1, 1, 1, 1, 1, 1 }, .elem = 1 }));
	REFUSED(-EINVAL, xy_ndim_register(rt, &x, &(struct xy_ndim){ .ptr = data, .ndims = 1, .elem = 1 }));
	REFUSED(-EINVAL,
		xy_ndim_register(rt, &x,
				 &(struct xy_ndim){ .ptr = data, .ndims = 1, .n = { 1 }, .ld = { 2 }, .elem = 1 }));
	REFUSED(-EINVAL, xy_ndim_register(rt, &x,
					  &(struct xy_ndim){
						  .ptr = data, .ndims = 2, .n = { 3, 1 }, .ld = { 1, 2 }, .elem = 1 }));
	REFUSED(-EINVAL,
		xy_ndim_register(rt, &x, &(struct xy_ndim){ .ptr = data, .ndims = 2, .n = { 3, 0 }, .elem = 1 }));
	REFUSED(-EOVERFLOW,
		xy_ndim_register(rt, &x, &(struct xy_ndim){ .ptr = data, .ndims = 3, .n = { huge, 4, 2 }, .elem = 1 }));
	REFUSED(-EOVERFLOW,
		xy_ndim_register(rt, &x, &(struct xy_ndim){ .ptr = data, .ndims = 2, .n = { huge, 2 }, .elem = 2 }));
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_sparse_sizes_that_make_no_sense(void **state)
{
	const size_t huge = (size_t)1 << (sizeof huge * 8 - 2), most = UINT32_MAX;
	struct helper *h = helper_start(NULL, 1);
	struct xy_runtime *rt = h->rt;
	struct xy_handle *x;
	double v[8];
	uint32_t c[8], r[8];

	(void)state;
	REFUSED(-EINVAL, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, 1, 0, 0, 8 }));
	REFUSED(-EINVAL, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, 1, 1, 0, 0 }));
	REFUSED(-EOVERFLOW, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, most, 1, 1, 8 }));
	REFUSED(-EOVERFLOW, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, most + 1, 1, 0, 8 }));
	REFUSED(-EOVERFLOW, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, 0, 1, most + 1, 8 }));
	REFUSED(-EOVERFLOW, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, 1, most + 1, 0, 8 }));
	REFUSED(-EOVERFLOW, xy_csr_register(rt, &x, &(struct xy_csr){ v, c, r, 4, 1, 0, huge }));
	REFUSED(-EINVAL, xy_csr_register(rt, &x, &(struct xy_csr){ v, NULL, r, 1, 1, 0, 8 }));
	REFUSED(-EINVAL, xy_csr_register(rt, &x, &(struct xy_csr){ NULL, NULL, r, 1, 1, 0, 8 }));
	REFUSED(-EINVAL, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 1, 1, 0, 0, 1, 8 }));
	REFUSED(-EINVAL, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 1, 1, 0, 1, 0, 8 }));
	REFUSED(-EINVAL, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 1, 0, 0, 1, 1, 8 }));
	REFUSED(-EOVERFLOW, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 1, 1, 0, huge, 4, 1 }));
	REFUSED(-EOVERFLOW, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 1, 1, 0, huge, 1, 8 }));
	REFUSED(-EOVERFLOW, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 4, 1, 0, huge, 1, 1 }));
	REFUSED(-EOVERFLOW, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, most + 1, 1, 0, 1, 1, 1 }));
	REFUSED(-EOVERFLOW, xy_bcsr_register(rt, &x, &(struct xy_bcsr){ v, c, r, 1, most + 1, 0, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, 0, 1, 1, 8 }));
	REFUSED(-EINVAL, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, 1, 0, 1, 8 }));
	REFUSED(-EINVAL, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, 1, 1, 1, 0 }));
	REFUSED(-EINVAL, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, NULL, 1, 1, 1, 8 }));
	REFUSED(-EOVERFLOW, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, most + 1, 1, 1, 8 }));
	REFUSED(-EOVERFLOW, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, 1, most + 1, 1, 8 }));
	REFUSED(-EOVERFLOW, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, 1, 1, 4, huge }));
	REFUSED(-EOVERFLOW, xy_coo_register(rt, &x, &(struct xy_coo){ v, c, r, 1, 1, huge, 1 }));
	assert_int_equal(helper_stop(h), 0);
}

/* --- interfaces of one's own --- */

struct own {
	void *a, *b;
	struct xy_part parts[2];
};

static unsigned own_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	memcpy(parts, ((const struct own *)view)->parts, 2 * sizeof *parts);
	return 2;
}

static unsigned own_too_many(const void *view, struct xy_part parts[XY_NPARTS])
{
	return own_parts(view, parts) + XY_NPARTS;
}

static int own_refuse(const void *view, char *error, size_t error_size)
{
	(void)view;
	(void)error;
	(void)error_size;
	return -EDOM;
}

static size_t own_packed_bytes(const void *view)
{
	(void)view;
	return 0;
}

static void refuses_interfaces_that_make_no_sense(void **state)
{
	const struct xy_interface good = { .name = "own", .view_size = sizeof(struct own), .parts = own_parts };
	struct helper *h = helper_start(NULL, 1);
	struct xy_interface bad = good;
	struct own own = { .a = &own, .b = &own };
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_register(h->rt, &x, &good, NULL), -EINVAL);
	helper_one_line(h, "no view");
	assert_int_equal(xy_register(h->rt, &x, NULL, &own), -EINVAL);
	helper_one_line(h, "no interface");
	bad.name = NULL;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &bad, &own));
	bad = good;
	bad.parts = NULL;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &bad, &own));
	bad = good;
	bad.view_size = 0;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &bad, &own));
	bad = good;
	bad.parts = own_too_many;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &bad, &own));
	bad = good;
	bad.packed_bytes = own_packed_bytes;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &bad, &own));
	bad = good;
	bad.check = own_refuse;
	REFUSED(-EDOM, xy_register(h->rt, &x, &bad, &own));
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_arrays_that_make_no_sense(void **state)
{
	const size_t huge = (size_t)1 << (sizeof huge * 8 - 2);
	const struct xy_interface interface = { .name = "own", .view_size = sizeof(struct own), .parts = own_parts };
	double data[2];
	const struct own good = { .a = &data[0],
				  .b = &data[1],
				  .parts = { { .pointer = offsetof(struct own, a), .row_bytes = 8 },
					     { .pointer = offsetof(struct own, b), .row_bytes = 8 } } };
	struct helper *h = helper_start(NULL, 1);
	struct own bad = good;
	struct xy_handle *x;

	(void)state;
	bad.b = NULL;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &interface, &bad));
	bad = good;
	bad.parts[1].pointer = sizeof(struct own);
	REFUSED(-EINVAL, xy_register(h->rt, &x, &interface, &bad));
	bad.parts[1].pointer = 1;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &interface, &bad));
	bad.parts[1].pointer = (size_t)-8;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &interface, &bad));
	bad = good;
	bad.parts[1].ndims = XY_NDIMS;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &interface, &bad));
	bad.parts[1].ndims = 1;
	bad.parts[1].count[0] = 2;
	bad.parts[1].stride[0] = 7;
	REFUSED(-EINVAL, xy_register(h->rt, &x, &interface, &bad));
	bad.parts[1].count[0] = 5;
	bad.parts[1].stride[0] = huge;
	REFUSED(-EOVERFLOW, xy_register(h->rt, &x, &interface, &bad));
	bad = good;
	bad.parts[0].row_bytes = bad.parts[1].row_bytes = 2 * huge;
	REFUSED(-EOVERFLOW, xy_register(h->rt, &x, &interface, &bad));
	bad = good;
	bad.parts[1].row_bytes = 0;
	bad.b = NULL;
	assert_int_equal(xy_register(h->rt, &x, &interface, &bad), 0);
	shows(h, x, &bad, sizeof(void *) * 2);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* A view that is larger than any of the library's. */
struct large {
	char before[1000];
	double *numbers;
	size_t n;
	long double after;
};

static unsigned large_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	const struct large *large = view;

	parts[0] = (struct xy_part){ .pointer = offsetof(struct large, numbers) };
	parts[0].row_bytes = large->n * sizeof *large->numbers;
	return 1;
}

static int large_body(struct xy_call *call)
{
	const struct large *large = call->buffers[0];

	large->numbers[large->n - 1] = (double)large->after;
	return strcmp(large->before, "before");
}

static void a_view_may_have_any_size(void **state)
{
	static const struct xy_interface interface = {
		.name = "large",
		.view_size = sizeof(struct large),
		.parts = large_parts,
	};
	static const struct xy_codelet codelet = {
		.name = "large",
		.cpu = { large_body },
		.modes = { XY_W, XY_SCRATCH },
	};
	const struct large view = { .before = "before", .n = 10, .after = 3 };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;

	(void)state;
	assert_int_equal(xy_register(h->rt, &x, &interface, &view), 0);
	HELPER_SUBMIT(h, .codelet = &codelet, .handles = { x, x });
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_true(((double *)xy_handle_pointer(x))[9] == 3);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_null(xy_handle_interface(NULL));
	assert_null(xy_handle_view(NULL));
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_codelets_dense_arrays),
		cmocka_unit_test(takes_strides_of_zero_as_dense),
		cmocka_unit_test(shows_codelets_sparse_matrices),
		cmocka_unit_test(allocates_each_array_at_first_use),
		cmocka_unit_test(scratch_of_a_sparse_matrix_is_private),
		cmocka_unit_test(a_matrix_without_entries_is_one),
		cmocka_unit_test(refuses_dense_sizes_that_make_no_sense),
		cmocka_unit_test(refuses_sparse_sizes_that_make_no_sense),
		cmocka_unit_test(refuses_interfaces_that_make_no_sense),
		cmocka_unit_test(refuses_arrays_that_make_no_sense),
		cmocka_unit_test(a_view_may_have_any_size),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
