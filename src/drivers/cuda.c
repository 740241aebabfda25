/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver, a plug-in: devices, their memory and launches, through the runtime API that is looked
 * up at run time. Streams of launches are ordered with CUDA's default stream, so that codelets that use it
 * are right too; those of copies are not, so that copies overlap with everything.
 */
#include "drivers/cuda.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- devices --- */

static int cuda_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	int ordinals[XY__CUDA_DEVICES];

	return xy__cuda_select(config->devices, ordinals, ndevices, error, error_size);
}

/* The struct grows with each version; its first field is the name in all of them. */
static void cuda_name(struct xy_device *device, char *name, size_t size)
{
	union {
		char name[256];
		char any_version[8192];
		size_t aligned;
	} properties;

	memset(&properties, 0, sizeof properties);
	if (device->api->cudaGetDeviceProperties((struct cudaDeviceProp *)&properties, device->ordinal)) {
		device->api->cudaGetLastError();
		snprintf(properties.name, sizeof properties.name, "a CUDA device");
	}
	snprintf(name, size, "%.*s", (int)size - 1, properties.name);
}

/* A part of the free memory is left for what kernels and libraries allocate themselves. */
static int cuda_describe(struct xy_device *device, struct xy_device_info *info)
{
	size_t free_bytes, total_bytes;
	int pitch, status;

	*info = (struct xy_device_info){ .speed = 0 };
	status = xy__cuda_error(device, device->api->cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
	if (!status)
		status = xy__cuda_error(device, device->api->cudaDeviceGetAttribute(&pitch, cudaDevAttrMaxPitch,
										    device->ordinal),
					"cudaDeviceGetAttribute");
	if (status)
		return status;
	device->most_pitch = pitch > 0 ? (size_t)pitch : 0;
	info->memory_bytes = free_bytes - free_bytes / 16;
	cuda_name(device, info->name, sizeof info->name);
	return 0;
}

/* Whether copies from the other device come directly. Without that all goes through RAM: no error. */
static bool cuda_is_peer(struct xy_device *device, int other)
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
	xy__cuda_error(device, code, "cudaDeviceEnablePeerAccess");
	return code == cudaSuccess && can;
}

static int cuda_stream(struct xy_device *device, unsigned flags, struct CUstream_st **stream)
{
	return xy__cuda_error(device, device->api->cudaStreamCreateWithFlags(stream, flags), "cudaStreamCreate");
}

/* All streams; what was made before a failure is closed by the caller. */
static int cuda_set_up(struct xy_device *device)
{
	int status = 0;

	for (unsigned i = 0; i < XY__CUDA_KINDS && !status; i++)
		status = cuda_stream(device, cudaStreamNonBlocking, &device->copies[i]);
	for (unsigned i = 0; i < device->nqueues && !status; i++) {
		struct cuda_queue *queue = &device->queues[i];

		queue->device = device;
		queue->services.device = device->ordinal;
		queue->services.check = xy__cuda_check;
		status = cuda_stream(device, cudaStreamDefault, &queue->stream);
	}
	return status;
}

static void cuda_close(struct xy_device *device)
{
	device->api->cudaSetDevice(device->ordinal);
	xy__cuda_events_destroy(device);
	for (unsigned i = 0; i < device->nqueues; i++)
		if (device->queues[i].stream)
			device->api->cudaStreamDestroy(device->queues[i].stream);
	for (unsigned i = 0; i < XY__CUDA_KINDS; i++)
		if (device->copies[i])
			device->api->cudaStreamDestroy(device->copies[i]);
	device->api->cudaGetLastError();
	pthread_mutex_destroy(&device->lock);
	free(device);
}

static struct xy_device *cuda_new(int ordinal, unsigned nqueues)
{
	struct xy_device *device = calloc(1, sizeof *device + nqueues * sizeof device->queues[0]);
	const char *why;
	int status;

	if (!device)
		return NULL;
	device->api = xy__cuda_api(&status, &why);
	device->ordinal = ordinal;
	device->nqueues = nqueues;
	pthread_mutex_init(&device->lock, NULL);
	return device;
}

static int cuda_open(struct xy_device **opened, const struct xy_driver_config *config, unsigned index,
		     struct xy_device_info *info, char *error, size_t error_size)
{
	int ordinals[XY__CUDA_DEVICES];
	struct xy_device *device;
	unsigned n;
	int status = xy__cuda_select(config->devices, ordinals, &n, error, error_size);

