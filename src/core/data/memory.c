/* SPDX-License-Identifier: MIT */
/*
 * The memory of a runtime: sets its nodes up, and answers what applications ask of them.
 */
#include "core/data/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/disk.h"
#include "core/data/host.h"
#include "core/data/interface.h"
#include "core/data/node.h"
#include "core/data/ram.h"
#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"
#include "core/runtime/worker_slots.h"

static void node_init(struct xy_runtime *rt, unsigned id)
{
	struct xy__node *node = &rt->memory.nodes[id];

	node->id = id;
	node->memory = &rt->memory;
	node->limit = SIZE_MAX;
	node->driver = &xy__ram_driver;
	node->ram = true;
	snprintf(node->name, sizeof node->name, "ram%u", id);
}

static const struct xy__driver_device *node_find_device(struct xy_runtime *rt, const struct xy_worker_info *info)
{
	const struct xy__driver_device *device = rt->drivers.devices;

	while (device->driver->arch != info->arch || device->index != (unsigned)info->device)
		device++;
	return device;
}

/* Main memory has a limit, and what it has no room for goes to the last node. */
static int node_set_disk(struct xy_runtime *rt)
{
	struct xy__node *node = &rt->memory.nodes[rt->memory.nnodes - 1];

	if (!xy_machine_node(rt->machine, node->id)->disk)
		return 0;
	node->device = xy__disks_create(&rt->settings.log);
	if (!node->device)
		return -ENOMEM;
	node->driver = &xy__disk_driver;
	node->ram = false;
	node->disk = true;
	snprintf(node->name, sizeof node->name, "disk0");
	rt->memory.disk = node->id;
	rt->memory.nodes[XY__RAM].limit = rt->settings.limit_ram;
	rt->places.common |= xy__bit(node->id);
	return *rt->settings.disk ? xy__disks_add(rt, rt->settings.disk) : 0;
}

/* The device that a worker computes on is that of its node. */
static void node_set_device(struct xy_runtime *rt, const struct xy_worker_info *info)
{
	struct xy__node *node = &rt->memory.nodes[info->node];
	const struct xy__driver_device *device = node_find_device(rt, info);
	size_t limit = xy__limit(&rt->settings.arch[info->arch].limit, device->index);

	node->driver = device->driver;
	node->device = device->device;
	node->index = device->index;
	node->ram = false;
	snprintf(node->name, sizeof node->name, "%s%d", device->driver->name, info->device);
	node->limit = limit != SIZE_MAX ? limit : device->info.memory_bytes ? device->info.memory_bytes : SIZE_MAX;
	for (unsigned w = 0; w < rt->nworkers; w++) {
		const struct xy_worker_info *other = xy_machine_worker(rt->machine, w);

		if (other->arch == info->arch && other->device < 64 &&
		    (device->info.peers >> (unsigned)other->device & 1))
			node->peers |= xy__bit(other->node);
	}
}

void xy__memory_place(struct xy_runtime *rt)
{
	for (unsigned w = 0; w < rt->nworkers; w++) {
		const struct xy_worker_info *info = xy_machine_worker(rt->machine, w);

		if (info->arch == XY_CPU)
			continue;
		node_set_device(rt, info);
		for (unsigned i = 0; i < w; i++)
			rt->workers[w].queue += rt->workers[i].arch != XY_CPU && rt->workers[i].node == info->node;
	}
}

int xy__memory_init(struct xy_runtime *rt)
{
	unsigned n = xy_machine_nnodes(rt->machine);
	bool several = (rt->settings.numa && n > 1) || xy_machine_node(rt->machine, n - 1)->disk;

	for (unsigned w = 0; w < rt->nworkers && !several; w++)
		several |= xy_machine_worker(rt->machine, w)->arch != XY_CPU;
	rt->memory.nnodes = several && !rt->shared_memory ? n : 1;
	if (rt->memory.nnodes > XY__NNODES) {
		xy__log(&rt->settings.log, "the machine has %u memory nodes, and data can be on at most %d", n,
			XY__NNODES);
		return -ERANGE;
	}
	rt->memory.nodes = calloc(rt->memory.nnodes, sizeof *rt->memory.nodes);
	if (!rt->memory.nodes)
		return -ENOMEM;
	for (unsigned i = 0; i < rt->memory.nnodes; i++)
		node_init(rt, i);
	rt->places.common = xy__bit(XY__RAM);
	for (unsigned w = 0; w < rt->nworkers; w++) {
		const struct xy_worker_info *info = xy_machine_worker(rt->machine, w);

		if (rt->memory.nnodes == 1 || (info->arch == XY_CPU && !rt->settings.numa))
			rt->workers[w].node = XY__RAM;
		else
			rt->workers[w].node = info->node;
		rt->places.nodes[w] = rt->workers[w].node;
		if (rt->workers[w].slots)
			xy__slots_place(&rt->workers[w]);
	}
	rt->engine->place(rt);
	return node_set_disk(rt);
}

