/* SPDX-License-Identifier: MIT */
/* The kernel of examples/cuda/axpy as a body for the double: its own source, compiled as C. */
#include "kernel.h"

#include "../../examples/cuda/axpy_kernel.h"

static void axpy_thread(void **args)
{
	axpy_kernel(*(float *)args[0], args[1], args[2], *(unsigned *)args[3]);
}

static void axpy_body(const struct cudart_double_grid *grid, void **args)
{
	void *readable[] = { args[0], double_pointer(args[1]), double_pointer(args[2]), args[3] };

	double_each_thread(grid, axpy_thread, readable);
}

extern const struct cudart_double_kernel cudart_double_kernels[];
const struct cudart_double_kernel cudart_double_kernels[] = {
	{ "axpy_kernel", axpy_body, { sizeof(float), sizeof(void *), sizeof(void *), sizeof(unsigned) } },
	{ .name = NULL },
};
