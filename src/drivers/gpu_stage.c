/* SPDX-License-Identifier: MIT */
/*
 * Copies between a device and pageable RAM. The library would wait for them, so they go through pinned buffers: piece
 * by piece, two at a time, so that one is moved by the device while the CPU moves the other. Polling an event makes
 * them progress; nothing waits. Copies of one direction share the buffers, in their order: only the first one moves.
 */
#include "drivers/copy.h"
#include "drivers/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	STAGE_BYTES = 4 << 20,    /* of a buffer */
	STAGE_SMALL = 64 << 10,   /* the library copies so much away at once, and returns */
	STAGE_PIECES_AT_ONCE = 2, /* that one poll moves: it should not take long */
};

/* A piece on its way through a buffer. */
struct stage_piece {
	char *ram;
	size_t row_bytes, nrows, ram_row;
};

/* Copies that began together. Guarded by the stage's lock. */
struct gpu_staged {
	unsigned n, at;          /* how many; the one of which the next piece is */
	size_t plane, row, byte; /* where that piece begins */
	struct stage_piece pieces[GPU_STAGE_BUFFERS];
	unsigned started, moved; /* pieces; the i-th uses buffer i % GPU_STAGE_BUFFERS */
	bool failed;             /* nothing more is started */
	struct xy_copy copies[];
};

/* --- which copies --- */

/* Memory that the library does not know is pageable; old versions report an error for it. */
static bool stage_is_pageable(struct xy_device *device, const void *memory)
{
	union {
		struct cudaPointerAttributes attributes;
		char any_version[256];
	} answer;

	memset(&answer, 0, sizeof answer);
	if (device->api->cudaPointerGetAttributes(&answer.attributes, memory)) {
		device->api->cudaGetLastError();
		return true;
	}
	return device->api->device_memory == cudaMemoryTypeDevice &&
	       answer.attributes.type == cudaMemoryTypeUnregistered;
}

bool xy__gpu_stage_wants(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copies, unsigned n)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < n && kind == XY_COPY_IN; i++)
		bytes += copies[i].row_bytes * copies[i].nrows * copies[i].nplanes;
	if (kind == XY_COPY_PEER || (kind == XY_COPY_IN && bytes <= STAGE_SMALL))
		return false;
	for (unsigned i = 0; i < n; i++) {
		const struct xy_place *ram = kind == XY_COPY_IN ? &copies[i].from : &copies[i].to;

		if (stage_is_pageable(device, (char *)ram->memory + ram->offset))
			return true;
	}
	return false;
}

/* --- pieces --- */

static void stage_pack(const struct stage_piece *piece, char *buffer, bool in)
{
	for (size_t i = 0; i < piece->nrows; i++) {
		char *ram = piece->ram + i * piece->ram_row, *row = buffer + i * piece->row_bytes;

		memcpy(in ? row : ram, in ? ram : row, piece->row_bytes);
	}
}

/* The rest of a long row, or as many rows of a plane as fit into a buffer. Sets the device's part of the copy too. */
static struct stage_piece stage_cut(struct gpu_staged *staged, bool in, struct xy_copy *device)
{
	const struct xy_copy *copy = &staged->copies[staged->at];
	size_t left = copy->row_bytes - staged->byte, rows = copy->nrows - staged->row, fit;
	struct stage_piece piece = { .row_bytes = left < STAGE_BYTES ? left : STAGE_BYTES, .nrows = 1 };
	const struct xy_place *ram = in ? &copy->from : &copy->to;
	size_t from = staged->plane * copy->from_plane + staged->row * copy->from_row + staged->byte;
	size_t to = staged->plane * copy->to_plane + staged->row * copy->to_row + staged->byte;

	fit = STAGE_BYTES / copy->row_bytes;
	if (fit > 1)
		piece.nrows = rows < fit ? rows : fit;
	piece.ram_row = in ? copy->from_row : copy->to_row;
	piece.ram = (char *)ram->memory + ram->offset + (in ? from : to);
	*device = (struct xy_copy){
		.to = { copy->to.memory, copy->to.offset + to },
		.from = { copy->from.memory, copy->from.offset + from },
		.row_bytes = piece.row_bytes,
		.nrows = piece.nrows,
		.to_row = in ? copy->to_row : piece.row_bytes,
		.from_row = in ? piece.row_bytes : copy->from_row,
		.nplanes = 1,
	};
	return piece;
}

