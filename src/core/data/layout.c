/* SPDX-License-Identifier: MIT */
/* Converts content between the layout in RAM and that of a device, on its way from one to the other. */
#include "core/data/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"
#include "core/runtime/runtime.h"

static enum xy_arch layout_arch(const struct xy_handle *h, unsigned node)
{
	return h->runtime->memory.nodes[node].driver->arch;
}

bool xy__layout_blank(const struct xy_handle *h, unsigned node, void *view)
{
	enum xy_arch arch = layout_arch(h, node);
	struct xy_part parts[XY_NPARTS];
	unsigned n;

	xy__interface_compact(h->interface, view, &h->view);
	if (arch == XY_CPU || !h->interface->layout || !h->interface->layout(view, arch))
		return false;
	n = xy__interface_parts(h->interface, view, parts);
	for (unsigned i = 0; i < n; i++)
		*xy__part_pointer(view, &parts[i]) = NULL;
	return true;
}

void xy__layout_note(struct xy__copy *copy)
{
	const struct xy_handle *h = copy->handle;
	struct xy_part parts[XY_NPARTS];
	unsigned n;

	copy->foreign = xy__layout_blank(h, copy->node, copy->view);
	n = xy__interface_parts(h->interface, copy->view, parts);
	copy->content_bytes = 0;
	for (unsigned i = 0; i < n; i++)
		copy->content_bytes += xy__part_bytes(&parts[i]);
}

static bool layout_differs(const struct xy__transfer *t)
{
	return t->kind != XY_COPY_PEER && t->handle->copies->on[t->device]->foreign;
}

/* Memory in RAM for content as the device has it. */
static int layout_stage(struct xy__transfer *t)
{
	struct xy_handle *h = t->handle;
	int error;

	t->staged = malloc(h->interface->view_size);
	if (!t->staged)
		return -ENOMEM;
	memcpy(t->staged, h->copies->on[t->device]->view, h->interface->view_size);
	error = xy__interface_allocate_ram(h->interface, t->staged, &h->runtime->memory);
	if (error) {
		free(t->staged);
		t->staged = NULL;
	}
	return error;
}

int xy__layout_begin(struct xy__transfer *t, const void **to, const void **from)
{
	struct xy_handle *h = t->handle;
	int error = layout_differs(t) ? layout_stage(t) : 0;

	if (error || !t->staged)
		return error;
	if (t->kind == XY_COPY_IN)
		error = h->interface->to_device(t->staged, *from, layout_arch(h, t->device));
	*(t->kind == XY_COPY_IN ? from : to) = t->staged;
	return error;
}

void xy__layout_end(struct xy__transfer *t)
{
	struct xy_handle *h = t->handle;

	if (!t->staged)
		return;
	if (t->kind == XY_COPY_OUT && t->moved && !t->status && !atomic_load(&t->stale))
		t->status = h->interface->from_device(h->copies->on[t->to]->view, t->staged, layout_arch(h, t->device));
	xy__interface_free_ram(h->interface, t->staged, &h->runtime->memory);
	free(t->staged);
	t->staged = NULL;
}
