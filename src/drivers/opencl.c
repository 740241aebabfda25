/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL driver, a plug-in: devices, their memory and launches, on OpenCL 1.2. No user events
 * (a device that runs commands in the thread that flushes them can deadlock with those), no wait for a
 * device but in launch, for a codelet that failed.
 */
#include "drivers/opencl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- devices --- */

static int opencl_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	cl_device_id ids[XY__OPENCL_DEVICES];

	return xy__opencl_select(config, ids, ndevices, error, error_size);
}

static int opencl_describe(struct xy_device *device, struct xy_device_info *info)
{
	cl_bool available = CL_FALSE;
	cl_ulong bytes = 0;
	char name[256] = "";
	cl_int code = clGetDeviceInfo(device->id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);

	*info = (struct xy_device_info){ .peers = 0 };
	if (code == CL_SUCCESS && !available)
		code = CL_DEVICE_NOT_AVAILABLE;
	if (code == CL_SUCCESS)
		code = clGetDeviceInfo(device->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	if (code != CL_SUCCESS)
		return xy__opencl_error(device, code, "clGetDeviceInfo");
	if (clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS)
		snprintf(name, sizeof name, "an OpenCL device");
	snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, name);
	device->memory_bytes = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
	info->memory_bytes = device->memory_bytes;
	return 0;
}

static void CL_CALLBACK opencl_note_thread(void *thread)
{
	**(pthread_t **)thread = pthread_self();
}

/* Finds out which thread runs what this one enqueues. Devices that are no CPUs can't run such commands. */
static int opencl_ask_inline(struct xy_device *device)
{
	pthread_t self = pthread_self(), seen, *seen_by = &seen;
	cl_device_exec_capabilities can = 0;
	cl_int code = clGetDeviceInfo(device->id, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL);

	if (code != CL_SUCCESS || !(can & CL_EXEC_NATIVE_KERNEL))
		return 0;
	code = clEnqueueNativeKernel(device->memory, opencl_note_thread, (void *)&seen_by, sizeof seen_by, 0, NULL,
				     NULL, 0, NULL, NULL);
	if (code != CL_SUCCESS)
		return 0;
	code = clFinish(device->memory);
	if (code == CL_SUCCESS)
		device->inline_commands = pthread_equal(self, seen);
	return xy__opencl_error(device, code, "clFinish");
}

static void opencl_turn_init(struct xy_device *device)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&device->turn, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

void xy__opencl_turn_begin(struct xy_device *device)
{
	if (device->inline_commands)
		pthread_mutex_lock(&device->turn);
}

bool xy__opencl_turn_try(struct xy_device *device)
{
	return !device->inline_commands || pthread_mutex_trylock(&device->turn) == 0;
}

void xy__opencl_turn_end(struct xy_device *device)
{
	if (device->inline_commands)
		pthread_mutex_unlock(&device->turn);
}

static int opencl_queue_create(struct xy_device *device, cl_command_queue_properties properties,
			       cl_command_queue *queue)
{
	cl_int code;

	*queue = clCreateCommandQueue(device->context, device->id, properties, &code);
	return xy__opencl_error(device, code, "clCreateCommandQueue");
}

/* The context and all queues; what was made before a failure is closed by the caller. */
static int opencl_set_up(struct xy_device *device)
{
	cl_int code;
	int status;

	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
	status = xy__opencl_error(device, code, "clCreateContext");
	if (!status)
		status = opencl_queue_create(device, 0, &device->in);
	if (!status)
		status = opencl_queue_create(device, 0, &device->out);
	if (!status)
		status = opencl_queue_create(device, 0, &device->memory);
	if (!status)
		status = opencl_ask_inline(device);
	for (unsigned i = 0; i < device->nqueues && !status; i++) {
		struct opencl_queue *queue = &device->queues[i];

		queue->device = device;
		queue->services = (struct xy_opencl_services){
			.context = device->context,
			.device = device->id,
			.kernel = xy__opencl_kernel,
			.check = xy__opencl_check,
		};
		status = opencl_queue_create(device, CL_QUEUE_PROFILING_ENABLE, &queue->services.queue);
	}
	return status;
}

