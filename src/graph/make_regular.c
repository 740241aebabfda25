/* SPDX-License-Identifier: MIT */
/* Simple graphs, of tasks with a given duration. */
#include "graph/make.h"

#include <errno.h>
#include <stdlib.h>

/* Adds a task; 0 or -errno. */
static int regular_task(struct graph *g, int kernel, const struct graph_access *accesses, uint32_t naccesses)
{
	int task = graph_add_task(
		g,
		&(struct graph_task_desc){ .kernel = (uint32_t)kernel, .accesses = accesses, .naccesses = naccesses });

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

/* A fork, parallel tasks, and a join that the next fork waits for. */
int graph__make_forkjoin(struct graph *g, const struct make_request *request)
{
	uint32_t width = (uint32_t)request->size;
	int fork = graph_add_kernel(g, "fork", request->us), join = graph_add_kernel(g, "join", request->us);
	int work = graph_add_kernel(g, "work", request->us);
	struct graph_access *all = malloc((width + (size_t)1) * sizeof(*all));
	int error = !all || fork < 0 || join < 0 || work < 0 ? -ENOMEM
							     : regular_data(g, width + (uint64_t)1, request->bytes);

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
