/* SPDX-License-Identifier: MIT */
/*
 * Memory of the devices, and pinned memory of the host. New and freed memory is filled with other bytes,
 * so that who reads too early or too late computes nonsense. Releasing never fails to release: the
 * errors it reports are those of something else, as with CUDA.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

enum { ALIGNMENT = 256, PAGE = 4096, FRESH = 0xcd, FREED = 0xdd, HOLD_S = 20 };

static const size_t filled_bytes = (size_t)1 << 20;

/* Host memory that is pinned: allocated here or registered. */
static struct pinned {
	struct pinned *next;
	char *memory;
	size_t bytes;
	bool registered;
} * pinned; /* (l) */

bool double_arena(struct double_device *device, size_t bytes)
{
	int fd = memfd_create("cudart-double", MFD_CLOEXEC);
	bool mapped = false;

	if (fd < 0)
		return false;
	if (!ftruncate(fd, (off_t)bytes)) {
		device->addresses = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
		device->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
		mapped = device->addresses != MAP_FAILED && device->memory != MAP_FAILED;
	}
	close(fd);
	device->arena_bytes = bytes;
	return mapped;
}

struct double_device *double_owner(const void *memory)
{
	for (unsigned i = 0; i < double_state.ndevices; i++) {
		struct double_device *d = &double_state.devices[i];

		if ((const char *)memory >= d->addresses && (const char *)memory < d->addresses + d->arena_bytes)
			return d;
	}
	return NULL;
}

/* The number of blocks that begin at an offset or before it. */
static size_t blocks_up_to(const struct double_device *device, size_t offset)
{
	size_t low = 0, high = device->nblocks;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (device->blocks[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

char *double_device_bytes(const void *memory, size_t bytes)
{
	struct double_device *device = double_owner(memory);
	struct double_block *b;
	size_t offset, n;

	if (!device)
		return NULL;
	offset = (size_t)((const char *)memory - device->addresses);
	n = blocks_up_to(device, offset);
	b = n ? &device->blocks[n - 1] : NULL;
	if (!b || offset - b->offset >= b->bytes)
		return NULL;
	return bytes <= b->bytes - (offset - b->offset) ? device->memory + offset : NULL;
}

/* Where the next block may begin at the earliest after the first n. */
static size_t blocks_end(const struct double_device *device, size_t n)
{
	const struct double_block *b = n ? &device->blocks[n - 1] : NULL;

	return b ? (b->offset + b->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : 0;
}

/* Inserts a block after the first n. */
static bool blocks_insert(struct double_device *device, size_t n, struct double_block block)
{
	size_t room = device->nblocks < device->room ? device->room : 2 * device->room + 16;
	struct double_block *blocks = device->blocks;

	if (room > device->room)
		blocks = realloc(blocks, room * sizeof *blocks);
	if (!blocks)
		return false;
	device->blocks = blocks;
	device->room = room;
	memmove(&blocks[n + 1], &blocks[n], (device->nblocks - n) * sizeof *blocks);
	blocks[n] = block;
	device->nblocks++;
	while (device->packed < device->nblocks && blocks[device->packed].offset == blocks_end(device, device->packed))
		device->packed++;
	return true;
}

static void blocks_remove(struct double_device *device, size_t n)
{
	device->nblocks--;
	memmove(&device->blocks[n], &device->blocks[n + 1], (device->nblocks - n) * sizeof *device->blocks);
	if (device->packed > n)
		device->packed = n;
}

/* Adds a block in the first gap in which it fits. */
static bool blocks_add(struct double_device *device, size_t bytes, size_t *offset)
{
	size_t n = device->packed;

	while (n < device->nblocks && device->blocks[n].offset - blocks_end(device, n) < bytes)
		n++;
	*offset = blocks_end(device, n);
	return *offset <= device->arena_bytes && bytes <= device->arena_bytes - *offset &&
	       blocks_insert(device, n, (struct double_block){ *offset, bytes });
}

enum cudaError double_allocate(struct double_device *device, size_t bytes, void **memory)
{
	size_t offset;

	if (!memory)
		return cudaErrorInvalidValue;
	*memory = NULL;
	if (!bytes)
		return cudaSuccess;
	if (bytes > device->limit || device->used > device->limit - bytes)
		return cudaErrorMemoryAllocation;
	if (!blocks_add(device, bytes, &offset))
		return cudaErrorMemoryAllocation;
	device->used += bytes;
	memset(device->memory + offset, FRESH, bytes < filled_bytes ? bytes : filled_bytes);
	*memory = device->addresses + offset;
	return cudaSuccess;
}

enum cudaError double_release(void *memory)
{
	struct double_device *device = double_owner(memory);
	struct double_block block;
	size_t n, begin, end;

	if (!device)
		return cudaErrorInvalidValue;
	n = blocks_up_to(device, (size_t)((char *)memory - device->addresses));
	if (!n || device->addresses + device->blocks[n - 1].offset != (char *)memory)
		return cudaErrorInvalidValue;
	block = device->blocks[n - 1];
	blocks_remove(device, n - 1);
	device->used -= block.bytes;
	begin = (block.offset + PAGE - 1) / PAGE * PAGE;
	end = (block.offset + block.bytes) / PAGE * PAGE;
	if (block.bytes <= filled_bytes)
		memset(device->memory + block.offset, FREED, block.bytes);
	else
		madvise(device->memory + begin, end - begin, MADV_REMOVE);
	return cudaSuccess;
}

enum cudaError cudaMalloc(void **memory, size_t bytes)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	return double_end(error ? error : double_allocate(device, bytes, memory));
}

enum cudaError cudaFree(void *memory)
{
	struct double_device *owner;
	enum cudaError fault, error = cudaSuccess;

	double_setup();
	owner = double_owner(memory);
	fault = double_begin(__func__, owner ? owner : double_current());
	if (owner)
		double_await_device(owner); /* as CUDA may */
	if (memory)
		error = double_release(memory);
	return double_end(fault ? fault : error);
}

enum cudaError cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	if (!error) {
		*total_bytes = device->limit;
		*free_bytes = device->used < device->limit ? device->limit - device->used : 0;
	}
	return double_end(error);
}

/* --- the host's --- */

bool double_is_pinned(const void *memory, size_t bytes)
{
	for (struct pinned *p = pinned; p; p = p->next)
		if ((const char *)memory >= p->memory && (const char *)memory < p->memory + p->bytes)
			return bytes <= p->bytes - (size_t)((const char *)memory - p->memory);
	return false;
}

static bool overlaps(const char *memory, size_t bytes)
{
	for (struct pinned *p = pinned; p; p = p->next)
		if (memory < p->memory + p->bytes && p->memory < memory + bytes)
			return true;
	return false;
}

static bool pin(char *memory, size_t bytes, bool registered)
{
	struct pinned *p = malloc(sizeof *p);

	if (!p)
		return false;
	*p = (struct pinned){ .next = pinned, .memory = memory, .bytes = bytes, .registered = registered };
	pinned = p;
	*(registered ? &double_state.registered_bytes : &double_state.host_bytes) += bytes;
	return true;
}

static bool unpin(void *memory, bool registered)
{
	struct pinned **place = &pinned, *p;

	while (*place && ((*place)->memory != memory || (*place)->registered != registered))
		place = &(*place)->next;
	p = *place;
	if (!p)
		return false;
	*place = p->next;
	*(registered ? &double_state.registered_bytes : &double_state.host_bytes) -= p->bytes;
	free(p);
	return true;
}

/* Pinning takes long. With the lock, which is given back meanwhile. */
static void host_hold(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += HOLD_S;
	while (double_state.holds_host)
		if (pthread_cond_timedwait(&double_state.progress, &double_state.lock, &limit))
			break;
}

static enum cudaError host_allocate(void **memory, size_t bytes)
{
	*memory = NULL;
	host_hold();
	if (!bytes)
		return cudaSuccess;
	*memory = bytes <= SIZE_MAX - PAGE ? aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE) : NULL;
	if (!*memory)
		return cudaErrorMemoryAllocation;
	if (pin(*memory, bytes, false))
		return cudaSuccess;
	free(*memory);
	*memory = NULL;
	return cudaErrorMemoryAllocation;
}

enum cudaError cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
	enum cudaError error = double_begin(__func__, double_current());

	(void)flags;
	return double_end(error ? error : host_allocate(memory, bytes));
}

