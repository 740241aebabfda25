/* SPDX-License-Identifier: MIT */
/*
 * Events of the GPU driver: created when none is idle, reused, destroyed with the device. An operation
 * that is reported as failed has ended.
 */
#include "drivers/gpu.h"

#include <errno.h>
#include <stdlib.h>

static struct xy_event *event_idle(struct xy_device *device)
{
	struct xy_event *event;

	pthread_mutex_lock(&device->lock);
	event = device->idle;
	if (event)
		device->idle = event->next;
	pthread_mutex_unlock(&device->lock);
	return event;
}

static int event_make(struct xy_device *device, struct xy_event **event)
{
	struct xy_event *made = calloc(1, sizeof *made);
	int status;

	if (!made)
		return xy__gpu_fail(-ENOMEM, "no memory for an event");
	status = xy__gpu_error(device, device->api->cudaEventCreateWithFlags(&made->event, cudaEventDisableTiming),
			       "EventCreate");
	if (status) {
		free(made);
		return status;
	}
	pthread_mutex_lock(&device->lock);
	made->next_made = device->events;
	device->events = made;
	pthread_mutex_unlock(&device->lock);
	*event = made;
	return 0;
}

int xy__gpu_event_take(struct xy_device *device, struct CUstream_st *stream, struct xy_event **event)
{
	int status = 0;

	*event = event_idle(device);
	if (!*event)
		status = event_make(device, event);
	if (!status) {
		(*event)->stream = stream;
		(*event)->status = 0;
		(*event)->staged = NULL;
		(*event)->us = NULL;
	}
	return status;
}

void xy__gpu_event_give(struct xy_device *device, struct xy_event *event)
{
	pthread_mutex_lock(&device->lock);
	event->next = device->idle;
	device->idle = event;
	pthread_mutex_unlock(&device->lock);
}

static enum cudaError event_timed(struct xy_device *device, struct CUevent_st **event)
{
	return *event ? cudaSuccess : device->api->cudaEventCreateWithFlags(event, cudaEventDefault);
}

void xy__gpu_event_time(struct xy_device *device, struct xy_event *event, double *us)
{
	enum cudaError code;

	if (!device->api->cudaEventElapsedTime)
		return;
	code = event_timed(device, &event->from);
	if (code == cudaSuccess)
		code = event_timed(device, &event->to);
	if (code == cudaSuccess)
		code = device->api->cudaEventRecord(event->from, event->stream);
	if (xy__gpu_error(device, code, "EventRecord") == 0)
		event->us = us;
}

/* The one at the end of the work. */
static struct CUevent_st *event_last(const struct xy_event *event)
{
	return event->us ? event->to : event->event;
}

static void event_tell(struct xy_device *device, const struct xy_event *event)
{
	float ms;

	if (!event->us)
		return;
	if (device->api->cudaEventElapsedTime(&ms, event->from, event->to) == cudaSuccess)
		*event->us = (double)ms * 1e3;
	else
		device->api->cudaGetLastError();
}

void xy__gpu_events_destroy(struct xy_device *device)
{
	while (device->events) {
		struct xy_event *event = device->events;

		device->events = event->next_made;
		device->api->cudaEventDestroy(event->event);
		if (event->from)
			device->api->cudaEventDestroy(event->from);
		if (event->to)
			device->api->cudaEventDestroy(event->to);
		free(event);
	}
}

/* Without an event, waiting is the only way to know when the work has ended. */
int xy__gpu_event_record(struct xy_device *device, struct xy_event **event)
{
	int status = xy__gpu_error(device, device->api->cudaEventRecord(event_last(*event), (*event)->stream),
				   "EventRecord");

	if (!status)
		return 0;
	if (status != -ENODEV)
		device->api->cudaStreamSynchronize((*event)->stream);
	xy__gpu_event_give(device, *event);
	*event = NULL;
	return status;
}

static int event_poll(struct xy_device *device, struct xy_event *event)
{
	enum cudaError code;
	int status;

	if (event->staged)
		return xy__gpu_stage_poll(device, event);
	if (atomic_load(&device->lost)) {
		xy__gpu_event_give(device, event);
		return xy__gpu_is_lost(device);
	}
	code = device->api->cudaEventQuery(event_last(event));
	if (code == cudaErrorNotReady) {
		device->api->cudaGetLastError(); /* the query leaves it pending in the thread */
		return -EAGAIN;
	}
	status = xy__gpu_error(device, code, "what was begun");
	if (status && status != -ENODEV)
		device->api->cudaStreamSynchronize(event->stream);
	if (!status)
		event_tell(device, event);
	if (!status && event->status) {
		status = event->status;
		xy__gpu_note(device, event->code, event->what);
	}
	xy__gpu_event_give(device, event);
	return status;
}

int xy__gpu_poll(struct xy_device *device, struct xy_event *event)
{
	struct xy__gpu_caller caller;
	int status;

	xy__gpu_relax(device, &caller);
	status = event_poll(device, event);
	xy__gpu_unrelax(device, &caller);
	return status;
}
