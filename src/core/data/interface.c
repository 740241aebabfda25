/* SPDX-License-Identifier: MIT */
/*
 * Sizes and memory of the arrays of a view. What a handle was registered with has been checked here, so that
 * no product or sum of its sizes overflows later.
 */
#include "core/data/host.h"
#include "core/data/interface.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/message.h"

unsigned xy__interface_parts(const struct xy_interface *interface, const void *view, struct xy_part parts[XY_NPARTS])
{
	unsigned nparts = interface->parts(view, parts);

	for (unsigned i = 0; i < nparts; i++)
		for (unsigned d = 0; d < parts[i].ndims; d++)
			if (!parts[i].count[d])
				parts[i].row_bytes = 0;
	return nparts;
}

size_t xy__part_bytes(const struct xy_part *part)
{
	size_t bytes = part->row_bytes;

	for (unsigned d = 0; d < part->ndims; d++)
		bytes *= part->count[d];
	return bytes;
}

size_t xy__part_span(const struct xy_part *part)
{
	size_t span = part->row_bytes;

	for (unsigned d = 0; span && d < part->ndims; d++)
		span += (part->count[d] - 1) * part->stride[d];
	return span;
}

bool xy__interface_equal(const struct xy_interface *interface, const void *view, const void *other)
{
	struct xy_part a[XY_NPARTS], b[XY_NPARTS];
	unsigned n = xy__interface_parts(interface, view, a);
	bool equal = n == xy__interface_parts(interface, other, b);

	for (unsigned i = 0; i < n && equal; i++) {
		equal = a[i].row_bytes == b[i].row_bytes && a[i].ndims == b[i].ndims;
		for (unsigned d = 0; equal && d < a[i].ndims; d++)
			equal = a[i].count[d] == b[i].count[d];
	}
	return equal;
}

bool xy__interface_has_memory(const struct xy_interface *interface, const void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < nparts; i++)
		if (parts[i].row_bytes)
			return *xy__part_pointer((void *)view, &parts[i]);
	return true;
}

void *xy__interface_pointer(const struct xy_interface *interface, const void *view)
{
	struct xy_part parts[XY_NPARTS];

	return interface->parts(view, parts) ? *xy__part_pointer((void *)view, &parts[0]) : NULL;
}

/* --- registration --- */

static int interface_error(int status, char *error, size_t size, unsigned array, const char *what)
{
	struct xy__message message;

	xy__message_init(&message, error, size);
	xy__message_add(&message, "array %u: %s", array, what);
	return status;
}

/* Where the pointer is, and that no two rows share a byte nor the last is out of reach. */
static int interface_check_part(const struct xy_interface *interface, const struct xy_part *part, unsigned array,
				char *error, size_t size)
{
	size_t span = part->row_bytes, more;

	if (part->ndims > XY_NDIMS - 1)
		return interface_error(-EINVAL, error, size, array, "too many dimensions");
	if (part->pointer % alignof(void *) || part->pointer > interface->view_size ||
	    interface->view_size - part->pointer < sizeof(void *))
		return interface_error(-EINVAL, error, size, array, "its pointer is not in the view");
	for (unsigned d = 0; span && d < part->ndims; d++) {
		if (part->count[d] <= 1)
			continue;
		if (part->stride[d] < span)
			return interface_error(-EINVAL, error, size, array,
					       "a stride is less than the extent below it");
		if (__builtin_mul_overflow(part->count[d] - 1, part->stride[d], &more) ||
		    __builtin_add_overflow(span, more, &span))
			return interface_error(-EOVERFLOW, error, size, array, "the size in bytes does not fit");
	}
	return 0;
}

static int interface_check_ops(const struct xy_interface *interface, char *error, size_t size)
{
	struct xy__message message;

	xy__message_init(&message, error, size);
	if (!interface->name || !interface->parts || !interface->view_size)
		xy__message_add(&message, "the interface needs a name, a size of the view, and parts");
	else if (!interface->packed_bytes != !interface->pack || !interface->pack != !interface->unpack)
		xy__message_add(&message, "the interface has some of packed_bytes, pack and unpack, but not all");
	else if (!interface->layout != !interface->to_device || !interface->layout != !interface->from_device)
		xy__message_add(&message, "the interface has some of layout, to_device and from_device, but not all");
	else
		return 0;
	return -EINVAL;
}

/* All pointers or none; those of empty arrays don't matter. */
static int interface_check_pointers(const struct xy_interface *interface, void *view, char *error, size_t size)
{
	bool has_memory = xy__interface_has_memory(interface, view);
	struct xy_part parts[XY_NPARTS];
	unsigned nparts = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < nparts; i++)
		if (parts[i].row_bytes && !*xy__part_pointer(view, &parts[i]) == has_memory)
			return interface_error(-EINVAL, error, size, i, "some pointers are NULL, but not all");
	return 0;
}

int xy__interface_check(const struct xy_interface *interface, const void *view, size_t *size_bytes, char *error,
			size_t error_size)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts;
	int status = interface_check_ops(interface, error, error_size);

	if (!status && interface->check)
		status = interface->check(view, error, error_size);
	if (status)
		return status;
	nparts = interface->parts(view, parts);
	if (nparts > XY_NPARTS)
		return interface_error(-EINVAL, error, error_size, XY_NPARTS, "there are too many");
	*size_bytes = 0;
	for (unsigned i = 0; i < nparts && !status; i++) {
		status = interface_check_part(interface, &parts[i], i, error, error_size);
		if (!status && __builtin_add_overflow(*size_bytes, xy__part_bytes(&parts[i]), size_bytes))
			status = interface_error(-EOVERFLOW, error, error_size, i, "the total size does not fit");
	}
	return status ? status : interface_check_pointers(interface, (void *)view, error, error_size);
}

bool xy__interface_can_move(const struct xy_interface *interface, const void *view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < nparts; i++)
		if (parts[i].row_bytes)
			return true;
	return !interface->packed_bytes || !interface->packed_bytes(view);
}

/* --- memory --- */

void xy__interface_compact(const struct xy_interface *interface, void *to_view, const void *from_view)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts;

	memcpy(to_view, from_view, interface->view_size);
	if (interface->compact)
		interface->compact(to_view);
	nparts = xy__interface_parts(interface, to_view, parts);
	for (unsigned i = 0; i < nparts; i++)
		*xy__part_pointer(to_view, &parts[i]) = NULL;
}

void xy__interface_free_ram(const struct xy_interface *interface, void *view, struct xy__memory *memory)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts = xy__interface_parts(interface, view, parts);

	for (unsigned i = 0; i < nparts; i++) {
		void **pointer = xy__part_pointer(view, &parts[i]);

		if (*pointer && !(memory && xy__host_free(memory, *pointer)))
			free(*pointer);
		*pointer = NULL;
	}
}

int xy__interface_allocate_ram(const struct xy_interface *interface, void *view, struct xy__memory *memory)
{
	struct xy_part parts[XY_NPARTS];
	unsigned nparts = xy__interface_parts(interface, view, parts);
	bool failed = false;

	for (unsigned i = 0; i < nparts; i++) {
		size_t span = xy__part_span(&parts[i]);
		void *array = !span ? NULL : memory ? xy__host_zeroed(memory, span) : calloc(1, span);

		*xy__part_pointer(view, &parts[i]) = array;
		failed |= span && !array;
	}
	if (!failed)
		return 0;
	xy__interface_free_ram(interface, view, memory);
	return -ENOMEM;
}
