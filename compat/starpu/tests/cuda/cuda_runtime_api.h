/* SPDX-License-Identifier: MIT */
/* The declarations of CUDA that the test needs, where the Toolkit is not there. */
#ifndef CUDA_STAND_IN_H
#define CUDA_STAND_IN_H

#include <stddef.h>

typedef enum cudaError { cudaSuccess, cudaErrorInvalidValue } cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
typedef struct CUstream_st *cudaStream_t;
typedef struct cublasContext *cublasHandle_t;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
struct cudaDeviceProp {
	char name[256];
	char rest[4096];
};

cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
			 enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
			      size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
int cublasDgemm_v2(cublasHandle_t handle, int transpose_a, int transpose_b, int m, int n, int k, const double *alpha,
		   const double *a, int lda, const double *b, int ldb, const double *beta, double *c, int ldc);

#endif