/* Moves on to what comes after a piece. */
static void stage_step(struct gpu_staged *staged, const struct stage_piece *piece)
{
	const struct xy_copy *copy = &staged->copies[staged->at];

	staged->byte += piece->row_bytes;
	if (staged->byte < copy->row_bytes)
		return;
	staged->byte = 0;
	staged->row += piece->nrows;
	if (staged->row < copy->nrows)
		return;
	staged->row = 0;
	if (++staged->plane < copy->nplanes)
		return;
	staged->plane = 0;
	staged->at++;
}

/* --- progress; the stage is locked --- */

/* The pieces in flight, if any, complete: their memory and buffers are free for other use afterwards. */
static void stage_settle(struct xy_device *device, struct xy_event *event)
{
	if (!atomic_load(&device->lost))
		device->api->cudaStreamSynchronize(event->stream);
	event->staged->moved = event->staged->started;
}

static void stage_fail(struct xy_device *device, struct xy_event *event, enum cudaError code, const char *what)
{
	event->staged->failed = true;
	event->status = xy__gpu_error(device, code, what);
	event->code = code;
	event->what = what;
	stage_settle(device, event);
}

static void stage_start(struct xy_device *device, struct gpu_stage *stage, struct xy_event *event)
{
	struct gpu_staged *staged = event->staged;
	unsigned b = staged->started % GPU_STAGE_BUFFERS;
	bool in = stage == &device->stages[XY_COPY_IN];
	const char *what = "EventRecord";
	struct xy_copy copy;
	struct stage_piece piece = stage_cut(staged, in, &copy);
	enum cudaError code;

	*(in ? &copy.from : &copy.to) = (struct xy_place){ stage->buffers[b], 0 };
	if (in)
		stage_pack(&piece, stage->buffers[b], true);
	code = xy__gpu_copy_piece(device, in ? XY_COPY_IN : XY_COPY_OUT, &copy, &what);
	if (!code)
		code = device->api->cudaEventRecord(stage->events[b], event->stream);
	if (code) {
		stage_fail(device, event, code, what);
		return;
	}
	staged->pieces[b] = piece;
	staged->started++;
	stage_step(staged, &piece);
}

/* The oldest piece in flight has arrived? */
static bool stage_arrive(struct xy_device *device, struct gpu_stage *stage, struct xy_event *event)
{
	struct gpu_staged *staged = event->staged;
	unsigned b = staged->moved % GPU_STAGE_BUFFERS;
	enum cudaError code = device->api->cudaEventQuery(stage->events[b]);

	if (code == cudaErrorNotReady) {
		device->api->cudaGetLastError();
		return false;
	}
	if (code) {
		stage_fail(device, event, code, "what was begun");
		return true;
	}
	if (stage == &device->stages[XY_COPY_OUT])
		stage_pack(&staged->pieces[b], stage->buffers[b], false);
	staged->moved++;
	return true;
}

static bool stage_has_ended(const struct gpu_staged *staged)
{
	return staged->started == staged->moved && (staged->failed || staged->at == staged->n);
}

static void stage_advance(struct xy_device *device, struct gpu_stage *stage)
{
	unsigned moved = 0;

	while (stage->first) {
		struct xy_event *event = stage->first;
		struct gpu_staged *staged = event->staged;

		while (!staged->failed && staged->at < staged->n && staged->started - staged->moved < GPU_STAGE_BUFFERS)
			stage_start(device, stage, event);
		if (stage_has_ended(staged)) {
			stage->first = event->next;
			event->ended = true;
		} else if (moved == STAGE_PIECES_AT_ONCE || !stage_arrive(device, stage, event)) {
			return;
		} else {
			moved++;
		}
	}
}

/* --- begin and poll --- */

static void stage_forget(struct xy_device *device, struct xy_event *event)
{
	free(event->staged);
	event->staged = NULL;
	xy__gpu_event_give(device, event);
}

