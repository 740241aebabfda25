/* SPDX-License-Identifier: MIT */
/*
 * The tasks of the Cholesky example. Tasks are submitted in the order of the sequential algorithm; which
 * of them may run beside each other follows from the tiles that they read and write.
 */
#include "cholesky.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PROGRESS_EVERY = 64 };

static int potrf_cpu(struct xy_call *call)
{
	const struct kernels *kernels = call->arg;
	const struct xy_matrix *a = xy_matrix_at(call, 0);

	return kernels->potrf((int)a->nx, a->ptr, (int)a->ld);
}

static int trsm_cpu(struct xy_call *call)
{
	const struct kernels *kernels = call->arg;
	const struct xy_matrix *l = xy_matrix_at(call, 0), *b = xy_matrix_at(call, 1);

	kernels->trsm((int)b->nx, (int)b->ny, l->ptr, (int)l->ld, b->ptr, (int)b->ld);
	return 0;
}

static int syrk_cpu(struct xy_call *call)
{
	const struct kernels *kernels = call->arg;
	const struct xy_matrix *a = xy_matrix_at(call, 0), *c = xy_matrix_at(call, 1);

	kernels->syrk((int)a->nx, (int)a->ny, a->ptr, (int)a->ld, c->ptr, (int)c->ld);
	return 0;
}

static int gemm_cpu(struct xy_call *call)
{
	const struct kernels *kernels = call->arg;
	const struct xy_matrix *a = xy_matrix_at(call, 0), *b = xy_matrix_at(call, 1), *c = xy_matrix_at(call, 2);

	kernels->gemm((int)a->nx, (int)b->nx, (int)a->ny, a->ptr, (int)a->ld, b->ptr, (int)b->ld, c->ptr, (int)c->ld);
	return 0;
}

/* A kernel is measured for each tile size, and for each set of kernels: MAKE is in the name. */
#define MODEL(MAKE, KERNEL) \
	static const struct xy_model KERNEL##_##MAKE##_model = { .name = "cholesky_" #MAKE "_" #KERNEL, \
								 .kind = XY_MODEL_HISTORY }
#define CODELET(MAKE, KERNEL, ...) \
	MODEL(MAKE, KERNEL); \
	static const struct xy_codelet KERNEL##_##MAKE = { \
		.name = #KERNEL, .cpu = { KERNEL##_cpu }, .modes = { __VA_ARGS__ }, .model = &KERNEL##_##MAKE##_model \
	}
CODELET(own, potrf, XY_RW);
CODELET(own, trsm, XY_R, XY_RW);
CODELET(own, syrk, XY_R, XY_RW);
CODELET(own, gemm, XY_R, XY_R, XY_RW);
CODELET(blas, potrf, XY_RW);
CODELET(blas, trsm, XY_R, XY_RW);
CODELET(blas, syrk, XY_R, XY_RW);
CODELET(blas, gemm, XY_R, XY_R, XY_RW);

static const struct codelets {
	const struct xy_codelet *potrf, *trsm, *syrk, *gemm;
} codelets_own = { &potrf_own, &trsm_own, &syrk_own, &gemm_own },
  codelets_blas = { &potrf_blas, &trsm_blas, &syrk_blas, &gemm_blas };

/* --- the factorization --- */

static struct xy_handle *graph_tile(const struct graph *g, size_t i, size_t j)
{
	return g->tiles[i * (i + 1) / 2 + j];
}

unsigned long long graph_ntasks(const struct matrix *m)
{
	unsigned long long n = m->ntiles;

	return n + n * (n - 1) / 2 + n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6;
}

/* One step: factor tile (k, k), solve the tiles below it, update what is to the right. The priority of a
 * task falls with its distance from the next tile on the diagonal, which everything waits for. */
static int graph_step(struct graph *g, size_t k)
{
	size_t n = g->matrix->ntiles;
	int urgency = (int)(3 * (n - k)), error;
	void *kernels = (void *)g->kernels;
	const struct codelets *c = g->kernels == &kernels_own ? &codelets_own : &codelets_blas;

	error = xy_submit(g->runtime, &(struct xy_task_desc){ .codelet = c->potrf,
							      .arg = kernels,
							      .handles = { graph_tile(g, k, k) },
							      .priority = urgency });
	for (size_t i = k + 1; i < n && !error; i++)
		error = xy_submit(g->runtime,
				  &(struct xy_task_desc){ .codelet = c->trsm,
							  .arg = kernels,
							  .handles = { graph_tile(g, k, k), graph_tile(g, i, k) },
							  .priority = urgency - (int)(i - k) });
	for (size_t i = k + 1; i < n && !error; i++) {
		error = xy_submit(g->runtime,
				  &(struct xy_task_desc){ .codelet = c->syrk,
							  .arg = kernels,
							  .handles = { graph_tile(g, i, k), graph_tile(g, i, i) },
							  .priority = urgency - 2 * (int)(i - k) });
		for (size_t j = k + 1; j < i && !error; j++)
			error = xy_submit(g->runtime,
					  &(struct xy_task_desc){ .codelet = c->gemm,
								  .arg = kernels,
								  .handles = { graph_tile(g, i, k), graph_tile(g, j, k),
									       graph_tile(g, i, j) },
								  .priority = urgency - (int)(i - k) - (int)(j - k) });
		if (i % PROGRESS_EVERY == 0)
			g->progress(g->progress_arg);
	}
	return error;
}

