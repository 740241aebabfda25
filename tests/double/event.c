/* SPDX-License-Identifier: MIT */
/* Events: each record puts a new marker into a stream; an event is what its last record is. */
#include <stdlib.h>

#include "internal.h"

static enum cudaError event_create(struct double_device *device, unsigned flags, struct CUevent_st **event)
{
	struct CUevent_st *e = calloc(1, sizeof *e);

	if (!e)
		return cudaErrorMemoryAllocation;
	e->device = device;
	e->timing = !(flags & cudaEventDisableTiming);
	double_state.nevents++;
	*event = e;
	return cudaSuccess;
}

enum cudaError cudaEventCreateWithFlags(struct CUevent_st **event, unsigned flags)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	return double_end(error ? error : event_create(device, flags, event));
}

enum cudaError cudaEventCreate(struct CUevent_st **event)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	return double_end(error ? error : event_create(device, cudaEventDefault, event));
}

enum cudaError cudaEventDestroy(struct CUevent_st *event)
{
	enum cudaError error;

	if (!event)
		return double_begin_any(__func__), double_end(cudaErrorInvalidResourceHandle);
	error = double_begin(__func__, event->device);
	double_marker_release(event->marker);
	double_state.nevents--;
	free(event);
	return double_end(error);
}

/* The stream is that of the event's device, or both would be of no use to each other. */
static enum cudaError event_record(struct CUevent_st *event, struct CUstream_st *stream)
{
	struct double_marker *marker;

	if (!stream || stream->device != event->device)
		return cudaErrorInvalidResourceHandle;
	marker = double_mark(stream);
	if (!marker)
		return cudaErrorMemoryAllocation;
	double_marker_release(event->marker);
	event->marker = marker;
	return cudaSuccess;
}

enum cudaError cudaEventRecord(struct CUevent_st *event, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, event ? event->device : double_current());

	if (!error && !event)
		error = cudaErrorInvalidResourceHandle;
	return double_end(error ? error : event_record(event, double_stream(stream)));
}

enum cudaError cudaEventQuery(struct CUevent_st *event)
{
	enum cudaError error = double_begin(__func__, event ? event->device : double_current());

	if (!error && !event)
		error = cudaErrorInvalidResourceHandle;
	if (!error && event->marker && !event->marker->done)
		error = cudaErrorNotReady;
	return double_end(error);
}

enum cudaError cudaEventSynchronize(struct CUevent_st *event)
{
	enum cudaError error = double_begin(__func__, event ? event->device : double_current());
	struct double_marker *marker = event ? event->marker : NULL;

	if (!error && !event)
		error = cudaErrorInvalidResourceHandle;
	if (!error && marker) {
		marker->references++;
		error = double_await(event->device, marker);
		double_marker_release(marker);
	}
	return double_end(error);
}

static enum cudaError elapsed(float *ms, const struct CUevent_st *from, const struct CUevent_st *to)
{
	if (!from || !to || !from->timing || !to->timing || !from->marker || !to->marker)
		return cudaErrorInvalidResourceHandle;
	if (!from->marker->done || !to->marker->done)
		return cudaErrorNotReady;
	*ms = (float)((double)(int64_t)(to->marker->time_ns - from->marker->time_ns) / 1e6);
	return cudaSuccess;
}

enum cudaError cudaEventElapsedTime(float *ms, struct CUevent_st *from, struct CUevent_st *to)
{
	enum cudaError error = double_begin(__func__, from ? from->device : double_current());

	return double_end(error ? error : elapsed(ms, from, to));
}

/* What comes next in the stream waits for the last record, whatever is recorded later. */
static enum cudaError wait_event(struct CUstream_st *stream, struct CUevent_st *event)
{
	struct double_operation wait = { .kind = DOUBLE_WAIT };

	if (!stream || !event)
		return cudaErrorInvalidResourceHandle;
	wait.marker = event->marker;
	if (!wait.marker || wait.marker->done)
		return cudaSuccess;
	if (!double_queue(stream, &wait))
		return cudaErrorMemoryAllocation;
	wait.marker->references++;
	return cudaSuccess;
}

enum cudaError cudaStreamWaitEvent(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags)
{
	enum cudaError error = double_begin(__func__, (uintptr_t)stream > 1 ? stream->device : double_current());

	(void)flags;
	return double_end(error ? error : wait_event(double_stream(stream), event));
}
