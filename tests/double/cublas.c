/* SPDX-License-Identifier: MIT */
/* The double of cuBLAS: products of matrices and triangular systems, as far as the examples need them. */
#include <stdbool.h>

#include "libraries.h"

enum { NOT_SUPPORTED = 15 };

int cublasCreate_v2(struct double_handle **handle);
int cublasDestroy_v2(struct double_handle *handle);
int cublasSetStream_v2(struct double_handle *handle, struct CUstream_st *stream);
int cublasDgemm_v2(struct double_handle *handle, int transpose_a, int transpose_b, int m, int n, int k,
		   const double *alpha, const double *a, int lda, const double *b, int ldb, const double *beta,
		   double *c, int ldc);
int cublasDsyrk_v2(struct double_handle *handle, int half, int transpose, int n, int k, const double *alpha,
		   const double *a, int lda, const double *beta, double *c, int ldc);
int cublasDtrsm_v2(struct double_handle *handle, int side, int half, int transpose, int diagonal, int m, int n,
		   const double *alpha, const double *a, int lda, double *b, int ldb);

int cublasCreate_v2(struct double_handle **handle)
{
	return double_handle_create(handle);
}

int cublasDestroy_v2(struct double_handle *handle)
{
	return double_handle_destroy(handle);
}

int cublasSetStream_v2(struct double_handle *handle, struct CUstream_st *stream)
{
	handle->stream = stream;
	return 0;
}

/* c := alpha op(a) op(b) + beta c; of the lower half only, if asked. */
struct product {
	int transpose_a, transpose_b, m, n, k, lda, ldb, ldc;
	bool lower;
	double alpha, beta;
	const double *a, *b;
	double *c;
};

static void product_body(void *args)
{
	const struct product *p = args;
	const double *a = cudart_double_readable(p->a), *b = cudart_double_readable(p->b);
	double *c = cudart_double_readable(p->c);

	for (int j = 0; j < p->n; j++)
		for (int i = p->lower ? j : 0; i < p->m; i++) {
			double sum = 0;

			for (int k = 0; k < p->k; k++)
				sum += a[p->transpose_a ? k + i * p->lda : i + k * p->lda] *
				       b[p->transpose_b ? j + k * p->ldb : k + j * p->ldb];
			c[i + j * p->ldc] = p->alpha * sum + (p->beta ? p->beta * c[i + j * p->ldc] : 0);
		}
}

int cublasDgemm_v2(struct double_handle *handle, int transpose_a, int transpose_b, int m, int n, int k,
		   const double *alpha, const double *a, int lda, const double *b, int ldb, const double *beta,
		   double *c, int ldc)
{
	const struct product p = { transpose_a, transpose_b, m, n, k, lda, ldb, ldc, false, *alpha, *beta, a, b, c };

	return cudart_double_launch(handle->stream, product_body, &p, sizeof p);
}

int cublasDsyrk_v2(struct double_handle *handle, int half, int transpose, int n, int k, const double *alpha,
		   const double *a, int lda, const double *beta, double *c, int ldc)
{
	const struct product p = { transpose, !transpose, n, n, k, lda, lda, ldc, true, *alpha, *beta, a, a, c };

	if (half) /* CUBLAS_FILL_MODE_UPPER */
		return NOT_SUPPORTED;
	return cudart_double_launch(handle->stream, product_body, &p, sizeof p);
}

/* b := alpha b a'^-1, where a is lower triangular. */
struct solve {
	int m, n, lda, ldb;
	double alpha;
	const double *a;
	double *b;
};

static void solve_body(void *args)
{
	const struct solve *s = args;
	const double *a = cudart_double_readable(s->a);
	double *b = cudart_double_readable(s->b);

	for (int j = 0; j < s->n; j++)
		for (int i = 0; i < s->m; i++) {
			double sum = s->alpha * b[i + j * s->ldb];

			for (int k = 0; k < j; k++)
				sum -= b[i + k * s->ldb] * a[j + k * s->lda];
			b[i + j * s->ldb] = sum / a[j + j * s->lda];
		}
}

int cublasDtrsm_v2(struct double_handle *handle, int side, int half, int transpose, int diagonal, int m, int n,
		   const double *alpha, const double *a, int lda, double *b, int ldb)
{
	const struct solve s = { m, n, lda, ldb, *alpha, a, b };

	/* From the right, lower, transposed, any diagonal. */
	if (side != 1 || half || transpose != 1 || diagonal)
		return NOT_SUPPORTED;
	return cudart_double_launch(handle->stream, solve_body, &s, sizeof s);
}
