/* SPDX-License-Identifier: MIT */
/*
 * Tasks of the runtime that move the content of several handles, to RAM or between a parent and the children of a
 * plan, in the order of tasks, and end. They never enter the tree. If one fails, its output fails for the same reason.
 */
#ifndef XYLEM_CORE_DATA_DATA_TASK_H
#define XYLEM_CORE_DATA_DATA_TASK_H

#include "core/data/copy.h"
#include "core/runtime/runtime.h"

enum xy__handing {
	XY__HANDING_NONE,
	XY__HANDING_DOWN, /* from the parent to the children of a plan */
	XY__HANDING_UP    /* back */
};

/* The progress of such a task. In the task, where a copied argument would be. */
struct xy__data_await {
	struct xy__await base;
	unsigned next;   /* the first access that has not settled, the first child that may not have come back */
	uint8_t node;    /* where children go that come back */
	uint8_t handing; /* enum xy__handing */
	bool begun;      /* transfers */
	bool leaves;     /* its handle ends with it */
};

/* Creates one with room for naccesses accesses, which the caller fills in; NULL without memory. */
struct xy_task *xy__data_task_create(const char *name, unsigned naccesses, struct xy__agent *agent);

/* The task's handle, its only one, ends with it: what is in RAM afterwards matters to the application alone. */
void xy__data_task_leaves(struct xy_task *task);

/* The accesses are the children of a plan and its parent, in this order. */
void xy__data_task_hands(struct xy_task *task, enum xy__handing handing);

/* Gives it its place, whatever modes its handles bar. 0: xy__deps_submitted is to follow, with no lock held;
 * -ENOMEM: it is gone. */
int xy__data_task_register(struct xy_task *task, int *count, struct xy__agent *agent);

/*
 * Its turn has come, with the status of its predecessors. False: it continues when a transfer has ended. True: what it
 * reads is in RAM, what it writes is valid nowhere else, and nothing moves; or the parent or children have the content;
 * or *status says why not, and then at least nothing of its output moves.
 */
bool xy__data_task_settle(struct xy_task *task, int *status, struct xy__agent *agent);

#endif
