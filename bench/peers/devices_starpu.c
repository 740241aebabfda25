/* SPDX-License-Identifier: MIT */
/*
 * StarPU on OpenCL devices that are CPUs. Codelets have performance models, as some of its policies go by them.
 */
#include <starpu.h>
#include <starpu_opencl.h>
#include <stdlib.h>
#include "devices.h"

static starpu_data_handle_t *handles;
static size_t nhandles;
static int workers[NDEVICES];
static struct starpu_opencl_program program;

static int starpu_peer_start(const char *sched)
{
	struct starpu_conf conf;

	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	setenv("STARPU_OPENCL_ONLY_ON_CPUS", "1", 1);
	unsetenv("STARPU_SCHED");
	if (starpu_conf_init(&conf))
		return 1;
	conf.precedence_over_environment_variables = 1;
	conf.sched_policy_name = sched;
	conf.ncpus = 0;
	conf.ncuda = 0;
	conf.nopencl = NDEVICES;
	conf.nmic = 0;
	conf.nmpi_ms = 0;
	conf.calibrate = 1;
	if (starpu_init(&conf) || starpu_opencl_worker_get_count() != NDEVICES)
		return 1;
	starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers, NDEVICES);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	return starpu_opencl_load_opencl_from_string(DEVICES_SOURCE, &program, NULL);
}

static int starpu_peer_stop(void)
{
	int status = starpu_opencl_unload_opencl(&program);

	starpu_shutdown();
	return status;
}

static int starpu_peer_share(uint32_t **blocks, size_t n, size_t elements)
{
	nhandles = n;
	handles = calloc(n, sizeof(*handles));
	for (size_t i = 0; handles && i < n; i++)
		starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)blocks[i], (uint32_t)elements,
					    sizeof(uint32_t));
	return !handles;
}

static int starpu_peer_unshare(void)
{
	for (size_t i = 0; i < nhandles; i++)
		starpu_data_unregister(handles[i]);
	free(handles);
	return 0;
}

/* --- tasks --- */

static cl_kernel load(const char *name, cl_command_queue *queue)
{
	cl_kernel kernel;
	cl_int error = starpu_opencl_load_kernel(&kernel, queue, &program, name,
						 starpu_worker_get_devid(starpu_worker_get_id()));

	if (error)
		STARPU_OPENCL_REPORT_ERROR(error);
	return kernel;
}

static void launch(cl_kernel kernel, cl_command_queue queue, cl_uint dimensions, const size_t *range)
{
	cl_int error = clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, range, NULL, 0, NULL, NULL);

	if (error)
		STARPU_OPENCL_REPORT_ERROR(error);
	starpu_opencl_release_kernel(kernel);
}

static void run_multiply(void **buffers, void *arg)
{
	cl_uint side = (cl_uint)(uintptr_t)arg;
	const size_t range[] = { side, side };
	cl_command_queue queue;
	cl_kernel kernel = load("multiply", &queue);

	for (cl_uint i = 0; i < 3; i++) {
		cl_mem buffer = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);

		clSetKernelArg(kernel, i, sizeof buffer, &buffer);
	}
	clSetKernelArg(kernel, 3, sizeof side, &side);
	launch(kernel, queue, 2, range);
}

static void run_advance(void **buffers, void *arg)
{
	cl_uint k = (cl_uint)(uintptr_t)arg;
	const size_t range = STARPU_VECTOR_GET_NX(buffers[0]);
	cl_mem buffer = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_command_queue queue;
	cl_kernel kernel = load("advance", &queue);

	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 1, sizeof k, &k);
	launch(kernel, queue, 1, &range);
}

static struct starpu_perfmodel multiply_model = { .type = STARPU_HISTORY_BASED, .symbol = "bench_multiply" };
static struct starpu_perfmodel advance_model = { .type = STARPU_HISTORY_BASED, .symbol = "bench_advance" };
static struct starpu_codelet multiply = {
	.opencl_funcs = { run_multiply },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 3,
	.modes = { STARPU_R, STARPU_R, STARPU_RW },
	.model = &multiply_model,
};
static struct starpu_codelet advance = {
	.opencl_funcs = { run_advance },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 1,
	.modes = { STARPU_RW },
	.model = &advance_model,
};

static int starpu_peer_multiply(size_t a, size_t b, size_t c, uint32_t side)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &multiply;
	task->cl_arg = (void *)(uintptr_t)side;
	task->handles[0] = handles[a];
	task->handles[1] = handles[b];
	task->handles[2] = handles[c];
	return starpu_task_submit(task);
}

static int starpu_peer_advance(size_t block, unsigned device, uint32_t k)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &advance;
	task->cl_arg = (void *)(uintptr_t)k;
	task->handles[0] = handles[block];
	task->execute_on_a_specific_worker = 1;
	task->workerid = (unsigned)workers[device];
	return starpu_task_submit(task);
}

static int starpu_peer_wait(void)
{
	return starpu_task_wait_for_all();
}

/* Asking for the figures of a bus sets them to 0. */
static double starpu_peer_moved(void)
{
	double sum = 0;

	for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
		struct starpu_profiling_bus_info info;

		if (!starpu_bus_get_profiling_info(bus, &info))
			sum += (double)info.transferred_bytes;
	}
	return sum;
}

const struct devices_peer devices_peer = {
	.name = "StarPU",
	.start = starpu_peer_start,
	.stop = starpu_peer_stop,
	.share = starpu_peer_share,
	.unshare = starpu_peer_unshare,
	.multiply = starpu_peer_multiply,
	.advance = starpu_peer_advance,
	.wait = starpu_peer_wait,
	.moved = starpu_peer_moved,
};
