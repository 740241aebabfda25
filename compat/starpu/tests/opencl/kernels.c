/* SPDX-License-Identifier: MIT */
/* Codelets with OpenCL functions, as programs of StarPU's write them: kernels from a file and from a text, on vectors,
 * their parts and matrices; queues and contexts; errors. The folder of scale.cl is the first argument. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <starpu.h>
#include <starpu_opencl.h>

static struct starpu_opencl_program program;
static unsigned runs; /* on devices */

static void scale_opencl(void *buffers[], void *arg)
{
	unsigned nx = STARPU_VECTOR_GET_NX(buffers[0]), offset = STARPU_VECTOR_GET_OFFSET(buffers[0]);
	cl_mem v = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	int devid = starpu_worker_get_devid(starpu_worker_get_id_check());
	cl_command_queue queue, current;
	cl_context context, of_device;
	cl_device_id device;
	cl_kernel kernel;
	cl_event event;
	size_t global = nx;
	cl_int err = starpu_opencl_load_kernel(&kernel, &queue, &program, "scale", devid);

	if (err != CL_SUCCESS)
		STARPU_OPENCL_REPORT_ERROR(err);
	starpu_opencl_get_current_queue(&current);
	starpu_opencl_get_current_context(&context);
	starpu_opencl_get_context(devid, &of_device);
	starpu_opencl_get_device(devid, &device);
	assert(queue == current && context == of_device && context && device);
	err = clSetKernelArg(kernel, 0, sizeof nx, &nx);
	err |= clSetKernelArg(kernel, 1, sizeof v, &v);
	err |= clSetKernelArg(kernel, 2, sizeof offset, &offset);
	err |= clSetKernelArg(kernel, 3, sizeof(float), arg);
	if (err)
		STARPU_OPENCL_REPORT_ERROR(err);
	err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event);
	if (err != CL_SUCCESS)
		STARPU_OPENCL_REPORT_ERROR_WITH_MSG("clEnqueueNDRangeKernel", err);
	clFinish(queue);
	assert(starpu_opencl_collect_stats(event) == 0);
	clReleaseEvent(event);
	starpu_opencl_release_kernel(kernel);
	STARPU_ATOMIC_ADD(&runs, 1);
}

static struct starpu_codelet scale_cl = {
	.where = STARPU_OPENCL, .opencl_funcs = { scale_opencl }, .nbuffers = 1, .modes = { STARPU_RW }
};

/* Does not wait: the task ends with its kernel. */
static void add_opencl(void *buffers[], void *arg)
{
	unsigned nx = STARPU_MATRIX_GET_NX(buffers[0]), ny = STARPU_MATRIX_GET_NY(buffers[0]);
	unsigned ld = STARPU_MATRIX_GET_LD(buffers[0]), offset = STARPU_MATRIX_GET_OFFSET(buffers[0]);
	cl_mem m = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[0]);
	size_t global[2] = { nx, ny };
	cl_command_queue queue;
	cl_kernel kernel;
	cl_int err;
	float by;

	starpu_codelet_unpack_args(arg, &by);
	err = starpu_opencl_load_kernel(&kernel, &queue, &program, "add",
					starpu_worker_get_devid(starpu_worker_get_id()));
	assert(err == CL_SUCCESS);
	assert(starpu_opencl_set_kernel_args(&err, &kernel, (int)sizeof nx, &nx, (int)sizeof ny, &ny, (int)sizeof ld,
					     &ld, (int)sizeof m, &m, (int)sizeof offset, &offset, (int)sizeof by, &by,
					     0) == 6);
	err = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
	if (err != CL_SUCCESS)
		STARPU_OPENCL_REPORT_ERROR(err);
	starpu_opencl_release_kernel(kernel);
	STARPU_ATOMIC_ADD(&runs, 1);
}

static struct starpu_codelet add_cl = {
	.opencl_funcs = { add_opencl }, .opencl_flags = { STARPU_OPENCL_ASYNC }, .nbuffers = 1, .modes = { STARPU_RW }
};

static void vectors(void)
{
	enum { N = 4096, PARTS = 4 };
	static float v[N];
	struct starpu_data_filter f = { .filter_func = starpu_vector_filter_block, .nchildren = PARTS };
	starpu_data_handle_t handle;
	float factor = 3;

	for (int i = 0; i < N; i++)
		v[i] = (float)i;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)v, N, sizeof v[0]);
	assert(!starpu_task_insert(&scale_cl, STARPU_RW, handle, STARPU_CL_ARGS_NFREE, &factor, sizeof factor, 0));
	starpu_task_wait_for_all();
	for (unsigned node = starpu_memory_nodes_get_count(); node < 200; node++)
		assert(!starpu_data_is_on_node(handle, node));
	starpu_data_partition(handle, &f);
	for (int i = 0; i < PARTS; i++)
		assert(!starpu_task_insert(&scale_cl, STARPU_RW, starpu_data_get_sub_data(handle, 1, i),
					   STARPU_CL_ARGS_NFREE, &factor, sizeof factor, 0));
	starpu_data_unpartition(handle, STARPU_MAIN_RAM);
	starpu_data_unregister(handle);
	for (int i = 0; i < N; i++)
		assert(v[i] == 9 * (float)i);
	assert(runs == 1 + PARTS);
}

