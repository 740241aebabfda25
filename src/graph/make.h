/* SPDX-License-Identifier: MIT */
/*
 * Between the reader of a graph's text (make.c) and the builders (make_*.c). A builder adds kernels, data and tasks
 * to an empty graph; names, limits and priorities are not its business.
 */
#ifndef XYLEM_GRAPH_MAKE_H
#define XYLEM_GRAPH_MAKE_H

#include "graph/graph.h"

enum make_kernels { MAKE_KERNELS_WORK, MAKE_KERNELS_CHOLESKY, MAKE_KERNELS_LU, MAKE_KERNELS_QR };

/* A parsed graph text. */
struct make_request {
	uint64_t size, steps; /* SIZE, or SIZE x STEPS */
	uint64_t tile;        /* rows of a square tile */
	uint64_t bytes;       /* of a datum */
	double us;            /* length of a task */
	uint64_t layers, width, degree, seed;
	enum make_kernels kernels; /* of a random graph */
};

/*
 * Adds a kernel of a factorization, such as "sgemm", with its duration at a nominal rate. Its number, or -errno.
 */
int graph__make_kernel(struct graph *g, const char *name, uint64_t tile);

/* 0 or -errno. */
int graph__make_cholesky(struct graph *g, const struct make_request *request);
int graph__make_lu(struct graph *g, const struct make_request *request);
int graph__make_qr(struct graph *g, const struct make_request *request);
int graph__make_stencil(struct graph *g, const struct make_request *request);
int graph__make_forkjoin(struct graph *g, const struct make_request *request);
int graph__make_random(struct graph *g, const struct make_request *request);
int graph__make_independent(struct graph *g, const struct make_request *request);
int graph__make_chain(struct graph *g, const struct make_request *request);

#endif
