/* SPDX-License-Identifier: MIT */
/* Xylem on OpenCL devices with little memory. */
#include <stdio.h>
#include <stdlib.h>
#include <xylem.h>
#include <xylem/opencl.h>
#include "moves.h"

enum { BLOCKS = 64 };

static struct xy_runtime *runtime;
static struct xy_handle *handles[BLOCKS];
static struct xy_handle *pieces[MOVES_PIECES];
static double moved_before;

static int xylem_start(const char *sched, size_t limit_mib)
{
	char limit[32];

	snprintf(limit, sizeof limit, "%zuM", limit_mib);
	return xy_start(&runtime, &(struct xy_config){
					  .sched = sched,
					  .ncpu = XY_NONE,
					  .drivers = BENCH_DRIVERS,
					  .models = getenv("BENCH_MODELS"),
					  .arch[XY_CUDA].devices = "none",
					  .arch[XY_HIP].devices = "none",
					  .arch[XY_OPENCL] = { .devices = "0,1", .limit = limit },
					  .ignore_environment = true,
				  });
}

static int xylem_stop(void)
{
	return xy_stop(&runtime);
}

static int xylem_share(size_t block, uint32_t *numbers, size_t n)
{
	return xy_vector_register(runtime, &handles[block], numbers, n, sizeof *numbers);
}

static int xylem_unshare(size_t block)
{
	return xy_unregister_submit(&handles[block]);
}

/* --- tasks --- */

static const struct xy_opencl_program program = { .source = MOVES_SOURCE };
static const struct xy_model sum_model = { .name = "moves_sum", .kind = XY_MODEL_HISTORY };
static const struct xy_model copy_model = { .name = "moves_copy", .kind = XY_MODEL_HISTORY };
static const struct xy_model advance_model = { .name = "moves_advance", .kind = XY_MODEL_HISTORY };

static int run_kernel(struct xy_call *call, const char *name)
{
	const size_t range = xy_vector_at(call, 0)->n;
	const cl_uint k = *(const uint32_t *)call->arg, first = 0;
	cl_kernel kernel;
	cl_uint i;
	int error = xy_opencl_kernel(call, &program, name, &kernel);

	if (error)
		return error;
	for (i = 0; i < call->nbuffers; i++) {
		cl_mem buffer = xy_opencl_buffer(call, i);

		clSetKernelArg(kernel, i, sizeof buffer, &buffer);
	}
	clSetKernelArg(kernel, i, sizeof k, &k);
	if (i == 1)
		clSetKernelArg(kernel, 2, sizeof first, &first);
	return xy_opencl_check(
		call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 1, NULL, &range, NULL, 0, NULL, NULL));
}

static int run_sum(struct xy_call *call)
{
	return run_kernel(call, "sum");
}

static int run_copy(struct xy_call *call)
{
	return run_kernel(call, "copy");
}

static int run_advance(struct xy_call *call)
{
	return run_kernel(call, "advance");
}

static const struct xy_codelet sum = {
	.name = "sum", .opencl = { run_sum }, .modes = { XY_R, XY_R, XY_RW }, .model = &sum_model
};
static const struct xy_codelet copy = {
	.name = "copy", .opencl = { run_copy }, .modes = { XY_R, XY_W }, .model = &copy_model
};
static const struct xy_codelet advance = {
	.name = "advance", .opencl = { run_advance }, .modes = { XY_RW }, .model = &advance_model
};

static int submit(struct xy_task_desc desc, uint32_t k, int device)
{
	unsigned worker = (unsigned)device;

	desc.arg = &k;
	desc.arg_size = sizeof k;
	if (device != MOVES_ANY) {
		desc.workers = &worker;
		desc.nworkers = 1;
	}
	return xy_submit(runtime, &desc);
}

static int xylem_sum(size_t a, size_t b, size_t c, uint32_t k, int device)
{
	return submit((struct xy_task_desc){ .codelet = &sum, .handles = { handles[a], handles[b], handles[c] } }, k,
		      device);
}

static int xylem_copy(size_t a, size_t b, uint32_t k, int device)
{
	return submit((struct xy_task_desc){ .codelet = &copy, .handles = { handles[a], handles[b] } }, k, device);
}

/* A plan lives as long as its handle: partitions come and go like tasks. */
static struct xy_plan *plan;

static int xylem_split(size_t block)
{
	const struct xy_filter filter = { .ops = &xy_filter_blocks, .n = MOVES_PIECES };
	int error = plan ? 0 : xy_plan_create(handles[block], &filter, &plan);

	for (unsigned i = 0; i < MOVES_PIECES && !error; i++)
		pieces[i] = xy_plan_child(plan, i);
	return error ? error : xy_plan_begin(plan, XY_RW);
}

static int xylem_advance(size_t block, unsigned piece, uint32_t k, int device)
{
	(void)block;
	return submit((struct xy_task_desc){ .codelet = &advance, .handles = { pieces[piece] } }, k, device);
}

static int xylem_join(size_t block, int device)
{
	(void)block;
	(void)device;
	return xy_plan_end(plan);
}

static int xylem_wait(void)
{
	int status = xy_wait(runtime);

	return plan && !status ? xy_plan_destroy(&plan) : status;
}

/* Each transfer counts where it arrives. */
static double xylem_moved(void)
{
	double sum_bytes = 0, before = moved_before;

	for (unsigned node = 0; node < xy_machine_nnodes(xy_runtime_machine(runtime)); node++) {
		struct xy_node_stats stats;

		if (!xy_node_stats(runtime, node, &stats))
			sum_bytes += (double)stats.bytes_in;
	}
	moved_before = sum_bytes;
	return sum_bytes - before;
}

const struct moves_peer moves_peer = {
	.name = "Xylem",
	.start = xylem_start,
	.stop = xylem_stop,
	.share = xylem_share,
	.unshare = xylem_unshare,
	.sum = xylem_sum,
	.copy = xylem_copy,
	.split = xylem_split,
	.advance = xylem_advance,
	.join = xylem_join,
	.wait = xylem_wait,
	.moved = xylem_moved,
};
