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
	.libraries = { "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so" },
	.max_pitch = cudaDevAttrMaxPitch,
	.has_pools = cudaDevAttrMemoryPoolsSupported,
	.device_memory = cuda_device_memory,
	.libraries_beside = {
		[XY_GPU_BLAS] = { "cuBLAS",
				  { "libcublas.so.13", "libcublas.so.12", "libcublas.so" },
				  "cublasCreate_v2",
				  "cublasSetStream_v2",
				  "cublasDestroy_v2" },
		[XY_GPU_SOLVER] = { "cuSOLVER",
				    { "libcusolver.so.12", "libcusolver.so.11", "libcusolver.so" },
				    "cusolverDnCreate",
				    "cusolverDnSetStream",
				    "cusolverDnDestroy" },
		[XY_GPU_SPARSE] = { "cuSPARSE",
				    { "libcusparse.so.12", "libcusparse.so" },
				    "cusparseCreate",
				    "cusparseSetStream",
				    "cusparseDestroy" },
	},
};

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "cuda",
	.arch = XY_CUDA,
	XY__GPU_OPERATIONS,
};
