/* SPDX-License-Identifier: MIT */
/*
 * A product of matrices and a Cholesky factorization, in tiles, by codelets that call cuBLAS and cuSOLVER on GPUs:
 * dense gemm|cholesky [cpu|cuda] [TILES [SIZE]]. Tiles are column-major.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem.h>

#include "dense.h"

/* --- the codelets: those for CPUs; dense_cuda.cu has the others --- */

static int gemm_cpu(struct xy_call *call)
{
	const double *a = xy_pointer(call, 0), *b = xy_pointer(call, 1), alpha = *(const double *)call->arg;
	double *c = xy_pointer(call, 2);
	size_t n = xy_matrix_at(call, 2)->nx;

	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < n; k++)
			for (size_t i = 0; i < n; i++)
				c[i + j * n] += alpha * a[i + k * n] * b[j + k * n];
	return 0;
}

static int syrk_cpu(struct xy_call *call)
{
	const double *a = xy_pointer(call, 0);
	double *c = xy_pointer(call, 1);
	size_t n = xy_matrix_at(call, 1)->nx;

	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < n; k++)
			for (size_t i = j; i < n; i++)
				c[i + j * n] -= a[i + k * n] * a[j + k * n];
	return 0;
}

static int trsm_cpu(struct xy_call *call)
{
	const double *l = xy_pointer(call, 0);
	double *b = xy_pointer(call, 1);
	size_t n = xy_matrix_at(call, 1)->nx;

	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < j; k++)
				b[i + j * n] -= b[i + k * n] * l[j + k * n];
			b[i + j * n] /= l[j + j * n];
		}
	return 0;
}

static int potrf_cpu(struct xy_call *call)
{
	double *a = xy_pointer(call, 0);
	int *info = xy_pointer(call, 2);
	size_t n = xy_matrix_at(call, 0)->nx;

	*info = 0;
	for (size_t j = 0; j < n && !*info; j++) {
		for (size_t k = 0; k < j; k++)
			for (size_t i = j; i < n; i++)
				a[i + j * n] -= a[i + k * n] * a[j + k * n];
		if (!(a[j + j * n] > 0))
			*info = (int)j + 1;
		for (size_t i = n; i-- > j;)
			a[i + j * n] /= sqrt(a[j + j * n]);
	}
	return 0;
}

static struct xy_codelet gemm = { .name = "gemm", .cpu = { gemm_cpu }, .cuda = { dense_gemm } };
static struct xy_codelet syrk = { .name = "syrk", .cpu = { syrk_cpu }, .cuda = { dense_syrk } };
static struct xy_codelet trsm = { .name = "trsm", .cpu = { trsm_cpu }, .cuda = { dense_trsm } };
static struct xy_codelet potrf = { .name = "potrf", .cpu = { potrf_cpu }, .cuda = { dense_potrf } };

/* --- matrices --- */

static size_t n = 6, size = 32; /* tiles in each direction, and rows of a tile */

struct matrix {
	double *elements; /* tile by tile */
	struct xy_handle **tiles;
};

static struct xy_handle *tile(const struct matrix *m, size_t i, size_t j)
{
	return m->tiles[i + j * n];
}

static double *element(const struct matrix *m, size_t row, size_t column)
{
	return &m->elements[(row / size + column / size * n) * size * size + row % size + column % size * size];
}

/* Symmetric, and positive definite with enough on the diagonal. */
static double value(size_t row, size_t column, double diagonal)
{
	double distance = row > column ? (double)(row - column) : (double)(column - row);

	return 1 / (1 + distance) + (row == column ? diagonal : 0);
}

static int matrix_create(struct xy_runtime *rt, struct matrix *m, double factor, double diagonal)
{
	int error = 0;

	m->elements = calloc(n * n * size * size, sizeof(double));
	m->tiles = calloc(n * n, sizeof(struct xy_handle *));
	if (!m->elements || !m->tiles)
		return 1;
	for (size_t column = 0; column < n * size; column++)
		for (size_t row = 0; row < n * size; row++)
			*element(m, row, column) = factor * value(row, column, diagonal);
	for (size_t i = 0; i < n * n && !error; i++)
		error = xy_matrix_register(
			rt, &m->tiles[i],
			&(struct xy_matrix){
				.ptr = m->elements + i * size * size, .nx = size, .ny = size, .elem = sizeof(double) });
	return error;
}

/* The content is in memory again. */
static int matrix_collect(struct matrix *m)
{
	int error = 0;

	for (size_t i = 0; i < n * n; i++)
		if (m->tiles[i])
			error |= xy_unregister(&m->tiles[i]);
	return error;
}