static void matrices(void)
{
	enum { NX = 30, NY = 20, LD = 37 };
	static float m[NY * LD];
	starpu_data_handle_t handle;
	float by = 2;

	starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)m, LD, NX, NY, sizeof m[0]);
	for (int i = 0; i < 3; i++)
		assert(!starpu_task_insert(&add_cl, STARPU_RW, handle, STARPU_VALUE, &by, sizeof by, 0));
	starpu_data_unregister(handle);
	for (int y = 0; y < NY; y++)
		for (int x = 0; x < LD; x++)
			assert(m[y * LD + x] == (x < NX ? 6 * (float)(y + 1) : 0));
}

/* --- memory of the program's own --- */

static void memory(void)
{
	int worker = starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0), ret = 1;
	unsigned node = starpu_worker_get_memory_node(worker);
	int in[64], out[64] = { 0 };
	cl_mem a, b;

	for (int i = 0; i < 64; i++)
		in[i] = i;
	assert(starpu_opencl_allocate_memory(starpu_worker_get_devid(worker), &a, sizeof in, CL_MEM_READ_WRITE) == 0);
	assert(starpu_opencl_allocate_memory(starpu_worker_get_devid(worker), &b, sizeof in, 0) == CL_SUCCESS);
	assert(starpu_opencl_copy_ram_to_opencl(in, 0, a, node, sizeof in, 0, NULL, &ret) == CL_SUCCESS && !ret);
	assert(!starpu_opencl_copy_opencl_to_opencl(a, node, 0, b, node, 0, sizeof in, NULL, &ret) && !ret);
	assert(starpu_opencl_copy_opencl_to_ram(b, node, out, 0, sizeof out, 0, NULL, &ret) == CL_SUCCESS && !ret);
	assert(!memcmp(in, out, sizeof in));
	assert(!starpu_opencl_copy_async_sync((uintptr_t)in, 4, 0, (uintptr_t)a, 0, node, 4, NULL));
	assert(!starpu_opencl_copy_async_sync((uintptr_t)a, 0, node, (uintptr_t)out, 0, 0, 4, NULL));
	assert(out[0] == in[1]);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

static void errors(const char *folder)
{
	struct starpu_opencl_program wrong;
	cl_command_queue queue;
	cl_context context;
	cl_kernel kernel;
	char path[512], found[512], where[512], text[4096];
	char *file, *dir, *source;

	starpu_opencl_get_current_queue(&queue);
	starpu_opencl_get_current_context(&context);
	assert(!queue && !context); /* this thread is no worker's */
	starpu_opencl_get_queue(0, &queue);
	assert(queue);
	starpu_opencl_get_queue(STARPU_MAXOPENCLDEVS, &queue);
	assert(!queue);
	assert(starpu_opencl_load_opencl_from_string("kernel void f(global int *a) { a[0] = ; }", &wrong, NULL));
	assert(starpu_opencl_load_kernel(&kernel, &queue, &wrong, "f", 0) != CL_SUCCESS && !kernel);
	assert(starpu_opencl_load_opencl_from_file("no such file.cl", &wrong, NULL));
	assert(!starpu_opencl_load_opencl_from_string("kernel void f(global int *a) { a[0] = A; }", &wrong, "-DA=3"));
	assert(starpu_opencl_load_kernel(&kernel, &queue, &wrong, "g", 0) == CL_INVALID_KERNEL_NAME && !kernel);
	assert(!starpu_opencl_load_kernel(&kernel, &queue, &wrong, "f", 0) && kernel);
	assert(!starpu_opencl_release_kernel(kernel));
	assert(!starpu_opencl_unload_opencl(&wrong) && !wrong.programs[0]);
	assert(!strcmp(starpu_opencl_error_string(CL_INVALID_KERNEL), "CL_INVALID_KERNEL"));
	starpu_opencl_display_error("errors", __FILE__, __LINE__, "as an example", CL_INVALID_VALUE);
	STARPU_OPENCL_DISPLAY_ERROR(CL_INVALID_VALUE);
	snprintf(path, sizeof path, "%s/scale.h", folder);
	starpu_opencl_load_program_source(path, found, where, text);
	assert(!strcmp(found, path) && !strcmp(where, folder) && strstr(text, "SCALE"));
	starpu_opencl_load_program_source_malloc("scale.h", &file, &dir, &source); /* by STARPU_OPENCL_PROGRAM_DIR */
	assert(!strcmp(file, path) && !strcmp(source, text));
	free(file);
	free(dir);
	free(source);
}

static void fails_opencl(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_OPENCL_REPORT_ERROR(CL_OUT_OF_RESOURCES);
}

int main(int argc, char **argv)
{
	static struct starpu_codelet fails_cl = { .opencl_funcs = { fails_opencl } };
	char path[512];

	assert(argc == 2);
	assert(!starpu_init(NULL));
	assert(starpu_opencl_worker_get_count() > 0);
	snprintf(path, sizeof path, "%s/scale.cl", argv[1]);
	assert(!starpu_opencl_load_opencl_from_file(path, &program, NULL));
	vectors();
	matrices();
	memory();
	errors(argv[1]);
	assert(!starpu_task_insert(&fails_cl, 0));
	starpu_task_wait_for_all(); /* ends, as a failed task; the log says why */
	assert(!starpu_opencl_unload_opencl(&program));
	starpu_shutdown();
	return 0;
}
