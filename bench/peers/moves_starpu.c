/* SPDX-License-Identifier: MIT */
/* StarPU on OpenCL devices with little memory. Codelets have performance models, as some of its policies go by them. */
#include <starpu.h>
#include <starpu_opencl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "moves.h"

enum { BLOCKS = 64 };

static starpu_data_handle_t handles[BLOCKS], pieces[MOVES_PIECES];
static int workers[MOVES_DEVICES], planned;
static bool temporary[BLOCKS];
static struct starpu_opencl_program program;

static int starpu_peer_start(const char *sched, size_t limit_mib)
{
	struct starpu_conf conf;
	char limit[32];

	snprintf(limit, sizeof limit, "%zu", limit_mib);
	setenv("STARPU_LIMIT_OPENCL_MEM", limit, 1);
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
	conf.nopencl = MOVES_DEVICES;
	conf.nmic = 0;
	conf.nmpi_ms = 0;
	conf.calibrate = 1;
	if (starpu_init(&conf) || starpu_opencl_worker_get_count() != MOVES_DEVICES)
		return 1;
	starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers, MOVES_DEVICES);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	return starpu_opencl_load_opencl_from_string(MOVES_SOURCE, &program, NULL);
}

static int starpu_peer_stop(void)
{
	int status = starpu_opencl_unload_opencl(&program);

	starpu_shutdown();
	return status;
}

static int starpu_peer_share(size_t block, uint32_t *numbers, size_t n)
{
	temporary[block] = !numbers;
	starpu_vector_data_register(&handles[block], numbers ? STARPU_MAIN_RAM : -1, (uintptr_t)numbers, (uint32_t)n,
				    sizeof *numbers);
	return 0;
}

/* A block of the application is unregistered when all tasks have ended. */
static int starpu_peer_unshare(size_t block)
{
	if (temporary[block])
		starpu_data_unregister_submit(handles[block]);
	else
		starpu_data_unregister(handles[block]);
	return 0;
}

/* --- tasks --- */

static void run_kernel(void **buffers, cl_uint n, void *arg, const char *name)
{
	int device = starpu_worker_get_devid(starpu_worker_get_id());
	size_t range = STARPU_VECTOR_GET_NX(buffers[0]);
	cl_uint k = (cl_uint)(uintptr_t)arg, first, i;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_int error = starpu_opencl_load_kernel(&kernel, &queue, &program, name, device);

	if (error)
		STARPU_OPENCL_REPORT_ERROR(error);
	for (i = 0; i < n; i++) {
		cl_mem buffer = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);

		clSetKernelArg(kernel, i, sizeof buffer, &buffer);
	}
	clSetKernelArg(kernel, i, sizeof k, &k);
	if (n == 1) {
		first = (cl_uint)(STARPU_VECTOR_GET_OFFSET(buffers[0]) / sizeof(uint32_t));
		clSetKernelArg(kernel, 2, sizeof first, &first);
	}
	error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &range, NULL, 0, NULL, NULL);
	if (error)
		STARPU_OPENCL_REPORT_ERROR(error);
	starpu_opencl_release_kernel(kernel);
}

static void run_sum(void **buffers, void *arg)
{
	run_kernel(buffers, 3, arg, "sum");
}

static void run_copy(void **buffers, void *arg)
{
	run_kernel(buffers, 2, arg, "copy");
}

static void run_advance(void **buffers, void *arg)
{
	run_kernel(buffers, 1, arg, "advance");
}

static struct starpu_perfmodel sum_model = { .type = STARPU_HISTORY_BASED, .symbol = "moves_sum" };
static struct starpu_perfmodel copy_model = { .type = STARPU_HISTORY_BASED, .symbol = "moves_copy" };
static struct starpu_perfmodel advance_model = { .type = STARPU_HISTORY_BASED, .symbol = "moves_advance" };
static struct starpu_codelet sum = { .opencl_funcs = { run_sum },
				     .opencl_flags = { STARPU_OPENCL_ASYNC },
				     .nbuffers = 3,
				     .modes = { STARPU_R, STARPU_R, STARPU_RW },
				     .model = &sum_model };
static struct starpu_codelet copy = { .opencl_funcs = { run_copy },
				      .opencl_flags = { STARPU_OPENCL_ASYNC },
				      .nbuffers = 2,
				      .modes = { STARPU_R, STARPU_W },
				      .model = &copy_model };
static struct starpu_codelet advance = { .opencl_funcs = { run_advance },
					 .opencl_flags = { STARPU_OPENCL_ASYNC },
					 .nbuffers = 1,
					 .modes = { STARPU_RW },
					 .model = &advance_model };

static struct starpu_task *task_of(struct starpu_codelet *codelet, uint32_t k, int device)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->cl_arg = (void *)(uintptr_t)k;
	if (device != MOVES_ANY) {
		task->execute_on_a_specific_worker = 1;
		task->workerid = (unsigned)workers[device];
	}
	return task;
}

static int starpu_peer_sum(size_t a, size_t b, size_t c, uint32_t k, int device)
{
	struct starpu_task *task = task_of(&sum, k, device);

	task->handles[0] = handles[a];
	task->handles[1] = handles[b];
	task->handles[2] = handles[c];
	return starpu_task_submit(task);
}

static int starpu_peer_copy(size_t a, size_t b, uint32_t k, int device)
{
	struct starpu_task *task = task_of(&copy, k, device);

	task->handles[0] = handles[a];
	task->handles[1] = handles[b];
	return starpu_task_submit(task);
}

static int starpu_peer_split(size_t block)
{
	struct starpu_data_filter filter = { .filter_func = starpu_vector_filter_block, .nchildren = MOVES_PIECES };

	if (!planned++)
		starpu_data_partition_plan(handles[block], &filter, pieces);
	starpu_data_partition_submit(handles[block], MOVES_PIECES, pieces);
	return 0;
}

static int starpu_peer_advance(size_t block, unsigned piece, uint32_t k, int device)
{
	struct starpu_task *task = task_of(&advance, k, device);

	(void)block;
	task->handles[0] = pieces[piece];
	return starpu_task_submit(task);
}

static int starpu_peer_join(size_t block, int device)
{
	(void)device; /* this version of StarPU gathers only at home */

	starpu_data_unpartition_submit(handles[block], MOVES_PIECES, pieces, -1);
	return 0;
}

static int starpu_peer_wait(void)
{
	int status = starpu_task_wait_for_all();

	if (planned)
		starpu_data_partition_clean(handles[0], MOVES_PIECES, pieces);
	planned = 0;
	return status;
}

/* Asking for the figures of a bus sets them to 0. */
static double starpu_peer_moved(void)
{
	double bytes = 0;

	for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
		struct starpu_profiling_bus_info info;

		if (!starpu_bus_get_profiling_info(bus, &info))
			bytes += (double)info.transferred_bytes;
	}
	return bytes;
}

const struct moves_peer moves_peer = {
	.name = "StarPU",
	.start = starpu_peer_start,
	.stop = starpu_peer_stop,
	.share = starpu_peer_share,
	.unshare = starpu_peer_unshare,
	.sum = starpu_peer_sum,
	.copy = starpu_peer_copy,
	.split = starpu_peer_split,
	.advance = starpu_peer_advance,
	.join = starpu_peer_join,
	.wait = starpu_peer_wait,
	.moved = starpu_peer_moved,
};
