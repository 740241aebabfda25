/* SPDX-License-Identifier: MIT */
/*
 * Xylem on OpenCL devices, and copies by OpenCL alone to compare its bandwidth with.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem.h>
#include <xylem/opencl.h>
#include "devices.h"
#include "measure.h"

static struct xy_runtime *runtime;
static struct xy_handle **handles;
static size_t nhandles;
static double moved_before;

static int xylem_start(const char *sched)
{
	return xy_start(&runtime, &(struct xy_config){
					  .sched = sched,
					  .ncpu = XY_NONE,
					  .drivers = BENCH_DRIVERS,
					  .arch[XY_CUDA].devices = "none",
					  .arch[XY_OPENCL].devices = "0,1",
					  .ignore_environment = true,
				  });
}

static int xylem_stop(void)
{
	return xy_stop(&runtime);
}

static int xylem_share(uint32_t **blocks, size_t n, size_t elements)
{
	nhandles = n;
	handles = calloc(n, sizeof(*handles));
	for (size_t i = 0; handles && i < n; i++)
		if (xy_vector_register(runtime, &handles[i], blocks[i], elements, sizeof(uint32_t)))
			return 1;
	return !handles;
}

static int xylem_unshare(void)
{
	int status = 0;

	for (size_t i = 0; i < nhandles; i++)
		status |= xy_unregister(&handles[i]);
	free(handles);
	return status;
}

/* --- tasks --- */

static const struct xy_opencl_program program = { .source = DEVICES_SOURCE };

static int run_multiply(struct xy_call *call)
{
	cl_uint side = *(const uint32_t *)call->arg;
	const size_t range[] = { side, side };
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &program, "multiply", &kernel);

	if (error)
		return error;
	for (unsigned i = 0; i < 3; i++) {
		cl_mem buffer = xy_opencl_buffer(call, i);

		clSetKernelArg(kernel, i, sizeof buffer, &buffer);
	}
	clSetKernelArg(kernel, 3, sizeof side, &side);
	return xy_opencl_check(
		call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 2, NULL, range, NULL, 0, NULL, NULL));
}

static int run_advance(struct xy_call *call)
{
	cl_uint k = *(const uint32_t *)call->arg;
	const size_t range = xy_vector_at(call, 0)->n;
	cl_mem buffer = xy_opencl_buffer(call, 0);
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &program, "advance", &kernel);

	if (error)
		return error;
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 1, sizeof k, &k);
	return xy_opencl_check(
		call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 1, NULL, &range, NULL, 0, NULL, NULL));
}

static const struct xy_codelet multiply = {
	.name = "multiply",
	.opencl = { run_multiply },
	.modes = { XY_R, XY_R, XY_RW },
};
static const struct xy_codelet advance = { .name = "advance", .opencl = { run_advance }, .modes = { XY_RW } };

static int xylem_multiply(size_t a, size_t b, size_t c, uint32_t side)
{
	return xy_submit(runtime, &(struct xy_task_desc){
					  .codelet = &multiply,
					  .handles = { handles[a], handles[b], handles[c] },
					  .arg = &side,
					  .arg_size = sizeof side,
				  });
}

static int xylem_advance(size_t block, unsigned device, uint32_t k)
{
	return xy_submit(runtime, &(struct xy_task_desc){
					  .codelet = &advance,
					  .handles = { handles[block] },
					  .arg = &k,
					  .arg_size = sizeof k,
					  .workers = &device,
					  .nworkers = 1,
				  });
}

static int xylem_wait(void)
{
	return xy_wait(runtime);
}

/* Each transfer counts where it arrives. */
static double xylem_moved(void)
{
	double sum = 0, before = moved_before;

	for (unsigned node = 0; node < xy_machine_nnodes(xy_runtime_machine(runtime)); node++) {
		struct xy_node_stats stats;

		if (!xy_node_stats(runtime, node, &stats))
			sum += (double)stats.bytes_in;
	}
	moved_before = sum;
	return sum - before;
}

/* --- bandwidth --- */

enum { BANDWIDTH_BYTES = 16 << 20, BANDWIDTH_MAX = 100 };

struct bare {
	cl_context context;
	cl_command_queue queue;
	cl_mem buffer;
};

static int bare_open(struct bare *bare)
{
	cl_platform_id platforms[8];
	cl_device_id device;
	cl_uint n = 0;
	cl_int error;

	if (clGetPlatformIDs(8, platforms, &n))
		return 1;
	for (cl_uint i = 0; i < n; i++) {
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
			continue;
		bare->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
		if (error)
			return 1;
		bare->queue = clCreateCommandQueue(bare->context, device, 0, &error);
		bare->buffer = clCreateBuffer(bare->context, CL_MEM_READ_WRITE, BANDWIDTH_BYTES, NULL, &error);
		return error;
	}
	return 1;
}