enum cudaError cudaMallocHost(void **memory, size_t bytes)
{
	enum cudaError error = double_begin(__func__, double_current());

	return double_end(error ? error : host_allocate(memory, bytes));
}

enum cudaError cudaFreeHost(void *memory)
{
	enum cudaError fault = double_begin(__func__, double_current()), error = cudaSuccess;

	if (memory && unpin(memory, false))
		free(memory);
	else if (memory)
		error = cudaErrorInvalidValue;
	return double_end(fault ? fault : error);
}

enum cudaError cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
	enum cudaError error = double_begin(__func__, double_current());

	(void)flags;
	if (!error && (!memory || !bytes || double_owner(memory)))
		error = cudaErrorInvalidValue;
	if (!error && overlaps(memory, bytes))
		error = cudaErrorHostMemoryAlreadyRegistered;
	if (!error && !pin(memory, bytes, true))
		error = cudaErrorMemoryAllocation;
	return double_end(error);
}

enum cudaError cudaHostUnregister(void *memory)
{
	enum cudaError fault = double_begin(__func__, double_current());
	enum cudaError error = unpin(memory, true) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;

	return double_end(fault ? fault : error);
}

enum cudaError cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
	enum cudaError error = double_begin_any(__func__);
	struct double_device *owner = double_owner(memory);
	bool host = double_is_pinned(memory, 0);

	if (!error) {
		attributes->type = owner  ? cudaMemoryTypeDevice
				   : host ? cudaMemoryTypeHost
					  : cudaMemoryTypeUnregistered;
		attributes->device = owner ? double_ordinal_of(owner) : 0;
		attributes->devicePointer = owner || host ? (void *)memory : NULL;
		attributes->hostPointer = host ? (void *)memory : NULL;
	}
	return double_end(error);
}

/* --- the control interface --- */

void *cudart_double_readable(const void *memory)
{
	char *bytes;

	double_setup();
	pthread_mutex_lock(&double_state.lock);
	bytes = double_device_bytes(memory, 0);
	pthread_mutex_unlock(&double_state.lock);
	return bytes;
}

void cudart_double_live(struct cudart_double_live *live)
{
	double_setup();
	pthread_mutex_lock(&double_state.lock);
	*live = (struct cudart_double_live){
		.host_bytes = double_state.host_bytes,
		.registered_bytes = double_state.registered_bytes,
		.streams = double_state.nstreams,
		.events = double_state.nevents,
		.pools = double_state.npools,
	};
	for (unsigned i = 0; i < double_state.ndevices; i++) {
		live->device_bytes += double_state.devices[i].used;
		live->allocations += double_state.devices[i].nblocks;
	}
	pthread_mutex_unlock(&double_state.lock);
}
