/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills. Addresses are checked against the kind of copy, and every byte against the
 * allocation that it is in. As CUDA documents it, a copy to memory of the host that is not pinned
 * returns when it is done, one from such memory when the memory has been read.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Bytes from the first to the last of the rows. */
static size_t extent(const struct double_rows *r, size_t row, size_t plane)
{
	return (r->nplanes - 1) * plane + (r->nrows - 1) * row + r->row_bytes;
}

static enum cudart_double_direction direction(struct double_device *to, struct double_device *from)
{
	if (to && from)
		return to == from ? CUDART_DOUBLE_WITHIN : CUDART_DOUBLE_PEER;
	return to ? CUDART_DOUBLE_IN : from ? CUDART_DOUBLE_OUT : CUDART_DOUBLE_HOST;
}

static bool kind_fits(enum cudaMemcpyKind kind, enum cudart_double_direction d)
{
	switch (kind) {
	case cudaMemcpyHostToHost:
		return d == CUDART_DOUBLE_HOST;
	case cudaMemcpyHostToDevice:
		return d == CUDART_DOUBLE_IN;
	case cudaMemcpyDeviceToHost:
		return d == CUDART_DOUBLE_OUT;
	case cudaMemcpyDeviceToDevice:
		return d == CUDART_DOUBLE_WITHIN || d == CUDART_DOUBLE_PEER;
	case cudaMemcpyDefault:
		return true;
	}
	return false;
}

/* Where the device's threads find the bytes; NULL for addresses that are not allocated. */
static bool translate(struct double_rows *r, struct double_device *to, struct double_device *from)
{
	if (to)
		r->to = double_device_bytes(r->to, extent(r, r->to_row, r->to_plane));
	if (from)
		r->from = double_device_bytes(r->from, extent(r, r->from_row, r->from_plane));
	return r->to && r->from;
}

/* Takes what the host has there now. */
static bool stage(struct double_operation *o)
{
	struct double_rows *r = &o->rows;
	char *bytes = malloc(r->row_bytes * r->nrows * r->nplanes), *next = bytes;

	if (!bytes)
		return false;
	for (size_t z = 0; z < r->nplanes; z++)
		for (size_t y = 0; y < r->nrows; y++, next += r->row_bytes)
			memcpy(next, r->from + z * r->from_plane + y * r->from_row, r->row_bytes);
	o->staged = bytes;
	r->from = bytes;
	r->from_row = r->row_bytes;
	r->from_plane = r->row_bytes * r->nrows;
	return true;
}

static void count(enum cudart_double_direction d, size_t bytes, bool pageable)
{
	double_state.traffic[d].copies++;
	double_state.traffic[d].bytes += bytes;
	double_state.traffic[d].pageable_bytes += pageable ? bytes : 0;
}

static bool is_pageable(const struct double_rows *r, enum cudart_double_direction d)
{
	return (d == CUDART_DOUBLE_IN && !double_is_pinned(r->from, extent(r, r->from_row, r->from_plane))) ||
	       (d == CUDART_DOUBLE_OUT && !double_is_pinned(r->to, extent(r, r->to_row, r->to_plane)));
}

static enum cudaError begin_copy(const struct double_rows *rows, enum cudaMemcpyKind kind, struct CUstream_st *stream)
{
	struct double_device *to = double_owner(rows->to), *from = double_owner(rows->from);
	enum cudart_double_direction d = direction(to, from);
	struct double_operation o = { .kind = DOUBLE_COPY, .rows = *rows };
	size_t bytes = rows->row_bytes * rows->nrows * rows->nplanes;
	bool pageable;

	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!kind_fits(kind, d))
		return cudaErrorInvalidValue;
	if (!bytes)
		return cudaSuccess;
	pageable = is_pageable(rows, d);
	if (!translate(&o.rows, to, from))
		return cudaErrorInvalidValue;
	o.us = double_state.bytes_per_us > 0 ? (double)bytes / double_state.bytes_per_us : 0;
	if (d == CUDART_DOUBLE_IN || d == CUDART_DOUBLE_OUT)
		o.link = &double_state.links[(to ? to : from)->number / double_state.linked][d == CUDART_DOUBLE_OUT];
	if (pageable && d == CUDART_DOUBLE_IN && !stage(&o))
		return cudaErrorMemoryAllocation;
	if (!double_queue(stream, &o)) {
		free(o.staged);
		return cudaErrorMemoryAllocation;
	}
	count(d, bytes, pageable);
	if (d == CUDART_DOUBLE_HOST || (pageable && d == CUDART_DOUBLE_OUT))
		return double_await_stream(stream);
	return cudaSuccess;
}

static struct double_device *device_of(struct CUstream_st *stream)
{
	return (uintptr_t)stream > 1 ? stream->device : double_current();
}

static struct double_rows line(void *to, const void *from, size_t bytes)
{
	return (struct double_rows){ .to = to, .from = from, .row_bytes = bytes, .nrows = 1, .nplanes = 1 };
}

enum cudaError cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			       struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct double_rows rows = line(to, from, bytes);

	return double_end(error ? error : begin_copy(&rows, kind, double_stream(stream)));
}

/* On stream 0, and until the end. */
static enum cudaError copy_now(const struct double_rows *rows, enum cudaMemcpyKind kind)
{
	struct CUstream_st *stream = double_stream(NULL);
	enum cudaError error = begin_copy(rows, kind, stream);

