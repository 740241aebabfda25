/* SPDX-License-Identifier: MIT */
/*
 * For codelets with CUDA implementations. Their function launches work on a stream and returns; the task
 * ends when that work has completed. CUDA's headers are not needed here.
 *
 * 	static int twice_cuda(struct xy_call *call)
 * 	{
 * 		twice<<<grid, block, 0, xy_cuda_stream(call)>>>((float *)xy_pointer(call, 0), n);
 * 		return xy_cuda_check(call, cudaGetLastError());
 * 	}
 *
 * Call these functions only inside a CUDA implementation, from its thread; the worker's device is current
 * there. The task also waits for work on the default stream, but that holds up other tasks.
 */
#ifndef XYLEM_CUDA_H
#define XYLEM_CUDA_H

#include <xylem/gpu.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* what cudaStream_t points to */

/* The cudaStream_t to launch on. Don't destroy it, nor use it after the function has returned. */
static inline struct CUstream_st *xy_cuda_stream(const struct xy_call *call)
{
	return (struct CUstream_st *)call->stream;
}

/*
 * Converts a cudaError_t to a return value: 0 for success, else an error whose text becomes that of the task. A
 * permanent error loses the device for this runtime.
 */
static inline int xy_cuda_check(const struct xy_call *call, int error)
{
	const struct xy_gpu_services *services = (const struct xy_gpu_services *)call->services;

	return services->check(services, error);
}

/* CUDA's number of the device. */
static inline int xy_cuda_device(const struct xy_call *call)
{
	return ((const struct xy_gpu_services *)call->services)->device;
}

#ifdef __cplusplus
}
#endif
#endif
