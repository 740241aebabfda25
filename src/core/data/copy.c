/* SPDX-License-Identifier: MIT */
/*
 * Copies of handles on memory nodes: their memory, and their list from the oldest to the newest.
 */
#include "core/data/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/handle.h"
#include "core/data/interface.h"
#include "core/data/layout.h"
#include "core/data/lend.h"
#include "core/data/node.h"
#include "core/runtime/agent.h"
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
			xy__node_give(node, *pointer, xy__part_span(&parts[i]));
		*pointer = NULL;
	}
}

/* Memory for all arrays of a view, or for none. */
static int view_allocate(struct xy__node *node, const struct xy_interface *interface, void *view,
			 enum xy__effort effort, struct xy__agent *agent)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);
	int error = 0;

	for (unsigned i = 0; i < n && !error; i++)
		if (xy__part_span(&parts[i]))
			error = xy__node_take(node, xy__part_span(&parts[i]), xy__part_pointer(view, &parts[i]), effort,
					      agent);
	if (error)
		view_release(node, interface, view);
	return error;
}

/* The shape that a copy has on its node: in RAM the one that the application knows. Pointers are NULL. */
static void view_blank(const struct xy__copy *copy, void *view)
{
	const struct xy_handle *h = copy->handle;
	struct xy_part parts[XY_NPARTS];
	unsigned n;

	if (copy->view != &h->view) {
		xy__layout_blank(h, copy->node, view);
		return;
	}
	memcpy(view, &h->view, h->interface->view_size);
	n = xy__interface_parts(h->interface, view, parts);
	for (unsigned i = 0; i < n; i++)
		*xy__part_pointer(view, &parts[i]) = NULL;
}

/* Gives a copy the memory of a view. What is read without the handle's lock in its own view stays untouched. */
static void view_install(struct xy__copy *copy, void *view)
{
	struct xy_handle *h = copy->handle;
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(h->interface, view, parts);

	copy->bytes = 0;
	for (unsigned i = 0; i < n; i++)
		copy->bytes += xy__part_span(&parts[i]);
	if (copy->view != &h->view)
		memcpy(copy->view, view, h->interface->view_size);
	for (unsigned i = 0; i < n; i++)
		*xy__part_pointer(copy->view, &parts[i]) = *xy__part_pointer(view, &parts[i]);
}

/* What was never written is 0. */
static void view_clear(const struct xy_interface *interface, void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < n; i++)
		if (*xy__part_pointer(view, &parts[i]))
			memset(*xy__part_pointer(view, &parts[i]), 0, xy__part_span(&parts[i]));
}

int xy__copy_allocate(struct xy__copy *copy, enum xy__effort effort, struct xy__agent *agent)
{
	struct xy_handle *h = copy->handle;
	struct xy__node *node = copy_node(copy);
	bool clear;
	void *view;
	int error;

	if (copy->allocated)
		return 0;
	if (copy->home) {
		error = xy__handle_make_home(h);
		copy->allocated |= !error;
		return error;
	}
	view = malloc(h->interface->view_size);
	if (!view)
		return -ENOMEM;
	view_blank(copy, view);
	clear = !copy->scratch && (atomic_load(&h->valid) & xy__bit(copy->node));
	xy__lock_drop(&h->lock);
	error = view_allocate(node, h->interface, view, effort, agent);
	if (!error && clear)
		view_clear(h->interface, view);
	xy__lock_take(&h->lock);
	if (copy->allocated) { /* another thread was faster */
		view_release(node, h->interface, view);
		error = 0;
	} else if (!error) {
		view_install(copy, view);
		copy->allocated = true;
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

/* --- copies in RAM that the application uses --- */

void xy__copy_hold(struct xy__copy *copy)
{
	struct xy__node *node = copy_node(copy);

	if (copy->home)
		return;
	xy__copy_pin(copy);
	if (copy->held++ || copy->node != XY__RAM)
		return;
	xy__lock_take(&node->lock);
	node->held += copy->bytes;
	xy__lock_drop(&node->lock);
}

/* It may have become the handle's home meanwhile. */
void xy__copy_let_go(struct xy__copy *copy)
{
	struct xy__node *node = copy_node(copy);

	if (!copy->held)
		return;
	copy->pins--;
	if (--copy->held || copy->home)
		return;
	if (copy->node != XY__RAM) {
		xy__node_change(node);
		return;
	}
	xy__lock_take(&node->lock);
	node->held -= copy->bytes;
	xy__node_change(node);
	xy__lock_drop(&node->lock);
}

int xy__copy_settle(struct xy_handle *h)
{
	struct xy__copy *copy = h->copies ? &h->copies->ram : NULL;
	struct xy__agent *agent;
	struct xy__node *node;
	int error;

	if (!copy || copy->home)
		return 0;
	node = copy_node(copy);
	agent = xy__agent_enter(h->runtime);
	xy__lock_take(&h->lock);
	error = xy__copy_allocate(copy, XY__EFFORT_BEYOND, agent);
	if (!error && !copy->home) {
		xy__lock_take(&node->lock);
		node_unlink(node, copy);
		node->used -= copy->bytes;
		node->held -= copy->held ? copy->bytes : 0;
		xy__lock_drop(&node->lock);
		copy->home = true;
	}
	xy__lock_drop(&h->lock);
	xy__agent_leave(agent);
	return error;
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
	copy->content_bytes = h->size_bytes;
	if (h->interface->layout)
		xy__layout_note(copy);
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
	copies->ram = (struct xy__copy){ .handle = h, .node = XY__RAM, .complete = true, .view = &h->view };
	copies->ram.content_bytes = h->size_bytes;
	copies->ram.allocated = !h->owns_memory || !h->size_bytes;
	copies->ram.home = !rt->memory.disk || copies->ram.allocated; /* without disks, or memory of the application */
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
	xy__copy_release(&copies->ram);
	xy__lock_drop(&h->lock);
	for (unsigned i = XY__RAM + 1; i < rt->memory.nnodes; i++)
		free(copies->on[i]);
	for (unsigned i = 0; copies->scratch && i < rt->nworkers; i++)
		free(copies->scratch[i]);
	free(copies->scratch);
	free(copies);
	h->copies = NULL;
}
