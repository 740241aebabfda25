/* SPDX-License-Identifier: MIT */
/*
 * The memory of a device. cudaMalloc and cudaFree may wait for all work of the device, so memory comes from a pool of
 * the library's where there are pools, which keeps what is freed for any size. Its stream has nothing else to do, so
 * that waiting for it is no waiting for the device; and the runtime frees memory only when nothing uses it any more.
 * Without a pool, sizes are rounded up to one of eight for each power of two, and freed blocks are kept for the next
 * of that size, until the device has no memory left.
 */
#include "drivers/gpu.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>

enum { BLOCK_STEP = 512 };

struct gpu_block {
	void *memory;           /* (c) */
	size_t bytes;           /* (c) */
	struct gpu_block *next; /* while it is kept */
};

/* --- pools of the library --- */

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

/* --- blocks, without a pool --- */

static int block_compare(const void *a, const void *b)
{
	const char *x = ((const struct gpu_block *)a)->memory, *y = ((const struct gpu_block *)b)->memory;

	return x < y ? -1 : x > y;
}

static size_t block_bytes(size_t bytes)
{
	size_t step = BLOCK_STEP;

	while (step < bytes / 16)
		step *= 2;
	return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

static struct gpu_block **block_list(struct xy_device *device, size_t bytes)
{
	return &device->kept[(bytes * 0x9e3779b97f4a7c15u >> 32) % GPU_KEPT_LISTS];
}

/* A kept block of this size; NULL without one. */
static struct gpu_block *block_reuse(struct xy_device *device, size_t bytes)
{
	struct gpu_block **link = block_list(device, bytes), *block;

	pthread_mutex_lock(&device->lock);
	while (*link && (*link)->bytes != bytes)
		link = &(*link)->next;
	block = *link;
	if (block)
		*link = block->next;
	pthread_mutex_unlock(&device->lock);
	return block;
}

/* Gives all kept blocks back; false if there was none. */
static bool blocks_flush(struct xy_device *device)
{
	struct gpu_block *flushed = NULL;
	bool any;

	pthread_mutex_lock(&device->lock);
	for (unsigned i = 0; i < GPU_KEPT_LISTS; i++)
		while (device->kept[i]) {
			struct gpu_block *block = device->kept[i];

			device->kept[i] = block->next;
			block->next = flushed;
			flushed = block;
		}
	pthread_mutex_unlock(&device->lock);
	any = flushed;
	while (flushed) {
		struct gpu_block *next = flushed->next;

		xy__gpu_error(device, device->api->cudaFree(flushed->memory), "Free");
		free(flushed);
		flushed = next;
	}
	return any;
}

/* From the library: of this size, or if that is too much, of the size that is needed. */
static enum cudaError block_new(struct xy_device *device, size_t bytes, struct gpu_block **made)
{
	struct gpu_block *block = malloc(sizeof *block);
	enum cudaError code = cudaErrorMemoryAllocation;

	*made = NULL;
	if (!block)
		return code;
	block->bytes = block_bytes(bytes);
	do {
		code = device->api->cudaMalloc(&block->memory, block->bytes);
		if (code == cudaErrorMemoryAllocation)
			device->api->cudaGetLastError();
	} while (code == cudaErrorMemoryAllocation && blocks_flush(device));
	if (code == cudaErrorMemoryAllocation && block->bytes > bytes) {
		block->bytes = bytes;
		code = device->api->cudaMalloc(&block->memory, bytes);
	}
	if (code)
		free(block);
	else
		*made = block;
	return code;
}

static enum cudaError block_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	struct gpu_block *block = block_reuse(device, block_bytes(bytes));
	enum cudaError code = block ? cudaSuccess : block_new(device, bytes, &block);
	bool known;

	if (code)
		return code;
	pthread_mutex_lock(&device->lock);
	known = tsearch(block, &device->blocks, block_compare);
	pthread_mutex_unlock(&device->lock);
	if (known) {
		*memory = block->memory;
		return cudaSuccess;
	}
	device->api->cudaFree(block->memory);
	free(block);
	return cudaErrorMemoryAllocation;
}

static void block_free(struct xy_device *device, void *memory)
{
	struct gpu_block key = { .memory = memory }, *block, **list, **found;

	pthread_mutex_lock(&device->lock);
	found = tfind(&key, &device->blocks, block_compare);
	if (found) {
		block = *found;
		tdelete(&key, &device->blocks, block_compare);
		list = block_list(device, block->bytes);
		block->next = *list;
		*list = block;
	}
	pthread_mutex_unlock(&device->lock);
}

/* --- both --- */

void xy__gpu_pool_close(struct xy_device *device)
{
	if (device->pool_stream)
		device->api->cudaStreamDestroy(device->pool_stream);
	if (device->pool)
		device->api->cudaMemPoolDestroy(device->pool);
	device->pool_stream = NULL;
	device->pool = NULL;
	blocks_flush(device);
}

enum cudaError xy__gpu_pool_allocate(struct xy_device *device, size_t bytes, void **memory, const char **what)
{
	enum cudaError code;

	if (!device->pool)
		return block_allocate(device, bytes, memory);
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
		block_free(device, memory);
}
