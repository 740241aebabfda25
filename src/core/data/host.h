/* SPDX-License-Identifier: MIT */
/*
 * RAM from which copies are fast: pinned by the driver of a device that works, else ordinary memory. The runtime's own
 * blocks are kept when they are freed, because pinning takes long.
 */
#ifndef XYLEM_CORE_DATA_HOST_H
#define XYLEM_CORE_DATA_HOST_H

#include <stdbool.h>
#include <stddef.h>

struct xy__memory;

/* Uninitialised memory for the application; NULL without memory. */
void *xy__host_allocate(struct xy__memory *memory, size_t bytes);
/* Memory for content of handles, filled with zeros. Small blocks are ordinary memory. */
void *xy__host_zeroed(struct xy__memory *memory, size_t bytes);
/* Uninitialised memory for content of handles, from which disks read and write directly; NULL without memory. */
void *xy__host_block(struct xy__memory *memory, size_t bytes);
/* Frees a block of any; false if it is none: then it is for free(). */
bool xy__host_free(struct xy__memory *memory, void *block);
/* Frees what has been kept. All devices are still open. */
void xy__host_fini(struct xy__memory *memory);

#endif
