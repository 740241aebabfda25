/* SPDX-License-Identifier: MIT */
/* The CUDA driver, a plug-in: the GPU driver with libcudart. */
#include "drivers/gpu.h"

static int cuda_device_memory(void *library)
{
	(void)library;
	return cudaMemoryTypeDevice;
}

const struct xy__gpu_dialect xy__gpu_dialect = {
	.title = "CUDA",
	.prefix = "cuda",
	.libraries = { "libcudart.so.13", "libcudart.so.12", "libcudart.so" },
	.max_pitch = cudaDevAttrMaxPitch,
	.device_memory = cuda_device_memory,
};

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "cuda",
	.arch = XY_CUDA,
	XY__GPU_OPERATIONS,
};
