/* SPDX-License-Identifier: MIT */
/*
 * Handles: registering, memory, names, and the end.
 */
#ifndef XYLEM_CORE_DATA_HANDLE_H
#define XYLEM_CORE_DATA_HANDLE_H

#include "core/task/handle.h"

/* Whether the use has ended. */
bool xy__use_has_ended(const struct xy__use *use);

/* Makes room for more, if it can by forgetting tasks that have ended; false without memory. `few` is
 * the handle's own room for the list. */
bool xy__tasks_reserve(struct xy__tasks *list, unsigned more, const struct xy__use *few);

static inline void xy__tasks_add(struct xy__tasks *list, struct xy_task *task, uint32_t generation, unsigned edge_flags)
{
	list->items[list->count++] = (struct xy__use){ task, generation, edge_flags };
}

/* A task that uses the handle without order has ended. */
void xy__handle_unused(struct xy_handle *h);

/* Gives the handle memory in RAM if it has none. It is locked, but not all the time. 0 or -ENOMEM. */
int xy__handle_make_home(struct xy_handle *h);
/* Makes sure that the handle has memory, unless that comes and goes; 0 or -ENOMEM. */
int xy__handle_allocate(struct xy_handle *h);
/* The buffer of an access for a codelet on this worker; NULL without memory, and for XY_REDUX: see redux.h. */
void *xy__handle_buffer_slowly(struct xy_handle *h, unsigned mode, unsigned worker);

static inline void *xy__handle_buffer(uintptr_t access, unsigned worker)
{
	struct xy_handle *h = xy__access_handle(access);
	unsigned mode = xy__access_mode(access);

	/* acquire: pairs with the release in xy__handle_allocate */
	if ((mode & (XY_SCRATCH | XY_REDUX)) || !atomic_load_explicit(&h->allocated, memory_order_acquire))
		return xy__handle_buffer_slowly(h, mode, worker);
	return &h->view;
}

/* Whether an access in this mode is refused at present. */
static inline bool xy__handle_bars(const struct xy_handle *h, unsigned mode)
{
	/* relaxed: writers take the handle's lock before or after that, as callers hold it */
	return atomic_load_explicit(&((struct xy_handle *)h)->barred, memory_order_relaxed) & mode;
}

/* Takes it off the runtime's list. */
void xy__handle_unlink(struct xy_handle *h);
/* xy__handle_unlink, then frees it; waits for what uses it without order. */
void xy__handle_forget(struct xy_handle *h);

/* A handle known only to the caller, with the sizes of another and without memory; NULL without memory. */
struct xy_handle *xy__handle_like(struct xy_handle *h);

/* Frees what belongs to it, but not its name. */
void xy__handle_empty(struct xy_handle *h);
/* xy__handle_empty, then frees the handle, which no other thread knows any more. */
void xy__handle_free(struct xy_handle *h);

#endif
