/* SPDX-License-Identifier: MIT */
/*
 * Random graphs in layers: tasks read what tasks of the layer above wrote. They follow from the text alone. Their
 * tasks take any time, or are those of a factorisation, with as many tiles as these have.
 */
#include "graph/make.h"

#include <errno.h>
#include <stdlib.h>

#define RANDOM_KERNELS 4

/* Kernels of a factorisation: the first is rare, the last is frequent. */
struct random_kind {
	const char *names[RANDOM_KERNELS];
	uint32_t tiles[RANDOM_KERNELS];
	unsigned elem;
};

static const struct random_kind random_kinds[] = {
	[MAKE_KERNELS_CHOLESKY] = { { "spotrf", "strsm", "ssyrk", "sgemm" }, { 1, 2, 2, 3 }, 4 },
	[MAKE_KERNELS_LU] = { { "dgetrf", "dtrsm_l", "dtrsm_u", "dgemm" }, { 1, 2, 2, 3 }, 8 },
	[MAKE_KERNELS_QR] = { { "sgeqrt", "sunmqr", "stsqrt", "stsmqr" }, { 2, 3, 3, 4 }, 4 },
};

struct random_graph {
	struct graph *g;
	const struct make_request *request;
	uint64_t state;
	uint32_t *above, nabove; /* written by the layer above */
	uint32_t *here, nhere;   /* written by this layer */
	struct graph_access *accesses;
};

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint32_t random_below(uint64_t *state, uint64_t n)
{
	return (uint32_t)((random_next(state) >> 32) * n >> 32);
}

/* Uniform between 0.25 and 1.75, whose mean is 1. */
static double random_factor(uint64_t *state)
{
	return 0.25 + 1.5 * ((double)(random_next(state) >> 11) * 0x1p-53);
}

/* Something that the layer above wrote and that is not among the accesses; UINT32_MAX if chance does not find it. */
static uint32_t random_pick(struct random_graph *r, uint32_t naccesses)
{
	for (unsigned tries = 0; r->nabove && tries < 4; tries++) {
		uint32_t datum = r->above[random_below(&r->state, r->nabove)], seen = 0;

		while (seen < naccesses && r->accesses[seen].data != datum)
			seen++;
		if (seen == naccesses)
			return datum;
	}
	return UINT32_MAX;
}

static int random_add(struct random_graph *r, uint32_t kernel, uint32_t naccesses, double length_us)
{
	int task = graph_add_task(r->g, &(struct graph_task_desc){ .kernel = kernel,
								   .accesses = r->accesses,
								   .naccesses = naccesses,
								   .length_us = length_us });

	r->here[r->nhere++] = r->accesses[naccesses - 1].data;
	return task < 0 ? task : 0;
}

/* A task that writes its own datum and reads up to `degree` others. */
static int random_task(struct random_graph *r)
{
	uint32_t reads = r->nabove ? 1 + random_below(&r->state, r->request->degree) : 0, n = 0;
	int datum = graph_add_data(r->g, NULL, (uint64_t)((double)r->request->bytes * random_factor(&r->state)));

	if (datum < 0)
		return datum;
	for (uint32_t i = 0; i < reads; i++) {
		uint32_t from = random_pick(r, n);

		if (from != UINT32_MAX)
			r->accesses[n++] = (struct graph_access){ .data = from, .mode = XY_R };
	}
	r->accesses[n++] = (struct graph_access){ .data = (uint32_t)datum, .mode = XY_W };
	return random_add(r, 0, n, r->request->us * random_factor(&r->state));
}

/* A task of a factorisation. It reads and writes its last tile: of the layer above if that is all it has. */
static int random_tiled_task(struct random_graph *r, const struct random_kind *kind)
{
	static const uint32_t shares[] = { 0, 1, 1, 2, 2, 3, 3, 3, 3, 3 }; /* of ten tasks */
	uint32_t kernel = shares[random_below(&r->state, 10)], n = 0;
	uint64_t bytes = r->request->tile * r->request->tile * kind->elem;

	while (n < kind->tiles[kernel]) {
		bool last = n + 1 == kind->tiles[kernel];
		uint32_t from = last && n ? UINT32_MAX : random_pick(r, n);
		int datum = from == UINT32_MAX ? graph_add_data(r->g, NULL, bytes) : (int)from;

		if (datum < 0)
			return datum;
		r->accesses[n++] = (struct graph_access){ .data = (uint32_t)datum, .mode = last ? XY_RW : XY_R };
	}
	return random_add(r, kernel, n, 0);
}

static int random_layers(struct random_graph *r)
{
	const struct random_kind *kind = r->request->kernels ? &random_kinds[r->request->kernels] : NULL;
	int error = 0;

	for (uint64_t layer = 0; layer < r->request->layers && !error; layer++) {
		uint32_t width = 1 + random_below(&r->state, r->request->width), *turn = r->above;

		r->nhere = 0;
		for (uint32_t i = 0; i < width && !error; i++)
			error = kind ? random_tiled_task(r, kind) : random_task(r);
		r->above = r->here;
		r->nabove = r->nhere;
		r->here = turn;
	}
	return error;
}

int graph__make_random(struct graph *g, const struct make_request *request)
{
	struct random_graph r = { .g = g, .request = request, .state = request->seed };
	int error = 0;

	r.above = malloc(request->width * sizeof(*r.above));
	r.here = malloc(request->width * sizeof(*r.here));
	r.accesses = malloc((request->degree + (size_t)8) * sizeof(*r.accesses));
	if (!r.above || !r.here || !r.accesses)
		error = -ENOMEM;
	for (unsigned i = 0; i < RANDOM_KERNELS && request->kernels && error >= 0; i++)
		error = graph__make_kernel(g, random_kinds[request->kernels].names[i], request->tile);
	if (!request->kernels && !error)
		error = graph_add_kernel(g, "work", request->us);
	if (error >= 0)
		error = random_layers(&r);
	free(r.above);
	free(r.here);
	free(r.accesses);
	return error;
}