static void opencl_close(struct xy_device *device)
{
	for (unsigned i = 0; i < device->nqueues; i++) {
		xy__opencl_kernels_release(&device->queues[i]);
		if (device->queues[i].services.queue)
			clReleaseCommandQueue(device->queues[i].services.queue);
	}
	xy__opencl_programs_release(device);
	if (device->allocation)
		clReleaseEvent(device->allocation);
	if (device->in)
		clReleaseCommandQueue(device->in);
	if (device->out)
		clReleaseCommandQueue(device->out);
	if (device->memory)
		clReleaseCommandQueue(device->memory);
	if (device->context)
		clReleaseContext(device->context);
	pthread_mutex_destroy(&device->lock);
	pthread_mutex_destroy(&device->turn);
	free(device);
}

static int opencl_open(struct xy_device **opened, const struct xy_driver_config *config, unsigned index,
		       struct xy_device_info *info, char *error, size_t error_size)
{
	unsigned n, nqueues = config->queues ? config->queues : 1;
	cl_device_id ids[XY__OPENCL_DEVICES];
	struct xy_device *device;
	int status = xy__opencl_select(config, ids, &n, error, error_size);

	*opened = NULL;
	if (status)
		return status;
	if (index >= n) {
		snprintf(error, error_size, "OpenCL device %u no longer exists", index);
		return -ENODEV;
	}
	device = calloc(1, sizeof *device + nqueues * sizeof device->queues[0]);
	if (!device) {
		snprintf(error, error_size, "no memory for an OpenCL device");
		return -ENOMEM;
	}
	device->id = ids[index];
	device->nqueues = nqueues;
	opencl_turn_init(device);
	pthread_mutex_init(&device->lock, NULL);
	status = opencl_describe(device, info);
	if (!status)
		status = opencl_set_up(device);
	if (status) {
		snprintf(error, error_size, "%s", xy__opencl_explain());
		opencl_close(device);
		return status;
	}
	*opened = device;
	return 0;
}

/* --- memory --- */

/* Takes bytes out of what the device has. Some implementations give more than that, and then swap. */
static bool opencl_reserve(struct xy_device *device, size_t bytes)
{
	size_t used = atomic_load(&device->used_bytes);

	do {
		if (bytes > device->memory_bytes - used)
			return false;
	} while (!atomic_compare_exchange_weak(&device->used_bytes, &used, used + bytes));
	return true;
}

/*
 * Makes the device allocate the memory now, as most implementations wait for the first use. This is a command too:
 * users of the memory must wait for it, which would be forever if it can't be flushed. If another thread has the turn,
 * the memory is allocated at first use.
 */
static cl_int opencl_settle(struct xy_device *device, cl_mem memory)
{
	cl_event event;
	cl_int code;

	if (!xy__opencl_turn_try(device))
		return CL_SUCCESS;
	pthread_mutex_lock(&device->lock);
	code = clEnqueueMigrateMemObjects(device->memory, 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
					  &event);
	if (code == CL_SUCCESS) {
		if (device->allocation)
			clReleaseEvent(device->allocation);
		device->allocation = event;
		if (clFlush(device->memory) != CL_SUCCESS)
			code = CL_DEVICE_NOT_AVAILABLE;
	}
	pthread_mutex_unlock(&device->lock);
	xy__opencl_turn_end(device);
	return code;
}

cl_int xy__opencl_settled(struct xy_device *device, cl_command_queue queue)
{
	cl_int status, code = CL_SUCCESS;

	pthread_mutex_lock(&device->lock);
	if (device->allocation) {
		code = clGetEventInfo(device->allocation, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
				      NULL);
		if (code == CL_SUCCESS && status > CL_COMPLETE) {
			code = clEnqueueBarrierWithWaitList(queue, 1, &device->allocation, NULL);
		} else {
			clReleaseEvent(device->allocation);
			device->allocation = NULL;
		}
	}
	pthread_mutex_unlock(&device->lock);
	return code;
}

