/* SPDX-License-Identifier: MIT */
/* The double of cuSOLVER: the Cholesky factorization of a dense matrix. */
#include <math.h>

#include "libraries.h"

int cusolverDnCreate(struct double_handle **handle);
int cusolverDnDestroy(struct double_handle *handle);
int cusolverDnSetStream(struct double_handle *handle, struct CUstream_st *stream);
int cusolverDnDpotrf_bufferSize(struct double_handle *handle, int half, int n, double *a, int lda, int *size);
int cusolverDnDpotrf(struct double_handle *handle, int half, int n, double *a, int lda, double *work, int size,
		     int *info);

int cusolverDnCreate(struct double_handle **handle)
{
	return double_handle_create(handle);
}

int cusolverDnDestroy(struct double_handle *handle)
{
	return double_handle_destroy(handle);
}

int cusolverDnSetStream(struct double_handle *handle, struct CUstream_st *stream)
{
	handle->stream = stream;
	return 0;
}

int cusolverDnDpotrf_bufferSize(struct double_handle *handle, int half, int n, double *a, int lda, int *size)
{
	(void)handle;
	(void)half;
	(void)a;
	(void)lda;
	*size = n;
	return 0;
}

struct factor {
	int n, lda;
	double *a, *work;
	int *info;
};

/* The work space is used, so that one that is too small shows. */
static void factor_body(void *args)
{
	const struct factor *f = args;
	double *a = cudart_double_readable(f->a), *work = cudart_double_readable(f->work);
	int *info = cudart_double_readable(f->info);

	*info = 0;
	for (int j = 0; j < f->n && !*info; j++) {
		for (int i = j; i < f->n; i++) {
			work[i] = a[i + j * f->lda];
			for (int k = 0; k < j; k++)
				work[i] -= a[i + k * f->lda] * a[j + k * f->lda];
		}
		if (!(work[j] > 0))
			*info = j + 1;
		for (int i = f->n - 1; i >= j; i--)
			a[i + j * f->lda] = work[i] / sqrt(work[j]);
	}
}

int cusolverDnDpotrf(struct double_handle *handle, int half, int n, double *a, int lda, double *work, int size,
		     int *info)
{
	const struct factor f = { n, lda, a, work, info };

	if (half || size < n) /* CUBLAS_FILL_MODE_UPPER */
		return 3;
	return cudart_double_launch(handle->stream, factor_body, &f, sizeof f);
}
