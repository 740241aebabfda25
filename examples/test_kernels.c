/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the Cholesky example against sums written as the definitions say, on sizes around the
 * blocks that they use. Prints a line for each kernel, as prove and automake read it (TAP).
 */
#include <math.h>
#include <stdlib.h>
#include "cholesky.h"

enum { MOST = 71, LD = MOST + 3, COUNT = LD * MOST };

static const int sizes[] = { 1, 2, 3, 4, 5, 31, 32, 33, 64, MOST };
enum { NSIZES = sizeof sizes / sizeof sizes[0] };

static double a[COUNT], b[COUNT], c[COUNT], expected[COUNT];
static unsigned passed, ntests;

static void fill(double *x)
{
	for (int i = 0; i < COUNT; i++)
		x[i] = (double)rand() / RAND_MAX - 0.5;
}

/* A lower triangle far from singular; the part above must not be read. */
static void fill_triangle(double *x, int n)
{
	fill(x);
	for (int j = 0; j < n; j++) {
		x[j + j * LD] += n;
		for (int i = 0; i < j; i++)
			x[i + j * LD] = NAN;
	}
}

static bool same(const double *x, const double *y)
{
	for (int i = 0; i < COUNT; i++)
		if (!(fabs(x[i] - y[i]) < 1e-10) && !(isnan(x[i]) && isnan(y[i])))
			return false;
	return true;
}

static void copy(double *to, const double *from)
{
	for (int i = 0; i < COUNT; i++)
		to[i] = from[i];
}

/* to[row, column] - sum of x[row, p] * y[column, p] */
static double minus_product(const double *to, const double *x, const double *y, int row, int column, int k)
{
	double sum = to[row + column * LD];

	for (int p = 0; p < k; p++)
		sum -= x[row + p * LD] * y[column + p * LD];
	return sum;
}

static bool gemm_is_right(const struct kernels *kernels, int m, int n, int k)
{
	fill(a);
	fill(b);
	fill(c);
	copy(expected, c);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			expected[i + j * LD] = minus_product(c, a, b, i, j, k);
	kernels->gemm(m, n, k, a, LD, b, LD, c, LD);
	return same(c, expected);
}

static bool syrk_is_right(const struct kernels *kernels, int n, int unused, int k)
{
	(void)unused;
	fill(a);
	fill(c);
	copy(expected, c);
	for (int j = 0; j < n; j++)
		for (int i = j; i < n; i++)
			expected[i + j * LD] = minus_product(c, a, a, i, j, k);
	kernels->syrk(n, k, a, LD, c, LD);
	return same(c, expected);
}

/* x l' must be what b was. */
static bool trsm_is_right(const struct kernels *kernels, int m, int n, int unused)
{
	(void)unused;
	fill_triangle(a, n);
	fill(b);
	copy(expected, b);
	kernels->trsm(m, n, a, LD, b, LD);
	copy(c, b);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			double sum = 0;

			for (int p = 0; p <= j; p++)
				sum += b[i + p * LD] * a[j + p * LD];
			c[i + j * LD] = sum;
		}
	return same(c, expected);
}

/* The factor of l l' is l, with zeros above; nothing beyond the block changes. */
static bool potrf_is_right(const struct kernels *kernels, int n, int unused, int unused_too)
{
	(void)unused;
	(void)unused_too;
	fill_triangle(a, n);
	copy(expected, a);
	copy(c, a);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			double sum = 0;

			for (int p = 0; p <= (i < j ? i : j); p++)
				sum += a[i + p * LD] * a[j + p * LD];
			c[i + j * LD] = sum;
			if (i < j)
				expected[i + j * LD] = 0;
		}
	if (kernels->potrf(n, c, LD) || !same(c, expected))
		return false;
	c[n - 1 + (n - 1) * LD] = -1;
	return kernels->potrf(n, c, LD) < 0;
}

static void test(const struct kernels *kernels, const char *name,
		 bool (*is_right)(const struct kernels *, int, int, int))
{
	bool right = true;

	for (int i = 0; i < NSIZES && right; i++)
		for (int j = 0; j < NSIZES && right; j++)
			for (int k = 0; k < NSIZES && right; k++) {
				right = is_right(kernels, sizes[i], sizes[j], sizes[k]);
				if (!right)
					printf("# wrong with sizes %d %d %d\n", sizes[i], sizes[j], sizes[k]);
			}
	printf("%s %u - %s of %s\n", right ? "ok" : "not ok", ++ntests, name, kernels->name);
	passed += right;
}

static void test_all(const struct kernels *kernels)
{
	test(kernels, "gemm", gemm_is_right);
	test(kernels, "syrk", syrk_is_right);
	test(kernels, "trsm", trsm_is_right);
	test(kernels, "potrf", potrf_is_right);
}

int main(void)
{
	test_all(&kernels_own);
	if (kernels_blas())
		test_all(kernels_blas());
	printf("1..%u\n", ntests);
	return (int)(ntests - passed);
}
