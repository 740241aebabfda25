/* SPDX-License-Identifier: MIT */
/*
 * Memory nodes: RAM is node 0, each device has its own (xy_machine_worker gives a worker's node), the last may be
 * disks. Other NUMA nodes have their own copies only with XYLEM_NUMA; otherwise their CPU workers use those of node 0.
 * The runtime moves data to where tasks need it; these calls tell it what it can't know. Any thread may call them; they
 * return 0 or -errno with one log line. On a machine with one node they do nothing.
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

/* Copies to a node once earlier tasks have written the data: an asynchronous hint. */
int xy_prefetch(struct xy_handle *h, unsigned node);

/*
 * xy_prefetch, synchronously. -ENOMEM without room, -EDEADLK inside a codelet or callback, or if this thread would wait
 * for its own acquire, -ENODATA if the data was invalidated, or the error of the task that should have written it.
 */
int xy_fetch(struct xy_handle *h, unsigned node);

/*
 * Drops the copy on a node once earlier tasks have ended; the last valid copy is first saved in RAM, that of RAM on
 * disk. Asynchronous. -EINVAL for memory of the application, and for RAM without disks.
 */
int xy_evict(struct xy_handle *h, unsigned node);

/*
 * Discards the content once earlier tasks have ended: nothing is copied back. Reading before the next write fails with
 * -ENODATA.
 */
int xy_invalidate(struct xy_handle *h);

enum xy_advice {
	XY_ADVICE_NORMAL,
	XY_ADVICE_KEEP,    /* evict it only as a last resort */
	XY_ADVICE_WONT_USE /* evict it first, saving it in RAM early */
};
/* Announces how the handle will be used; WONT_USE applies until the next task uses it. */
int xy_advise(struct xy_handle *h, enum xy_advice advice);

/* Whenever a task has written the data, copies it to these nodes (a mask of 1 << node). */
int xy_handle_set_write_through(struct xy_handle *h, uint64_t nodes);

/* Nodes that currently have a valid copy, as a mask of 1 << node; may be out of date when the call returns. */
uint64_t xy_handle_nodes(const struct xy_handle *h);

/*
 * Adds a file in folder `path`, of at most this many bytes (0: what its file system has left), to the disks, which take
 * data that RAM has no room for: see doc/outofcore.md. Returns the memory node of the disks, or -errno: -ENOTSUP if the
 * runtime was started with neither a limit on RAM nor a disk, -ENOMEM, or the error of creating the file. The file has
 * no name and disappears with the runtime.
 */
int xy_disk_add(struct xy_runtime *rt, const char *path, size_t bytes);

struct xy_node_stats {
	unsigned long long bytes_in, bytes_out; /* moved to and from the node */
	unsigned long long transfers;           /* to the node */
	unsigned long long evictions;           /* copies evicted to make room */
	unsigned long long writebacks;          /* of those: saved first */
	size_t used_bytes, most_bytes;          /* allocated on a device, current and peak */
	size_t limit_bytes;                     /* memory limit; 0: none */
	bool lost;                              /* the device no longer responds */
};
int xy_node_stats(const struct xy_runtime *rt, unsigned node, struct xy_node_stats *stats);

/*
 * Allocates memory from which copies to devices are fast (pinned, if the driver of a device that works can); NULL
 * without memory. Free it before the runtime stops.
 */
void *xy_memory_allocate(struct xy_runtime *rt, size_t bytes);
void xy_memory_free(struct xy_runtime *rt, void *memory);
/* Pins the application's own memory, and unpins it. -ENOTSUP if no driver can, -EALREADY if it is pinned, -EINVAL if it
 * is not, or the driver's error. */
int xy_memory_pin(struct xy_runtime *rt, void *memory, size_t bytes);
int xy_memory_unpin(struct xy_runtime *rt, void *memory);

#ifdef __cplusplus
}
#endif
#endif
