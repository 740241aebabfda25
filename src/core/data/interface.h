/* SPDX-License-Identifier: MIT */
/*
 * Operations on the arrays of any view: sizes, memory in RAM, and copies between two views. Nothing here knows of
 * handles.
 */
#ifndef XYLEM_CORE_DATA_INTERFACE_H
#define XYLEM_CORE_DATA_INTERFACE_H

#include <stdbool.h>
#include <xylem/driver.h>
#include <xylem/interface.h>

struct xy__memory;

/* The arrays of a view; an empty one has row_bytes 0, also if a count of it is 0. */
unsigned xy__interface_parts(const struct xy_interface *interface, const void *view, struct xy_part parts[XY_NPARTS]);

/* 0, -EINVAL or -EOVERFLOW with a sentence: whether the arrays can be registered. *size_bytes is the content
 * of all. The pointers must be set, or all NULL. */
/* Whether all of the content, or none, is in arrays: false if there is some to pack, but no array has a byte. */
bool xy__interface_can_move(const struct xy_interface *interface, const void *view);

int xy__interface_check(const struct xy_interface *interface, const void *view, size_t *size_bytes, char *error,
			size_t error_size);

size_t xy__part_bytes(const struct xy_part *part); /* the content */
size_t xy__part_span(const struct xy_part *part);  /* from the first to the last byte, gaps included */

static inline void **xy__part_pointer(void *view, const struct xy_part *part)
{
	return (void **)((char *)view + part->pointer);
}

/* Whether the arrays of two views have equal sizes; strides may differ. */
bool xy__interface_equal(const struct xy_interface *interface, const void *view, const void *other);

/* Whether the arrays have memory; true if all are empty. */
bool xy__interface_has_memory(const struct xy_interface *interface, const void *view);

/* The pointer of the first array; NULL without one. */
void *xy__interface_pointer(const struct xy_interface *interface, const void *view);

/* to_view becomes from_view without gaps, and without memory. */
void xy__interface_compact(const struct xy_interface *interface, void *to_view, const void *from_view);

/* Gives the arrays zeroed memory and sets the pointers; 0, or -ENOMEM and all are NULL. It is fast to copy to the
 * devices of `memory`, which may be NULL. */
int xy__interface_allocate_ram(const struct xy_interface *interface, void *view, struct xy__memory *memory);
void xy__interface_free_ram(const struct xy_interface *interface, void *view, struct xy__memory *memory);

/* The copies that move something; fini also after a failure. */
struct xy__copy_list {
	struct xy_copy *items;
	unsigned count, capacity;
	struct xy_copy few[XY_NPARTS];
};

/* Fills the list, which needs no init, with what moves the content of one view to the other. The memory of
 * each place is the array's pointer, which need not be an address. 0 or -ENOMEM. */
int xy__interface_copies(const struct xy_interface *interface, unsigned without, const void *to_view,
			 const void *from_view, struct xy__copy_list *list);
void xy__copy_list_fini(struct xy__copy_list *list);

/* Does a copy both ends of which are in RAM. */
void xy__copy_in_ram(const struct xy_copy *copy);

#endif
