/* SPDX-License-Identifier: MIT */
/* The model as an OpenCL kernel: it solves one point; the solutions are copied back behind it. */
#include <xylem/opencl.h>

#include "batch.h"

const bool model_has_opencl = true;

static const struct xy_opencl_program program = {
	.source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
		  "kernel void solve(double exponent, ulong first, uint steps, global double *solutions)\n"
		  "{\n"
		  "  size_t i = get_global_id(0);\n"
		  "  double load = 1 + (double)((first + i) % 1000) / 500, x = load / 2;\n"
		  "  for (uint k = 0; k < steps; k++) {\n"
		  "    double power = pow(x, exponent);\n"
		  "    double step = (x + power - load) / (1 + exponent * power / x);\n"
		  "    x -= step;\n"
		  "    if (fabs(step) < 1e-12 * x)\n"
		  "      break;\n"
		  "  }\n"
		  "  solutions[i] = x;\n"
		  "}\n",
};

/* Building the program takes a while: not in the time of a piece. */
int model_opencl_begin(struct xy_batch_device *device)
{
	cl_kernel kernel;

	return xy_opencl_kernel(device->call, &program, "solve", &kernel);
}

int model_opencl_work(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	const struct model *model = piece->arg;
	cl_command_queue queue = xy_opencl_queue(device->call);
	size_t n = (size_t)(piece->range.stop - piece->range.start), size = n * sizeof(double);
	cl_ulong first = piece->range.start;
	cl_uint steps = STEPS;
	cl_int code;
	cl_mem solutions = clCreateBuffer(xy_opencl_context(device->call), CL_MEM_WRITE_ONLY, size, NULL, &code);
	cl_kernel kernel;
	int error = xy_opencl_check(device->call, code);

	if (error)
		return error;
	error = xy_opencl_kernel(device->call, &program, "solve", &kernel);
	if (!error) {
		clSetKernelArg(kernel, 0, sizeof model->exponent, &model->exponent);
		clSetKernelArg(kernel, 1, sizeof first, &first);
		clSetKernelArg(kernel, 2, sizeof steps, &steps);
		clSetKernelArg(kernel, 3, sizeof solutions, &solutions);
		code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
		if (code == CL_SUCCESS)
			code = clEnqueueReadBuffer(queue, solutions, CL_FALSE, 0, size, piece->data, 0, NULL, NULL);
		error = xy_opencl_check(device->call, code);
	}
	clReleaseMemObject(solutions); /* gone once the commands are done */
	return error;
}
