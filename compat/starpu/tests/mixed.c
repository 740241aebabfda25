/* SPDX-License-Identifier: MIT */
/* A program that uses both interfaces on the same data. */
#include <starpu.h>
#include <xylem.h>

static int native(struct xy_call *call)
{
	float *v = (float *)STARPU_VECTOR_GET_PTR(call->buffers[0]);

	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(call->buffers[0]); i++)
		v[i] += 1;
	return 0;
}

static void twice(void *buffers[], void *arg)
{
	float *v = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);

	(void)arg;
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] *= 2;
}

static const struct xy_codelet add = { .name = "add", .cpu = { native } };
static struct starpu_codelet cl = { .cpu_funcs = { twice }, .nbuffers = 1, .modes = { STARPU_RW } };

int main(void)
{
	float v[4] = { 1, 2, 3, 4 }, w[4] = { 1, 2, 3, 4 };
	starpu_data_handle_t handle, wrapped;
	struct xy_handle *xy;

	STARPU_ASSERT(!xy_starpu_runtime() && starpu_init(NULL) == 0 && xy_starpu_runtime());
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)v, 4, sizeof *v);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(xy_insert(xy_starpu_runtime(), &add, xy_rw(xy_from_starpu(handle))) == 0);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	starpu_data_unregister(handle);
	STARPU_ASSERT(v[0] == 6 && v[3] == 18);

	STARPU_ASSERT(xy_vector_register(xy_starpu_runtime(), &xy, w, 4, sizeof *w) == 0);
	wrapped = starpu_from_xy(xy);
	STARPU_ASSERT(wrapped && starpu_task_insert(&cl, STARPU_RW, wrapped, 0) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	starpu_data_unregister(wrapped);
	STARPU_ASSERT(xy_unregister(&xy) == 0 && w[3] == 8);
	starpu_shutdown();
	return 0;
}
