/* SPDX-License-Identifier: MIT */
/* For codelets with CUDA functions, where STARPU_USE_CUDA is defined. Link with -lcudart: what only calls CUDA is
 * inline here. */
#ifndef XYLEM_STARPU_CUDA_H
#define XYLEM_STARPU_CUDA_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdio.h>
#include <starpu_config.h>
#include <parts/tools.h>
#include <parts/worker.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stream of the worker that calls, NULL (the default stream) in other threads. Its task ends when work on it has
 * completed. */
cudaStream_t starpu_cuda_get_local_stream(void);
#define starpu_cuda_get_current_stream() starpu_cuda_get_local_stream()

/* Writes a line to the log; the task that runs in this thread fails. */
static __starpu_inline void starpu_cuda_report_error(const char *func, const char *file, int line, cudaError_t status)
{
	starpu_xylem_report_error(func, file, line, cudaGetErrorString(status));
}
#define STARPU_CUDA_REPORT_ERROR(status) starpu_cuda_report_error(__starpu_func__, __FILE__, __LINE__, status)
static __starpu_inline void starpu_cublas_report_error(const char *func, const char *file, int line, int status)
{
	char text[64];

	snprintf(text, sizeof text, "an error of cuBLAS: %d", status);
	starpu_xylem_report_error(func, file, line, text);
}
#define STARPU_CUBLAS_REPORT_ERROR(status) \
	starpu_cublas_report_error(__starpu_func__, __FILE__, __LINE__, (int)(status))

static __starpu_inline void starpu_cuda_set_device(unsigned devid)
{
	cudaError_t status = cudaSetDevice((int)devid);

	if (status != cudaSuccess)
		STARPU_CUDA_REPORT_ERROR(status);
}

static __starpu_inline const struct cudaDeviceProp *starpu_cuda_get_device_properties(unsigned workerid)
{
	static struct cudaDeviceProp properties[STARPU_MAXCUDADEVS];
	int devid = starpu_worker_get_devid((int)workerid);

	if (devid < 0 || devid >= STARPU_MAXCUDADEVS || cudaGetDeviceProperties(&properties[devid], devid))
		return NULL;
	return &properties[devid];
}

/* Copies: -EAGAIN, begun on the stream; without one 0, done. */
static __starpu_inline int starpu_cuda_copy_async_sync(void *src_ptr, unsigned src_node, void *dst_ptr,
						       unsigned dst_node, size_t ssize, cudaStream_t stream,
						       enum cudaMemcpyKind kind)
{
	cudaError_t status = cudaSuccess;

	(void)src_node;
	(void)dst_node;
	if (stream && cudaMemcpyAsync(dst_ptr, src_ptr, ssize, kind, stream) == cudaSuccess)
		return -EAGAIN;
	status = cudaMemcpy(dst_ptr, src_ptr, ssize, kind);
	if (status != cudaSuccess)
		STARPU_CUDA_REPORT_ERROR(status);
	return status == cudaSuccess ? 0 : -EIO;
}

static __starpu_inline int starpu_cuda_copy2d_async_sync(void *src_ptr, unsigned src_node, void *dst_ptr,
							 unsigned dst_node, size_t blocksize, size_t numblocks,
							 size_t ld_src, size_t ld_dst, cudaStream_t stream,
							 enum cudaMemcpyKind kind)
{
	cudaError_t status = cudaSuccess;

	(void)src_node;
	(void)dst_node;
	if (stream &&
	    cudaMemcpy2DAsync(dst_ptr, ld_dst, src_ptr, ld_src, blocksize, numblocks, kind, stream) == cudaSuccess)
		return -EAGAIN;
	status = cudaMemcpy2D(dst_ptr, ld_dst, src_ptr, ld_src, blocksize, numblocks, kind);
	if (status != cudaSuccess)
		STARPU_CUDA_REPORT_ERROR(status);
	return status == cudaSuccess ? 0 : -EIO;
}

static __starpu_inline int starpu_cuda_copy3d_async_sync(void *src_ptr, unsigned src_node, void *dst_ptr,
							 unsigned dst_node, size_t blocksize, size_t numblocks_1,
							 size_t ld1_src, size_t ld1_dst, size_t numblocks_2,
							 size_t ld2_src, size_t ld2_dst, cudaStream_t stream,
							 enum cudaMemcpyKind kind)
{
	int result = 0;

	for (size_t i = 0; i < numblocks_2 && (!result || result == -EAGAIN); i++)
		result = starpu_cuda_copy2d_async_sync((char *)src_ptr + i * ld2_src, src_node,
						       (char *)dst_ptr + i * ld2_dst, dst_node, blocksize, numblocks_1,
						       ld1_src, ld1_dst, stream, kind);
	return result;
}

#ifdef __cplusplus
}
#endif
#endif
