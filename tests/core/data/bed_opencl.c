/* SPDX-License-Identifier: MIT */
/*
 * The codelets as OpenCL kernels.
 */
#include "bed_opencl.h"

#include <xylem/opencl.h>
#include "bed.h"

static const struct xy_opencl_program program = {
	.source = "kernel void set(uint k, global uint *a)\n"
		  "{ size_t i = get_global_id(0); a[i] = k + i; }\n"
		  "kernel void add(uint k, global uint *a)\n"
		  "{ size_t i = get_global_id(0); a[i] = 3 * a[i] + k; }\n"
		  "kernel void axpy(uint k, global uint *a, global uint *b)\n"
		  "{ size_t i = get_global_id(0); b[i] = 3 * b[i] + k * a[i]; }\n"
		  "kernel void copy(uint k, global uint *a, global uint *b)\n"
		  "{ size_t i = get_global_id(0); b[i] = a[i] + k; }\n"
		  "kernel void scratch(uint k, global uint *a, global uint *b)\n"
		  "{ size_t i = get_global_id(0); a[i] = 3 * b[i]; b[i] = a[i] + k; }\n"
		  "kernel void bump(uint k, global uint *a)\n"
		  "{ size_t i = get_global_id(0); a[i] = a[i] + k; }\n"
		  "kernel void sum(uint k, global uint *a, global uint *b, global uint *c)\n"
		  "{ size_t i = get_global_id(0); c[i] = c[i] + a[i] + k * b[i]; }\n"
		  "kernel void rows(uint first, global uint *a, uint ld)\n"
		  "{ size_t i = get_global_id(1), k = get_global_id(0);\n"
		  "  a[i * ld + k] = 10 * a[i * ld + k] + first + i + k; }\n"
		  "kernel void zero(uint k, global uint *a)\n"
		  "{ size_t i = get_global_id(0); a[i] = 0 * k; }\n"
		  "kernel void join(uint k, global uint *a, global uint *b)\n"
		  "{ size_t i = get_global_id(0); a[i] += k * b[i]; }\n"
		  "kernel void more(uint k, global uint *a)\n"
		  "{ size_t i = get_global_id(0); a[i] += k; }\n"
		  "kernel void collect(uint k, global uint *a, global uint *b)\n"
		  "{ size_t i = get_global_id(0); a[i] += k * b[i]; }\n",
};

int bed_opencl(struct xy_call *call, const char *name)
{
	size_t n = xy_vector_at(call, 0)->n;
	cl_uint k = call->arg ? ((const struct bed_arg *)call->arg)->k : 1;
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &program, name, &kernel);

	if (error)
		return error;
	clSetKernelArg(kernel, 0, sizeof k, &k);
	for (unsigned i = 0; i < call->nbuffers; i++) {
		cl_mem buffer = xy_opencl_buffer(call, i);

		clSetKernelArg(kernel, i + 1, sizeof buffer, &buffer);
	}
	return xy_opencl_check(call,
			       clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
}

int bed_opencl_rows(struct xy_call *call, const struct xy_matrix *matrix, uint32_t first)
{
	const size_t size[2] = { matrix->nx, matrix->ny };
	cl_uint ld = (cl_uint)matrix->ld;
	cl_mem buffer = xy_opencl_buffer(call, 0);
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &program, "rows", &kernel);

	if (error)
		return error;
	clSetKernelArg(kernel, 0, sizeof first, &first);
	clSetKernelArg(kernel, 1, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 2, sizeof ld, &ld);
	return xy_opencl_check(
		call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 2, NULL, size, NULL, 0, NULL, NULL));
}