	*opened = NULL;
	if (status)
		return status;
	if (index >= n) {
		snprintf(error, error_size, "there is no CUDA device %u any more", index);
		return -ENODEV;
	}
	device = cuda_new(ordinals[index], config->queues ? config->queues : 1);
	if (!device) {
		snprintf(error, error_size, "no memory for a CUDA device");
		return -ENOMEM;
	}
	status = xy__cuda_begin(device);
	if (!status)
		status = cuda_describe(device, info);
	if (!status)
		status = cuda_set_up(device);
	for (unsigned i = 0; i < n && !status; i++)
		if (cuda_is_peer(device, ordinals[i]))
			info->peers |= (uint64_t)1 << i;
	if (!status && atomic_load(&device->lost))
		status = -ENODEV;
	if (status) {
		snprintf(error, error_size, "%s", xy__cuda_explain());
		cuda_close(device);
		return status;
	}
	*opened = device;
	return 0;
}

/* --- memory --- */

static int cuda_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	int status = xy__cuda_begin(device);

	*memory = NULL;
	return status ? status : xy__cuda_error(device, device->api->cudaMalloc(memory, bytes), "cudaMalloc");
}

/* An error is that of something else, and will be seen there: the memory is free. */
static void cuda_free(struct xy_device *device, void *memory)
{
	xy__cuda_error(device, device->api->cudaFree(memory), "cudaFree");
}

static void *cuda_host_allocate(struct xy_device *device, size_t bytes)
{
	void *memory = NULL;

	if (xy__cuda_begin(device) ||
	    xy__cuda_error(device, device->api->cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "cudaHostAlloc"))
		return NULL;
	return memory;
}

static void cuda_host_free(struct xy_device *device, void *memory)
{
	xy__cuda_error(device, device->api->cudaFreeHost(memory), "cudaFreeHost");
}

/* What CUDA can't tell is not refused. */
static bool cuda_owns(struct xy_device *device, const void *memory)
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
	return answer.attributes.type == cudaMemoryTypeDevice;
}

static int cuda_host_pin(struct xy_device *device, void *memory, size_t bytes)
{
	int status = xy__cuda_begin(device);

	return status ? status
		      : xy__cuda_error(device, device->api->cudaHostRegister(memory, bytes, cudaHostRegisterPortable),
				       "cudaHostRegister");
}

static void cuda_host_unpin(struct xy_device *device, void *memory)
{
	xy__cuda_error(device, device->api->cudaHostUnregister(memory), "cudaHostUnregister");
}

/* --- launches --- */

/* Calls the function; errors that it left to CUDA count as its own. */
static int cuda_call(struct xy_device *device, struct cuda_queue *queue, xy_function *function, struct xy_call *call)
{
	enum cudaError left;
	int status;

	call->stream = queue->stream;
	call->services = &queue->services;
	device->api->cudaGetLastError();
	xy__cuda_forget();
	status = function(call);
	left = device->api->cudaGetLastError();
	if (!status && left != cudaErrorNotReady)
		status = xy__cuda_error(device, left, "a codelet");
	return status;
}

/* What the function began has ended when its error is returned. -ENODEV is the device's alone. */
static int cuda_fail(struct xy_device *device, struct cuda_queue *queue, int status)
{
	enum cudaError code = cudaSuccess;

	if (!atomic_load(&device->lost))
		code = device->api->cudaStreamSynchronize(queue->stream);
	if (code)
		xy__cuda_error(device, code, "cudaStreamSynchronize");
	if (atomic_load(&device->lost))
		return -ENODEV;
	return status == -ENODEV ? -EIO : status;
}

static int cuda_launch(struct xy_device *device, unsigned index, xy_function *function, struct xy_call *call,
		       struct xy_event **event)
{
	struct cuda_queue *queue = &device->queues[index];
	int status = xy__cuda_begin(device);

	*event = NULL;
	if (!status)
		status = xy__cuda_event_take(device, queue->stream, event);
	if (status)
		return status;
	status = cuda_call(device, queue, function, call);
	if (!status)
		return xy__cuda_event_record(device, event);
	xy__cuda_event_give(device, *event);
	*event = NULL;
	return cuda_fail(device, queue, status);
}

static bool cuda_is_lost(struct xy_device *device)
{
	return atomic_load(&device->lost);
}

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "cuda",
	.arch = XY_CUDA,
	.probe = cuda_probe,
	.open = cuda_open,
	.close = cuda_close,
	.allocate = cuda_allocate,
	.free = cuda_free,
	.host_allocate = cuda_host_allocate,
	.host_free = cuda_host_free,
	.owns = cuda_owns,
	.host_pin = cuda_host_pin,
	.host_unpin = cuda_host_unpin,
	.copy = xy__cuda_copy,
	.launch = cuda_launch,
	.poll = xy__cuda_poll,
	.explain = xy__cuda_explain,
	.is_lost = cuda_is_lost,
};
