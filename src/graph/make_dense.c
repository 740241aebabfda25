/* SPDX-License-Identifier: MIT */
/*
 * Tiled factorisations of a dense matrix, in the usual order of submission: step by step, the panel first, then
 * the updates (right-looking).
 */
#include "graph/make.h"

#include <errno.h>
#include <string.h>

/* Floating-point operations per microsecond: 40 GFlop/s in single precision, half of it in double. */
#define DENSE_RATE 40000

int graph__make_kernel(struct graph *g, const char *name, uint64_t tile)
{
	/* operations, divided by the third power of the tile's rows */
	static const struct {
		const char *name;
		double flops;
	} kernels[] = { { "potrf", 1 / 3.0 }, { "getrf", 2 / 3.0 }, { "trsm_l", 1 },      { "trsm_u", 1 },
			{ "trsm", 1 },        { "syrk", 1 },        { "geqrt", 4 / 3.0 }, { "tsqrt", 2 },
			{ "unmqr", 2 },       { "gemm", 2 },        { "tsmqr", 4 } };
	int kernel = graph_add_kernel(g, name, 0);
	double us = (double)tile * (double)tile * (double)tile / DENSE_RATE * (*name == 'd' ? 2 : 1), flops = 0;

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(kernels[i].name, name + 1))
			flops = kernels[i].flops;
	if (kernel >= 0)
		g->kernels[kernel].nominal_us = flops * us;
	return kernel;
}

/* A square matrix of tiles, each of them a datum; tile (i, j) is first + i * n + j. */
struct dense {
	struct graph *g;
	uint32_t n, first;
	uint64_t tile;
	int error; /* the first one */
};

static uint32_t dense_kernel(struct dense *d, const char *name)
{
	int kernel = d->error ? d->error : graph__make_kernel(d->g, name, d->tile);

	if (kernel < 0)
		d->error = kernel;
	return kernel < 0 ? 0 : (uint32_t)kernel;
}

static void dense_add_tiles(struct dense *d, uint32_t count, uint64_t bytes)
{
	for (uint32_t i = 0; i < count && !d->error; i++) {
		int datum = graph_add_data(d->g, NULL, bytes);

		if (datum < 0)
			d->error = datum;
	}
}

static struct dense dense_begin(struct graph *g, const struct make_request *request, unsigned elem)
{
	struct dense d = { .g = g, .n = (uint32_t)request->size, .first = g->ndata, .tile = request->tile };

	dense_add_tiles(&d, d.n * d.n, request->tile * request->tile * elem);
	return d;
}

static struct graph_access dense_tile(const struct dense *d, uint32_t i, uint32_t j, enum xy_mode mode)
{
	return (struct graph_access){ .data = d->first + i * d->n + j, .mode = mode };
}

static void dense_task(struct dense *d, uint32_t kernel, const struct graph_access *accesses, uint32_t naccesses)
{
	int task = d->error ? d->error
			    : graph_add_task(d->g, &(struct graph_task_desc){ .kernel = kernel,
									      .accesses = accesses,
									      .naccesses = naccesses });

	if (task < 0)
		d->error = task;
}

#define DENSE_TASK(d, kernel, ...) \
	dense_task(d, kernel, (struct graph_access[]){ __VA_ARGS__ }, \
		   sizeof((struct graph_access[]){ __VA_ARGS__ }) / sizeof(struct graph_access))

int graph__make_cholesky(struct graph *g, const struct make_request *request)
{
	struct dense d = dense_begin(g, request, 4);
	uint32_t potrf = dense_kernel(&d, "spotrf"), trsm = dense_kernel(&d, "strsm");
	uint32_t syrk = dense_kernel(&d, "ssyrk"), gemm = dense_kernel(&d, "sgemm");

	for (uint32_t k = 0; k < d.n && !d.error; k++) {
		DENSE_TASK(&d, potrf, dense_tile(&d, k, k, XY_RW));
		for (uint32_t i = k + 1; i < d.n; i++)
			DENSE_TASK(&d, trsm, dense_tile(&d, k, k, XY_R), dense_tile(&d, i, k, XY_RW));
		for (uint32_t i = k + 1; i < d.n; i++) {
			DENSE_TASK(&d, syrk, dense_tile(&d, i, k, XY_R), dense_tile(&d, i, i, XY_RW));
			for (uint32_t j = k + 1; j < i; j++)
				DENSE_TASK(&d, gemm, dense_tile(&d, i, k, XY_R), dense_tile(&d, j, k, XY_R),
					   dense_tile(&d, i, j, XY_RW));
		}
	}
	return d.error;
}

