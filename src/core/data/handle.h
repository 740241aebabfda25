/* SPDX-License-Identifier: MIT */
/*
 * Inside of a handle: its view, and the tasks that the next one to use it may have to wait for.
 *
 * Locking key: (c) constant after registration, (l) lock, (a) atomic, (p) the runtime's partition_lock. Several
 * handles are locked in the order of their addresses.
 */
#ifndef XYLEM_CORE_DATA_HANDLE_H
#define XYLEM_CORE_DATA_HANDLE_H

#include <stdalign.h>
#include <stdbool.h>
#include <xylem/interface.h>

#include "core/task/task.h"

struct xy__agent;
struct xy__endings;
struct xy__copies;
struct xy_plan;
struct xy__redux;

/* A view of any interface begins here; those of others may need more room than this. */
union xy__view {
	max_align_t aligned;
	struct xy_variable variable;
	struct xy_vector vector;
	struct xy_matrix matrix;
	struct xy_block block;
};

/* A use of a task's memory. It may have ended, and the memory be in use again, by the time it is looked at;
 * the generation tells. */
struct xy__use {
	struct xy_task *task;
	uint32_t generation;
	unsigned kind;               /* 0 or XY__EDGE_ORDER */
};

struct xy__tasks {
	struct xy__use *items;
	unsigned count, capacity;
};

struct xy_handle {
	/* What a submission changes. */
	alignas(64) _Atomic int lock;
	_Atomic bool sequential;         /* (a) tasks submitted now are ordered by it */
	bool commuting;                  /* (l) a group that commutes or reduces wrote last */
	bool busy;                       /* (l) a commuting task has it */
	_Atomic uint8_t barred;          /* (a) modes that nobody may use it in at present; see partition.h */
	bool reducing;                   /* (l) the group reduces: what it wrote is not in the handle yet */
	int failed;                      /* (l) why what was written last is not there, or 0 */
	int before_failed;               /* (l) the same of what was there before the group */
	struct xy__use writer;           /* (l) the last that wrote; task NULL: nobody, or a group */
	struct xy__tasks readers;        /* (l) that read since */
	struct xy_runtime *runtime;      /* (c) NULL: it has been unregistered */
	struct xy__use few_readers[3];

	/* What is rare. */
	alignas(64) struct xy__tasks group;  /* (l) the commuting or reducing tasks that wrote last */
	struct xy__use few_group[2], few_before[2];
	struct xy__tasks before;         /* (l) what a task that joins the group waits for */
	_Atomic int unordered;           /* (a) tasks in flight that use it without order; a futex */
	struct xy_task *commuters;       /* (l) ready, but for `busy`; linked by next */
	struct xy_task *last_commuter;   /* (l) undefined when there are none */
	struct xy_task *held;            /* (l) acquires in force, linked by next */
	union xy__view **scratch;        /* (l) by worker: a private buffer for XY_SCRATCH */
	struct xy__redux *redux;         /* (c) or NULL; see redux.h */
	char *name;                      /* (c) or NULL */
	size_t size_bytes;               /* (c) of the content */
	uint32_t footprint;              /* (c) follows from the shape: the same in each run */
	struct xy_plan *plans;           /* (p) that it is the parent of */
	struct xy_plan *split;           /* (p) the one of them that is in force for writing, or NULL */
	unsigned shared;                 /* (p) how many of them are in force for reading */
	struct xy_plan *child_of;        /* (c) or NULL */
	struct xy_handle *next, **link;  /* runtime's handles_lock */
	struct xy_runtime *former;       /* what `runtime` was before it was unregistered; see departed.c */

	/* What a worker reads. */
	alignas(64) bool owns_memory;    /* (c) allocated by the runtime */
	const struct xy_interface *interface; /* (c) */
	_Atomic uint64_t valid;          /* (l) to write: nodes with a valid copy */
	_Atomic unsigned underway;       /* (l) to write: transfers of it that have not ended */
	struct xy__copies *copies;       /* (c) NULL with one node only; see memory.h */
	union xy__view view;             /* (c) but for pointers when the runtime allocates: (l). Last. */
};

/* Whether the use has ended. */
bool xy__use_has_ended(const struct xy__use *use);

