/* SPDX-License-Identifier: MIT */
/*
 * The functions of CUDA's run-time library that the driver calls, and what differs in libraries that look like it. They
 * are looked up at run time, so that nothing is linked with the library and a machine without it
 * can still run everything else.
 */
#ifndef XYLEM_GPU_API_H
#define XYLEM_GPU_API_H

#include <xylem/gpu.h>

#include "drivers/gpu_types.h"

enum cudaError cudaGetDeviceCount(int *count);
enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
enum cudaError cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
enum cudaError cudaDeviceGetPCIBusId(char *text, int size, int device);
enum cudaError cudaGetDevice(int *device);
enum cudaError cudaSetDevice(int device);
enum cudaError cudaMemGetInfo(size_t *free, size_t *total);
enum cudaError cudaDeviceCanAccessPeer(int *can, int device, int peer);
enum cudaError cudaDeviceEnablePeerAccess(int peer, unsigned flags);

enum cudaError cudaGetLastError(void);
enum cudaError cudaPeekAtLastError(void);
const char *cudaGetErrorName(enum cudaError error);
const char *cudaGetErrorString(enum cudaError error);

enum cudaError cudaMalloc(void **memory, size_t bytes);
enum cudaError cudaFree(void *memory);
enum cudaError cudaMemPoolCreate(struct CUmemPoolHandle_st **pool, const struct cudaMemPoolProps *properties);
enum cudaError cudaMemPoolDestroy(struct CUmemPoolHandle_st *pool);
enum cudaError cudaMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute, void *value);
enum cudaError cudaMemPoolSetAccess(struct CUmemPoolHandle_st *pool, const struct cudaMemAccessDesc *list, size_t n);
enum cudaError cudaMallocFromPoolAsync(void **memory, size_t bytes, struct CUmemPoolHandle_st *pool,
				       struct CUstream_st *stream);
enum cudaError cudaFreeAsync(void *memory, struct CUstream_st *stream);
enum cudaError cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
enum cudaError cudaFreeHost(void *memory);
enum cudaError cudaHostRegister(void *memory, size_t bytes, unsigned flags);
enum cudaError cudaHostUnregister(void *memory);
enum cudaError cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory);

enum cudaError cudaStreamCreateWithFlags(struct CUstream_st **stream, unsigned flags);
enum cudaError cudaStreamDestroy(struct CUstream_st *stream);
enum cudaError cudaStreamQuery(struct CUstream_st *stream);
enum cudaError cudaStreamSynchronize(struct CUstream_st *stream);

enum cudaError cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

enum cudaError cudaEventCreateWithFlags(struct CUevent_st **event, unsigned flags);
enum cudaError cudaEventDestroy(struct CUevent_st *event);
enum cudaError cudaEventRecord(struct CUevent_st *event, struct CUstream_st *stream);
enum cudaError cudaEventQuery(struct CUevent_st *event);
enum cudaError cudaEventElapsedTime(float *ms, struct CUevent_st *from, struct CUevent_st *to);

enum cudaError cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			       struct CUstream_st *stream);
enum cudaError cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
				 size_t height, enum cudaMemcpyKind kind, struct CUstream_st *stream);
enum cudaError cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, struct CUstream_st *stream);
enum cudaError cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
				   struct CUstream_st *stream);
enum cudaError cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, struct CUstream_st *stream);

