/* SPDX-License-Identifier: MIT */
/* The dot product of two vectors: each task adds the part of its blocks to a copy of the sum that its worker has
 * for itself, and the copies are added up when the sum is asked for. */
#include <stdio.h>
#include <xylem.h>

enum { BLOCKS = 64, BLOCK = 1000, N = BLOCKS * BLOCK };

static int dot_cpu(struct xy_call *call)
{
	const double *x = xy_pointer(call, 0), *y = xy_pointer(call, 1);
	double *sum = xy_pointer(call, 2);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		*sum += x[i] * y[i];
	return 0;
}

/* The neutral element. */
static int zero_cpu(struct xy_call *call)
{
	*(double *)xy_pointer(call, 0) = 0;
	return 0;
}

/* Adds the second to the first. */
static int add_cpu(struct xy_call *call)
{
	*(double *)xy_pointer(call, 0) += *(double *)xy_pointer(call, 1);
	return 0;
}

static const struct xy_codelet dot = { .name = "dot", .cpu = { dot_cpu }, .modes = { XY_R, XY_R, XY_REDUX } };
static const struct xy_codelet zero = { .name = "zero", .cpu = { zero_cpu }, .modes = { XY_W } };
static const struct xy_codelet add = { .name = "add", .cpu = { add_cpu }, .modes = { XY_RW, XY_R } };

int main(void)
{
	static double x[N], y[N];
	double sum = 0;
	struct xy_runtime *rt;
	struct xy_handle *hx[BLOCKS], *hy[BLOCKS], *hsum;
	int error = xy_start(&rt, NULL);

	if (error)
		return 1;
	for (int i = 0; i < N; i++) {
		x[i] = i;
		y[i] = 2;
	}
	error = xy_variable_register(rt, &hsum, &sum, sizeof sum) || xy_handle_set_reduction(hsum, &zero, &add);
	for (int i = 0; i < BLOCKS && !error; i++)
		error = xy_vector_register(rt, &hx[i], x + i * BLOCK, BLOCK, sizeof *x) ||
			xy_vector_register(rt, &hy[i], y + i * BLOCK, BLOCK, sizeof *y) ||
			xy_submit(rt, &(struct xy_task_desc){ .codelet = &dot, .handles = { hx[i], hy[i], hsum } });
	if (!error && !xy_acquire(hsum, XY_R)) {
		printf("the dot product is %.0f\n", sum);
		xy_release(hsum);
	}
	for (int i = 0; i < BLOCKS && !error; i++)
		error = xy_unregister(&hx[i]) || xy_unregister(&hy[i]);
	error = error || xy_unregister(&hsum);
	return xy_stop(&rt) || error ? 1 : 0;
}
