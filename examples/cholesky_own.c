/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the Cholesky example in plain C. Everything large is a product of a block of columns,
 * which keeps 4 x 4 sums in registers; the rest are textbook loops on small blocks.
 */
#include "cholesky.h"

#include <errno.h>
#include <math.h>

enum { BLOCK = 32 };

static int own_smaller(int a, int b)
{
	return a < b ? a : b;
}

/* c := c - a b' for 4 rows and 4 columns of c. */
static void own_gemm_4x4(int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
	double sum[4][4] = { { 0 } };

	for (int p = 0; p < k; p++, a += lda, b += ldb)
		for (int j = 0; j < 4; j++)
			for (int i = 0; i < 4; i++)
				sum[j][i] += a[i] * b[j];
	for (int j = 0; j < 4; j++)
		for (int i = 0; i < 4; i++)
			c[i + (size_t)j * ldc] -= sum[j][i];
}

static void own_gemm_edge(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
	for (int j = 0; j < n; j++)
		for (int p = 0; p < k; p++)
			for (int i = 0; i < m; i++)
				c[i + (size_t)j * ldc] -= a[i + (size_t)p * lda] * b[j + (size_t)p * ldb];
}

static void own_gemm(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
	int m4 = m - m % 4, n4 = n - n % 4;

	for (int j = 0; j < n4; j += 4)
		for (int i = 0; i < m4; i += 4)
			own_gemm_4x4(k, a + i, lda, b + j, ldb, c + i + (size_t)j * ldc, ldc);
	own_gemm_edge(m - m4, n4, k, a + m4, lda, b, ldb, c + m4, ldc);
	own_gemm_edge(m, n - n4, k, a, lda, b + n4, ldb, c + (size_t)n4 * ldc, ldc);
}

static void own_syrk(int n, int k, const double *a, int lda, double *c, int ldc)
{
	for (int j = 0; j < n; j += BLOCK) {
		int columns = own_smaller(BLOCK, n - j), below = j + columns;

		for (int column = j; column < below; column++)
			own_gemm_edge(below - column, 1, k, a + column, lda, a + column, lda,
				      c + column + (size_t)column * ldc, ldc);
		own_gemm(n - below, columns, k, a + below, lda, a + j, lda, c + below + (size_t)j * ldc, ldc);
	}
}

/* b := b l'^-1, column by column. */
static void own_solve(int m, int n, const double *l, int ldl, double *b, int ldb)
{
	for (int j = 0; j < n; j++) {
		double *column = b + (size_t)j * ldb, pivot = l[j + (size_t)j * ldl];

		own_gemm_edge(m, 1, j, b, ldb, l + j, ldl, column, ldb);
		for (int i = 0; i < m; i++)
			column[i] /= pivot;
	}
}

static void own_trsm(int m, int n, const double *l, int ldl, double *b, int ldb)
{
	for (int j = 0; j < n; j += BLOCK) {
		int columns = own_smaller(BLOCK, n - j);
		double *block = b + (size_t)j * ldb;

		own_gemm(m, columns, j, b, ldb, l + j, ldl, block, ldb);
		own_solve(m, columns, l + j + (size_t)j * ldl, ldl, block, ldb);
	}
}

/* A small block, column by column. */
static int own_factor(int n, double *a, int lda)
{
	for (int j = 0; j < n; j++) {
		double *column = a + (size_t)j * lda;

		own_gemm_edge(n - j, 1, j, a + j, lda, a + j, lda, column + j, lda);
		if (!(column[j] > 0))
			return -EDOM;
		column[j] = sqrt(column[j]);
		for (int i = j + 1; i < n; i++)
			column[i] /= column[j];
		for (int i = 0; i < j; i++)
			column[i] = 0;
	}
	return 0;
}

static int own_potrf(int n, double *a, int lda)
{
	for (int j = 0; j < n; j += BLOCK) {
		int columns = own_smaller(BLOCK, n - j), below = n - j - columns;
		double *diagonal = a + j + (size_t)j * lda;
		int error = own_factor(columns, diagonal, lda);

		if (error)
			return error;
		own_trsm(below, columns, diagonal, lda, diagonal + columns, lda);
		own_syrk(below, columns, diagonal + columns, lda, diagonal + columns + (size_t)columns * lda, lda);
		for (int column = j; column < j + columns; column++)
			for (int i = 0; i < j; i++)
				a[i + (size_t)column * lda] = 0;
	}
	return 0;
}

const struct kernels kernels_own = {
	.name = "plain C",
	.potrf = own_potrf,
	.trsm = own_trsm,
	.syrk = own_syrk,
	.gemm = own_gemm,
};
