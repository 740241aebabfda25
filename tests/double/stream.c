/* SPDX-License-Identifier: MIT */
/*
 * Streams: each is a thread that executes operations in their order. Stream 0 of a device is ordered with
 * all its other streams, unless they are non-blocking. A lost device executes nothing any more; what it
 * was to do counts as done, and whoever asks gets the error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

enum { DOUBLE_HOLD_S = 20 };

/* --- markers --- */

static struct double_marker *marker_new(void)
{
	struct double_marker *marker = calloc(1, sizeof *marker);

	if (marker)
		marker->references = 1;
	return marker;
}

void double_marker_release(struct double_marker *marker)
{
	if (marker && --marker->references == 0)
		free(marker);
}

/* --- executing --- */

static void sleep_until(uint64_t ns)
{
	struct timespec until = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* The first bytes of each row. */
static void copy_rows(const struct double_rows *r, size_t bytes)
{
	for (size_t z = 0; z < r->nplanes; z++)
		for (size_t y = 0; y < r->nrows; y++)
			memcpy(r->to + z * r->to_plane + y * r->to_row, r->from + z * r->from_plane + y * r->from_row,
			       bytes);
}

/* When the operation begins: copies of one direction take turns on a link. With the lock. */
static uint64_t reserve(struct double_operation *o)
{
	uint64_t begin = o->us > 0 ? double_now_ns() : 0;

	if (!o->link || !begin)
		return begin;
	if (begin < *o->link)
		begin = *o->link;
	*o->link = begin + (uint64_t)(o->us * 1000);
	return begin;
}

/* The effect comes late in the time that it takes: who looks before the end sees the old state. */
static void execute(struct double_operation *o, uint64_t begin)
{
	if (o->us > 0)
		sleep_until(begin + (uint64_t)(o->us * 750));
	switch (o->kind) {
	case DOUBLE_COPY:
		copy_rows(&o->rows, o->rows.row_bytes);
		break;
	case DOUBLE_MEMSET:
		memset(o->rows.to, o->value, o->rows.row_bytes);
		break;
	case DOUBLE_FUNCTION:
		o->function(o->arg);
		break;
	case DOUBLE_KERNEL:
		double_run_kernel(o);
		break;
	default:
		break;
	}
	if (o->us > 0)
		sleep_until(begin + (uint64_t)(o->us * 1000));
}

/* Waits while copies are held, with the lock, which is given back meanwhile. */
static void stream_hold(struct CUstream_st *s)
{
	struct double_state *d = &double_state;
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += DOUBLE_HOLD_S;
	while (d->holds_copies && !s->drop && !s->device->lost)
		if (pthread_cond_timedwait(&d->progress, &d->lock, &limit))
			break;
}

/* With the lock, which is given back while the operation is executed. */
static void stream_step(struct CUstream_st *s, struct double_operation *o)
{
	struct double_state *d = &double_state;
	bool lost;

	if (o->kind == DOUBLE_COPY)
		stream_hold(s);
	lost = s->device->lost;
	if (o->kind == DOUBLE_MARK) {
		o->marker->done = true;
		o->marker->time_ns = double_now_ns();
	} else if (o->kind == DOUBLE_WAIT) {
		while (!o->marker->done && !s->drop && !s->device->lost)
			pthread_cond_wait(&d->progress, &d->lock);
	} else if (o->kind != DOUBLE_FREE && !double_operation_fails(s->device)) {
		uint64_t begin = reserve(o);

		s->device->running++;
		pthread_mutex_unlock(&d->lock);
		execute(o, begin);
		pthread_mutex_lock(&d->lock);
		s->device->running--;
	} else if (!lost && o->kind == DOUBLE_COPY) { /* this one was under way when the device was lost */
		copy_rows(&o->rows, o->rows.row_bytes / 2);
	}
}

static void operation_free(struct double_operation *o)
{
	double_marker_release(o->marker);
	free(o->staged);
	if (o->kind == DOUBLE_KERNEL)
		free(o->arg);
	if (o->kind == DOUBLE_FREE)
		double_release(o->arg);
	free(o);
}

static void *stream_main(void *arg)
{
	struct CUstream_st *s = arg;
	struct double_state *d = &double_state;

	double_is_stream_thread();
	pthread_mutex_lock(&d->lock);
	while (!s->drop) {
		struct double_operation *o = s->first;

		if (!o && s->stop)
			break;
		if (!o) {
			pthread_cond_wait(&s->work, &d->lock);
			continue;
		}
		stream_step(s, o);
		s->first = o->next;
		operation_free(o);
		pthread_cond_broadcast(&d->progress);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* --- queueing --- */

static bool append(struct CUstream_st *stream, const struct double_operation *operation)
{
	struct double_operation *o = malloc(sizeof *o);

	if (!o)
		return false;
	*o = *operation;
	o->next = NULL;
	if (stream->first)
		stream->last->next = o;
	else
		stream->first = o;
	stream->last = o;
	pthread_cond_signal(&stream->work);
	return true;
}

static struct double_marker *append_mark(struct CUstream_st *stream)
{
	struct double_marker *marker = marker_new();

	if (marker && !append(stream, &(struct double_operation){ .kind = DOUBLE_MARK, .marker = marker })) {
		double_marker_release(marker);
		return NULL;
	}
	if (marker)
		marker->references++;
	return marker;
}

/* What comes next in `stream` waits for what is in `other` now. */
static bool follow(struct CUstream_st *stream, struct CUstream_st *other)
{
	struct double_marker *marker;

	if (!other->first)
		return true;
	marker = append_mark(other);
	if (marker && append(stream, &(struct double_operation){ .kind = DOUBLE_WAIT, .marker = marker }))
		return true;
	double_marker_release(marker);
	return false;
}

/* The order with stream 0. */
static bool order(struct CUstream_st *stream)
{
	struct CUstream_st *legacy = stream->device->legacy;

	if (stream != legacy)
		return !stream->blocking || !legacy || follow(stream, legacy);
	for (struct CUstream_st *s = double_state.streams; s; s = s->next)
		if (s != stream && s->device == stream->device && s->blocking && !follow(stream, s))
			return false;
	return true;
}

bool double_queue(struct CUstream_st *stream, const struct double_operation *operation)
{
	return order(stream) && append(stream, operation);
}

struct double_marker *double_mark(struct CUstream_st *stream)
{
	return order(stream) ? append_mark(stream) : NULL;
}

enum cudaError double_await(struct double_device *device, struct double_marker *marker)
{
	while (!device->lost && !marker->done)
		pthread_cond_wait(&double_state.progress, &double_state.lock);
	while (device->lost && device->running)
		pthread_cond_wait(&double_state.progress, &double_state.lock);
	return device->lost;
}

enum cudaError double_await_stream(struct CUstream_st *stream)
{
	struct double_marker *marker = double_mark(stream);
	enum cudaError error = marker ? double_await(stream->device, marker) : cudaErrorMemoryAllocation;

	double_marker_release(marker);
	return error;
}

/* --- making and ending --- */

static struct CUstream_st *stream_new(struct double_device *device, bool blocking)
{
	struct CUstream_st *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->device = device;
	s->blocking = blocking;
	pthread_cond_init(&s->work, NULL);
	s->next = double_state.streams;
	double_state.streams = s;
	if (!pthread_create(&s->thread, NULL, stream_main, s))
		return s;
	double_state.streams = s->next;
	pthread_cond_destroy(&s->work);
	free(s);
	return NULL;
}

/* With the lock, which is given back while the thread ends. */
static void stream_end(struct CUstream_st *stream)
{
	struct CUstream_st **place = &double_state.streams;

	stream->stop = true;
	pthread_cond_signal(&stream->work);
	pthread_cond_broadcast(&double_state.progress);
	pthread_mutex_unlock(&double_state.lock);
	pthread_join(stream->thread, NULL);
	pthread_mutex_lock(&double_state.lock);
	while (*place != stream)
		place = &(*place)->next;
	*place = stream->next;
	while (stream->first) {
		struct double_operation *o = stream->first;

		stream->first = o->next;
		operation_free(o);
	}
	pthread_cond_destroy(&stream->work);
	free(stream);
}

/* The end of the program: threads that nobody has ended. */
static __attribute__((destructor)) void streams_end(void)
{
	pthread_mutex_lock(&double_state.lock);
	while (double_state.streams) {
		double_state.streams->drop = true;
		stream_end(double_state.streams);
	}
	pthread_mutex_unlock(&double_state.lock);
}

/* Streams by their special names too: 0 and 1 are the legacy stream of the current device. */
struct CUstream_st *double_stream(struct CUstream_st *stream)
{
	struct double_device *device;

	if ((uintptr_t)stream > 1)
		return stream;
	device = double_current();
	if (device && !device->legacy)
		device->legacy = stream_new(device, true);
	return device ? device->legacy : NULL;
}

static enum cudaError stream_create(struct double_device *device, unsigned flags, struct CUstream_st **stream)
{
	if (flags > cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	*stream = stream_new(device, flags == cudaStreamDefault);
	if (!*stream)
		return cudaErrorMemoryAllocation;
	double_state.nstreams++;
	return cudaSuccess;
}

enum cudaError cudaStreamCreateWithFlags(struct CUstream_st **stream, unsigned flags)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	return double_end(error ? error : stream_create(device, flags, stream));
}

enum cudaError cudaStreamCreate(struct CUstream_st **stream)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	return double_end(error ? error : stream_create(device, cudaStreamDefault, stream));
}

static struct double_device *device_of(struct CUstream_st *stream)
{
	return (uintptr_t)stream > 1 ? stream->device : double_current();
}

enum cudaError cudaStreamDestroy(struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));

	if ((uintptr_t)stream <= 1)
		return double_end(cudaErrorInvalidResourceHandle);
	double_state.nstreams--;
	stream_end(stream);
	return double_end(error);
}

