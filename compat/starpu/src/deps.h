/* SPDX-License-Identifier: MIT */
/*
 * What explicit dependencies between tasks (deps.c) and tags (tag.c) share: edges, and the gates that they open.
 * Everything is called with xs_deps_lock held, unless it says otherwise.
 */
#ifndef XYLEM_STARPU_DEPS_H
#define XYLEM_STARPU_DEPS_H

#include "internal.h"

/* A thread that waits for tags. */
struct xs_waiter {
	unsigned left; /* (d) */
	pthread_cond_t cond;
};

/* Gates to be opened once the lock is dropped. */
struct xs_opening {
	struct xs_gate *few[8], **more;
	unsigned n, room; /* room of more */
};
void xs_opening_add(struct xs_opening *o, struct xs_gate *gate);
/* Drops the lock. */
void xs_opening_unlock(struct xs_opening *o);
void xs_gates_fini(void);

/* False without memory, with a log line. */
bool xs_edge_add(struct xs_edges *edges, struct xs_edge value);
void xs_edges_fire(struct xs_edges *edges, struct xs_opening *o);
/* Opens the gate of a job that waits for nothing more; NULL: none. */
void xs_deps_try(struct xs_job *job, struct xs_opening *o);
/* Their source leaves: a dependency that is not fulfilled is none any more. */
void xs_edges_drop(struct xs_edges *edges, struct xs_opening *o);
/* What they lead to leaves. */
void xs_sink_leave(struct xs_sink *sink);

#endif
