/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the Cholesky example: the matrix in tiles, two sets of kernels, and the result of a run. A =
 * L L' with A symmetric positive definite; L replaces the lower half of A.
 */
#ifndef EXAMPLES_CHOLESKY_H
#define EXAMPLES_CHOLESKY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <xylem.h>

/* --- kernels: on one tile each, column-major as BLAS has it --- */

struct kernels {
	const char *name;
	/* a := its Cholesky factor; the part above the diagonal becomes 0. 0, or -EDOM without one. */
	int (*potrf)(int n, double *a, int lda);
	/* b := b l'^-1, where b is m x n and l lower triangular. */
	void (*trsm)(int m, int n, const double *l, int ldl, double *b, int ldb);
	/* c := c - a a', where a is n x k; only the lower half of c. */
	void (*syrk)(int n, int k, const double *a, int lda, double *c, int ldc);
	/* c := c - a b', where a is m x k and b is n x k. */
	void (*gemm)(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc);
};

/* In plain C. */
extern const struct kernels kernels_own;
/* Those of the BLAS that configure found, or NULL. */
const struct kernels *kernels_blas(void);
/* How many threads a call of BLAS uses from now on; returns how many it really will. */
unsigned kernels_blas_threads(unsigned n);
/* LAPACK's dpotrf on a whole n x n matrix. 0, or -ENOSYS, -EDOM. */
int kernels_lapack_potrf(int n, double *a);

/* --- the matrix --- */

/* Lower half, in tiles that are contiguous. Element (row, column) depends on them and the seed alone. */
struct matrix {
	size_t n, tile;
	size_t ntiles; /* in each direction */
	uint64_t seed;
	bool indefinite; /* one element of the diagonal is negative */
	double *elements;
};

/* Fills a matrix of which n, tile, seed, indefinite are set; -ENOMEM. */
int matrix_create(struct matrix *m);
void matrix_destroy(struct matrix *m);
double *matrix_tile(const struct matrix *m, size_t i, size_t j);
/* Rows of the tiles (i, ...): the last ones may have fewer. */
size_t matrix_rows(const struct matrix *m, size_t i);
/* Writes what tile (i, j) was in the beginning. */
void matrix_generate(const struct matrix *m, size_t i, size_t j, double *tile);
/* Writes the whole matrix, n x n. */
void matrix_generate_all(const struct matrix *m, double *elements);

/* --- the graph of tasks --- */

struct graph {
	struct xy_runtime *runtime;
	const struct matrix *matrix;
	const struct kernels *kernels;
	struct xy_handle **tiles;    /* as the matrix has them */
	struct xy_handle *scratch;   /* of the shape of the largest tile */
	void (*progress)(void *arg); /* called now and then during submission */
	void *progress_arg;
};

/* Number of tasks that graph_factor submits. */
unsigned long long graph_ntasks(const struct matrix *m);
int graph_create(struct graph *g);
/* Waits for the tasks that use the tiles. */
void graph_destroy(struct graph *g);
/* Submits the factorization; 0 or the error of a submission. Does not wait. */
int graph_factor(struct graph *g);
/* Computes ||A - L L'|| / (||A|| n eps) in Frobenius norms, by tasks, and waits. */
int graph_residual(struct graph *g, double *residual);

/* --- the chart: which worker ran which task when --- */

enum { CHART_MOST = 20000 }; /* tasks; with more there is no chart */

struct bar {
	unsigned worker, kernel;
	double start_s, end_s; /* on the runtime's clock */
};

struct chart {
	struct xy_watch watch; /* for the runtime; tells the chart about each task */
	size_t capacity;       /* later tasks are left out */
	struct bar *bars;
	_Atomic size_t count;
};

struct result;

/* Zeroed before; -ENOMEM. */
int chart_create(struct chart *chart, unsigned long long ntasks);
void chart_destroy(struct chart *chart);
/* When all tasks have ended. */
void chart_write(FILE *out, const struct chart *chart, const struct result *result);

/* --- the result --- */

struct worker_result {
	char name[16];
	unsigned long long tasks;
	double busy_s;
};

struct result {
	const struct matrix *matrix;
	const struct kernels *kernels;
	const char *sched; /* as it was asked for */
	bool sched_is_default;
	unsigned long long ntasks;
	bool simulated; /* the times are not those of this computer */
	double begin_s; /* on the runtime's clock */
	double seconds, gflops;
	bool compared; /* with LAPACK's dpotrf */
	unsigned alone_threads;
	double alone_seconds, alone_gflops;
	bool checked, correct;
	double residual, residual_limit;
	unsigned nworkers;
	struct worker_result *workers;
	char *tree;          /* a drawing with counters */
	char *tree_coloured; /* with colours for a terminal, or NULL */
	char *expression;    /* of the tree */
	struct chart chart;  /* filled if there is to be a report */
};

/* Writes a page that needs nothing else; 0 or -EIO. */
int report_write(FILE *out, const struct result *result);

#endif
