/* SPDX-License-Identifier: MIT */
/* A codelet with a model: how long its tasks take is measured, and predicted in the next run. */
#include <stdio.h>
#include <xylem.h>

static int scale(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);
	float *values = v->ptr;

	for (size_t i = 0; i < v->n; i++)
		values[i] *= 2;
	return 0;
}

static const struct xy_model scale_model = { .name = "scale", .kind = XY_MODEL_NONLINEAR };
static const struct xy_codelet scale_codelet = {
	.name = "scale",
	.cpu = { scale },
	.modes = { XY_RW },
	.model = &scale_model,
};

int main(void)
{
	struct xy_runtime *rt;

	if (xy_start(&rt, NULL))
		return 1;
	for (size_t n = 1000; n <= 100000; n *= 10) {
		struct xy_handle *h;

		if (xy_vector_register(rt, &h, NULL, n, sizeof(float)))
			return 1;
		for (int i = 0; i < 20; i++)
			xy_submit(rt, &(struct xy_task_desc){ .codelet = &scale_codelet, .handles = { h } });
		xy_unregister(&h);
	}
	return xy_stop(&rt) ? 1 : 0;
}
