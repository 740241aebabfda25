/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the Cholesky example from BLAS and LAPACK. Tasks run beside each other already, so a
 * call inside a task uses one thread (kernels_blas_threads).
 */
#include "cholesky.h"

#include <cblas.h>
#include <errno.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);

static int blas_potrf(int n, double *a, int lda)
{
	int info;

	dpotrf_("L", &n, a, &lda, &info, 1);
	if (info)
		return -EDOM;
	for (int j = 1; j < n; j++)
		for (int i = 0; i < j; i++)
			a[i + (size_t)j * lda] = 0;
	return 0;
}

static void blas_trsm(int m, int n, const double *l, int ldl, double *b, int ldb)
{
	cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1, l, ldl, b, ldb);
}

static void blas_syrk(int n, int k, const double *a, int lda, double *c, int ldc)
{
	cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, k, -1, a, lda, 1, c, ldc);
}

static void blas_gemm(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}

static const struct kernels blas = {
	.name = BLAS_NAME,
	.potrf = blas_potrf,
	.trsm = blas_trsm,
	.syrk = blas_syrk,
	.gemm = blas_gemm,
};

const struct kernels *kernels_blas(void)
{
	return &blas;
}

int kernels_lapack_potrf(int n, double *a)
{
	int info;

	dpotrf_("L", &n, a, &n, &info, 1);
	return info ? -EDOM : 0;
}
