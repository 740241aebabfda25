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

struct CUstream_st;       /* what cudaStream_t points to */
struct cublasContext;     /* what cublasHandle_t points to */
struct cusolverDnContext; /* what cusolverDnHandle_t points to */
struct cusparseContext;   /* what cusparseHandle_t points to */

/*
 * The cudaStream_t to launch on. Tasks that this one depends on may still be running on it. Don't destroy it, nor use
 * it after the function has returned.
 */
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

/*
 * The worker's handles of cuBLAS, of dense cuSOLVER and of cuSPARSE for the call's stream: made when they are first
 * asked for, destroyed when the runtime stops. The library is the one that the program is linked with, else the
 * system's. NULL if there is none or it fails: a codelet that returns an error then fails with the reason. Set options
 * such as the math or pointer mode in each codelet that depends on them, since tasks share the handle, and leave its
 * stream.
 */
static inline struct cublasContext *xy_cublas(const struct xy_call *call)
{
	const struct xy_gpu_services *services = (const struct xy_gpu_services *)call->services;

	return (struct cublasContext *)services->library(services, XY_GPU_BLAS);
}
static inline struct cusolverDnContext *xy_cusolver(const struct xy_call *call)
{
	const struct xy_gpu_services *services = (const struct xy_gpu_services *)call->services;

	return (struct cusolverDnContext *)services->library(services, XY_GPU_SOLVER);
}
static inline struct cusparseContext *xy_cusparse(const struct xy_call *call)
{
	const struct xy_gpu_services *services = (const struct xy_gpu_services *)call->services;

	return (struct cusparseContext *)services->library(services, XY_GPU_SPARSE);
}

#ifdef __cplusplus
}
#endif
#endif
