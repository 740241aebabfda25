/* SPDX-License-Identifier: MIT */
/*
 * Memory nodes, and the copies of handles on them: their memory, and their list from the oldest to the newest.
 */
#include "core/data/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"
#include "core/runtime/runtime.h"

/* --- the list of copies, oldest first --- */

static void node_unlink(struct xy__node *node, struct xy__copy *copy)
{
	*(copy->older ? &copy->older->newer : &node->oldest) = copy->newer;
	*(copy->newer ? &copy->newer->older : &node->newest) = copy->older;
	copy->older = copy->newer = NULL;
	node->listed -= copy->bytes;
}

static void node_link_newest(struct xy__node *node, struct xy__copy *copy)
{
	copy->older = node->newest;
	copy->newer = NULL;
	*(node->newest ? &node->newest->newer : &node->oldest) = copy;
	node->newest = copy;
	node->listed += copy->bytes;
}

static void node_link_oldest(struct xy__node *node, struct xy__copy *copy)
{
	copy->newer = node->oldest;
	copy->older = NULL;
	*(node->oldest ? &node->oldest->older : &node->newest) = copy;
	node->oldest = copy;
	node->listed += copy->bytes;
}

static struct xy__node *copy_node(const struct xy__copy *copy)
{
	return &copy->handle->runtime->memory.nodes[copy->node];
}

void xy__copy_pin(struct xy__copy *copy)
{
	struct xy__node *node = copy_node(copy);

	copy->pins++;
	if (copy->home)
		return;
	xy__lock_take(&node->lock);
	if (copy != node->newest) {
		node_unlink(node, copy);
		node_link_newest(node, copy);
	}
	xy__lock_drop(&node->lock);
}

void xy__copy_make_oldest(struct xy__copy *copy)
{
	struct xy__node *node = copy_node(copy);

	if (copy->home || !copy->allocated)
		return;
	xy__lock_take(&node->lock);
	node_unlink(node, copy);
	node_link_oldest(node, copy);
	xy__lock_drop(&node->lock);
}

/* --- memory of copies --- */

static void view_release(struct xy__node *node, const struct xy_interface *interface, void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < n; i++) {
		void **pointer = xy__part_pointer(view, &parts[i]);

		if (*pointer)
			xy__node_give(node, *pointer, xy__part_bytes(&parts[i]));
		*pointer = NULL;
	}
}

/* Memory for all arrays of a view without gaps, or for none. */
static int view_allocate(struct xy__node *node, const struct xy_interface *interface, void *view,
			 enum xy__effort effort, struct xy__agent *agent)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);
	int error = 0;

	for (unsigned i = 0; i < n && !error; i++)
		if (xy__part_bytes(&parts[i]))
			error = xy__node_take(node, xy__part_bytes(&parts[i]), xy__part_pointer(view, &parts[i]),
					      effort, agent);
	if (error)
		view_release(node, interface, view);
	return error;
}

int xy__copy_allocate(struct xy__copy *copy, enum xy__effort effort, struct xy__agent *agent)
{
	struct xy_handle *h = copy->handle;
	struct xy__node *node = copy_node(copy);
	void *view;
	int error;

	if (copy->allocated)
		return 0;
	if (copy->home) {
		copy->allocated = xy__interface_has_memory(h->interface, &h->view) ||
				  !xy__interface_allocate_ram(h->interface, &h->view);
		return copy->allocated ? 0 : -ENOMEM;
	}
	view = malloc(h->interface->view_size);
	if (!view)
		return -ENOMEM;
	xy__interface_compact(h->interface, view, &h->view);
	xy__lock_drop(&h->lock);
	error = view_allocate(node, h->interface, view, effort, agent);
	xy__lock_take(&h->lock);
	if (copy->allocated) { /* somebody else was faster */
		view_release(node, h->interface, view);
		error = 0;
	} else if (!error) {
		memcpy(copy->view, view, h->interface->view_size);
		copy->allocated = true;
		copy->bytes = h->size_bytes;
		xy__lock_take(&node->lock);
		xy__node_change(node);
		node_link_newest(node, copy);
		xy__lock_drop(&node->lock);
	}
	free(view);
	return error;
}

void xy__copy_release(struct xy__copy *copy)
{
	struct xy_handle *h = copy->handle;
	struct xy__node *node = copy_node(copy);

	if (copy->home || !copy->allocated)
		return;
	xy__lock_take(&node->lock);
	node_unlink(node, copy);
	xy__lock_drop(&node->lock);
	copy->allocated = false;
	copy->bytes = 0;
	if (!copy->scratch)
		atomic_fetch_and(&h->valid, ~xy__bit(copy->node));
	view_release(node, h->interface, copy->view);
}

/* --- copies of a handle --- */

static struct xy__copy *copy_create(struct xy_handle *h, unsigned node)
{
	struct xy__copy *copy = calloc(1, sizeof *copy + h->interface->view_size);

	if (!copy)
		return NULL;
	copy->handle = h;
	copy->node = node;
	copy->view = copy + 1;
	return copy;
}

struct xy__copy *xy__copy_on(struct xy_handle *h, unsigned node)
{
	struct xy__copies *copies = h->copies;

