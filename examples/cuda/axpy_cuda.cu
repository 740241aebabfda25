/* SPDX-License-Identifier: MIT */
/* The CUDA implementation of the codelet: what nvcc compiles. */
#include <cuda_runtime.h>
#include <xylem/cuda.h>

extern "C" {
#include "axpy_kernel.h"
}

/* Begins the work and returns; the task ends when the kernel has. */
extern "C" int axpy_cuda(struct xy_call *call)
{
	const float *a = (const float *)call->arg, *x = (const float *)xy_pointer(call, 0);
	unsigned n = (unsigned)xy_vector_at(call, 1)->n, threads = 256;

	axpy_kernel<<<(n + threads - 1) / threads, threads, 0, xy_cuda_stream(call)>>>(
		*a, x, (float *)xy_pointer(call, 1), n);
	return xy_cuda_check(call, cudaGetLastError());
}
