/* SPDX-License-Identifier: MIT */
/*
 * Devices of the GPU driver, their memory and launches, through the functions that are looked up at run time.
 * Launch streams synchronize with the default stream, so that codelets may use it too; copy streams don't, so that
 * copies overlap with everything.
 */
#include "drivers/gpu.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- devices --- */

int xy__gpu_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	int ordinals[XY__GPU_DEVICES];

	return xy__gpu_select(config->devices, ordinals, ndevices, error, error_size);
}

/* The struct grows with each version; its first field is the name in all of them. */
static void gpu_name(struct xy_device *device, char *name, size_t size)
{
	union {
		char name[256];
		char any_version[8192];
		size_t aligned;
	} properties;

	memset(&properties, 0, sizeof properties);
	if (device->api->cudaGetDeviceProperties((struct cudaDeviceProp *)&properties, device->ordinal)) {
		device->api->cudaGetLastError();
		snprintf(properties.name, sizeof properties.name, "a %s device", xy__gpu_dialect.title);
	}
	snprintf(name, size, "%.*s", (int)size - 1, properties.name);
}

/* Where it is, for /sys. */
static void gpu_address(struct xy_device *device, char *pci, size_t size)
{
	const struct xy__gpu_api *api = device->api;

	if (!api->cudaDeviceGetPCIBusId || api->cudaDeviceGetPCIBusId(pci, (int)size, device->ordinal)) {
		api->cudaGetLastError();
		pci[0] = '\0';
	}
	for (; *pci; pci++)
		*pci = (char)tolower((unsigned char)*pci);
}

/* A part of the free memory is left for what kernels and libraries allocate themselves. */
static int gpu_describe(struct xy_device *device, struct xy_device_info *info)
{
	size_t free_bytes, total_bytes;
	int pitch, status;

	*info = (struct xy_device_info){ .speed = 0 };
	status = xy__gpu_error(device, device->api->cudaMemGetInfo(&free_bytes, &total_bytes), "MemGetInfo");
	if (!status)
		status = xy__gpu_error(
			device, device->api->cudaDeviceGetAttribute(&pitch, xy__gpu_dialect.max_pitch, device->ordinal),
			"DeviceGetAttribute");
	if (status)
		return status;
	device->most_pitch = pitch > 0 ? (size_t)pitch : 0;
	info->memory_bytes = free_bytes - free_bytes / 16;
	gpu_name(device, info->name, sizeof info->name);
	gpu_address(device, info->pci, sizeof info->pci);
	return 0;
}

/* Whether copies from the other device are direct. If not, they go through RAM, which is not an error. */
static bool gpu_is_peer(struct xy_device *device, int other)
{
	enum cudaError code;
	int can = 0;

	if (other == device->ordinal)
		return false;
	code = device->api->cudaDeviceCanAccessPeer(&can, device->ordinal, other);
	if (code == cudaSuccess && can) {
		code = device->api->cudaDeviceEnablePeerAccess(other, 0);
		if (code == cudaErrorPeerAccessAlreadyEnabled) {
			device->api->cudaGetLastError();
			return true;
		}
	}
	xy__gpu_error(device, code, "DeviceEnablePeerAccess");
	return code == cudaSuccess && can;
}

static int gpu_stream(struct xy_device *device, unsigned flags, struct CUstream_st **stream)
{
	return xy__gpu_error(device, device->api->cudaStreamCreateWithFlags(stream, flags), "StreamCreate");
}

/* Creates all streams. After a failure the caller destroys those that exist. */
static int gpu_set_up(struct xy_device *device)
{
	int status = 0;

	for (unsigned i = 0; i < XY__GPU_KINDS && !status; i++)
		status = gpu_stream(device, cudaStreamNonBlocking, &device->copies[i]);
	for (unsigned i = 0; i < device->nqueues && !status; i++) {
		struct gpu_queue *queue = &device->queues[i];

		queue->device = device;
		queue->services.device = device->ordinal;
		queue->services.check = xy__gpu_check;
		queue->services.library = xy__gpu_library;
		status = gpu_stream(device, cudaStreamDefault, &queue->stream);
	}
	return status;
}

