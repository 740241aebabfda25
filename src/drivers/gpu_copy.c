/* SPDX-License-Identifier: MIT */
/*
 * Copies of the GPU driver. Each kind has a stream of its own, so that copies complete in the order in
 * which they were started. Makes as few calls as possible: a call takes longer than a small copy.
 */
#include "drivers/copy.h"
#include "drivers/gpu.h"

#include <errno.h>

/* A sequence of copies while it is being started. */
struct copy_way {
	struct xy_device *device, *peer;
	enum xy_copy_kind kind;
	struct CUstream_st *stream;
	unsigned begun;   /* successful calls */
	const char *what; /* the last call */
};

static char *copy_address(const struct xy_place *place)
{
	return (char *)place->memory + place->offset;
}

static enum cudaMemcpyKind copy_kind(const struct copy_way *way)
{
	return way->kind == XY_COPY_IN ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}

/* Bytes without gaps. */
static enum cudaError copy_linear(struct copy_way *way, const struct xy_copy *copy)
{
	const struct xy__gpu_api *api = way->device->api;
	char *to = copy_address(&copy->to), *from = copy_address(&copy->from);

	if (way->kind == XY_COPY_PEER) {
		way->what = "MemcpyPeerAsync";
		return api->cudaMemcpyPeerAsync(to, way->device->ordinal, from, way->peer->ordinal, copy->row_bytes,
						way->stream);
	}
	way->what = "MemcpyAsync";
	return api->cudaMemcpyAsync(to, from, copy->row_bytes, copy_kind(way), way->stream);
}

/* Rows. */
static enum cudaError copy_plane(struct copy_way *way, const struct xy_copy *copy)
{
	way->what = "Memcpy2DAsync";
	return way->device->api->cudaMemcpy2DAsync(copy_address(&copy->to), copy->to_row, copy_address(&copy->from),
						   copy->from_row, copy->row_bytes, copy->nrows, copy_kind(way),
						   way->stream);
}

static struct cudaPitchedPtr copy_pitched(const struct xy_copy *copy, const struct xy_place *place, size_t row,
					  size_t plane)
{
	return (struct cudaPitchedPtr){
		.ptr = copy_address(place),
		.pitch = row,
		.xsize = copy->row_bytes,
		.ysize = copy->nplanes > 1 ? plane / row : copy->nrows,
	};
}

/* Rows and planes at once; rows too where the other end is a device. */
static enum cudaError copy_box(struct copy_way *way, const struct xy_copy *copy)
{
	const struct xy__gpu_api *api = way->device->api;
	struct cudaPitchedPtr to = copy_pitched(copy, &copy->to, copy->to_row, copy->to_plane);
	struct cudaPitchedPtr from = copy_pitched(copy, &copy->from, copy->from_row, copy->from_plane);
	struct cudaExtent extent = { copy->row_bytes, copy->nrows, copy->nplanes };

	if (way->kind == XY_COPY_PEER) {
		struct cudaMemcpy3DPeerParms peer = {
			.srcPtr = from,
			.srcDevice = way->peer->ordinal,
			.dstPtr = to,
			.dstDevice = way->device->ordinal,
			.extent = extent,
		};

		way->what = "Memcpy3DPeerAsync";
		return api->cudaMemcpy3DPeerAsync(&peer, way->stream);
	}
	way->what = "Memcpy3DAsync";
	return api->cudaMemcpy3DAsync(
		&(struct cudaMemcpy3DParms){ .srcPtr = from, .dstPtr = to, .extent = extent, .kind = copy_kind(way) },
		way->stream);
}

/* The library limits the distance between rows. */
static bool copy_is_box(const struct copy_way *way, const struct xy_copy *copy, size_t row, size_t plane)
{
	return row <= way->device->most_pitch && xy__copy_is_box(copy, row, plane);
}

