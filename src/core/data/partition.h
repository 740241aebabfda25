/* SPDX-License-Identifier: MIT */
/*
 * Inside of partitions. Children are handles whose memory in RAM is a piece of their parent's; on devices they
 * have memory of their own. So at any time the content may be changed through the parent, or through the
 * children of one plan, or through nobody; and whoever gets it next finds it in RAM and nowhere else. Handles
 * bar what they must not be used for; tasks that move data (data_task.h) are between one use and the next.
 *
 * Locking key: (c) constant, (p) the runtime's partition_lock. Who bars a mode does so before the task that moves the
 * data is registered, who allows it does so afterwards: then everybody whose turn is between sees the right one.
 */
#ifndef XYLEM_CORE_DATA_PARTITION_H
#define XYLEM_CORE_DATA_PARTITION_H

#include <xylem/partition.h>
#include "core/data/handle.h"

enum {
	XY__BAR_ALL = 0xff,
	XY__BAR_WRITES = 0xff & ~(XY_R | XY_SCRATCH),
	XY__MOST_CHILDREN = UINT16_MAX - 1     /* with the parent, as many as a task has accesses */
};

struct xy_plan {
	struct xy_handle *parent;    /* (c) */
	struct xy_plan *next;        /* (p) of the same parent */
	char name[32];               /* (c) of the filter */
	bool overlaps;               /* (c) */
	bool waits;                  /* (c) made by xy_partition */
	unsigned mode;               /* (p) 0: not in force; XY_R, XY_RW */
	unsigned nchildren;          /* (c) */
	struct xy_handle *children[];  /* (c) */
};

/* --- filter.c --- */

/* How many children the filter makes of the handle. 0 or -errno with a line in the log. */
int xy__filter_count(struct xy_handle *h, const struct xy_filter *filter, unsigned *n);
/* Makes the children of a plan, without names. The handle has memory. 0, or -errno with a line and none are made. */
int xy__filter_cut(struct xy_plan *plan, const struct xy_filter *filter);

/* --- plan.c --- */

int xy__plan_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **out);
/* Puts a plan in force (XY_R or XY_RW) or out of it (0), and waits for it if there is somebody to wake. */
int xy__plan_switch(struct xy_plan *plan, unsigned mode, struct xy__wait *wait);
/* Frees everything. It is not in force, and no task uses its children. */
void xy__plan_forget(struct xy_plan *plan);
/* The same, but waits for the tasks. 0, or -ENOMEM with a line in the log. */
int xy__plan_destroy(struct xy_plan *plan);
/* Frees plans that are left at the end of the runtime, but not the children. */
void xy__plans_free(struct xy_handle *h);

/* --- partition.c --- */

/* 0 if the handle may be unregistered, or an error with a line in the log. */
int xy__partition_keeps(struct xy_handle *h);
/* Whether order must not be turned off; with a line in the log if so. */
bool xy__partition_orders(struct xy_handle *h);

#endif