/* Makes room for more, if it can by forgetting tasks that have ended; false without memory. `few` is
 * the handle's own room for the list. */
bool xy__tasks_reserve(struct xy__tasks *list, unsigned more, const struct xy__use *few);

static inline void xy__tasks_add(struct xy__tasks *list, struct xy_task *task, uint32_t generation, unsigned kind)
{
	list->items[list->count++] = (struct xy__use){ task, generation, kind };
}

/* A task that uses the handle without order has ended. */
void xy__handle_unused(struct xy_handle *h);

/* Makes sure that the handle has memory; 0 or -ENOMEM. */
int xy__handle_allocate(struct xy_handle *h);
/* What a codelet on this worker gets for an access; NULL without memory, and for XY_REDUX: see redux.h. */
void *xy__handle_buffer_slowly(struct xy_handle *h, unsigned mode, unsigned worker);

static inline void *xy__handle_buffer(uintptr_t access, unsigned worker)
{
	struct xy_handle *h = xy__access_handle(access);
	unsigned mode = xy__access_mode(access);

	if ((mode & (XY_SCRATCH | XY_REDUX)) || h->owns_memory)
		return xy__handle_buffer_slowly(h, mode, worker);
	return &h->view;
}

/* Commuting handles of a ready task: takes all or none. False: the task now waits for one of them. */
bool xy__commute_take(struct xy_task *task);
/* Gives them back; returns the tasks that may try again, linked by next. */
struct xy_task *xy__commute_drop(struct xy_task *task);

/* An acquire's turn has come: 0 when its data is in RAM or need not be, -EAGAIN when xy__deps_acquired will be
 * called, or why it can't be there. */
int xy__acquire_fetch(struct xy_task *task, struct xy__agent *agent);
/* An acquire has got its data, or failed to; in the latter case the caller ends it. */
void xy__acquire_ready(struct xy_task *task, int status, struct xy__endings *endings,
		       struct xy__agent *agent);

/* Waits for the data, which need not have memory. 0 with the status of an acquire in *status, or -ENOMEM. */
int xy__acquire_wait(struct xy_handle *h, enum xy_mode mode, int *status);

/* The place of an acquire in the order of tasks, wherever the data is; ends with xy_release. */
int xy__order(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status), void *arg);
int xy__order_wait(struct xy_handle *h, enum xy_mode mode, int *status);

/* Sleeps until the callback of something that was submitted, which is xy__wait_wake with this, has been called.
 * Looks after transfers meanwhile. */
struct xy__wait {
	_Atomic int done;
	int status;
};
void xy__wait_wake(void *wait, int status);
void xy__wait_sleep(struct xy__wait *wait, struct xy_runtime *rt);

/* Whether an access in this mode is refused at present. */
static inline bool xy__handle_bars(const struct xy_handle *h, unsigned mode)
{
	/* relaxed: who changes it takes the handle's lock before or after that, as this is called with the lock */
	return atomic_load_explicit(&((struct xy_handle *)h)->barred, memory_order_relaxed) & mode;
}
/* -EBUSY, with a line in the log that says why. */
int xy__handle_refuse(struct xy_handle *h, unsigned mode, const char *what);
/* The same for a task that was not registered because of one of its accesses. */
int xy__task_refuse_access(struct xy_task *task);

/* Takes it off the runtime's list and frees it; waits for what uses it without order. */
void xy__handle_forget(struct xy_handle *h);

/* A handle that nobody but the caller knows, with the same sizes as another and without memory; NULL without. */
struct xy_handle *xy__handle_like(struct xy_handle *h);

/* Frees what belongs to it, but not its name. */
void xy__handle_empty(struct xy_handle *h);
/* The same, and the handle itself, which nobody knows any more. */
void xy__handle_free(struct xy_handle *h);

/* --- departed.c --- */

/* Frees a handle that the application may still try to use. */
void xy__handle_depart(struct xy_handle *h);
void xy__departed_fini(struct xy_runtime *rt);
/* Whether it is a handle that can be used; if not, the log says so. */
bool xy__handle_is_here(const struct xy_handle *h, const char *who);

#endif
