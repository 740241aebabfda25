/* SPDX-License-Identifier: MIT */
/*
 * Handles whose memory is the application's, on a device. The copy on that node is like the one in RAM of other
 * handles: it has that memory for good, and gets the content when the handle ends.
 */
#include <errno.h>
#include <string.h>

#include "core/data/departed.h"
#include "core/data/interface.h"
#include "core/data/node.h"
#include "core/runtime/runtime.h"
#include "core/task/handle.h"

static int home_refuse(struct xy_handle *h, const char *why)
{
	xy__log(&h->runtime->settings.log, "xy_handle_set_home: '%s': %s", xy_handle_name(h), why);
	return -EINVAL;
}

/* Whether the driver knows the memory of all arrays as a device's, as far as it can tell. */
static bool home_is_there(const struct xy__node *node, const struct xy_interface *interface, const void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < n && node->driver->owns; i++)
		if (parts[i].row_bytes && !node->driver->owns(node->device, *xy__part_pointer((void *)view, &parts[i])))
			return false;
	return true;
}

static int home_check(struct xy_handle *h, unsigned node, const void *view)
{
	const struct xy_node_info *info = xy_machine_node(h->runtime->machine, node);

	if (!info || info->disk || info->arch == XY_CPU)
		return home_refuse(h, "the node is not a device");
	if (h->interface->layout)
		return home_refuse(h, "its interface has layouts of devices");
	if (!view || !xy__interface_equal(h->interface, view, &h->view))
		return home_refuse(h, "the view has other sizes than the registered one");
	if (!xy__interface_has_memory(h->interface, view))
		return home_refuse(h, "the view has no memory");
	if (!h->owns_memory || h->constant || h->child_of)
		return home_refuse(h, "it has memory already");
	if (h->copies && !home_is_there(&h->runtime->memory.nodes[node], h->interface, view))
		return home_refuse(h, "its memory is not that of such a device");
	return 0;
}

/* Whether it is as it was registered. */
static bool home_is_new(const struct xy_handle *h)
{
	const struct xy__copies *copies = h->copies;
	bool is_new = !copies->transfers && !copies->scratch && !copies->home && !h->writer.task &&
		      (!copies->ram.allocated || !h->size_bytes) && !h->plans;

	for (unsigned i = XY__RAM + 1; i < h->runtime->memory.nnodes; i++)
		is_new &= !copies->on[i];
	return is_new;
}

static int home_install(struct xy_handle *h, unsigned node, const void *view)
{
	struct xy__copy *copy = home_is_new(h) ? xy__copy_on(h, node) : NULL;

	if (!copy)
		return home_is_new(h) ? -ENOMEM : -EBUSY;
	memcpy(copy->view, view, h->interface->view_size);
	copy->home = copy->allocated = copy->complete = true;
	h->copies->home = node;
	atomic_store(&h->valid, xy__bit(node));
	return 0;
}

int xy_handle_set_home(struct xy_handle *h, unsigned node, const void *view)
{
	int error;

	if (!xy__handle_is_here(h, "xy_handle_set_home"))
		return -EINVAL;
	error = home_check(h, node, view);
	if (error || !h->copies) /* simulated devices may share the memory */
		return error;
	xy__lock_take(&h->lock);
	error = home_install(h, node, view);
	xy__lock_drop(&h->lock);
	if (error == -EBUSY)
		home_refuse(h, "it has been used");
	return error;
}
