/* SPDX-License-Identifier: MIT */
/*
 * Reductions. Tasks with XY_REDUX between two other accesses of a handle form a group; each works on a replica, a
 * handle of the worker's own. The group is closed by a task of the runtime's, which holds the handle while combine
 * tasks bring the replicas together; no thread waits for them. doc/decisions/0008-reduction.md says why.
 *
 * Locking key: (c) constant while a group is not combined, (a) atomic, (o) owner: the worker, and between the end of
 * a group's members and that of the closing task the latter.
 */
#ifndef XYLEM_CORE_DATA_REDUX_H
#define XYLEM_CORE_DATA_REDUX_H

#include "core/data/handle.h"
#include "core/runtime/runtime.h"

struct xy__replica {
	alignas(64) struct xy_handle *handle; /* (o) made at the first use, or NULL */
	bool used;                            /* (o) it was initialised in the present group */
};

struct xy__redux {
	const struct xy_codelet *init, *combine; /* (c) */
	void *init_arg, *combine_arg;            /* (c) */
	_Atomic unsigned groups;                 /* (a) opened and not combined yet */
	struct xy_handle **used;                 /* (o) room for as many as there are workers */
	struct xy__replica replicas[];           /* by worker */
};

static inline struct xy__replica *xy__redux_replica(uintptr_t access, unsigned worker)
{
	return &xy__access_handle(access)->redux->replicas[worker];
}

/* Frees what a handle has for reductions; no group is open. */
void xy__redux_fini(struct xy_handle *h);

/* --- building tasks --- */

/* Why a task can't have XY_REDUX on this handle, or NULL. */
const char *xy__redux_objection(const struct xy_task_desc *desc, const struct xy_handle *h);

/* --- running them --- */

/* Makes sure that the worker has a replica for each access; false without memory. */
bool xy__redux_replicas(struct xy_task *task, unsigned worker);
/* The first access whose replica must be initialized; naccesses if none. */
unsigned xy__redux_uninitialised(struct xy_task *task, unsigned worker);
/* The init function for that access, with its call; NULL if the worker has none. */
xy_function *xy__redux_call(struct xy_call *call, struct xy__worker *worker, struct xy_task *task, unsigned i,
			    void **buffers);
/* It has been launched. */
void xy__redux_initialised(struct xy__worker *worker, struct xy_task *task, unsigned i);
/* On a CPU, with buffers that are there: does all that. 0 or what init returned. */
int xy__redux_initialise_all(struct xy__worker *worker, struct xy_task *task, void **buffers);
/* Sets buffers[i], with one memory node only. 0, -ENOMEM, or what init returned. */
int xy__redux_buffer(struct xy__worker *worker, struct xy_task *task, unsigned i, void **buffers);

/* --- closing a group --- */

/* A task that is to close the group before `next` accesses the handle in this mode; NULL without memory. */
struct xy_task *xy__redux_closing(struct xy_handle *h, const struct xy_task *next, unsigned mode,
				  struct xy__agent *agent);
/* Keeps it, with its number of predecessors, for xy__redux_submit. */
void xy__redux_enqueue(struct xy_task *closing, int count, struct xy__agent *agent);
/* Submits what was kept. No lock is held. */
void xy__redux_submit(struct xy__agent *agent);
/* All members have ended. True if it ends later, by itself. */
bool xy__redux_turn(struct xy_task *closing, struct xy__agent *agent);

#endif
