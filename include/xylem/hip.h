/* SPDX-License-Identifier: MIT */
/*
 * For codelets with HIP implementations. Their function launches work on a stream and returns; the task
 * ends when that work has completed. HIP's headers are not needed here.
 *
 * 	static int twice_hip(struct xy_call *call)
 * 	{
 * 		twice<<<grid, block, 0, xy_hip_stream(call)>>>((float *)xy_pointer(call, 0), n);
 * 		return xy_hip_check(call, hipGetLastError());
 * 	}
 *
 * Call these functions only inside a HIP implementation, from its thread; the worker's device is current
 * there. The task also waits for work on the default stream, but that holds up other tasks.
 */
#ifndef XYLEM_HIP_H
#define XYLEM_HIP_H

#include <xylem/gpu.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ihipStream_t; /* what hipStream_t points to */

/*
 * The hipStream_t to launch on. Tasks that this one depends on may still be running on it. Don't destroy it, nor use
 * it after the function has returned.
 */
static inline struct ihipStream_t *xy_hip_stream(const struct xy_call *call)
{
	return (struct ihipStream_t *)call->stream;
}

/*
 * Converts a hipError_t to a return value: 0 for success, else an error whose text becomes that of the task. A
 * permanent error loses the device for this runtime.
 */
static inline int xy_hip_check(const struct xy_call *call, int error)
{
	const struct xy_gpu_services *services = (const struct xy_gpu_services *)call->services;

	return services->check(services, error);
}

/* HIP's number of the device. */
static inline int xy_hip_device(const struct xy_call *call)
{
	return ((const struct xy_gpu_services *)call->services)->device;
}

#ifdef __cplusplus
}
#endif
#endif