/* Whether one call suffices. Not every library copies boxes between devices. */
static bool copy_is_one(const struct copy_way *way, const struct xy_copy *copy)
{
	if (xy__copy_is_linear(copy))
		return true;
	if (way->kind == XY_COPY_PEER && !way->device->api->cudaMemcpy3DPeerAsync)
		return false;
	return copy_is_box(way, copy, copy->to_row, copy->to_plane) &&
	       copy_is_box(way, copy, copy->from_row, copy->from_plane);
}

static enum cudaError copy_one(struct copy_way *way, const struct xy_copy *copy)
{
	if (xy__copy_is_linear(copy))
		return copy_linear(way, copy);
	return copy->nplanes == 1 && way->kind != XY_COPY_PEER ? copy_plane(way, copy) : copy_box(way, copy);
}

/* One call if one suffices, else one for each plane or even for each row. */
static enum cudaError copy_begin(struct copy_way *way, struct xy_copy copy)
{
	enum cudaError code = cudaSuccess;
	struct xy_copy part;
	bool planes;

	xy__copy_simplify(&copy);
	if (copy_is_one(way, &copy)) {
		code = copy_one(way, &copy);
		way->begun += code == cudaSuccess;
		return code;
	}
	part = copy;
	planes = copy.nplanes > 1;
	if (planes)
		part.nplanes = 1;
	else
		part.nrows = 1;
	for (size_t i = 0; i < (planes ? copy.nplanes : copy.nrows) && !code; i++) {
		code = copy_begin(way, part);
		part.to.offset += planes ? copy.to_plane : copy.to_row;
		part.from.offset += planes ? copy.from_plane : copy.from_row;
	}
	return code;
}

enum cudaError xy__gpu_copy_piece(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copy,
				  const char **what)
{
	struct copy_way way = { .device = device, .kind = kind, .stream = device->copies[kind] };
	enum cudaError code = copy_begin(&way, *copy);

	if (code)
		*what = way.what;
	return code;
}

/* If a copy between two devices fails, the other device may be the lost one. */
static int copy_error(struct copy_way *way, enum cudaError code)
{
	int status;

	if (way->kind != XY_COPY_PEER || xy__gpu_is_broken(way->device))
		return xy__gpu_error(way->device, code, way->what);
	status = xy__gpu_error(way->peer, code, way->what);
	return status == -ENODEV ? -EIO : status;
}

/* Started copies must complete before the failure of the rest is reported. */
static int copy_all(struct copy_way *way, const struct xy_copy *copies, unsigned n, struct xy_event **event)
{
	enum cudaError code = cudaSuccess;
	int status;

	for (unsigned i = 0; i < n && !code; i++)
		code = copy_begin(way, copies[i]);
	status = code ? copy_error(way, code) : 0;
	if (status == -ENODEV || (status && !way->begun)) {
		xy__gpu_event_give(way->device, *event);
		*event = NULL;
		return status;
	}
	(*event)->status = status;
	(*event)->code = code;
	(*event)->what = way->what;
	return xy__gpu_event_record(way->device, event);
}

int xy__gpu_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer, const struct xy_copy *copies,
		 unsigned n, struct xy_event **event)
{
	struct copy_way way = { .device = device, .peer = peer, .kind = kind, .stream = device->copies[kind] };
	struct xy__gpu_caller caller;
	int status = xy__gpu_begin(device, &caller);

	*event = NULL;
	if (!status && kind == XY_COPY_PEER && atomic_load(&peer->lost)) {
		xy__gpu_is_lost(peer);
		status = -EIO;
	}
	if (!status)
		status = xy__gpu_event_take(device, way.stream, event);
	/* Without memory for the stage, the library may wait. */
	if (!status &&
	    !(xy__gpu_stage_wants(device, kind, copies, n) && xy__gpu_stage_begin(device, kind, copies, n, *event)))
		status = copy_all(&way, copies, n, event);
	xy__gpu_end(device, &caller);
	return status;
}
