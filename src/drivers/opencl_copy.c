/* SPDX-License-Identifier: MIT */
/*
 * Copies of the OpenCL driver, and its events. Each direction has one in-order queue, so that copies complete in the
 * order in which they were started.
 */
#include "drivers/copy.h"
#include "drivers/opencl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A copy as commands see it: the place in RAM and the one in the buffer. */
struct copy_sides {
	cl_command_queue queue;
	bool in; /* to the device */
};

/* Copies that wait for a turn. */
struct opencl_later {
	struct copy_sides sides;
	struct xy_event *begun; /* their event, or NULL */
	unsigned n;
	struct xy_copy copies[];
};

static int later_poll(struct xy_device *device, struct xy_event *event);

/* --- events --- */

struct xy_event *xy__opencl_event(unsigned room)
{
	struct xy_event *event = malloc(sizeof *event + room * sizeof event->events[0]);

	if (event)
		*event = (struct xy_event){ .code = CL_SUCCESS, .room = room };
	return event;
}

/* Room for one command more. */
static bool event_grow(struct xy_event **event)
{
	struct xy_event *larger = *event;
	unsigned room = larger->room * 2 + 1;

	if (larger->n < larger->room)
		return true;
	larger = realloc(larger, sizeof *larger + room * sizeof larger->events[0]);
	if (!larger)
		return false;
	larger->room = room;
	*event = larger;
	return true;
}

void xy__opencl_event_free(struct xy_event *event)
{
	for (unsigned i = 0; i < event->n; i++)
		clReleaseEvent(event->events[i]);
	free(event->later);
	free(event);
}

/* The status of a command: positive while pending, negative if it failed. */
static cl_int event_status(cl_event event)
{
	cl_int status, code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);

	return code == CL_SUCCESS ? status : code;
}

/* Both are markers. A device may not be able to tell. */
static void event_tell(const struct xy_event *event)
{
	cl_ulong from, to;

	if (clGetEventProfilingInfo(event->events[0], CL_PROFILING_COMMAND_END, sizeof from, &from, NULL) ==
		    CL_SUCCESS &&
	    clGetEventProfilingInfo(event->events[event->n - 1], CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) ==
		    CL_SUCCESS &&
	    from && to >= from)
		*event->us = (double)(to - from) / 1e3;
}

int xy__opencl_begun(struct xy_device *device, cl_command_queue queue, struct xy_event **event)
{
	cl_int code = clFlush(queue);

	if (code == CL_SUCCESS)
		return 0;
	xy__opencl_event_free(*event);
	*event = NULL;
	atomic_store(&device->lost, true);
	xy__opencl_error(device, code, "clFlush");
	return -ENODEV;
}

/* When the newest command has ended all have; a failure may be that of any of them. */
int xy__opencl_poll(struct xy_device *device, struct xy_event *event)
{
	cl_int code = event->code;
	bool lost = atomic_load(&device->lost);

	if (event->later)
		return later_poll(device, event);
	if (!lost && event->n && event_status(event->events[event->n - 1]) > CL_COMPLETE)
		return -EAGAIN;
	for (unsigned i = 0; code == CL_SUCCESS && i < event->n; i++) {
		cl_int status = event_status(event->events[i]);

		if (status < CL_COMPLETE)
			code = status;
	}
	if (event->us && !lost && code == CL_SUCCESS)
		event_tell(event);
	xy__opencl_event_free(event);
	if (lost)
		return xy__opencl_fail(-ENODEV, "the OpenCL device is lost");
	return xy__opencl_error(device, code, "what an OpenCL device was doing");
}

/* --- copies --- */

/* Bytes without gaps. */
static cl_int copy_linear(const struct copy_sides *sides, const struct xy_copy *copy, cl_event *event)
{
	const struct xy_place *ram = sides->in ? &copy->from : &copy->to;
	const struct xy_place *buffer = sides->in ? &copy->to : &copy->from;
	char *address = (char *)ram->memory + ram->offset;

	if (sides->in)
		return clEnqueueWriteBuffer(sides->queue, buffer->memory, CL_FALSE, buffer->offset, copy->row_bytes,
					    address, 0, NULL, event);
	return clEnqueueReadBuffer(sides->queue, buffer->memory, CL_FALSE, buffer->offset, copy->row_bytes, address, 0,
				   NULL, event);
}

/* Rows and planes at once. */
static cl_int copy_box(const struct copy_sides *sides, const struct xy_copy *copy, cl_event *event)
{
	const struct xy_place *ram = sides->in ? &copy->from : &copy->to;
	const struct xy_place *buffer = sides->in ? &copy->to : &copy->from;
	size_t ram_row = sides->in ? copy->from_row : copy->to_row;
	size_t ram_plane = sides->in ? copy->from_plane : copy->to_plane;
	size_t buffer_row = sides->in ? copy->to_row : copy->from_row;
	size_t buffer_plane = sides->in ? copy->to_plane : copy->from_plane;
	const size_t begin[3] = { buffer->offset, 0, 0 }, zero[3] = { 0, 0, 0 };
	const size_t region[3] = { copy->row_bytes, copy->nrows, copy->nplanes };
	char *address = (char *)ram->memory + ram->offset;

	if (copy->nplanes == 1)
		ram_plane = buffer_plane = 0;
	if (sides->in)
		return clEnqueueWriteBufferRect(sides->queue, buffer->memory, CL_FALSE, begin, zero, region, buffer_row,
						buffer_plane, ram_row, ram_plane, address, 0, NULL, event);
	return clEnqueueReadBufferRect(sides->queue, buffer->memory, CL_FALSE, begin, zero, region, buffer_row,
				       buffer_plane, ram_row, ram_plane, address, 0, NULL, event);
}

