/* SPDX-License-Identifier: MIT */
/*
 * The HIP driver, a plug-in for AMD's GPUs: the GPU driver with libamdhip64. Values and layouts are those of versions 5
 * and 6; where HIP's headers are at hand, tests/drivers/hip_abi.sh compares them.
 */
#include "drivers/gpu.h"

#include <dlfcn.h>

enum {
	HIP_ATTRIBUTE_MAX_PITCH = 58,
	HIP_MEMORY_DEVICE_5 = 1, /* the type of a device's memory before version 6, ... */
	HIP_MEMORY_DEVICE = 2,   /* ... and since */
	HIP_VERSION_6 = 60000000
};

static int hip_device_memory(void *library)
{
	int (*get_version)(int *version) = (int (*)(int *))dlsym(library, "hipRuntimeGetVersion");
	int version = 0;

	return get_version && !get_version(&version) && version < HIP_VERSION_6 ? HIP_MEMORY_DEVICE_5
										: HIP_MEMORY_DEVICE;
}

const struct xy__gpu_dialect xy__gpu_dialect = {
	.title = "HIP",
	.prefix = "hip",
	.libraries = { "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so" },
	.names = {
		{ "HostAlloc", "HostMalloc" },
		{ "FreeHost", "HostFree" },
		{ "Memcpy3DPeerAsync", NULL },
	},
	.max_pitch = (enum cudaDeviceAttr)HIP_ATTRIBUTE_MAX_PITCH,
	.device_memory = hip_device_memory,
};

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "hip",
	.arch = XY_HIP,
	XY__GPU_OPERATIONS,
};
