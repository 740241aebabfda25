/* SPDX-License-Identifier: MIT */
/* The CUDA implementations: calls of cuBLAS and cuSOLVER on the worker's handles, which have its stream. */
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <errno.h>
#include <xylem/cuda.h>

#include "dense.h"

static int size_of(const struct xy_call *call, unsigned i)
{
	return (int)xy_matrix_at(call, i)->nx;
}

static double *matrix_of(const struct xy_call *call, unsigned i)
{
	return (double *)xy_pointer(call, i);
}

extern "C" int dense_gemm(struct xy_call *call)
{
	const double *alpha = (const double *)call->arg, one = 1;
	cublasHandle_t handle = xy_cublas(call);
	int n = size_of(call, 2);

	if (!handle)
		return -ENOSYS;
	return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, alpha, matrix_of(call, 0), n, matrix_of(call, 1),
			   n, &one, matrix_of(call, 2), n)
		       ? -EIO
		       : 0;
}

extern "C" int dense_syrk(struct xy_call *call)
{
	const double one = 1, minus_one = -1;
	cublasHandle_t handle = xy_cublas(call);
	int n = size_of(call, 1);

	if (!handle)
		return -ENOSYS;
	return cublasDsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &minus_one, matrix_of(call, 0), n, &one,
			   matrix_of(call, 1), n)
		       ? -EIO
		       : 0;
}

extern "C" int dense_trsm(struct xy_call *call)
{
	const double one = 1;
	cublasHandle_t handle = xy_cublas(call);
	int n = size_of(call, 1);

	if (!handle)
		return -ENOSYS;
	return cublasDtrsm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, n,
			   &one, matrix_of(call, 0), n, matrix_of(call, 1), n)
		       ? -EIO
		       : 0;
}

/* The work space is a scratch buffer of the worker. */
extern "C" int dense_potrf(struct xy_call *call)
{
	cusolverDnHandle_t handle = xy_cusolver(call);
	int n = size_of(call, 0), needed = 0;

	if (!handle)
		return -ENOSYS;
	if (cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, matrix_of(call, 0), n, &needed))
		return -EIO;
	if ((size_t)needed > xy_vector_at(call, 1)->n)
		return -ENOSPC;
	return cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, matrix_of(call, 0), n, matrix_of(call, 1), needed,
				(int *)xy_pointer(call, 2))
		       ? -EIO
		       : 0;
}
