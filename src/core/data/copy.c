/* SPDX-License-Identifier: MIT */
/*
 * Copies of handles on memory nodes: their memory, and their list from the oldest to the newest.
 */
#include "core/data/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"
#include "core/data/lend.h"
#include "core/data/node.h"
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
	struct xy__copy *used = copy->lender ? copy->lender : copy;

	copy->pins++;
	if (copy->home)
		return;
	xy__lock_take(&node->lock);
	if (used != node->newest) {
		node_unlink(node, used);
		node_link_newest(node, used);
	}
	xy__lock_drop(&node->lock);
}

void xy__copy_make_oldest(struct xy__copy *copy)
{
	struct xy__node *node = copy_node(copy);

	if (copy->home || !copy->allocated || copy->lender)
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
				  !xy__interface_allocate_ram(h->interface, &h->view, &h->runtime->memory);
		return copy->allocated ? 0 : -ENOMEM;
	}
	view = malloc(h->interface->view_size);
	if (!view)
		return -ENOMEM;
	xy__interface_compact(h->interface, view, &h->view);
	xy__lock_drop(&h->lock);
	error = view_allocate(node, h->interface, view, effort, agent);
	xy__lock_take(&h->lock);
	if (copy->allocated) { /* another thread was faster */
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
	if (copy->lender) {
		xy__lend_return(copy);
		return;
	}
	xy__lock_take(&node->lock);
	node_unlink(node, copy);
	xy__lock_drop(&node->lock);
	copy->allocated = copy->complete = false;
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
	copies->ram =
		(struct xy__copy){ .handle = h, .node = XY__RAM, .home = true, .complete = true, .view = &h->view };
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
	for (unsigned i = XY__RAM + 1; i < rt->memory.nnodes; i++) {
		while (copies->on[i] && copies->on[i]->borrowers) /* the runtime ends before a plan does */
			xy__lend_return(copies->on[i]->borrowers);
		if (copies->on[i])
			xy__copy_release(copies->on[i]);
	}
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