	if (!copies->on[node])
		copies->on[node] = copy_create(h, node);
	return copies->on[node];
}

struct xy__copy *xy__copy_scratch(struct xy_handle *h, unsigned worker, unsigned node)
{
	struct xy__copies *copies = h->copies;

	if (!copies->scratch)
		copies->scratch = calloc(h->runtime->nworkers, sizeof(struct xy__copy *));
	if (!copies->scratch)
		return NULL;
	if (!copies->scratch[worker]) {
		copies->scratch[worker] = copy_create(h, node);
		if (copies->scratch[worker])
			copies->scratch[worker]->scratch = true;
	}
	return copies->scratch[worker];
}

int xy__copies_init(struct xy_handle *h)
{
	struct xy_runtime *rt = h->runtime;
	struct xy__copies *copies;

	atomic_init(&h->valid, xy__bit(XY__RAM));
	if (rt->memory.nnodes == 1)
		return 0;
	copies = calloc(1, sizeof *copies + rt->memory.nnodes * sizeof(struct xy__copy *));
	if (!copies)
		return -ENOMEM;
	copies->ram = (struct xy__copy){ .handle = h, .node = XY__RAM, .home = true, .view = &h->view };
	copies->ram.allocated = !h->owns_memory || !h->size_bytes;
	copies->on[XY__RAM] = &copies->ram;
	h->copies = copies;
	return 0;
}

void xy__copies_fini(struct xy_handle *h)
{
	struct xy_runtime *rt = h->runtime;
	struct xy__copies *copies = h->copies;

	if (!copies)
		return;
	xy__lock_take(&h->lock);
	for (unsigned i = XY__RAM + 1; i < rt->memory.nnodes; i++)
		if (copies->on[i])
			xy__copy_release(copies->on[i]);
	for (unsigned i = 0; copies->scratch && i < rt->nworkers; i++)
		if (copies->scratch[i])
			xy__copy_release(copies->scratch[i]);
	xy__lock_drop(&h->lock);
	for (unsigned i = XY__RAM + 1; i < rt->memory.nnodes; i++)
		free(copies->on[i]);
	for (unsigned i = 0; copies->scratch && i < rt->nworkers; i++)
		free(copies->scratch[i]);
	free(copies->scratch);
	free(copies);
	h->copies = NULL;
}

/* --- nodes --- */

static void node_init(struct xy_runtime *rt, unsigned id)
{
	struct xy__node *node = &rt->memory.nodes[id];

	node->id = id;
	node->limit = SIZE_MAX;
	node->driver = &xy__cpu_driver;
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

/* The device that a worker computes on is that of its node. */
static void node_set_device(struct xy_runtime *rt, const struct xy_worker_info *info)
{
	struct xy__node *node = &rt->memory.nodes[info->node];
	const struct xy__driver_device *device = node_find_device(rt, info);
	size_t limit = xy__limit(&rt->settings.limits[info->arch], device->index);

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

int xy__memory_init(struct xy_runtime *rt)
{
	unsigned n = xy_machine_nnodes(rt->machine);
	bool several = rt->settings.numa && n > 1;

	for (unsigned w = 0; w < rt->nworkers && !several; w++)
		several |= xy_machine_worker(rt->machine, w)->arch != XY_CPU;
	rt->memory.nnodes = several && !(rt->sim && rt->settings.sim_shared) ? n : 1;
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
	for (unsigned w = 0; w < rt->nworkers; w++) {
		const struct xy_worker_info *info = xy_machine_worker(rt->machine, w);

		if (rt->memory.nnodes == 1 || (info->arch == XY_CPU && !rt->settings.numa))
			rt->workers[w].node = XY__RAM;
		else
			rt->workers[w].node = info->node;
		if (rt->workers[w].slots)
			xy__device_place(&rt->workers[w]);
		if (info->arch == XY_CPU || rt->sim)
			continue;
		node_set_device(rt, info);
		for (unsigned i = 0; i < w; i++)
			rt->workers[w].queue += rt->workers[i].arch != XY_CPU && rt->workers[i].node == info->node;
	}
	if (rt->sim)
		xy__sim_nodes(rt);
	return 0;
}

void xy__memory_fini(struct xy_runtime *rt)
{
	for (unsigned i = 0; rt->memory.nodes && i < rt->memory.nnodes; i++)
		xy__node_flush(&rt->memory.nodes[i], SIZE_MAX);
	free(rt->memory.nodes);
	rt->memory.nodes = NULL;
}

void xy__memory_dump(struct xy_runtime *rt, FILE *out)
{
	if (rt->memory.nnodes == 1)
		return;
	fprintf(out, "memory: %u transfers under way\n", atomic_load(&rt->memory.underway));
	for (unsigned i = 0; i < rt->memory.nnodes; i++) {
		struct xy__node *node = &rt->memory.nodes[i];

		xy__lock_take(&node->lock);
		fprintf(out, "  node %u (%s)%s: %zu bytes taken, %zu kept for later, %u tasks have their data%s\n", i,
			node->name, xy__node_is_lost(&rt->memory, i) ? ", lost" : "", node->used, node->cached,
			node->admitted, node->starving ? ", one waits for memory" : "");
		xy__lock_drop(&node->lock);
	}
}