/* Puts what was added behind the rest. */
static void stage_collect(struct xy_device *device, struct gpu_stage *stage)
{
	struct xy_event **end = &stage->first, *added, *turned = NULL;

	pthread_mutex_lock(&device->lock);
	added = stage->added;
	stage->added = NULL;
	pthread_mutex_unlock(&device->lock);
	while (added) {
		struct xy_event *next = added->next;

		added->next = turned;
		turned = added;
		added = next;
	}
	while (*end)
		end = &(*end)->next;
	*end = turned;
}

static void stage_unlink(struct gpu_stage *stage, struct xy_event *event)
{
	struct xy_event **link = &stage->first;

	while (*link && *link != event)
		link = &(*link)->next;
	if (*link)
		*link = event->next;
}

/* Buffers and events exist from the first use on. The device is current. */
static bool stage_make(struct xy_device *device, struct gpu_stage *stage)
{
	for (unsigned i = 0; i < GPU_STAGE_BUFFERS; i++) {
		if (!stage->buffers[i] &&
		    device->api->cudaHostAlloc(&stage->buffers[i], STAGE_BYTES, cudaHostAllocPortable) != cudaSuccess)
			stage->buffers[i] = NULL;
		if (!stage->events[i] &&
		    device->api->cudaEventCreateWithFlags(&stage->events[i], cudaEventDisableTiming) != cudaSuccess)
			stage->events[i] = NULL;
		if (!stage->buffers[i] || !stage->events[i]) {
			device->api->cudaGetLastError();
			return false;
		}
	}
	return true;
}

static bool stage_prepare(struct xy_device *device, struct gpu_stage *stage)
{
	if (atomic_load(&stage->ready))
		return true;
	pthread_mutex_lock(&stage->lock);
	atomic_store(&stage->ready, stage_make(device, stage));
	pthread_mutex_unlock(&stage->lock);
	return atomic_load(&stage->ready);
}

bool xy__gpu_stage_begin(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copies, unsigned n,
			 struct xy_event *event)
{
	struct gpu_stage *stage = &device->stages[kind];
	struct gpu_staged *staged;

	if (!stage_prepare(device, stage))
		return false;
	staged = calloc(1, sizeof *staged + n * sizeof copies[0]);
	if (!staged)
		return false;
	staged->n = n;
	memcpy(staged->copies, copies, n * sizeof copies[0]);
	for (unsigned i = 0; i < n; i++)
		xy__copy_simplify(&staged->copies[i]);
	event->staged = staged;
	event->stage = stage;
	event->ended = false;
	pthread_mutex_lock(&device->lock);
	event->next = stage->added;
	stage->added = event;
	pthread_mutex_unlock(&device->lock);
	return true;
}

int xy__gpu_stage_poll(struct xy_device *device, struct xy_event *event)
{
	struct gpu_stage *stage = event->stage;
	struct xy__gpu_caller caller;
	int status = 0;

	if (pthread_mutex_trylock(&stage->lock))
		return -EAGAIN; /* another thread moves it on */
	stage_collect(device, stage);
	if (!event->ended) {
		status = xy__gpu_begin(device, &caller);
		if (!status)
			stage_advance(device, stage);
		xy__gpu_end(device, &caller);
	}
	if (!status && atomic_load(&device->lost))
		status = xy__gpu_is_lost(device);
	if (status) {
		stage_settle(device, event);
		stage_unlink(stage, event);
	} else {
		status = event->ended ? event->status : -EAGAIN;
	}
	pthread_mutex_unlock(&stage->lock);
	if (status == -EAGAIN)
		return status;
	if (status && event->status == status)
		xy__gpu_note(device, event->code, event->what);
	stage_forget(device, event);
	return status;
}

void xy__gpu_stages_destroy(struct xy_device *device)
{
	for (unsigned kind = 0; kind < GPU_STAGES; kind++) {
		struct gpu_stage *stage = &device->stages[kind];

		for (unsigned i = 0; i < GPU_STAGE_BUFFERS; i++) {
			if (stage->buffers[i])
				device->api->cudaFreeHost(stage->buffers[i]);
			if (stage->events[i])
				device->api->cudaEventDestroy(stage->events[i]);
		}
		pthread_mutex_destroy(&stage->lock);
	}
}