/* One command. */
static cl_int copy_enqueue(const struct copy_sides *sides, const struct xy_copy *copy, struct xy_event **event)
{
	cl_event *slot;
	cl_int code;

	if (!event_grow(event))
		return CL_OUT_OF_HOST_MEMORY;
	slot = &(*event)->events[(*event)->n];
	code = xy__copy_is_linear(copy) ? copy_linear(sides, copy, slot) : copy_box(sides, copy, slot);
	(*event)->n += code == CL_SUCCESS;
	return code;
}

/* One command if OpenCL has one that does it, else one for each plane or even for each row. */
static cl_int copy_begin(const struct copy_sides *sides, struct xy_copy copy, struct xy_event **event)
{
	struct xy_copy part;
	bool planes;
	cl_int code = CL_SUCCESS;

	xy__copy_simplify(&copy);
	if (xy__copy_is_linear(&copy) || (xy__copy_is_box(&copy, copy.to_row, copy.to_plane) &&
					  xy__copy_is_box(&copy, copy.from_row, copy.from_plane)))
		return copy_enqueue(sides, &copy, event);
	planes = copy.nplanes > 1;
	part = copy;
	if (planes)
		part.nplanes = 1;
	else
		part.nrows = 1;
	for (size_t i = 0; i < (planes ? copy.nplanes : copy.nrows) && code == CL_SUCCESS; i++) {
		code = copy_begin(sides, part, event);
		part.to.offset += planes ? copy.to_plane : copy.to_row;
		part.from.offset += planes ? copy.from_plane : copy.from_row;
	}
	return code;
}

/* Once a command has started, a failure waits in the event until all started ones no longer use the caller's memory. */
static int copies_begin(struct xy_device *device, const struct copy_sides *sides, const struct xy_copy *copies,
			unsigned n, struct xy_event **event)
{
	cl_int code = sides->in ? xy__opencl_settled(device, sides->queue) : CL_SUCCESS;

	for (unsigned i = 0; i < n && code == CL_SUCCESS; i++)
		code = copy_begin(sides, copies[i], event);
	if (code != CL_SUCCESS && !(*event)->n) {
		xy__opencl_event_free(*event);
		*event = NULL;
		return xy__opencl_error(device, code, "a copy");
	}
	(*event)->code = code;
	return xy__opencl_begun(device, sides->queue, event);
}

/* It is this thread's turn. */
static int copies_now(struct xy_device *device, const struct copy_sides *sides, const struct xy_copy *copies,
		      unsigned n, struct xy_event **event)
{
	int status;

	*event = xy__opencl_event(n);
	status = *event ? copies_begin(device, sides, copies, n, event)
			: xy__opencl_fail(-ENOMEM, "no memory for an event");
	xy__opencl_turn_end(device);
	return status;
}

/* It is not, or others of the kind wait already. */
static int copies_later(struct xy_device *device, const struct copy_sides *sides, const struct xy_copy *copies,
			unsigned n, struct xy_event **event)
{
	struct opencl_later *later = malloc(sizeof *later + n * sizeof later->copies[0]);

	*event = later ? xy__opencl_event(0) : NULL;
	if (!*event) {
		free(later);
		return xy__opencl_fail(-ENOMEM, "no memory for an event");
	}
	*later = (struct opencl_later){ .sides = *sides, .n = n };
	memcpy(later->copies, copies, n * sizeof later->copies[0]);
	(*event)->later = later;
	atomic_fetch_add(&device->waiting[sides->in], 1);
	return 0;
}

/* Begins them when it can, and looks after them then. */
static int later_poll(struct xy_device *device, struct xy_event *event)
{
	struct opencl_later *later = event->later;
	int status = 0;

	if (!later->begun) {
		if (atomic_load(&device->lost))
			status = xy__opencl_fail(-ENODEV, "the OpenCL device is lost");
		else if (!xy__opencl_turn_try(device))
			return -EAGAIN;
		else
			status = copies_now(device, &later->sides, later->copies, later->n, &later->begun);
		atomic_fetch_sub(&device->waiting[later->sides.in], 1);
	}
	if (!status)
		status = xy__opencl_poll(device, later->begun);
	if (status != -EAGAIN)
		xy__opencl_event_free(event);
	return status;
}

int xy__opencl_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		    const struct xy_copy *copies, unsigned n, struct xy_event **event)
{
	struct copy_sides sides = { .queue = kind == XY_COPY_IN ? device->in : device->out, .in = kind == XY_COPY_IN };

	(void)peer;
	*event = NULL;
	if (atomic_load(&device->lost))
		return xy__opencl_fail(-ENODEV, "the OpenCL device is lost");
	if (kind == XY_COPY_PEER)
		return xy__opencl_fail(-ENOTSUP, "OpenCL devices have no direct copies");
	if (atomic_load(&device->waiting[sides.in]) || !xy__opencl_turn_try(device))
		return copies_later(device, &sides, copies, n, event);
	return copies_now(device, &sides, copies, n, event);
}
