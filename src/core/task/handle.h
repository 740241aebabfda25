/* SPDX-License-Identifier: MIT */
/*
 * Private parts of a handle: its view, and the tasks that the next one to use it may have to wait for.
 *
 * Locking key: (c) constant after registration, (l) lock, (a) atomic, (p) the runtime's partition_lock. Several
 * handles are locked in the order of their addresses.
 */
#ifndef XYLEM_CORE_TASK_HANDLE_H
#define XYLEM_CORE_TASK_HANDLE_H

#include <stdalign.h>
#include <stdbool.h>
#include <xylem/interface.h>
#include "core/task/task.h"

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
	unsigned edge_flags; /* 0 or XY__EDGE_ORDER */
};

struct xy__tasks {
	struct xy__use *items;
	unsigned count, capacity;
};

/* The value of xy_handle.order with `sequential` only. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define XY__ORDER_PLAIN ((uint64_t)1)
#else
#define XY__ORDER_PLAIN ((uint64_t)1 << 56)
#endif

struct xy_handle {
	/* Written by submission. */
	alignas(64) _Atomic int lock;
	int before_failed; /* (l) failed for the content from before the group */
	union {
		struct {
			_Atomic bool sequential; /* (a) tasks submitted now are ordered by it */
			bool commuting;          /* (l) a group that commutes or reduces wrote last */
			bool busy;               /* (l) a commuting task has it */
			_Atomic uint8_t barred;  /* (a) modes in which it must not be used now; see partition.h */
			int failed;              /* (l) why what was written last is not there, or 0 */
		};
		_Atomic uint64_t order; /* (a) all five at once: XY__ORDER_PLAIN if there is nothing special */
	};
	bool reducing;                       /* (l) the group reduces: what it wrote is not in the handle yet */
	struct xy__use writer;               /* (l) the last writer; task NULL: none, or a group */
	struct xy__tasks readers;            /* (l) that read since */
	_Atomic(struct xy_runtime *) serves; /* (a) its runtime; NULL: it has been unregistered */
	struct xy__use few_readers[3];

	/* Rarely used. */
	alignas(64) struct xy__tasks group; /* (l) the commuting or reducing tasks that wrote last */
	struct xy__use few_group[2], few_before[2];
	struct xy__tasks before;        /* (l) what a task that joins the group waits for */
	_Atomic int unordered;          /* (a) tasks in flight that use it without order; a futex */
	struct xy_task *commuters;      /* (l) ready, but for `busy`; linked by next */
	struct xy_task *last_commuter;  /* (l) undefined when there are none */
	struct xy_task *held;           /* (l) active acquires, linked by next */
	union xy__view **scratch;       /* (l) by worker: a private buffer for XY_SCRATCH */
	struct xy__redux *redux;        /* (c) or NULL; see redux.h */
	char *name;                     /* (c) or NULL */
	size_t size_bytes;              /* (c) of the content */
	uint32_t footprint;             /* (c) follows from the shape: equal in each run */
	struct xy_plan *plans;          /* (p) that it is the parent of */
	struct xy_plan *split;          /* (p) the one active for writing, or NULL */
	unsigned shared;                /* (p) how many are active for reading */
	struct xy_plan *child_of;       /* (c) or NULL */
	unsigned constant;              /* (c) arrays that no task writes, by bit */
	struct xy_handle *root;         /* (c) in whose copies those of this handle may live, or NULL; see lend.h */
	void *inside;                   /* (c) its view there, or NULL */
	struct xy_handle *next, **link; /* runtime's handles_lock */
	struct xy_runtime *runtime;     /* (c) also when it has been unregistered */
	struct xy_task *leaving;        /* the task that ends with it; see leave.c */

	/* Read by workers. */
	alignas(64) bool owns_memory;         /* (c) allocated by the runtime */
	_Atomic bool allocated;               /* (a) its memory in RAM is there for good */
	const struct xy_interface *interface; /* (c) */
	_Atomic uint64_t valid;               /* (l) to write: nodes with a valid copy */
	_Atomic unsigned underway;            /* (l) to write: transfers of it that have not ended */
	struct xy__copies *copies;            /* (c) NULL with one node only; see memory.h */
	union xy__view view;                  /* (c) but for pointers when the runtime allocates: (l). Last. */
};

/* Whether the application may use the handle in this runtime. */
static inline bool xy__handle_serves(const struct xy_handle *h, const struct xy_runtime *rt)
{
	/* relaxed: a thread that may use the handle knows of its registration */
	return atomic_load_explicit(&((struct xy_handle *)h)->serves, memory_order_relaxed) == rt;
}

/* Whether the application has unregistered it. */
static inline bool xy__handle_has_left(const struct xy_handle *h)
{
	return xy__handle_serves(h, NULL);
}

#endif