int graph_factor(struct graph *g)
{
	int error = 0;

	for (size_t k = 0; k < g->matrix->ntiles && !error; k++) {
		error = graph_step(g, k);
		g->progress(g->progress_arg);
	}
	return error;
}

/* --- the check --- */

struct residual_arg {
	const struct graph *graph;
	size_t i, j;
	double *norms; /* squares of the norms of A and of A - L L', in this tile */
};

static double square_norm(const double *a, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * a[i];
	return sum;
}

/* Buffers: scratch, then the tiles (i, 0) ... (i, j), then (j, 0) ... (j, j) unless i == j. */
static int residual_cpu(struct xy_call *call)
{
	const struct residual_arg *arg = call->arg;
	const struct matrix *m = arg->graph->matrix;
	size_t rows = matrix_rows(m, arg->i), columns = matrix_rows(m, arg->j), count = rows * columns;
	double *rest = xy_pointer(call, 0), weight = arg->i == arg->j ? 1 : 2;

	matrix_generate(m, arg->i, arg->j, rest);
	arg->norms[0] = weight * square_norm(rest, count);
	for (unsigned k = 0; k <= arg->j; k++) {
		const struct xy_matrix *a = xy_matrix_at(call, 1 + k);
		const struct xy_matrix *b = arg->i == arg->j ? a : xy_matrix_at(call, 2 + (unsigned)arg->j + k);

		arg->graph->kernels->gemm((int)rows, (int)columns, (int)a->ny, a->ptr, (int)a->ld, b->ptr, (int)b->ld,
					  rest, (int)rows);
	}
	arg->norms[1] = weight * square_norm(rest, count);
	return 0;
}

static const struct xy_codelet residual_codelet = { .name = "residual", .cpu = { residual_cpu } };

static int residual_submit(struct graph *g, size_t i, size_t j, double *norms, struct xy_access *accesses)
{
	struct residual_arg arg = { .graph = g, .i = i, .j = j, .norms = norms };
	unsigned n = 0;

	accesses[n++] = (struct xy_access){ g->scratch, XY_SCRATCH };
	for (size_t k = 0; k <= j; k++)
		accesses[n++] = (struct xy_access){ graph_tile(g, i, k), XY_R };
	for (size_t k = 0; k <= j && i != j; k++)
		accesses[n++] = (struct xy_access){ graph_tile(g, j, k), XY_R };
	accesses[n] = (struct xy_access){ 0 };
	return xy_submit(g->runtime, &(struct xy_task_desc){ .codelet = &residual_codelet,
							     .arg = &arg,
							     .arg_size = sizeof arg,
							     .accesses = accesses });
}

int graph_residual(struct graph *g, double *residual)
{
	const struct matrix *m = g->matrix;
	size_t count = m->ntiles * (m->ntiles + 1) / 2;
	double(*norms)[2] = calloc(count, sizeof *norms), matrix_norm = 0, rest_norm = 0;
	struct xy_access *accesses = calloc(2 * m->ntiles + 2, sizeof *accesses);
	int error = norms && accesses ? 0 : -ENOMEM, failure;

	for (size_t i = 0; i < m->ntiles && !error; i++)
		for (size_t j = 0; j <= i && !error; j++)
			error = residual_submit(g, i, j, norms[i * (i + 1) / 2 + j], accesses);
	failure = xy_wait(g->runtime);
	for (size_t i = 0; i < count && norms; i++) {
		matrix_norm += norms[i][0];
		rest_norm += norms[i][1];
	}
	*residual = sqrt(rest_norm) / (sqrt(matrix_norm) * (double)m->n * DBL_EPSILON);
	free(norms);
	free(accesses);
	return error ? error : failure;
}

/* --- handles --- */

int graph_create(struct graph *g)
{
	const struct matrix *m = g->matrix;
	int error;

	g->tiles = calloc(m->ntiles * (m->ntiles + 1) / 2, sizeof *g->tiles);
	if (!g->tiles)
		return -ENOMEM;
	error = xy_matrix_register(g->runtime, &g->scratch,
				   &(struct xy_matrix){ .nx = m->tile, .ny = m->tile, .elem = sizeof(double) });
	for (size_t i = 0; i < m->ntiles && !error; i++)
		for (size_t j = 0; j <= i && !error; j++) {
			size_t rows = matrix_rows(m, i), columns = matrix_rows(m, j);

			error = xy_matrix_register(g->runtime, &g->tiles[i * (i + 1) / 2 + j],
						   &(struct xy_matrix){ .ptr = matrix_tile(m, i, j),
									.nx = rows,
									.ny = columns,
									.elem = sizeof(double) });
		}
	if (error)
		graph_destroy(g);
	return error;
}

void graph_destroy(struct graph *g)
{
	size_t count = g->matrix->ntiles * (g->matrix->ntiles + 1) / 2;

	for (size_t i = 0; g->tiles && i < count; i++)
		if (g->tiles[i])
			xy_unregister(&g->tiles[i]);
	if (g->scratch)
		xy_unregister(&g->scratch);
	free(g->tiles);
	g->tiles = NULL;
}