void xy__gpu_close(struct xy_device *device)
{
	struct xy__gpu_caller caller;

	xy__gpu_begin(device, &caller);
	xy__gpu_events_destroy(device);
	xy__gpu_stages_destroy(device);
	for (unsigned i = 0; i < device->nqueues; i++) {
		xy__gpu_libraries_destroy(&device->queues[i]);
		if (device->queues[i].stream)
			device->api->cudaStreamDestroy(device->queues[i].stream);
	}
	for (unsigned i = 0; i < XY__GPU_KINDS; i++) {
		if (device->copies[i])
			device->api->cudaStreamDestroy(device->copies[i]);
		device->copies[i] = NULL; /* an error of the next call makes xy__gpu_is_broken ask the default stream */
	}
	xy__gpu_pool_close(device);
	device->api->cudaGetLastError();
	xy__gpu_end(device, &caller);
	pthread_mutex_destroy(&device->lock);
	free(device);
}

static struct xy_device *gpu_new(int ordinal, unsigned nqueues)
{
	struct xy_device *device = calloc(1, sizeof *device + nqueues * sizeof device->queues[0]);
	const char *why;
	int status;

	if (!device)
		return NULL;
	device->api = xy__gpu_api(&status, &why);
	device->ordinal = ordinal;
	device->nqueues = nqueues;
	pthread_mutex_init(&device->lock, NULL);
	for (unsigned i = 0; i < GPU_STAGES; i++)
		pthread_mutex_init(&device->stages[i].lock, NULL);
	return device;
}

/* All that open does with the device itself. */
static int gpu_start(struct xy_device *device, struct xy_device_info *info, const int *ordinals, unsigned n)
{
	struct xy__gpu_caller caller;
	int status = xy__gpu_begin(device, &caller);

	if (!status)
		status = gpu_describe(device, info);
	if (!status)
		status = gpu_set_up(device);
	for (unsigned i = 0; i < n && !status; i++)
		if (gpu_is_peer(device, ordinals[i]))
			info->peers |= (uint64_t)1 << i;
	if (!status)
		xy__gpu_pool_open(device, ordinals, n);
	if (!status && atomic_load(&device->lost))
		status = -ENODEV;
	xy__gpu_end(device, &caller);
	return status;
}

int xy__gpu_open(struct xy_device **opened, const struct xy_driver_config *config, unsigned index,
		 struct xy_device_info *info, char *error, size_t error_size)
{
	int ordinals[XY__GPU_DEVICES];
	struct xy_device *device;
	unsigned n;
	int status = xy__gpu_select(config->devices, ordinals, &n, error, error_size);

	*opened = NULL;
	if (status)
		return status;
	if (index >= n) {
		snprintf(error, error_size, "there is no %s device %u any more", xy__gpu_dialect.title, index);
		return -ENODEV;
	}
	device = gpu_new(ordinals[index], config->queues ? config->queues : 1);
	if (!device) {
		snprintf(error, error_size, "no memory for a %s device", xy__gpu_dialect.title);
		return -ENOMEM;
	}
	status = gpu_start(device, info, ordinals, n);
	if (status) {
		snprintf(error, error_size, "%s", xy__gpu_explain());
		xy__gpu_close(device);
		return status;
	}
	*opened = device;
	return 0;
}

/* --- memory --- */

int xy__gpu_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	const char *what = "Malloc";
	struct xy__gpu_caller caller;
	int status = xy__gpu_begin(device, &caller);

	*memory = NULL;
	if (!status) {
		enum cudaError code = xy__gpu_pool_allocate(device, bytes, memory, &what);

		status = xy__gpu_error(device, code, what);
	}
	xy__gpu_end(device, &caller);
	return status;
}

void xy__gpu_free(struct xy_device *device, void *memory)
{
	struct xy__gpu_caller caller;

	xy__gpu_begin(device, &caller);
	xy__gpu_pool_free(device, memory);
	xy__gpu_end(device, &caller);
}

int xy__gpu_part(struct xy_device *device, void *memory, size_t offset, size_t bytes, bool mixed, void **part)
{
	(void)device;
	(void)bytes;
	(void)mixed;
	*part = (char *)memory + offset;
	return 0;
}

