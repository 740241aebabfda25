/* SPDX-License-Identifier: MIT */
/*
 * Rehearsals: the tasks that a runtime has not started yet, copied, and simulated in another runtime. The copy refers
 * to nothing of the first runtime, which may go on meanwhile.
 */
#ifndef XYLEM_ENGINES_REHEARSAL_H
#define XYLEM_ENGINES_REHEARSAL_H

#include "core/runtime/runtime.h"

/* At most; and where the graph goes on, so that they are submitted several times. */
enum { XY__REHEARSAL_TASKS = 4096, XY__REHEARSAL_PART = 2048 };

/* A task of the copy. Its accesses and durations are in the rehearsal's arrays. */
struct xy__rehearsal_task {
	uint32_t number;
	int priority;
	unsigned archs; /* 0: no codelet, takes no time */
	bool unlike;    /* durations are by worker, else by class */
	uint32_t first_access, naccesses, first_us;
};

struct xy__rehearsal_access {
	uint32_t data;
	unsigned mode;
};

/* An edge that does not follow from data. */
struct xy__rehearsal_edge {
	uint32_t from, to;
};

struct xy__rehearsal {
	unsigned branch; /* that all components take in this rehearsal */
	unsigned times;  /* that all tasks are submitted, one time after the other */
	double noise;    /* relative spread of durations */
	unsigned nworkers, nclasses;
	unsigned *classes;   /* by worker */
	enum xy_arch *archs; /* by worker */
	uint32_t ntasks, ndata, naccesses, nedges, nus;
	struct xy__rehearsal_task *tasks; /* in the order of submission */
	struct xy__rehearsal_access *accesses;
	struct xy__rehearsal_edge *edges;
	size_t *bytes; /* by datum */
	double *us;
	double work_us; /* of all tasks, each where it is fastest */
};

/* See struct xy__tree_engine. */
int xy__rehearse(struct xy__tree_engine *engine, struct xy_component *component, unsigned branch, struct xy_agent *by);

/* How long a task takes in a runtime that rehearses. */
struct xy_prediction xy__rehearsal_length(const struct xy__rehearsal *rehearsal, const struct xy_task *task,
					  unsigned worker);

/* --- rehearsal_graph.c --- */

/*
 * Copies what rests in a component and below it, and all that follows; false without memory, or if there is nothing to
 * rehearse. fini is needed in any case.
 */
bool xy__rehearsal_copy(struct xy__rehearsal *rehearsal, struct xy_component *component);
void xy__rehearsal_fini(struct xy__rehearsal *rehearsal);

#endif