struct xy__gpu_api {
	int device_memory; /* enum cudaMemoryType of a device's, in this version of the library */
	__typeof__(cudaGetDeviceCount) *cudaGetDeviceCount;
	__typeof__(cudaGetDeviceProperties) *cudaGetDeviceProperties;
	__typeof__(cudaDeviceGetAttribute) *cudaDeviceGetAttribute;
	__typeof__(cudaGetDevice) *cudaGetDevice;
	__typeof__(cudaSetDevice) *cudaSetDevice;
	__typeof__(cudaMemGetInfo) *cudaMemGetInfo;
	__typeof__(cudaDeviceCanAccessPeer) *cudaDeviceCanAccessPeer;
	__typeof__(cudaDeviceEnablePeerAccess) *cudaDeviceEnablePeerAccess;
	__typeof__(cudaGetLastError) *cudaGetLastError;
	__typeof__(cudaPeekAtLastError) *cudaPeekAtLastError;
	__typeof__(cudaGetErrorName) *cudaGetErrorName;
	__typeof__(cudaGetErrorString) *cudaGetErrorString;
	__typeof__(cudaMalloc) *cudaMalloc;
	__typeof__(cudaFree) *cudaFree;
	__typeof__(cudaHostAlloc) *cudaHostAlloc;
	__typeof__(cudaFreeHost) *cudaFreeHost;
	__typeof__(cudaHostRegister) *cudaHostRegister;
	__typeof__(cudaHostUnregister) *cudaHostUnregister;
	__typeof__(cudaPointerGetAttributes) *cudaPointerGetAttributes;
	__typeof__(cudaStreamCreateWithFlags) *cudaStreamCreateWithFlags;
	__typeof__(cudaStreamDestroy) *cudaStreamDestroy;
	__typeof__(cudaStreamQuery) *cudaStreamQuery;
	__typeof__(cudaStreamSynchronize) *cudaStreamSynchronize;
	__typeof__(cudaEventCreateWithFlags) *cudaEventCreateWithFlags;
	__typeof__(cudaEventDestroy) *cudaEventDestroy;
	__typeof__(cudaEventRecord) *cudaEventRecord;
	__typeof__(cudaEventQuery) *cudaEventQuery;
	__typeof__(cudaMemcpyAsync) *cudaMemcpyAsync;
	__typeof__(cudaMemcpy2DAsync) *cudaMemcpy2DAsync;
	__typeof__(cudaMemcpy3DAsync) *cudaMemcpy3DAsync;
	__typeof__(cudaMemcpyPeerAsync) *cudaMemcpyPeerAsync;
	/* These may be NULL: */
	__typeof__(cudaMemcpy3DPeerAsync) *cudaMemcpy3DPeerAsync;
	__typeof__(cudaDeviceGetPCIBusId) *cudaDeviceGetPCIBusId;
	__typeof__(cudaThreadExchangeStreamCaptureMode) *cudaThreadExchangeStreamCaptureMode;
	__typeof__(cudaMemPoolCreate) *cudaMemPoolCreate;
	__typeof__(cudaMemPoolDestroy) *cudaMemPoolDestroy;
	__typeof__(cudaMemPoolSetAttribute) *cudaMemPoolSetAttribute;
	__typeof__(cudaMemPoolSetAccess) *cudaMemPoolSetAccess;
	__typeof__(cudaMallocFromPoolAsync) *cudaMallocFromPoolAsync;
	__typeof__(cudaFreeAsync) *cudaFreeAsync;
	__typeof__(cudaEventElapsedTime) *cudaEventElapsedTime;
};

/* A library beside it. Its functions return 0 for success. */
struct xy__gpu_library {
	const char *title;    /* in sentences; NULL: there is none */
	const char *files[4]; /* ended by NULL; the best first */
	const char *create, *set_stream, *destroy;
};

/* One maker's library. A plug-in defines xy__gpu_dialect. */
struct xy__gpu_dialect {
	const char *title;        /* in sentences: "CUDA" */
	const char *prefix;       /* of functions: "cuda" */
	const char *libraries[5]; /* ended by NULL; the best first */
	const char *names[5][2];  /* functions of other names, without prefix: CUDA's, its own; a NULL: not there */
	enum cudaDeviceAttr max_pitch; /* its number for this attribute, ... */
	enum cudaDeviceAttr has_pools; /* ... and this one; 0: pools are not used */
	int (*device_memory)(void *library);
	struct xy__gpu_library libraries_beside[XY_GPU_NLIBRARIES];
};
extern const struct xy__gpu_dialect xy__gpu_dialect;

/*
 * Finds the library, once for the process: the one that the program has loaded, else the system's.
 * Returns NULL without one, with the reason in *error: -ENOENT there is none, -ENOSYS it lacks something;
 * *why is a sentence that stays valid. Any thread.
 */
const struct xy__gpu_api *xy__gpu_api(int *error, const char **why);

#endif
