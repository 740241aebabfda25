/* SPDX-License-Identifier: MIT */
/*
 * Pools of device memory. Asking for memory waits for the stream, and memory ends when its stream gets there. What is
 * freed is not kept: a pool never has more than the program.
 */
#include <stdlib.h>

#include "internal.h"

struct CUmemPoolHandle_st {
	struct double_device *device; /* (c) */
};

static enum cudaError pool_create(struct CUmemPoolHandle_st **pool, const struct cudaMemPoolProps *properties)
{
	struct double_device *device = double_ordinal(properties->location.id);

	*pool = NULL;
	if (!device || properties->allocType != cudaMemAllocationTypePinned ||
	    properties->location.type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	*pool = malloc(sizeof **pool);
	if (!*pool)
		return cudaErrorMemoryAllocation;
	(*pool)->device = device;
	double_state.npools++;
	return cudaSuccess;
}

enum cudaError cudaMemPoolCreate(struct CUmemPoolHandle_st **pool, const struct cudaMemPoolProps *properties)
{
	enum cudaError error = double_begin(__func__, double_current());

	return double_end(error ? error : pool_create(pool, properties));
}

enum cudaError cudaMemPoolDestroy(struct CUmemPoolHandle_st *pool)
{
	enum cudaError error = double_begin(__func__, pool->device);

	double_state.npools--;
	free(pool);
	return double_end(error);
}

enum cudaError cudaMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute, void *value)
{
	enum cudaError error = double_begin(__func__, pool->device);

	if (!error && (!value || attribute != cudaMemPoolAttrReleaseThreshold))
		error = cudaErrorInvalidValue;
	return double_end(error);
}

enum cudaError cudaMemPoolSetAccess(struct CUmemPoolHandle_st *pool, const struct cudaMemAccessDesc *list, size_t n)
{
	enum cudaError error = double_begin(__func__, pool->device);

	for (size_t i = 0; i < n && !error; i++)
		if (!double_ordinal(list[i].location.id) || double_ordinal(list[i].location.id) == pool->device)
			error = cudaErrorInvalidDevice;
	return double_end(error);
}

enum cudaError cudaMallocFromPoolAsync(void **memory, size_t bytes, struct CUmemPoolHandle_st *pool,
				       struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, pool->device);
	struct CUstream_st *s = error ? NULL : double_stream(stream);

	if (s && s->device != pool->device)
		error = cudaErrorInvalidResourceHandle;
	if (!error)
		error = double_await_stream(s); /* what is freed there before can be used */
	return double_end(error ? error : double_allocate(pool->device, bytes, memory));
}

enum cudaError cudaFreeAsync(void *memory, struct CUstream_st *stream)
{
	struct CUstream_st *s;
	enum cudaError fault, error = cudaSuccess;

	double_setup();
	fault = double_begin(__func__, double_owner(memory));
	s = double_stream(stream);
	if (!s || !double_owner(memory))
		error = cudaErrorInvalidValue;
	else if (!double_queue(s, &(struct double_operation){ .kind = DOUBLE_FREE, .arg = memory }))
		error = double_release(memory);
	return double_end(fault ? fault : error);
}
