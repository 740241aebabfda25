/* SPDX-License-Identifier: MIT */
/*
 * The program of doc/devices.md: y += a * x for blocks of two vectors, wherever the policy sends them, or only on the
 * workers of one architecture: devices [cpu|cuda|opencl]. Prints which worker ran what, and what was moved.
 */
#include <stdio.h>
#include <string.h>
#include <xylem/opencl.h>
#include "devices.h"

enum { BLOCKS = 8, SIZE = 16384, ROUNDS = 4 };

/* --- implementations --- */

int axpy_cpu(struct xy_call *call)
{
	const float *x = xy_pointer(call, 0), a = *(const float *)call->arg;
	float *y = xy_pointer(call, 1);

	for (size_t i = 0; i < xy_vector_at(call, 1)->n; i++)
		y[i] += a * x[i];
	return 0;
}

static const struct xy_opencl_program program = {
	.source = "kernel void axpy(float a, global const float *x, global float *y)\n"
		  "{\n"
		  "	size_t i = get_global_id(0);\n"
		  "	y[i] += a * x[i];\n"
		  "}\n",
};

int axpy_opencl(struct xy_call *call)
{
	cl_mem x = xy_opencl_buffer(call, 0), y = xy_opencl_buffer(call, 1);
	size_t n = xy_vector_at(call, 1)->n;
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &program, "axpy", &kernel);

	if (error)
		return error;
	clSetKernelArg(kernel, 0, sizeof(cl_float), call->arg);
	clSetKernelArg(kernel, 1, sizeof x, &x);
	clSetKernelArg(kernel, 2, sizeof y, &y);
	return xy_opencl_check(call,
			       clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
}

/* --- the program --- */

static float x[BLOCKS][SIZE], y[BLOCKS][SIZE];

/* Every block takes part in every round. */
static int compute(struct xy_runtime *rt)
{
	struct xy_handle *hx[BLOCKS] = { NULL }, *hy[BLOCKS] = { NULL };
	float a = 2;
	int error = 0, end;

	for (unsigned i = 0; i < BLOCKS && !error; i++) {
		error = xy_vector_register(rt, &hx[i], x[i], SIZE, sizeof(float));
		error = error ? error : xy_vector_register(rt, &hy[i], y[i], SIZE, sizeof(float));
	}
	for (unsigned i = 0; i < BLOCKS * ROUNDS && !error; i++)
		error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &axpy,
							      .handles = { hx[i % BLOCKS], hy[i % BLOCKS] },
							      .arg = &a });
	end = xy_wait(rt);
	error = error ? error : end;
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (hx[i])
			xy_unregister(&hx[i]);
		end = hy[i] ? xy_unregister(&hy[i]) : 0; /* brings the result back to RAM */
		error = error ? error : end;
	}
	return error;
}

static void print(const struct xy_runtime *rt)
{
	const struct xy_machine *machine = xy_runtime_machine(rt);

	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++) {
		struct xy_worker_stats stats;

		if (!xy_worker_stats(rt, i, &stats))
			printf("%-8s had %llu tasks\n", xy_machine_worker(machine, i)->name, stats.tasks);
	}
	for (unsigned i = 0; i < xy_machine_nnodes(machine); i++) {
		struct xy_node_stats stats;

		if (!xy_node_stats(rt, i, &stats))
			printf("%-8s got %llu bytes, gave %llu, %llu copies had to go, held %zu bytes at most%s\n",
			       xy_machine_node(machine, i)->name, stats.bytes_in, stats.bytes_out, stats.evictions,
			       stats.most_bytes, stats.lost ? ", is lost" : "");
	}
}

static unsigned count_wrong(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < BLOCKS * SIZE; i++)
		wrong += y[i / SIZE][i % SIZE] != (float)(1 + ROUNDS * 2 * (i % 1000));
	return wrong;
}

int main(int argc, char **argv)
{
	struct xy_runtime *rt;
	int error;

	for (enum xy_arch arch = 0; argc > 1 && arch < XY_NARCH; arch++)
		if (strcmp(argv[1], xy_arch_name(arch)) == 0)
			axpy.where = 1u << arch;
	for (unsigned i = 0; i < BLOCKS * SIZE; i++) {
		x[i / SIZE][i % SIZE] = (float)(i % 1000);
		y[i / SIZE][i % SIZE] = 1;
	}
	if (xy_start(&rt, NULL))
		return 1;
	error = compute(rt);
	print(rt);
	xy_stop(&rt);
	printf("%s, %u of %u elements are wrong\n", error ? strerror(-error) : "done", count_wrong(), BLOCKS * SIZE);
	return error || count_wrong() ? 1 : 0;
}
