/* SPDX-License-Identifier: MIT */
/* Multiplies a vector by a number, in a task. */
#include <stdio.h>
#include <xylem.h>

static int scale_cpu(struct xy_call *call)
{
	double *v = xy_pointer(call, 0), factor = *(double *)call->arg;
	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		v[i] *= factor;
	return 0;
}

static const struct xy_codelet scale = { .name = "scale", .cpu = { scale_cpu } };

int main(void)
{
	double v[] = { 1, 2, 3, 4 }, factor = 2.5;
	struct xy_runtime *rt;
	struct xy_handle *h;

	if (xy_start(&rt, NULL) || xy_vector_register(rt, &h, v, 4, sizeof *v))
		return 1;
	xy_insert(rt, &scale, xy_rw(h), xy_arg(&factor));
	xy_unregister(&h); /* waits for the task; the vector is ours again */
	printf("%g %g %g %g\n", v[0], v[1], v[2], v[3]);
	return xy_stop(&rt) ? 1 : 0;
}
