/* SPDX-License-Identifier: MIT */
/*
 * Inside of a handle: its shape, and the tasks that the next one to use it may have to wait for.
 *
 * Locking key: (c) constant after registration, (l) lock, (a) atomic. Several handles are locked in
 * the order of their addresses.
 */
#ifndef XYLEM_CORE_DATA_HANDLE_H
#define XYLEM_CORE_DATA_HANDLE_H

#include <stdalign.h>
#include <stdbool.h>
#include "core/task.h"

struct xy__agent;
struct xy__endings;

enum xy__shape { XY__VOID, XY__VARIABLE, XY__VECTOR, XY__MATRIX, XY__BLOCK };

union xy__view {
	void *ptr;
	struct xy_variable variable;
	struct xy_vector vector;
	struct xy_matrix matrix;
	struct xy_block block;
};

/* Tasks, each with a reference. A pointer may have its lowest bit set (XY__EDGE_ORDER). */
struct xy__tasks {
	struct xy_task **items;
	unsigned count, capacity;
	struct xy_task *few[3];
};

/* A worker's private buffer for XY_SCRATCH. */
struct xy__scratch {
	union xy__view view;
};

struct xy_handle {
	/* What a submission changes. */
	alignas(64) _Atomic int lock;
	_Atomic bool sequential;         /* (a) tasks submitted now are ordered by it */
	bool commuting;                  /* (l) a group that commutes wrote last */
	bool busy;                       /* (l) a commuting task has it */
	struct xy_task *writer;          /* (l) the last that wrote, with a reference; NULL if commuting */
	struct xy__tasks readers;        /* (l) that read since */
	struct xy_runtime *runtime;      /* (c) */

	/* What a worker reads. */
	alignas(64) union xy__view view; /* (c) but for ptr when the runtime allocates: (l) */
	bool owns_memory;                /* (c) allocated by the runtime */
	uint8_t shape;                   /* (c) enum xy__shape */

	/* What is rare. */
	alignas(64) struct xy__tasks group;  /* (l) the commuting tasks that wrote last */
	struct xy__tasks before;         /* (l) what a task that joins the group waits for */
	_Atomic int unordered;           /* (a) tasks in flight that use it without order; a futex */
	struct xy_task *commuters;       /* (l) ready, but for `busy`; linked by next */
	struct xy_task *last_commuter;   /* (l) undefined when there are none */
	struct xy_task *held;            /* (l) acquires in force, linked by next */
	struct xy__scratch **scratch;    /* (l) by worker */
	char *name;                      /* (c) or NULL */
	size_t size_bytes;               /* (c) of the content */
	size_t span_bytes;               /* (c) from the first to the last byte */
	struct xy_handle *next, **link;  /* runtime's handles_lock */
};

/* Makes room for more, if it can by forgetting tasks that have ended; false without memory. */
bool xy__tasks_reserve(struct xy__tasks *list, unsigned more, bool keep_failed, struct xy__agent *agent);
/* Adds a task with a reference that the caller has counted; there must be room. */
void xy__tasks_add(struct xy__tasks *list, struct xy_task *task, unsigned bits);
/* Drops all references and empties the list. */
void xy__tasks_clear(struct xy__tasks *list, struct xy__agent *agent);
void xy__tasks_fini(struct xy__tasks *list, struct xy__agent *agent);

static inline struct xy_task *xy__tasks_at(const struct xy__tasks *list, unsigned i, unsigned *bits)
{
	uintptr_t item = (uintptr_t)list->items[i];

	*bits = item & XY__EDGE_BITS;
	return (struct xy_task *)(item & ~(uintptr_t)XY__EDGE_BITS);
}

/* A task that uses the handle without order has ended. */
void xy__handle_unused(struct xy_handle *h);

/* Makes sure that the handle has memory; 0 or -ENOMEM. */
int xy__handle_allocate(struct xy_handle *h);
/* What a codelet on this worker gets for an access; NULL without memory. */
void *xy__handle_buffer_slowly(struct xy_handle *h, unsigned mode, unsigned worker);

static inline void *xy__handle_buffer(uintptr_t access, unsigned worker)
{
	struct xy_handle *h = xy__access_handle(access);
	unsigned mode = xy__access_mode(access);

	return (mode & XY_SCRATCH) || h->owns_memory ? xy__handle_buffer_slowly(h, mode, worker) : &h->view;
}

/* Commuting handles of a ready task: takes all or none. False: the task now waits for one of them. */
bool xy__commute_take(struct xy_task *task);
/* Gives them back; returns the tasks that may try again, linked by next. */
struct xy_task *xy__commute_drop(struct xy_task *task);

/* An acquire has got its data, or failed to; in the latter case the caller ends it. */
void xy__acquire_ready(struct xy_task *task, int status, struct xy__endings *endings,
		       struct xy__agent *agent);

/* Waits for the data, which need not have memory. 0 with the status of an acquire in *status, or -ENOMEM. */
int xy__acquire_wait(struct xy_handle *h, enum xy_mode mode, int *status);

/* Frees what is left at the end of the runtime. */
void xy__handle_free(struct xy_handle *h, struct xy__agent *agent);

#endif
