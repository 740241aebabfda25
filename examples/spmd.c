/* SPDX-License-Identifier: MIT */
/*
 * One task, several workers: the heat in a rod, where each rank computes its part of the cells and all of
 * them meet at a barrier after each step. Under tree-eager one worker runs it alone; try
 * SCHED=tree-parallel-random.
 */
#include <stdio.h>
#include <string.h>
#include <xylem.h>

enum { CELLS = 1000, STEPS = 200 };

static int heat_cpu(struct xy_call *call)
{
	double *now = xy_pointer(call, 0), *next = xy_pointer(call, 1);
	size_t begin = 1 + (CELLS - 2) * (size_t)call->rank / call->nranks;
	size_t end = 1 + (CELLS - 2) * (size_t)(call->rank + 1) / call->nranks;

	for (int step = 0; step < STEPS; step++) {
		double *swap = now;

		for (size_t i = begin; i < end; i++)
			next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
		now = next;
		next = swap;
		if (xy_call_barrier(call))
			return -1; /* a rank has failed and won't come */
	}
	return 0;
}

static const struct xy_codelet heat = {
	.name = "heat",
	.parallel = XY_SPMD,
	.cpu = { heat_cpu },
	.modes = { XY_RW, XY_RW },
};

int main(void)
{
	double rod[CELLS] = { [0] = 1000, [CELLS - 1] = -1000 }, other[CELLS];
	struct xy_handle *a = NULL, *b = NULL;
	struct xy_runtime *rt;
	int error = xy_start(&rt, NULL);

	memcpy(other, rod, sizeof rod);
	if (!error)
		error = xy_vector_register(rt, &a, rod, CELLS, sizeof rod[0]);
	if (!error)
		error = xy_vector_register(rt, &b, other, CELLS, sizeof other[0]);
	for (int i = 0; i < 10 && !error; i++)
		error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &heat, .handles = { a, b } });
	if (a && xy_unregister(&a) && !error)
		error = 1;
	if (b && xy_unregister(&b) && !error)
		error = 1;
	printf("%.1f %.1f %.1f\n", rod[10], rod[50], rod[CELLS - 11]);
	return xy_stop(&rt) || error ? 1 : 0;
}