static void matrix_destroy(struct matrix *m)
{
	free(m->elements);
	free(m->tiles);
}

/* --- c = a b', where a = b --- */

static int product(struct xy_runtime *rt)
{
	struct matrix a, c;
	double one = 1, worst = 0;
	int error = matrix_create(rt, &a, 1, 2) | matrix_create(rt, &c, 0, 0);

	for (size_t j = 0; j < n && !error; j++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++)
				error |= xy_insert(rt, &gemm, xy_r(tile(&a, i, k)), xy_r(tile(&a, j, k)),
						   xy_rw(tile(&c, i, j)), xy_arg(&one));
	error |= xy_wait(rt) | matrix_collect(&a) | matrix_collect(&c);
	for (size_t row = 0; row < n * size; row += 7)
		for (size_t column = 0; column < n * size; column += 5) {
			double sum = 0;

			for (size_t k = 0; k < n * size; k++)
				sum += value(row, k, 2) * value(column, k, 2);
			worst = fmax(worst, fabs(sum - *element(&c, row, column)));
		}
	matrix_destroy(&a);
	matrix_destroy(&c);
	printf("product: %s\n", error ? "failed" : worst < 1e-9 ? "right" : "wrong");
	return error || !(worst < 1e-9);
}

/* --- a = l l' --- */

static int factor(struct xy_runtime *rt, struct matrix *a, struct xy_handle *work, struct xy_handle *info)
{
	static double minus_one = -1;
	int error = 0;

	for (size_t k = 0; k < n; k++) {
		error |= xy_insert(rt, &potrf, xy_rw(tile(a, k, k)), xy_scratch(work), xy_w(info),
				   xy_priority((int)(n - k)));
		for (size_t i = k + 1; i < n; i++)
			error |= xy_insert(rt, &trsm, xy_r(tile(a, k, k)), xy_rw(tile(a, i, k)));
		for (size_t j = k + 1; j < n; j++) {
			error |= xy_insert(rt, &syrk, xy_r(tile(a, j, k)), xy_rw(tile(a, j, j)));
			for (size_t i = j + 1; i < n; i++)
				error |= xy_insert(rt, &gemm, xy_r(tile(a, i, k)), xy_r(tile(a, j, k)),
						   xy_rw(tile(a, i, j)), xy_arg(&minus_one));
		}
	}
	return error | xy_wait(rt);
}

static int cholesky(struct xy_runtime *rt)
{
	struct xy_handle *work, *info;
	struct matrix a;
	double worst = 0;
	int result = 0, error = matrix_create(rt, &a, 1, 4);

	error |= xy_vector_register(rt, &work, NULL, DENSE_WORK(size), sizeof(double));
	error |= xy_variable_register(rt, &info, &result, sizeof result);
	if (!error)
		error = factor(rt, &a, work, info);
	error |= xy_unregister(&work) | xy_unregister(&info) | matrix_collect(&a);
	for (size_t row = 0; row < n * size; row += 7)
		for (size_t column = 0; column <= row; column += 5) {
			double sum = 0;

			for (size_t k = 0; k <= column; k++)
				sum += *element(&a, row, k) * *element(&a, column, k);
			worst = fmax(worst, fabs(sum - value(row, column, 4)));
		}
	matrix_destroy(&a);
	printf("cholesky: %s\n", error ? "failed" : !result && worst < 1e-9 ? "right" : "wrong");
	return error || result || !(worst < 1e-9);
}

static void print_workers(const struct xy_runtime *rt)
{
	const struct xy_machine *machine = xy_runtime_machine(rt);

	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++) {
		struct xy_worker_stats stats;

		if (xy_worker_stats(rt, i, &stats) == 0)
			printf("%s: %llu tasks\n", xy_machine_worker(machine, i)->name, stats.tasks);
	}
}

int main(int argc, char **argv)
{
	bool factors = argc > 1 && strcmp(argv[1], "cholesky") == 0;
	unsigned where = argc > 2 && strcmp(argv[2], "cpu") == 0    ? XY_ON_CPU
			 : argc > 2 && strcmp(argv[2], "cuda") == 0 ? XY_ON_CUDA
								    : 0;
	struct xy_runtime *rt;
	int error;

	gemm.where = syrk.where = trsm.where = potrf.where = where;
	n = argc > 3 ? (size_t)atol(argv[3]) : n;
	size = argc > 4 ? (size_t)atol(argv[4]) : size;
	if (!n || !size || xy_start(&rt, NULL))
		return 2;
	error = factors ? cholesky(rt) : product(rt);
	print_workers(rt);
	return xy_stop(&rt) || error;
}
