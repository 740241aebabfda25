/* SPDX-License-Identifier: MIT */
/*
 * Simple and random graphs, of tasks that take as long as the text says. The random ones follow from their seed
 * alone.
 */
#include "graph/make.h"

#include <errno.h>
#include <stdlib.h>

/* Adds a task; 0 or -errno. */
static int regular_task(struct graph *g, int kernel, const struct graph_access *accesses, uint32_t naccesses)
{
	int task = graph_add_task(g, &(struct graph_task_desc){
		.kernel = (uint32_t)kernel, .accesses = accesses, .naccesses = naccesses });

	return task < 0 ? task : 0;
}

static int regular_data(struct graph *g, uint64_t count, uint64_t bytes)
{
	int datum = 0;

	for (uint64_t i = 0; i < count && datum >= 0; i++)
		datum = graph_add_data(g, NULL, bytes);
	return datum < 0 ? datum : 0;
}

/* Each step computes each block from itself and its neighbours of the step before, in two turns of memory. */
int graph__make_stencil(struct graph *g, const struct make_request *request)
{
	uint32_t width = (uint32_t)request->size;
	int kernel = graph_add_kernel(g, "stencil", request->us);
	int error = kernel < 0 ? kernel : regular_data(g, 2 * (uint64_t)width, request->bytes);

	for (uint64_t step = 0; step < request->steps && !error; step++)
		for (uint32_t i = 0; i < width && !error; i++) {
			uint32_t from = step % 2 ? width : 0, to = step % 2 ? 0 : width, n = 0;
			struct graph_access accesses[4];

			for (uint32_t j = i ? i - 1 : 0; j <= i + 1 && j < width; j++)
				accesses[n++] = (struct graph_access){ .data = from + j, .mode = XY_R };
			accesses[n++] = (struct graph_access){ .data = to + i, .mode = XY_W };
			error = regular_task(g, kernel, accesses, n);
		}
	return error;
}

/* A fork, so many tasks at once, a join that the next fork waits for. */
int graph__make_forkjoin(struct graph *g, const struct make_request *request)
{
	uint32_t width = (uint32_t)request->size;
	int fork = graph_add_kernel(g, "fork", request->us), join = graph_add_kernel(g, "join", request->us);
	int work = graph_add_kernel(g, "work", request->us);
	struct graph_access *all = malloc((width + (size_t)1) * sizeof(*all));
	int error = !all || fork < 0 || join < 0 || work < 0 ? -ENOMEM :
		regular_data(g, width + (uint64_t)1, request->bytes);

	for (uint32_t i = 0; i < width && !error; i++)
		all[i + 1] = (struct graph_access){ .data = i + 1, .mode = XY_R };
	for (uint64_t step = 0; step < request->steps && !error; step++) {
		error = regular_task(g, fork, &(struct graph_access){ .data = 0, .mode = XY_RW }, 1);
		for (uint32_t i = 0; i < width && !error; i++) {
			struct graph_access two[] = { { 0, XY_R }, { i + 1, XY_W } };

			error = regular_task(g, work, two, 2);
		}
		if (!error) {
			all[0] = (struct graph_access){ .data = 0, .mode = XY_W };
			error = regular_task(g, join, all, width + 1);
		}
	}
	free(all);
	return error;
}

int graph__make_independent(struct graph *g, const struct make_request *request)
{
	int kernel = graph_add_kernel(g, "work", request->us);
	int error = kernel < 0 ? kernel : regular_data(g, request->size, request->bytes);

	for (uint32_t i = 0; i < request->size && !error; i++)
		error = regular_task(g, kernel, &(struct graph_access){ .data = i, .mode = XY_RW }, 1);
	return error;
}

int graph__make_chain(struct graph *g, const struct make_request *request)
{
	int kernel = graph_add_kernel(g, "work", request->us);
	int error = kernel < 0 ? kernel : regular_data(g, 1, request->bytes);

	for (uint64_t i = 0; i < request->size && !error; i++)
		error = regular_task(g, kernel, &(struct graph_access){ .data = 0, .mode = XY_RW }, 1);
	return error;
}

/* --- random --- */

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

/* One task of a layer: writes a datum of its own, reads some of the layer above: tasks above_first and so on. */
static int random_task(struct graph *g, const struct make_request *request, struct graph_access *accesses,
		       uint32_t above_first, uint32_t above, uint64_t *state)
{
	uint32_t reads = above ? 1 + random_below(state, request->degree) : 0, n = 0;
	int datum = graph_add_data(g, NULL, (uint64_t)((double)request->bytes * random_factor(state)));
	int task;

	if (datum < 0)
		return datum;
	for (uint32_t i = 0; i < reads; i++) {
		uint32_t from = above_first + random_below(state, above), seen = 0;

		while (seen < n && accesses[seen].data != from)
			seen++;
		if (seen == n)
			accesses[n++] = (struct graph_access){ .data = from, .mode = XY_R };
	}
	accesses[n++] = (struct graph_access){ .data = (uint32_t)datum, .mode = XY_W };
	task = graph_add_task(g, &(struct graph_task_desc){ .accesses = accesses, .naccesses = n,
		.length_us = request->us * random_factor(state) });
	return task < 0 ? task : 0;
}

/* Layers of 1 to width tasks; datum number t is written by task t. */
int graph__make_random(struct graph *g, const struct make_request *request)
{
	struct graph_access *accesses = malloc((request->degree + (size_t)1) * sizeof(*accesses));
	int error = accesses ? graph_add_kernel(g, "work", request->us) : -ENOMEM;
	uint64_t state = request->seed;
	uint32_t above_first = 0;

	for (uint64_t layer = 0; layer < request->layers && error >= 0; layer++) {
		uint32_t first = g->ntasks, above = first - above_first;
		uint32_t width = 1 + random_below(&state, request->width);

		for (uint32_t i = 0; i < width && error >= 0; i++)
			error = random_task(g, request, accesses, above_first, above, &state);
		above_first = first;
	}
	free(accesses);
	return error < 0 ? error : 0;
}
