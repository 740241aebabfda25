/* SPDX-License-Identifier: MIT */
/*
 * For codelets with CUDA implementations. Their function begins work on a stream and returns without
 * waiting for it; what it begins there has ended when the task has. CUDA's headers are not needed here.
 *
 *	static int twice_cuda(struct xy_call *call)
 *	{
 *		twice<<<grid, block, 0, xy_cuda_stream(call)>>>((float *)xy_pointer(call, 0), n);
 *		return xy_cuda_check(call, cudaGetLastError());
 *	}
 *
 * Everything here is for the thread and the time of one call of a CUDA implementation; the device of the
 * worker is the current one then. Work on the default stream is done in time too, but holds up others.
 */
#ifndef XYLEM_CUDA_H
#define XYLEM_CUDA_H

#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;              /* what cudaStream_t points to */

/* What the driver puts at call->services; use the functions below. */
struct xy_cuda_services {
	int device;
	int (*check)(const struct xy_cuda_services *services, int error);
};

/* The cudaStream_t to work on. Not to be destroyed, nor used after the function has returned. */
static inline struct CUstream_st *xy_cuda_stream(const struct xy_call *call)
{
	return (struct CUstream_st *)call->stream;
}

/* What to return for a cudaError_t: 0 for success, else an error whose text becomes that of the task. An
 * error after which CUDA can't go on is the end of the device for this runtime. */
static inline int xy_cuda_check(const struct xy_call *call, int error)
{
	const struct xy_cuda_services *services = (const struct xy_cuda_services *)call->services;

	return services->check(services, error);
}

/* The number of the device for CUDA. */
static inline int xy_cuda_device(const struct xy_call *call)
{
	return ((const struct xy_cuda_services *)call->services)->device;
}

#ifdef __cplusplus
}
#endif
#endif