void xy__memory_fini(struct xy_runtime *rt)
{
	for (unsigned i = 0; rt->memory.nodes && i < rt->memory.nnodes; i++)
		xy__node_flush(&rt->memory.nodes[i], SIZE_MAX);
	if (rt->memory.disk)
		xy__disks_destroy(rt->memory.nodes[rt->memory.disk].device);
	xy__host_fini(&rt->memory);
	free(rt->memory.nodes);
	rt->memory.nodes = NULL;
}

void xy__memory_dump(struct xy_runtime *rt, FILE *out)
{
	if (rt->memory.nnodes == 1)
		return;
	fprintf(out, "memory: %u transfers in flight\n", atomic_load(&rt->memory.underway));
	for (unsigned i = 0; i < rt->memory.nnodes; i++) {
		struct xy__node *node = &rt->memory.nodes[i];

		if (!xy__lock_take_for(&node->lock, 0.5)) {
			fprintf(out, "  node %u (%s): its lock is held\n", i, node->name);
			continue;
		}
		fprintf(out, "  node %u (%s)%s: %zu bytes used, %zu cached, %u tasks admitted%s\n", i, node->name,
			xy__node_is_lost(&rt->memory, i) ? ", lost" : "", node->used, node->cached, node->admitted,
			node->starving ? ", one waits for memory" : "");
		xy__lock_drop(&node->lock);
	}
}

const char *xy__memory_owner(struct xy_runtime *rt, const void *memory)
{
	const struct xy_driver *asked = NULL;

	for (unsigned i = 0; i < rt->memory.nnodes; i++) {
		const struct xy__node *node = &rt->memory.nodes[i];

		if (node->driver == asked || !node->driver->owns)
			continue;
		asked = node->driver;
		if (asked->owns(node->device, memory))
			return asked->name;
	}
	return NULL;
}

/* --- memory from which copies are fast --- */

void *xy_memory_allocate(struct xy_runtime *rt, size_t bytes)
{
	if (!rt || !bytes) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_memory_allocate: no %s", rt ? "size" : "runtime");
		return NULL;
	}
	return xy__host_allocate(&rt->memory, bytes);
}

void xy_memory_free(struct xy_runtime *rt, void *memory)
{
	if (!memory)
		return;
	if (!rt)
		xy__log(NULL, "xy_memory_free: no runtime");
	else if (!xy__host_free(&rt->memory, memory))
		xy__log(&rt->settings.log, "xy_memory_free: %p is not from xy_memory_allocate, or was freed before",
			memory);
}

/* A device that works, whose driver can pin memory; NULL without one. */
static struct xy__node *pinning_node(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->memory.nnodes; i++)
		if (rt->memory.nodes[i].driver->host_pin && !xy__node_is_lost(&rt->memory, i))
			return &rt->memory.nodes[i];
	return NULL;
}

static int pinning_check(struct xy_runtime *rt, const void *memory, const char *who)
{
	if (rt && memory)
		return 0;
	xy__log(rt ? &rt->settings.log : NULL, "%s: no %s", who, rt ? "memory" : "runtime");
	return -EINVAL;
}

/* What the caller has done wrong, if the error says so, and what the driver says. */
static int pinning_tell(struct xy_runtime *rt, const struct xy__node *node, const void *memory, int error)
{
	const char *said = node->driver->explain();

	if (error == -EALREADY)
		xy__log(&rt->settings.log, "xy_memory_pin: %p is pinned already, or a part of it is: %s", memory, said);
	else
		xy__log(&rt->settings.log, "xy_memory_pin: %s", said);
	return error;
}

static int unpinning_tell(struct xy_runtime *rt, const struct xy__node *node, const void *memory, int error)
{
	const char *said = node->driver->explain();

	if (error == -EINVAL)
		xy__log(&rt->settings.log,
			"xy_memory_unpin: %p is not pinned by xy_memory_pin, or was unpinned before: %s", memory, said);
	else
		xy__log(&rt->settings.log, "xy_memory_unpin: %s", said);
	return error;
}

int xy_memory_pin(struct xy_runtime *rt, void *memory, size_t bytes)
{
	struct xy__node *node = rt ? pinning_node(rt) : NULL;
	int error = pinning_check(rt, bytes ? memory : NULL, "xy_memory_pin");

	if (error)
		return error;
	if (!node)
		return -ENOTSUP;
	error = node->driver->host_pin(node->device, memory, bytes);
	return error ? pinning_tell(rt, node, memory, error) : 0;
}

int xy_memory_unpin(struct xy_runtime *rt, void *memory)
{
	struct xy__node *node = rt ? pinning_node(rt) : NULL;
	int error = pinning_check(rt, memory, "xy_memory_unpin");

	if (error)
		return error;
	if (!node)
		return -ENOTSUP;
	error = node->driver->host_unpin(node->device, memory);
	return error ? unpinning_tell(rt, node, memory, error) : 0;
}
