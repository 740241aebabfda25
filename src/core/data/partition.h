/* SPDX-License-Identifier: MIT */
/*
 * Private parts of partitions. Children are handles whose memory is a piece of their parent's, in RAM and where the
 * parent has copies (lend.h). So at any time the content may be changed through the parent, or through the children of
 * one plan, or not at all. Handles bar the modes in which they must not be used; tasks that move data (data_task.h,
 * handover.h) are between one use and the next.
 *
 * Locking key: (c) constant, (p) the runtime's partition_lock. A mode is barred before the task that moves the data is
 * registered, and allowed afterwards: then every task in between sees the right one.
 */
#ifndef XYLEM_CORE_DATA_PARTITION_H
#define XYLEM_CORE_DATA_PARTITION_H

#include <xylem/partition.h>
#include "core/task/handle.h"

enum {
	XY__BAR_ALL = 0xff,
	XY__BAR_WRITES = 0xff & ~(XY_R | XY_SCRATCH),
	XY__MOST_CHILDREN = UINT16_MAX - 1 /* with the parent, as many as a task has accesses */
};

struct xy_plan {
	struct xy_handle *parent;     /* (c) */
	struct xy_plan *next;         /* (p) of this parent */
	char name[32];                /* (c) of the filter */
	bool overlaps;                /* (c) */
	bool covers;                  /* (c) each byte of the parent is in one child */
	bool waits;                   /* (c) made by xy_partition */
	unsigned mode;                /* (p) 0: inactive; XY_R, XY_RW */
	unsigned nchildren;           /* (c) */
	struct xy_handle *children[]; /* (c) */
};

/* 0 if the handle may be unregistered, or an error with a line in the log. */
int xy__partition_keeps(struct xy_handle *h, const char *who);
/* Whether sequential order must stay on; logs a line if so. */
bool xy__partition_orders(struct xy_handle *h);

/* -EBUSY, with a line in the log that says why. */
int xy__partition_refuse(struct xy_handle *h, unsigned mode, const char *what);
/* Refuses a task that was not registered because of one of its accesses. */
int xy__partition_refuse_task(struct xy_task *task);

#endif
