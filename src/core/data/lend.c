/* SPDX-License-Identifier: MIT */
/*
 * Copies that live in the memory of another copy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"
#include "core/data/lend.h"
#include "core/data/node.h"
#include "core/runtime/runtime.h"

/* The arrays of a view without memory are this far from each other, and from NULL. */
static const uintptr_t lend_distance = (uintptr_t)1 << (8 * sizeof(uintptr_t) - 4);
_Static_assert(XY_NPARTS < 15, "all arrays have a range");

static struct xy__node *lend_node(const struct xy__copy *copy)
{
	return &copy->handle->runtime->memory.nodes[copy->node];
}

void *xy__lend_view(struct xy_handle *h)
{
	size_t size = h->interface->view_size;
	void *view = h->copies && !h->interface->layout ? malloc(size) : NULL;
	struct xy_part parts[XY_NPARTS];
	unsigned n;

	if (!view)
		return NULL;
	if (h->inside) {
		memcpy(view, h->inside, size);
		return view;
	}
	xy__interface_compact(h->interface, view, &h->view);
	n = xy__interface_parts(h->interface, view, parts);
	for (unsigned i = 0; i < n; i++)
		if (parts[i].row_bytes)
			*xy__part_pointer(view, &parts[i]) = (void *)((i + 1) * lend_distance);
	return view;
}

bool xy__lend_allows(const struct xy__copy *parent)
{
	return parent->allocated && !parent->home && lend_node(parent)->driver->part &&
	       (parent->lender || !parent->handle->inside);
}

static void lend_free(struct xy__node *node, const struct xy_interface *interface, void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < n; i++) {
		void **pointer = xy__part_pointer(view, &parts[i]);

		if (*pointer && node->driver->part_free)
			node->driver->part_free(node->device, *pointer);
		*pointer = NULL;
	}
}

/* One array of a view inside of the lender's. */
static int lend_part(const struct xy__copy *lender, const struct xy_part *part, uintptr_t inside, bool exclusive,
		     void **memory)
{
	struct xy_part parts[XY_NPARTS];
	struct xy__node *node = lend_node(lender);
	unsigned n = xy__interface_parts(lender->handle->interface, lender->view, parts);
	uintptr_t array = inside / lend_distance - 1;
	size_t span = xy__part_span(part);

	if (array >= n)
		return -EINVAL;
	return node->driver->part(node->device, *xy__part_pointer(lender->view, &parts[array]), inside % lend_distance,
				  span, exclusive && span != xy__part_bytes(part), memory);
}

/* The view of a handle in a copy of its root. The pointers of `view` are undefined after an error. */
static int lend_place(const struct xy__copy *lender, struct xy_handle *h, bool exclusive, void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n;
	int error = 0;

	memcpy(view, h->inside, h->interface->view_size);
	n = xy__interface_parts(h->interface, view, parts);
	for (unsigned i = 0; i < n; i++)
		*xy__part_pointer(view, &parts[i]) = NULL;
	for (unsigned i = 0; i < n && !error; i++)
		if (parts[i].row_bytes)
			error = lend_part(lender, &parts[i], (uintptr_t)*xy__part_pointer(h->inside, &parts[i]),
					  exclusive, xy__part_pointer(view, &parts[i]));
	if (error)
		lend_free(lend_node(lender), h->interface, view);
	return error;
}

int xy__lend(const struct xy__copy *parent, struct xy__copy *copy, bool exclusive)
{
	struct xy_handle *h = copy->handle;
	struct xy__copy *lender = parent->lender ? parent->lender : (struct xy__copy *)parent;
	struct xy__node *node = lend_node(copy);
	void *view;
	int error;

	if (copy->lender == lender)
		return 0;
	if (!h->inside || h->root != lender->handle || copy->pins)
		return -ENOTSUP;
	view = malloc(h->interface->view_size);
	error = view ? lend_place(lender, h, exclusive, view) : -ENOMEM;
	if (!error) {
		xy__copy_release(copy);
		memcpy(copy->view, view, h->interface->view_size);
		copy->allocated = true;
		copy->lender = lender;
		copy->complete = parent->complete;
		xy__lock_take(&node->lock);
		copy->older = NULL;
		copy->newer = lender->borrowers;
		if (copy->newer)
			copy->newer->older = copy;
		lender->borrowers = copy;
		xy__lock_drop(&node->lock);
	}
	free(view);
	return error;
}

void xy__lend_return(struct xy__copy *copy)
{
	struct xy__node *node = lend_node(copy);

	xy__lock_take(&node->lock);
	xy__node_change(node);
	*(copy->older ? &copy->older->newer : &copy->lender->borrowers) = copy->newer;
	if (copy->newer)
		copy->newer->older = copy->older;
	copy->older = copy->newer = NULL;
	xy__lock_drop(&node->lock);
	copy->lender = NULL;
	copy->allocated = copy->complete = false;
	atomic_fetch_and(&copy->handle->valid, ~xy__bit(copy->node));
	lend_free(node, copy->handle->interface, copy->view);
}
