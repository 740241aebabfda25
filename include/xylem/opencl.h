/* SPDX-License-Identifier: MIT */
/*
 * For codelets with OpenCL implementations. Their function enqueues work on a command queue and returns;
 * the task ends when that work has completed. Link with -lOpenCL.
 *
 * 	static const struct xy_opencl_program program = { .source = "kernel void twice(...) ..." };
 * 	...
 * 	int error = xy_opencl_kernel(call, &program, "twice", &kernel);
 * 	if (error)
 * 		return error;
 * 	cl_mem v = xy_opencl_buffer(call, 0);
 * 	clSetKernelArg(kernel, 0, sizeof v, &v);
 * 	return xy_opencl_check(call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, ...));
 *
 * Call these functions only inside an OpenCL implementation, from its thread.
 */
#ifndef XYLEM_OPENCL_H
#define XYLEM_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program in OpenCL C: its source text, or a file name. Constant, and at one address, from its first use until the
 * runtime stops.
 */
struct xy_opencl_program {
	const char *source;
	const char *file;
	const char *options; /* for clBuildProgram; may be NULL */
};

/* The driver's services at call->services; use the functions below. */
struct xy_opencl_services {
	cl_command_queue queue; /* in order */
	cl_context context;
	cl_device_id device;
	int (*kernel)(const struct xy_opencl_services *services, const struct xy_opencl_program *program,
		      const char *name, cl_kernel *kernel);
	int (*check)(const struct xy_opencl_services *services, cl_int code);
};

static inline const struct xy_opencl_services *xy_opencl_services(const struct xy_call *call)
{
	return (const struct xy_opencl_services *)call->services;
}

/* The queue to enqueue on. Don't release it, nor use it after the function has returned. */
static inline cl_command_queue xy_opencl_queue(const struct xy_call *call)
{
	return xy_opencl_services(call)->queue;
}
static inline cl_context xy_opencl_context(const struct xy_call *call)
{
	return xy_opencl_services(call)->context;
}
static inline cl_device_id xy_opencl_device(const struct xy_call *call)
{
	return xy_opencl_services(call)->device;
}

/* The memory of the i-th buffer: its pointer, which is not an address here. */
static inline cl_mem xy_opencl_buffer(const struct xy_call *call, unsigned i)
{
	return (cl_mem)xy_pointer(call, i);
}

/*
 * Gets a kernel of a program, which is built when it is first needed on the device. The driver owns the kernel; it is
 * yours during the call. Set all its arguments: they may still have another task's values. 0, -ENOEXEC if the program
 * can't be built for this device (the failing task's message has the build log), -ENOENT if it has no such kernel or
 * there is no such file, -ENOMEM, -ENODEV.
 */
static inline int xy_opencl_kernel(struct xy_call *call, const struct xy_opencl_program *program, const char *name,
				   cl_kernel *kernel)
{
	const struct xy_opencl_services *services = xy_opencl_services(call);

	return services->kernel(services, program, name, kernel);
}

/*
 * Converts an OpenCL result to a return value: 0 for CL_SUCCESS, else -errno, with the result in the failing task's
 * message.
 */
static inline int xy_opencl_check(struct xy_call *call, cl_int code)
{
	const struct xy_opencl_services *services = xy_opencl_services(call);

	return services->check(services, code);
}

#ifdef __cplusplus
}
#endif
#endif
