/* SPDX-License-Identifier: MIT */
/* What the double has of the CUDA runtime API beyond what the driver calls. */
#ifndef CUDART_DOUBLE_MORE_API_H
#define CUDART_DOUBLE_MORE_API_H

#include "dialect.h"
#include "drivers/gpu_api.h"

#ifndef CUDART_DOUBLE_TYPES
struct CUkern_st;
struct CUgraph_st;
struct dim3 {
	unsigned x, y, z;
};
#endif

/* The beginning of struct cudaDeviceProp, as far as the double fills it. */
struct double_properties {
	char name[256];
	char uuid[16];
	char luid[8];
	unsigned luidDeviceNodeMask;
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int regsPerBlock;
	int warpSize;
	size_t memPitch;
	int maxThreadsPerBlock;
};

enum cudaError cudaDeviceSynchronize(void);
enum cudaError cudaDeviceDisablePeerAccess(int peer);
enum cudaError cudaRuntimeGetVersion(int *version);
enum cudaError cudaDriverGetVersion(int *version);

enum cudaError cudaMallocHost(void **memory, size_t bytes);
enum cudaError cudaMemset(void *memory, int value, size_t bytes);
enum cudaError cudaMemsetAsync(void *memory, int value, size_t bytes, struct CUstream_st *stream);
enum cudaError cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
enum cudaError cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
			    enum cudaMemcpyKind kind);
enum cudaError cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);

enum cudaError cudaStreamCreate(struct CUstream_st **stream);
enum cudaError cudaStreamBeginCapture(struct CUstream_st *stream, enum cudaStreamCaptureMode mode);
enum cudaError cudaStreamEndCapture(struct CUstream_st *stream, struct CUgraph_st **graph);
enum cudaError cudaStreamWaitEvent(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags);
enum cudaError cudaEventCreate(struct CUevent_st **event);
enum cudaError cudaEventSynchronize(struct CUevent_st *event);

enum cudaError cudaLaunchHostFunc(struct CUstream_st *stream, void (*function)(void *), void *arg);
enum cudaError cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
				size_t shared_bytes, struct CUstream_st *stream);

#endif