static int opencl_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	cl_mem buffer;
	cl_int code;

	*memory = NULL;
	if (atomic_load(&device->lost))
		return xy__opencl_fail(-ENODEV, "the OpenCL device is lost");
	if (!opencl_reserve(device, bytes))
		return xy__opencl_fail(-ENOMEM, "no room for %zu bytes: %zu of %zu are used", bytes,
				       atomic_load(&device->used_bytes), device->memory_bytes);
	buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	if (code == CL_SUCCESS) {
		code = opencl_settle(device, buffer);
		if (code != CL_SUCCESS)
			clReleaseMemObject(buffer);
	}
	if (code != CL_SUCCESS) {
		atomic_fetch_sub(&device->used_bytes, bytes);
		return xy__opencl_error(device, code, "memory of an OpenCL device");
	}
	*memory = buffer;
	return 0;
}

static void opencl_free(struct xy_device *device, void *memory)
{
	size_t bytes = 0;

	if (clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
		atomic_fetch_sub(&device->used_bytes, bytes);
	clReleaseMemObject(memory);
}

/* Parts that overlap must not be written at the same time: those that are mixed would. */
static int opencl_part(struct xy_device *device, void *memory, size_t offset, size_t bytes, bool mixed, void **part)
{
	cl_buffer_region region = { .origin = offset, .size = bytes };
	cl_int code;

	(void)device;
	if (mixed)
		return -ENOTSUP;
	*part = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	if (code == CL_SUCCESS)
		return 0;
	*part = NULL;
	return code == CL_OUT_OF_HOST_MEMORY ? -ENOMEM : -ENOTSUP; /* it may begin at certain addresses only */
}

static void opencl_part_free(struct xy_device *device, void *part)
{
	(void)device;
	clReleaseMemObject(part);
}

/* --- launches --- */

static cl_int launch_mark(cl_command_queue commands, struct xy_event *event)
{
	cl_int code = clEnqueueMarkerWithWaitList(commands, 0, NULL, &event->events[event->n]);

	event->n += code == CL_SUCCESS;
	return code;
}

/* Runs the codelet, which enqueues, and marks the end of what it enqueued. To measure its time, marks the beginning. */
static int launch_enqueue(struct xy_device *device, cl_command_queue commands, xy_function *function,
			  struct xy_call *call, struct xy_event **event)
{
	cl_int code = xy__opencl_settled(device, commands);
	int status;

	if (code != CL_SUCCESS)
		return xy__opencl_error(device, code, "a launch");
	*event = xy__opencl_event(2);
	if (!*event)
		return xy__opencl_fail(-ENOMEM, "no memory for an event");
	if (call->device_us && launch_mark(commands, *event) == CL_SUCCESS)
		(*event)->us = call->device_us;
	status = function(call);
	if (!status)
		status = xy__opencl_error(device, launch_mark(commands, *event), "clEnqueueMarkerWithWaitList");
	if (status) {
		clFinish(commands);
		xy__opencl_event_free(*event);
		*event = NULL;
		return status;
	}
	return xy__opencl_begun(device, commands, event);
}

static int opencl_launch(struct xy_device *device, unsigned index, xy_function *function, struct xy_call *call,
			 struct xy_event **event)
{
	struct opencl_queue *queue = &device->queues[index];
	int status;

	*event = NULL;
	xy__opencl_forget();
	if (atomic_load(&device->lost))
		return xy__opencl_fail(-ENODEV, "the OpenCL device is lost");
	call->stream = queue->services.queue;
	call->services = &queue->services;
	xy__opencl_turn_begin(device);
	status = launch_enqueue(device, queue->services.queue, function, call, event);
	xy__opencl_turn_end(device);
	return status;
}

static bool opencl_is_lost(struct xy_device *device)
{
	return atomic_load(&device->lost);
}

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "opencl",
	.arch = XY_OPENCL,
	.probe = opencl_probe,
	.open = opencl_open,
	.close = opencl_close,
	.allocate = opencl_allocate,
	.free = opencl_free,
	.part = opencl_part,
	.part_free = opencl_part_free,
	.copy = xy__opencl_copy,
	.launch = opencl_launch,
	.poll = xy__opencl_poll,
	.explain = xy__opencl_explain,
	.details = xy__opencl_details,
	.is_lost = opencl_is_lost,
};
