/* SPDX-License-Identifier: MIT */
/* A vector is scaled in tasks by struct and by one call; arguments, acquiring,
 * codelet queries, re-initialisation. */
#include <starpu.h>

#define N 1000

static void scale(void *buffers[], void *arg)
{
	float *v = (float *)STARPU_VECTOR_GET_PTR(buffers[0]), factor = *(float *)arg;

	STARPU_ASSERT(STARPU_VECTOR_GET_ELEMSIZE(buffers[0]) == sizeof(float));
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] *= factor;
}

static void scale_values(void *buffers[], void *arg)
{
	float *v = (float *)STARPU_VECTOR_GET_PTR(buffers[0]), factor;
	int more;

	starpu_codelet_unpack_args(arg, &factor, &more, 0);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = v[i] * factor + (float)more;
}

static struct starpu_codelet cl = {
	.cpu_funcs = { scale }, .cpu_funcs_name = { "scale" }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "scale"
};
static struct starpu_codelet cl_values = { .cpu_funcs = { scale_values }, .nbuffers = 1, .modes = { STARPU_RW } };

static void run(void)
{
	starpu_data_handle_t handle;
	struct starpu_task *task;
	float factor = 2, *v;
	int more = 1, ret;

	ret = starpu_init(NULL);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_init");
	STARPU_ASSERT(starpu_is_initialized());
	starpu_malloc((void **)&v, N * sizeof *v);
	for (int i = 0; i < N; i++)
		v[i] = (float)i;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)v, N, sizeof *v);
	STARPU_ASSERT(starpu_vector_get_nx(handle) == N && starpu_data_get_size(handle) == N * sizeof *v);
	STARPU_ASSERT(starpu_data_lookup(v) == handle && starpu_data_get_local_ptr(handle) == v);
	task = starpu_task_create();
	task->cl = &cl;
	task->handles[0] = handle;
	task->cl_arg = &factor;
	task->cl_arg_size = sizeof factor;
	task->synchronous = 1;
	ret = starpu_task_submit(task);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_task_submit");
	STARPU_ASSERT(v[10] == 20);
	ret = starpu_task_insert(&cl_values, STARPU_VALUE, &factor, sizeof factor, STARPU_VALUE, &more, sizeof more,
				 STARPU_RW, handle, STARPU_NAME, "values", STARPU_PRIORITY, 3, 0);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_task_insert");
	ret = starpu_data_acquire(handle, STARPU_R);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_data_acquire");
	STARPU_ASSERT(v[10] == 41 && v[999] == 3997);
	starpu_data_release(handle);
	/* What StarPU ends the program for is an error here. */
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_R, handle, 0) == -EINVAL);
	STARPU_ASSERT(starpu_task_insert(&cl, 0) == -EINVAL);
	starpu_data_unregister(handle);
	starpu_free_noflag(v, N * sizeof *v);
	starpu_shutdown();
	STARPU_ASSERT(!starpu_is_initialized());
}

int main(void)
{
	run();
	run();
	return 0;
}
