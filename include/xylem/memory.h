/* SPDX-License-Identifier: MIT */
/*
 * Memory nodes: RAM is node 0, each device has one of its own (xy_machine_worker tells a worker's node). Other
 * NUMA nodes have copies of their own only with XYLEM_NUMA; without, their CPU workers use those of node 0. The
 * runtime moves data to where tasks need it; the calls here say what it can't know. They may be called by any
 * thread and return 0 or -errno with one line in the log. On a machine with one node they do nothing.
 */
#ifndef XYLEM_MEMORY_H
#define XYLEM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_runtime;
struct xy_handle;

/* Brings a copy to a node once the tasks submitted before have written it: a hint, which does not wait. */
int xy_prefetch(struct xy_handle *h, unsigned node);

/* The same, and waits until it is there. -ENOMEM when there is no room, -EDEADLK inside a codelet or callback, -ENODATA
 * when it was invalidated, or the error of the task that should have written the data. */
int xy_fetch(struct xy_handle *h, unsigned node);

/* Gives up the copy on a node once the tasks submitted before have ended; the last one is saved in RAM. Does not
 * wait. -EINVAL for RAM. */
int xy_evict(struct xy_handle *h, unsigned node);

/* The content is not needed any more, once the tasks submitted before have ended: nothing is copied back. Who
 * reads it before somebody has written it fails with -ENODATA. */
int xy_invalidate(struct xy_handle *h);

enum xy_advice {
	XY_ADVICE_NORMAL,
	XY_ADVICE_KEEP,          /* evict it only when nothing else can go */
	XY_ADVICE_WONT_USE       /* evict it first; it is saved in RAM in time */
};
/* How the handle is going to be used; WONT_USE holds until the next task uses it. */
int xy_advise(struct xy_handle *h, enum xy_advice advice);

/* What tasks write is copied to these nodes (a mask of 1 << node) at once. */
int xy_handle_set_write_through(struct xy_handle *h, uint64_t nodes);

/* Nodes with a valid copy now, as a mask of 1 << node; it may have changed when the call returns. */
uint64_t xy_handle_nodes(const struct xy_handle *h);

struct xy_node_stats {
	unsigned long long bytes_in, bytes_out;  /* moved to and from the node */
	unsigned long long transfers;            /* to the node */
	unsigned long long evictions;            /* copies given up to make room */
	unsigned long long writebacks;           /* of those: had to be saved first */
	size_t used_bytes, most_bytes;           /* allocated on a device, now and at most */
	size_t limit_bytes;                      /* that may be allocated; 0: no limit */
	bool lost;                               /* the device does not answer any more */
};
int xy_node_stats(const struct xy_runtime *rt, unsigned node, struct xy_node_stats *stats);

/* Memory from which copies to devices are fast (pinned, where a driver can do that); NULL without memory. To be
 * freed before the runtime stops. */
void *xy_memory_allocate(struct xy_runtime *rt, size_t bytes);
void xy_memory_free(struct xy_runtime *rt, void *memory);
/* Makes the application's own memory fast in the same way, and undoes it. -ENOTSUP where no driver can. */
int xy_memory_pin(struct xy_runtime *rt, void *memory, size_t bytes);
int xy_memory_unpin(struct xy_runtime *rt, void *memory);

#ifdef __cplusplus
}
#endif
#endif
