/* SPDX-License-Identifier: MIT */
/* The kernel of the example: one element for each thread. It is C too, for tests without a GPU. */
#ifndef AXPY_KERNEL_H
#define AXPY_KERNEL_H

__global__ void axpy_kernel(float a, const float *x, float *y, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += a * x[i];
}

#endif
