/* SPDX-License-Identifier: MIT */
/*
 * The content of a handle as bytes and back, for files and for other processes. Unless the interface has its own
 * way, a view whose arrays lie in the bytes one after the other is copied to or from.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/data/departed.h"
#include "core/data/interface.h"
#include "core/runtime/runtime.h"
#include "core/task/handle.h"

/* 0 if the application holds the handle in a mode that has this. */
static int pack_check(struct xy_handle *h, unsigned mode, const char *who)
{
	const struct xy_task *task;

	if (!xy__handle_is_here(h, who))
		return -EINVAL;
	xy__lock_take(&h->lock);
	for (task = h->held; task && !(xy__access_mode(task->accesses[0]) & mode); task = task->next)
		;
	xy__lock_drop(&h->lock);
	if (task)
		return 0;
	xy__log(&h->runtime->settings.log, "%s: '%s' is not acquired for %s: see xy_acquire", who, xy_handle_name(h),
		mode == XY_R ? "reading" : "writing");
	return -EINVAL;
}

static size_t pack_size(const struct xy_handle *h)
{
	return h->interface->packed_bytes ? h->interface->packed_bytes(&h->view) : h->size_bytes;
}

static int pack_check_bytes(const struct xy_handle *h, const void *bytes, size_t size, const char *who)
{
	size_t needed = pack_size(h);

	if (size == needed && (bytes || !size))
		return 0;
	xy__log(&h->runtime->settings.log, "%s: %zu bytes at %p, but '%s' has %zu", who, size, bytes, xy_handle_name(h),
		needed);
	return -EINVAL;
}

/* A view without gaps whose arrays are in the bytes; NULL without memory. Nothing is known of their alignment. */
static void *pack_view(const struct xy_handle *h, char *bytes)
{
	struct xy_part parts[XY_NPARTS];
	void *view = malloc(h->interface->view_size);
	unsigned nparts;

	if (!view)
		return NULL;
	xy__interface_compact(h->interface, view, &h->view);
	nparts = xy__interface_parts(h->interface, view, parts);
	for (unsigned i = 0; i < nparts; i++) {
		*xy__part_pointer(view, &parts[i]) = bytes;
		bytes += xy__part_bytes(&parts[i]);
	}
	return view;
}

static int pack_copy(const struct xy_handle *h, const void *to, const void *from, const char *who)
{
	struct xy__copy_list list = { .items = list.few };
	int error = to && from ? xy__interface_copies(h->interface, 0, to, from, &list) : -ENOMEM;

	for (unsigned i = 0; i < list.count && !error; i++)
		xy__copy_in_ram(&list.items[i]);
	xy__copy_list_fini(&list);
	if (error)
		xy__log(&h->runtime->settings.log, "%s: not enough memory for '%s'", who, xy_handle_name(h));
	return error;
}

int xy_handle_packed_size(const struct xy_handle *h, size_t *bytes)
{
	if (!xy__handle_is_here(h, "xy_handle_packed_size"))
		return -EINVAL;
	if (!bytes) {
		xy__log(&h->runtime->settings.log, "xy_handle_packed_size: the output pointer is NULL");
		return -EINVAL;
	}
	*bytes = pack_size(h);
	return 0;
}

int xy_pack(struct xy_handle *h, void *bytes, size_t size)
{
	int error = pack_check(h, XY_R, "xy_pack");
	void *view;

	if (!error)
		error = pack_check_bytes(h, bytes, size, "xy_pack");
	if (error)
		return error;
	if (h->interface->pack) {
		h->interface->pack(&h->view, bytes);
		return 0;
	}
	view = pack_view(h, bytes);
	error = pack_copy(h, view, &h->view, "xy_pack");
	free(view);
	return error;
}

int xy_unpack(struct xy_handle *h, const void *bytes, size_t size)
{
	int error = pack_check(h, XY_W, "xy_unpack");
	void *view;

	if (!error)
		error = pack_check_bytes(h, bytes, size, "xy_unpack");
	if (error)
		return error;
	if (h->interface->unpack) {
		h->interface->unpack(&h->view, bytes);
		return 0;
	}
	view = pack_view(h, (char *)bytes);
	error = pack_copy(h, &h->view, view, "xy_unpack");
	free(view);
	return error;
}
