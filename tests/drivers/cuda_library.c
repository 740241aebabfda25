/* SPDX-License-Identifier: MIT */
/* Each CUDA worker has handles of cuBLAS, cuSOLVER and cuSPARSE, from the first use to the end of the runtime. */
#include "../core/data/bed.h"

#include <errno.h>
#include <xylem/cuda.h>

#include "../double/libraries.h"

int cublasDgemm_v2(struct cublasContext *handle, int transpose_a, int transpose_b, int m, int n, int k,
		   const double *alpha, const double *a, int lda, const double *b, int ldb, const double *beta,
		   double *c, int ldc);
int cusolverDnDpotrf_bufferSize(struct cusolverDnContext *handle, int half, int n, double *a, int lda, int *size);
int cusparseSetStream(struct cusparseContext *handle, struct CUstream_st *stream);

enum { WORKERS = 8 };

/* What a worker was given, by worker. */
static _Atomic(void *) blas[WORKERS], solver[WORKERS], sparse[WORKERS];
static _Atomic unsigned others; /* that were not the one it was given before, or not on its stream */

static void expect_one(_Atomic(void *) *given, void *handle, const struct xy_call *call)
{
	void *before = atomic_exchange(given, handle);

	if (!handle || (before && before != handle) || ((struct double_handle *)handle)->stream != call->stream)
		others++;
}

static int handles_cuda(struct xy_call *call)
{
	struct cusolverDnContext *s = xy_cusolver(call);
	int size = 0;

	expect_one(&blas[call->worker], xy_cublas(call), call);
	expect_one(&solver[call->worker], s, call);
	expect_one(&sparse[call->worker], xy_cusparse(call), call);
	if (!s || cusolverDnDpotrf_bufferSize(s, 0, 8, NULL, 8, &size) || size < 8)
		return -EIO;
	return cusparseSetStream(xy_cusparse(call), xy_cuda_stream(call)) ? -EIO : 0;
}

static const struct xy_codelet handles = { .name = "handles", .cuda = { handles_cuda } };

static void a_worker_has_its_own_from_first_use_to_the_end(void **state)
{
	struct helper *h = bed_start(1, &(struct xy_config){ .arch[XY_CUDA].workers = 2 }, false);
	unsigned before = cudart_double_handles_made();

	(void)state;
	assert_int_equal(cudart_double_handles(), 0);
	for (unsigned i = 0; i < 40; i++)
		for (unsigned w = 0; w < 4; w++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, w), &handles, 0, NULL, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(others, 0);
	assert_int_equal(cudart_double_handles(), 3 * 4);
	for (unsigned v = 0; v < WORKERS; v++)
		for (unsigned w = 0; w < v; w++)
			assert_true(!blas[v] || blas[v] != blas[w]);
	assert_int_equal(bed_stop(h, 0), 0);
	assert_int_equal(cudart_double_handles(), 0);
	assert_int_equal(cudart_double_handles_made() - before, 3 * 4);
}

static int product_cuda(struct xy_call *call)
{
	const double one = 1;
	int n = (int)xy_matrix_at(call, 0)->nx;
	struct cublasContext *handle = xy_cublas(call);

	if (!handle)
		return -ENOSYS;
	return cublasDgemm_v2(handle, 0, 0, n, n, n, &one, xy_pointer(call, 0), n, xy_pointer(call, 1), n, &one,
			      xy_pointer(call, 2), n)
		       ? -EIO
		       : 0;
}

static const struct xy_codelet product = { .name = "product",
					   .cuda = { product_cuda },
					   .modes = { XY_R, XY_R, XY_RW } };

static void the_task_ends_when_the_librarys_work_has(void **state)
{
	enum { SIDE = 16 };
	static double m[3][SIDE * SIDE];
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v[3];

	(void)state;
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		m[0][i] = i % SIDE == i / SIDE ? 2 : 0;
		m[1][i] = i;
		m[2][i] = 1;
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(
			xy_matrix_register(
				h->rt, &v[i],
				&(struct xy_matrix){ .ptr = m[i], .nx = SIDE, .ny = SIDE, .elem = sizeof(double) }),
			0);
	for (unsigned i = 0; i < 10; i++)
		HELPER_SUBMIT(h, .codelet = &product, .handles = { v[0], v[1], v[2] });
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(xy_unregister(&v[i]), 0);
	for (unsigned i = 0; i < SIDE * SIDE; i++)
		assert_true(m[2][i] == 1 + 10 * 2.0 * i);
	assert_int_equal(bed_stop(h, 0), 0);
}

static int needs_cuda(struct xy_call *call)
{
	return xy_cublas(call) ? 0 : -ENOSYS;
}

static const struct xy_codelet needs = { .name = "needs", .cuda = { needs_cuda } };

static void a_handle_that_fails_is_tried_again(void **state)
{
	struct helper *h = bed_start(1, NULL, false);

	(void)state;
	cudart_double_fail_handle(7);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &needs, 0, NULL, NULL, NULL);
	assert_int_equal(helper_wait(h), -ENOSYS);
	assert_int_equal(helper_lines_with(h, "cuBLAS has no handle for this worker: error 7"), 1);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &needs, 0, NULL, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
	assert_int_equal(cudart_double_handles(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_has_its_own_from_first_use_to_the_end),
		cmocka_unit_test(the_task_ends_when_the_librarys_work_has),
		cmocka_unit_test(a_handle_that_fails_is_tried_again),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