	return error ? error : double_await_stream(stream);
}

enum cudaError cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	enum cudaError error = double_begin(__func__, double_current());
	struct double_rows rows = line(to, from, bytes);

	return double_end(error ? error : copy_now(&rows, kind));
}

static enum cudaError plane(struct double_rows *rows, size_t to_pitch, size_t from_pitch, size_t height)
{
	rows->nrows = height;
	rows->to_row = to_pitch;
	rows->from_row = from_pitch;
	if (to_pitch > DOUBLE_MAX_PITCH || from_pitch > DOUBLE_MAX_PITCH)
		return cudaErrorInvalidValue;
	return to_pitch < rows->row_bytes || from_pitch < rows->row_bytes ? cudaErrorInvalidPitchValue : cudaSuccess;
}

enum cudaError cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
				 size_t height, enum cudaMemcpyKind kind, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct double_rows rows = line(to, from, width);

	if (!error)
		error = plane(&rows, to_pitch, from_pitch, height);
	return double_end(error ? error : begin_copy(&rows, kind, double_stream(stream)));
}

enum cudaError cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
			    enum cudaMemcpyKind kind)
{
	enum cudaError error = double_begin(__func__, double_current());
	struct double_rows rows = line(to, from, width);

	if (!error)
		error = plane(&rows, to_pitch, from_pitch, height);
	return double_end(error ? error : copy_now(&rows, kind));
}

/* The byte at a position of pitched memory. */
static void *at(const struct cudaPitchedPtr *memory, const struct cudaPos *position)
{
	return (char *)memory->ptr + position->x + memory->pitch * (position->y + memory->ysize * position->z);
}

static enum cudaError volume(struct double_rows *rows, const struct cudaPitchedPtr *to,
			     const struct cudaPitchedPtr *from, const struct cudaExtent *size)
{
	rows->nplanes = size->depth;
	rows->to_plane = to->pitch * to->ysize;
	rows->from_plane = from->pitch * from->ysize;
	if (size->height > to->ysize || size->height > from->ysize)
		return cudaErrorInvalidValue;
	return plane(rows, to->pitch, from->pitch, size->height);
}

enum cudaError cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct double_rows rows = line(at(&p->dstPtr, &p->dstPos), at(&p->srcPtr, &p->srcPos), p->extent.width);

	if (!error)
		error = p->srcArray || p->dstArray ? cudaErrorNotSupported
						   : volume(&rows, &p->dstPtr, &p->srcPtr, &p->extent);
	return double_end(error ? error : begin_copy(&rows, p->kind, double_stream(stream)));
}

/* Both addresses must be where they are said to be; the other device may have been lost. */
static enum cudaError check_peers(const struct double_rows *rows, int to, int from)
{
	struct double_device *to_device = double_ordinal(to), *from_device = double_ordinal(from);

	if (!to_device || !from_device)
		return cudaErrorInvalidDevice;
	if (double_owner(rows->to) != to_device || double_owner(rows->from) != from_device)
		return cudaErrorInvalidValue;
	return to_device->lost ? to_device->lost : from_device->lost;
}

enum cudaError cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
				   struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct double_rows rows = line(to, from, bytes);

	if (!error)
		error = check_peers(&rows, to_device, from_device);
	return double_end(error ? error : begin_copy(&rows, cudaMemcpyDeviceToDevice, double_stream(stream)));
}

enum cudaError cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	enum cudaError error = double_begin(__func__, double_current());
	struct double_rows rows = line(to, from, bytes);

	if (!error)
		error = check_peers(&rows, to_device, from_device);
	return double_end(error ? error : copy_now(&rows, cudaMemcpyDeviceToDevice));
}

enum cudaError cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));
	struct double_rows rows = line(at(&p->dstPtr, &p->dstPos), at(&p->srcPtr, &p->srcPos), p->extent.width);

	if (!error)
		error = check_peers(&rows, p->dstDevice, p->srcDevice);
	if (!error)
		error = p->srcArray || p->dstArray ? cudaErrorNotSupported
						   : volume(&rows, &p->dstPtr, &p->srcPtr, &p->extent);
	return double_end(error ? error : begin_copy(&rows, cudaMemcpyDeviceToDevice, double_stream(stream)));
}

static enum cudaError begin_memset(void *memory, int value, size_t bytes, struct CUstream_st *stream)
{
	struct double_operation o = { .kind = DOUBLE_MEMSET, .value = value };

	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!bytes)
		return cudaSuccess;
	o.rows = line(double_device_bytes(memory, bytes), NULL, bytes);
	if (!o.rows.to)
		return cudaErrorInvalidValue;
	return double_queue(stream, &o) ? cudaSuccess : cudaErrorMemoryAllocation;
}

enum cudaError cudaMemsetAsync(void *memory, int value, size_t bytes, struct CUstream_st *stream)
{
	enum cudaError error = double_begin(__func__, device_of(stream));

	return double_end(error ? error : begin_memset(memory, value, bytes, double_stream(stream)));
}

enum cudaError cudaMemset(void *memory, int value, size_t bytes)
{
	enum cudaError error = double_begin(__func__, double_current());

	return double_end(error ? error : begin_memset(memory, value, bytes, double_stream(NULL)));
}
