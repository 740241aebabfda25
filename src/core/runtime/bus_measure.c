/* SPDX-License-Identifier: MIT */
/*
 * The cost of transfers: measured through the drivers when a runtime with devices first starts, and stored with the
 * models. The devices are otherwise unused meanwhile.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xylem/component.h>
#include "core/data/node.h"
#include "core/perf/bus.h"
#include "core/runtime/runtime.h"
#include "core/runtime/bus_measure.h"
#include "core/runtime/worker.h"

enum { BUS_SMALL = 64, BUS_LARGE = 4 << 20, BUS_SMALL_TIMES = 9, BUS_LARGE_TIMES = 3 };

/* --- measuring --- */

/* Memory on a node; of RAM, such as copies are fast from. */
struct room {
	struct xy__node *node, *pinned_by;
	void *memory;
};

static bool room_init(struct room *room, struct xy__node *node, struct xy__node *other, size_t bytes)
{
	*room = (struct room){ .node = node };
	if (node->ram && other->driver->host_allocate) {
		room->pinned_by = other;
		room->memory = other->driver->host_allocate(other->device, bytes);
		if (room->memory)
			memset(room->memory, 0, bytes);
		return room->memory;
	}
	if (node->driver->allocate(node->device, bytes, &room->memory))
		room->memory = NULL;
	else if (node->ram)
		memset(room->memory, 0, bytes);
	return room->memory;
}

static void room_fini(struct room *room)
{
	if (!room->memory)
		return;
	if (room->pinned_by)
		room->pinned_by->driver->host_free(room->pinned_by->device, room->memory);
	else
		room->node->driver->free(room->node->device, room->memory);
}

/* Seconds that a copy takes; below 0: it fails. */
static double bus_copy(const struct room *from, const struct room *to, size_t bytes)
{
	bool out = to->node->ram && !from->node->ram, peer = !to->node->ram && !from->node->ram;
	struct xy__node *node = out ? from->node : to->node;
	struct xy_copy copy = { .to = { .memory = to->memory },
				.from = { .memory = from->memory },
				.row_bytes = bytes,
				.nrows = 1,
				.nplanes = 1 };
	struct xy_event *event = NULL;
	double begin = xy__now();
	int status = node->driver->copy(node->device,
					peer  ? XY_COPY_PEER
					: out ? XY_COPY_OUT
					      : XY_COPY_IN,
					peer ? from->node->device : NULL, &copy, 1, &event);

	while (!status && event) {
		status = node->driver->poll(node->device, event);
		if (status != -EAGAIN)
			break;
		status = 0;
	}
	return status ? -1 : xy__now() - begin;
}

/* The least of several: what disturbs a copy makes it longer. */
static double bus_best(const struct room *from, const struct room *to, size_t bytes, unsigned times)
{
	double best = INFINITY;

	while (times--) {
		double seconds = bus_copy(from, to, bytes);

		if (seconds < 0)
			return -1;
		best = fmin(best, seconds);
	}
	return best;
}

static void bus_measure_link(struct xy__node *from, struct xy__node *to, struct xy__link *link)
{
	size_t room = from->limit < to->limit ? from->limit : to->limit;
	size_t large = room / 4 < BUS_LARGE ? room / 4 : BUS_LARGE;
	struct room source = { 0 }, target = { 0 };
	double small_s = -1, large_s = -1;

	if (large < 16 * BUS_SMALL)
		return;
	if (room_init(&source, from, to, large) && room_init(&target, to, from, large)) {
		small_s = bus_best(&source, &target, BUS_SMALL, BUS_SMALL_TIMES);
		large_s = small_s < 0 ? -1 : bus_best(&source, &target, large, BUS_LARGE_TIMES);
	}
	if (large_s >= 0) {
		link->latency_us = small_s * 1e6;
		link->mb_per_s = (double)large / fmax((large_s - small_s) * 1e6, large_s * 1e5);
	}
	room_fini(&target);
	room_fini(&source);
}

static void bus_measure_all(struct xy_runtime *rt)
{
	struct xy__memory *memory = &rt->memory;

	for (unsigned from = 0; from < rt->bus.nnodes; from++)
		for (unsigned to = 0; to < rt->bus.nnodes; to++) {
			struct xy__node *a = &memory->nodes[from], *b = &memory->nodes[to];

			if (from != to && (a->ram || b->ram || (b->peers & xy__bit(from))))
				bus_measure_link(a, b, xy__bus_link(&rt->bus, from, to));
		}
	xy__bus_complete(&rt->bus);
}

