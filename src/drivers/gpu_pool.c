/* SPDX-License-Identifier: MIT */
/*
 * The memory of a device. cudaMalloc and cudaFree may wait for all work of the device, so memory comes from a pool of
 * the library's where there are pools, which keeps what is freed for any size. Its stream has nothing else to do, so
 * that waiting for it is no waiting for the device; and the runtime frees memory only when nothing uses it any more.
 */
#include "drivers/gpu.h"

#include <stdint.h>

static bool pool_is_there(struct xy_device *device)
{
	const struct xy__gpu_api *api = device->api;
	int has = 0;

	if (!xy__gpu_dialect.has_pools || !api->cudaMemPoolCreate || !api->cudaMemPoolDestroy ||
	    !api->cudaMemPoolSetAttribute || !api->cudaMemPoolSetAccess || !api->cudaMallocFromPoolAsync ||
	    !api->cudaFreeAsync)
		return false;
	return !xy__gpu_error(device, api->cudaDeviceGetAttribute(&has, xy__gpu_dialect.has_pools, device->ordinal),
			      "DeviceGetAttribute") &&
	       has;
}

/* Nothing that is freed goes back to the system before the pool is destroyed. */
static int pool_create(struct xy_device *device)
{
	const struct xy__gpu_api *api = device->api;
	struct cudaMemPoolProps properties = {
		.allocType = cudaMemAllocationTypePinned,
		.location = { cudaMemLocationTypeDevice, device->ordinal },
	};
	uint64_t all = UINT64_MAX;
	int status = xy__gpu_error(device, api->cudaMemPoolCreate(&device->pool, &properties), "MemPoolCreate");

	if (status) {
		device->pool = NULL;
		return status;
	}
	status = xy__gpu_error(device,
			       api->cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &all),
			       "MemPoolSetAttribute");
	if (!status)
		status = xy__gpu_error(device,
				       api->cudaStreamCreateWithFlags(&device->pool_stream, cudaStreamNonBlocking),
				       "StreamCreate");
	if (status)
		device->pool_stream = NULL;
	return status;
}

/* Without access, the library copies between the two by way of RAM. */
static void pool_share(struct xy_device *device, int other)
{
	struct cudaMemAccessDesc access = { { cudaMemLocationTypeDevice, other }, cudaMemAccessFlagsProtReadWrite };
	enum cudaError code;
	int can = 0;

	if (other == device->ordinal)
		return;
	code = device->api->cudaDeviceCanAccessPeer(&can, other, device->ordinal);
	if (!code && can)
		code = device->api->cudaMemPoolSetAccess(device->pool, &access, 1);
	xy__gpu_error(device, code, "MemPoolSetAccess");
}

void xy__gpu_pool_open(struct xy_device *device, const int *ordinals, unsigned n)
{
	if (!pool_is_there(device))
		return;
	if (pool_create(device))
		xy__gpu_pool_close(device);
	for (unsigned i = 0; device->pool && i < n; i++)
		pool_share(device, ordinals[i]);
}

void xy__gpu_pool_close(struct xy_device *device)
{
	if (device->pool_stream)
		device->api->cudaStreamDestroy(device->pool_stream);
	if (device->pool)
		device->api->cudaMemPoolDestroy(device->pool);
	device->pool_stream = NULL;
	device->pool = NULL;
}

enum cudaError xy__gpu_pool_allocate(struct xy_device *device, size_t bytes, void **memory, const char **what)
{
	enum cudaError code;

	if (!device->pool)
		return device->api->cudaMalloc(memory, bytes);
	*what = "MallocFromPoolAsync";
	code = device->api->cudaMallocFromPoolAsync(memory, bytes, device->pool, device->pool_stream);
	if (code)
		return code;
	*what = "StreamSynchronize";
	code = device->api->cudaStreamSynchronize(device->pool_stream); /* other streams may use it now */
	if (code) {
		device->api->cudaFreeAsync(*memory, device->pool_stream);
		*memory = NULL;
	}
	return code;
}

/* An error here belongs to an earlier operation, which reports it; the memory is freed. */
void xy__gpu_pool_free(struct xy_device *device, void *memory)
{
	if (device->pool)
		xy__gpu_error(device, device->api->cudaFreeAsync(memory, device->pool_stream), "FreeAsync");
	else
		xy__gpu_error(device, device->api->cudaFree(memory), "Free");
}