void *xy__gpu_host_allocate(struct xy_device *device, size_t bytes)
{
	void *memory = NULL;
	struct xy__gpu_caller caller;
	int status = xy__gpu_begin(device, &caller);

	if (!status)
		status = xy__gpu_error(device, device->api->cudaHostAlloc(&memory, bytes, cudaHostAllocPortable),
				       "allocating pinned memory");
	xy__gpu_end(device, &caller);
	return status ? NULL : memory;
}

void xy__gpu_host_free(struct xy_device *device, void *memory)
{
	struct xy__gpu_caller caller;

	xy__gpu_relax(device, &caller);
	xy__gpu_error(device, device->api->cudaFreeHost(memory), "freeing pinned memory");
	xy__gpu_unrelax(device, &caller);
}

/* False if the library can't tell. */
bool xy__gpu_owns(struct xy_device *device, const void *memory)
{
	union {
		struct cudaPointerAttributes attributes;
		char any_version[256];
	} answer;

	memset(&answer, 0, sizeof answer);
	if (atomic_load(&device->lost))
		return false;
	if (device->api->cudaPointerGetAttributes(&answer.attributes, memory)) {
		device->api->cudaGetLastError();
		return false;
	}
	return (int)answer.attributes.type == device->api->device_memory;
}

int xy__gpu_host_pin(struct xy_device *device, void *memory, size_t bytes)
{
	struct xy__gpu_caller caller;
	int status = xy__gpu_begin(device, &caller);

	if (!status)
		status = xy__gpu_error(device, device->api->cudaHostRegister(memory, bytes, cudaHostRegisterPortable),
				       "HostRegister");
	xy__gpu_end(device, &caller);
	return status;
}

int xy__gpu_host_unpin(struct xy_device *device, void *memory)
{
	struct xy__gpu_caller caller;
	int status;

	xy__gpu_relax(device, &caller);
	status = xy__gpu_error(device, device->api->cudaHostUnregister(memory), "HostUnregister");
	xy__gpu_unrelax(device, &caller);
	return status;
}

/* --- launches --- */

/* Calls the function. An error that it left pending in the library counts as its result. */
static int gpu_call(struct xy_device *device, struct gpu_queue *queue, xy_function *function, struct xy_call *call)
{
	enum cudaError left;
	int status;

	call->stream = queue->stream;
	call->services = &queue->services;
	device->api->cudaGetLastError();
	xy__gpu_forget();
	status = function(call);
	left = device->api->cudaGetLastError();
	if (!status && left != cudaErrorNotReady)
		status = xy__gpu_error(device, left, "a codelet");
	return status;
}

/* Waits for the launched work before returning the error. -ENODEV is only for a lost device. */
static int gpu_fail(struct xy_device *device, struct gpu_queue *queue, int status)
{
	enum cudaError code = cudaSuccess;

	if (!atomic_load(&device->lost))
		code = device->api->cudaStreamSynchronize(queue->stream);
	if (code)
		xy__gpu_error(device, code, "StreamSynchronize");
	if (atomic_load(&device->lost))
		return -ENODEV;
	return status == -ENODEV ? -EIO : status;
}

static int gpu_launch(struct xy_device *device, struct gpu_queue *queue, xy_function *function, struct xy_call *call,
		      struct xy_event **event)
{
	int status = xy__gpu_event_take(device, queue->stream, event);

	if (status)
		return status;
	if (call->device_us)
		xy__gpu_event_time(device, *event, call->device_us);
	status = gpu_call(device, queue, function, call);
	if (!status)
		return xy__gpu_event_record(device, event);
	xy__gpu_event_give(device, *event);
	*event = NULL;
	return gpu_fail(device, queue, status);
}

int xy__gpu_launch(struct xy_device *device, unsigned index, xy_function *function, struct xy_call *call,
		   struct xy_event **event)
{
	struct xy__gpu_caller caller;
	int status = xy__gpu_begin(device, &caller);

	*event = NULL;
	if (!status)
		status = gpu_launch(device, &device->queues[index], function, call, event);
	xy__gpu_end(device, &caller);
	return status;
}

bool xy__gpu_driver_is_lost(struct xy_device *device)
{
	return atomic_load(&device->lost);
}