/* --- the file --- */

static void bus_names(const struct xy_runtime *rt, const char *names[XY__BUS_NODES])
{
	for (unsigned i = 0; i < rt->bus.nnodes; i++)
		names[i] = rt->memory.nodes[i].name;
}

/* 0: the stored figures are those of these nodes. -EEXIST: there is a file that must stay. The lock is held. */
static int bus_load(struct xy_runtime *rt, const char *path)
{
	const char *names[XY__BUS_NODES];
	char error[128], *text;
	int status = xy__store_read(path, &text, &rt->settings.log);

	if (status)
		return status == -ENOENT ? -ENOENT : -EEXIST;
	bus_names(rt, names);
	status = xy__bus_read(&rt->bus, names, text, error, sizeof error);
	free(text);
	if (status)
		memset(rt->bus.links, 0, (size_t)rt->bus.nnodes * rt->bus.nnodes * sizeof *rt->bus.links);
	if (status == -EINVAL && xy__store_set_aside(&rt->perf.store, path, error))
		return -EEXIST;
	return status;
}

/* Those of StarPU, if they are about as many nodes at least. */
static bool bus_load_starpu(struct xy_runtime *rt)
{
	static const char *const suffixes[] = { "bandwidth", "latency" };
	char path[XY__STORE_PATH], error[128], *texts[2] = { NULL, NULL };
	struct xy__bus bus = { 0 };
	bool found = true;

	for (unsigned i = 0; i < 2 && found; i++) {
		snprintf(path, sizeof path, "%s/%s.%s", rt->perf.store.folder, rt->perf.store.host, suffixes[i]);
		found = !xy__store_read(path, &texts[i], &rt->settings.log);
	}
	if (found && xy__bus_read_starpu(&bus, texts[0], texts[1], error, sizeof error)) {
		xy__log(&rt->settings.log, "models: %s, %s: it is not used", path, error);
		found = false;
	}
	found = found && bus.nnodes >= rt->bus.nnodes;
	for (unsigned i = 0; found && i < rt->bus.nnodes * rt->bus.nnodes; i++)
		rt->bus.links[i] = *xy__bus_link(&bus, i / rt->bus.nnodes, i % rt->bus.nnodes);
	xy__bus_fini(&bus);
	free(texts[0]);
	free(texts[1]);
	return found;
}

static void bus_store(struct xy_runtime *rt, const char *path)
{
	const char *names[XY__BUS_NODES];
	struct xy__buffer text = { 0 };

	bus_names(rt, names);
	xy__bus_print(&rt->bus, names, rt->perf.store.host, &text);
	xy__store_replace(&rt->perf.store, path, &text);
	xy__buffer_fini(&text);
}

int xy__bus_measure(struct xy_runtime *rt)
{
	unsigned n = rt->memory.disk ? rt->memory.disk : rt->memory.nnodes; /* disks are last, and not measured */
	char path[XY__STORE_PATH];
	int fd, loaded;

	if (n < 2 || !*rt->perf.store.folder)
		return 0;
	if (xy__bus_init(&rt->bus, n))
		return -ENOMEM;
	fd = xy__store_lock(&rt->perf.store); /* two processes that start at once measure one after the other */
	if (fd < 0)
		return 0;
	snprintf(path, sizeof path, "%s/bus.%s", rt->perf.store.folder, rt->perf.store.host);
	loaded = bus_load(rt, path);
	if (rt->perf.calibrate && (rt->perf.calibrate == 2 || (loaded && !bus_load_starpu(rt)))) {
		memset(rt->bus.links, 0, (size_t)rt->bus.nnodes * rt->bus.nnodes * sizeof *rt->bus.links);
		bus_measure_all(rt);
		if (loaded != -EEXIST)
			bus_store(rt, path);
	} else if (loaded && !rt->perf.calibrate) {
		bus_load_starpu(rt);
	}
	close(fd);
	return 0;
}

/* --- what is asked --- */

struct xy_prediction xy_bus_time_us(const struct xy_runtime *rt, unsigned from, unsigned to, size_t bytes)
{
	struct xy_prediction p = { .kind = XY_PREDICTION_UNKNOWN };

	if (rt && from < rt->memory.nnodes && to < rt->memory.nnodes && xy__bus_time(&rt->bus, from, to, bytes, &p.us))
		p.kind = XY_PREDICTION_VALUE;
	return p;
}