enum cudaError cudaStreamSynchronize(struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct CUstream_st *s = error ? NULL : double_stream(stream);

	return double_end(s ? double_await_stream(s) : error ? error : cudaErrorInvalidResourceHandle);
}

enum cudaError cudaStreamQuery(struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct CUstream_st *s = error ? NULL : double_stream(stream);

	if (s && s->first)
		error = cudaErrorNotReady;
	return double_end(error);
}

enum cudaError double_await_device(struct double_device *device)
{
	struct double_marker **markers;
	enum cudaError error = cudaSuccess;
	unsigned n = 0;

	for (struct CUstream_st *s = double_state.streams; s; s = s->next)
		n++;
	markers = calloc(n + 1, sizeof *markers);
	if (!markers)
		return cudaErrorMemoryAllocation;
	n = 0;
	for (struct CUstream_st *s = double_state.streams; s; s = s->next)
		if (s->device == device && s->first && (markers[n] = append_mark(s)))
			n++;
	while (n-- > 0) {
		error = double_await(device, markers[n]);
		double_marker_release(markers[n]);
	}
	free(markers);
	return error;
}

enum cudaError cudaDeviceSynchronize(void)
{
	struct double_device *device = double_current();
	enum cudaError error = double_begin(__func__, device);

	return double_end(error ? error : double_await_device(device));
}