static void bare_close(struct bare *bare)
{
	clReleaseMemObject(bare->buffer);
	clReleaseCommandQueue(bare->queue);
	clReleaseContext(bare->context);
}

static int bare_in(struct bare *bare, const void *bytes, double *ns)
{
	double begin = bench_now_ns();
	cl_int error = clEnqueueWriteBuffer(bare->queue, bare->buffer, CL_FALSE, 0, BANDWIDTH_BYTES, bytes, 0, NULL,
					    NULL);

	error = clFinish(bare->queue) || error;
	*ns = bench_now_ns() - begin;
	return error;
}

static int bare_out(struct bare *bare, void *bytes, double *ns)
{
	double begin = bench_now_ns();
	cl_int error = clEnqueueReadBuffer(bare->queue, bare->buffer, CL_FALSE, 0, BANDWIDTH_BYTES, bytes, 0, NULL,
					   NULL);

	error = clFinish(bare->queue) || error;
	*ns = bench_now_ns() - begin;
	return error;
}

/* Claims to have written the vector, so that it has to come home. */
static int run_claim(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet claim = { .name = "claim", .opencl = { run_claim }, .modes = { XY_RW } };

static int through_runtime(struct xy_handle *h, double *in_ns, double *out_ns)
{
	unsigned worker = 0, node = xy_machine_worker(xy_runtime_machine(runtime), worker)->node;
	double begin = bench_now_ns();
	int error = xy_fetch(h, node);

	*in_ns = bench_now_ns() - begin;
	if (!error)
		error = xy_submit(runtime, &(struct xy_task_desc){
						   .codelet = &claim,
						   .handles = { h },
						   .workers = &worker,
						   .nworkers = 1,
						   .synchronous = true,
					   });
	begin = bench_now_ns();
	error = error ? error : xy_acquire(h, XY_RW);
	*out_ns = bench_now_ns() - begin;
	if (!error)
		xy_release(h);
	return error;
}

/* GB/s of the fastest try: a try can only be disturbed towards slowness. */
static double bandwidth_best(const double *ns, unsigned n)
{
	double least = ns[0];

	for (unsigned i = 1; i < n; i++)
		least = ns[i] < least ? ns[i] : least;
	return BANDWIDTH_BYTES / least;
}

/* The ways take turns, so that all meet the same noise. */
static int xylem_bandwidth(unsigned repeat)
{
	double bare_in_ns[BANDWIDTH_MAX], bare_out_ns[BANDWIDTH_MAX], in_ns[BANDWIDTH_MAX], out_ns[BANDWIDTH_MAX];
	char *bytes = aligned_alloc(4096, BANDWIDTH_BYTES);
	struct bare bare = { 0 };
	struct xy_handle *h;
	int error = !bytes || bare_open(&bare) || xy_vector_register(runtime, &h, bytes, BANDWIDTH_BYTES, 1);

	if (error)
		return error;
	memset(bytes, 42, BANDWIDTH_BYTES);
	for (unsigned i = 0; i <= repeat && !error; i++) {
		unsigned k = i ? i - 1 : 0; /* the first one is to warm up */

		error = bare_in(&bare, bytes, &bare_in_ns[k]) || bare_out(&bare, bytes, &bare_out_ns[k]) ||
			through_runtime(h, &in_ns[k], &out_ns[k]);
	}
	error = xy_unregister(&h) || error;
	bare_close(&bare);
	for (size_t i = 0; i < BANDWIDTH_BYTES && !error; i++)
		error = bytes[i] != 42;
	free(bytes);
	if (!error)
		printf("bare_in %.3f\nruntime_in %.3f\nbare_out %.3f\nruntime_out %.3f\n",
		       bandwidth_best(bare_in_ns, repeat), bandwidth_best(in_ns, repeat),
		       bandwidth_best(bare_out_ns, repeat), bandwidth_best(out_ns, repeat));
	return error;
}

const struct devices_peer devices_peer = {
	.name = "Xylem",
	.start = xylem_start,
	.stop = xylem_stop,
	.share = xylem_share,
	.unshare = xylem_unshare,
	.multiply = xylem_multiply,
	.advance = xylem_advance,
	.wait = xylem_wait,
	.moved = xylem_moved,
	.bandwidth = xylem_bandwidth,
};