/* Without pivoting. */
int graph__make_lu(struct graph *g, const struct make_request *request)
{
	struct dense d = dense_begin(g, request, 8);
	uint32_t getrf = dense_kernel(&d, "dgetrf"), lower = dense_kernel(&d, "dtrsm_l");
	uint32_t upper = dense_kernel(&d, "dtrsm_u"), gemm = dense_kernel(&d, "dgemm");

	for (uint32_t k = 0; k < d.n && !d.error; k++) {
		DENSE_TASK(&d, getrf, dense_tile(&d, k, k, XY_RW));
		for (uint32_t i = k + 1; i < d.n; i++) {
			DENSE_TASK(&d, lower, dense_tile(&d, k, k, XY_R), dense_tile(&d, k, i, XY_RW));
			DENSE_TASK(&d, upper, dense_tile(&d, k, k, XY_R), dense_tile(&d, i, k, XY_RW));
		}
		for (uint32_t i = k + 1; i < d.n; i++)
			for (uint32_t j = k + 1; j < d.n; j++)
				DENSE_TASK(&d, gemm, dense_tile(&d, i, k, XY_R), dense_tile(&d, k, j, XY_R),
					   dense_tile(&d, i, j, XY_RW));
	}
	return d.error;
}

/* The factors that go with reflectors: for tile (i, k) on or below the diagonal. */
static struct graph_access dense_factor(const struct dense *d, uint32_t i, uint32_t k, enum xy_mode mode)
{
	return (struct graph_access){ .data = d->first + d->n * d->n + i * (i + 1) / 2 + k, .mode = mode };
}

/*
 * Each diagonal tile has a copy of its reflectors, so that the panel can proceed while the row is updated with them.
 * The last datum is the work space of an update.
 */
int graph__make_qr(struct graph *g, const struct make_request *request)
{
	struct dense d = dense_begin(g, request, 4);
	uint32_t geqrt = dense_kernel(&d, "sgeqrt"), unmqr = dense_kernel(&d, "sunmqr");
	uint32_t tsqrt = dense_kernel(&d, "stsqrt"), tsmqr = dense_kernel(&d, "stsmqr");
	uint32_t space = d.first + d.n * d.n + d.n * (d.n + 1) / 2;

	dense_add_tiles(&d, d.n * (d.n + 1) / 2 + 1, request->tile * request->tile * 4);
	for (uint32_t k = 0; k < d.n && !d.error; k++) {
		DENSE_TASK(&d, geqrt, dense_tile(&d, k, k, XY_RW), dense_factor(&d, k, k, XY_W));
		for (uint32_t j = k + 1; j < d.n; j++)
			DENSE_TASK(&d, unmqr, dense_factor(&d, k, k, XY_R), dense_tile(&d, k, j, XY_RW),
				   { space, XY_SCRATCH });
		for (uint32_t i = k + 1; i < d.n; i++) {
			DENSE_TASK(&d, tsqrt, dense_tile(&d, k, k, XY_RW), dense_tile(&d, i, k, XY_RW),
				   dense_factor(&d, i, k, XY_W));
			for (uint32_t j = k + 1; j < d.n; j++)
				DENSE_TASK(&d, tsmqr, dense_tile(&d, i, k, XY_R), dense_factor(&d, i, k, XY_R),
					   dense_tile(&d, k, j, XY_RW), dense_tile(&d, i, j, XY_RW));
		}
	}
	return d.error;
}
