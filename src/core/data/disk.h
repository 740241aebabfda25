/* SPDX-License-Identifier: MIT */
/*
 * The memory node of the disks: files without names, in which copies of data are that RAM has no room for. It is a node
 * like that of a device, but no worker computes there. Each file has a thread that reads and one that writes.
 */
#ifndef XYLEM_CORE_DATA_DISK_H
#define XYLEM_CORE_DATA_DISK_H

#include <xylem/driver.h>

struct xy__log;
struct xy_runtime;

/* Memory of the node is a chunk of a file. */
extern const struct xy_driver xy__disk_driver;

/* A node without files; NULL without memory. */
struct xy_device *xy__disks_create(const struct xy__log *log);
/* Nothing is in flight. NULL is allowed. */
void xy__disks_destroy(struct xy_device *disks);

/* Adds those of a text as in XYLEM_DISK; 0, or -errno with a line in the log. */
int xy__disks_add(struct xy_runtime *rt, const char *text);

#endif
