/* SPDX-License-Identifier: MIT */
/*
 * For bodies of kernels: compiles the source of a __global__ function as C, and runs it once for each
 * thread of the grid, one after the other. So no kernel may wait for another thread of its block.
 */
#ifndef CUDART_DOUBLE_KERNEL_H
#define CUDART_DOUBLE_KERNEL_H

#include "cudart_double.h"

struct double_index {
	unsigned x, y, z;
};

static _Thread_local struct double_index threadIdx, blockIdx, blockDim, gridDim;

#define __global__ static

/* Calls thread(args) with threadIdx and blockIdx as each thread of the grid would see them. */
static inline void double_each_thread(const struct cudart_double_grid *g, void (*thread)(void **args), void **args)
{
	gridDim = (struct double_index){ g->grid[0], g->grid[1], g->grid[2] };
	blockDim = (struct double_index){ g->block[0], g->block[1], g->block[2] };
	for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
		for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
			for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
				for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++)
					for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)
						for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
							thread(args);
}

/* A pointer argument as the body can use it. */
static inline void *double_pointer(void *arg)
{
	return cudart_double_readable(*(void **)arg);
}

#endif
