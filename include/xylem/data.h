/* SPDX-License-Identifier: MIT */
/*
 * Data handles. A task names the handles that it reads and writes; the order of submission of the
 * tasks that share a handle gives their dependencies.
 */
#ifndef XYLEM_DATA_H
#define XYLEM_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <xylem/shapes.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_runtime;
struct xy_handle;
struct xy_call;

enum xy_mode {
	XY_R = 1,         /* read */
	XY_W = 2,         /* written completely, old content not needed */
	XY_RW = 3,
	XY_SCRATCH = 4,   /* a private buffer of the same shape, content undefined, no dependency */
	XY_COMMUTE = 8,   /* with XY_RW: in any order with its neighbours, but one at a time */
	XY_REDUX = 32,    /* adds to a copy of the worker's own; see xy_handle_set_reduction */
};

/*
 * Waits for the tasks that use the handle and forgets it; *h becomes NULL. Returns 0, or the error
 * of the last task that wrote it, or -EDEADLK inside a codelet or callback (nothing happens then).
 */
int xy_unregister(struct xy_handle **h);

/*
 * Gives the application the data in `mode` once the tasks submitted before are through with it, as
 * if it were a task: later tasks wait until xy_release. Returns 0, -EINVAL, -EDEADLK inside a codelet
 * or callback, -ENODATA to read what was invalidated, or the error of the task that should have written the data
 * (nothing is held then).
 */
int xy_acquire(struct xy_handle *h, enum xy_mode mode);

/* The same without waiting: callback(arg, status) is called when the data is there, in this thread or
 * in a worker's. With status 0 the data is held until xy_release, which the callback may call too. */
int xy_acquire_callback(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status),
			void *arg);

/* Ends an acquire. -EINVAL when the handle is not held. Any thread. */
int xy_release(struct xy_handle *h);

/*
 * The content as bytes without gaps, one array after the other unless the interface has its own form; they mean
 * something to a handle with the same interface and sizes. The handle must be held: for reading to pack it, for
 * writing to unpack it. `size` is what xy_handle_packed_size gives. 0, or -EINVAL, -ENOMEM with nothing done.
 */
int xy_handle_packed_size(const struct xy_handle *h, size_t *bytes);
int xy_pack(struct xy_handle *h, void *bytes, size_t size);
int xy_unpack(struct xy_handle *h, const void *bytes, size_t size);

/* Without sequential order, tasks submitted from now on get no dependency from this handle. */
int xy_handle_set_sequential(struct xy_handle *h, bool sequential);

/*
 * Allows tasks with XY_REDUX. Those that follow each other form a group, in any order and at the same time: each
 * works on a copy that belongs to its worker. `init` (XY_W) fills such a copy with the neutral element, `combine`
 * (XY_RW, XY_R) adds its second buffer to its first. Before the next access in another mode the copies are combined
 * in a tree of tasks, and with what was in the handle before the group. Both codelets get a NULL argument and must
 * stay; the operation must be associative and commute. init may have no can_execute; the first implementation for
 * an architecture is used, and only workers that have one run the tasks.
 * 0, -EINVAL, -ENODEV (no worker can run them), -EBUSY (a group is not combined yet), -ENOMEM.
 */
struct xy_codelet;
int xy_handle_set_reduction(struct xy_handle *h, const struct xy_codelet *init, const struct xy_codelet *combine);

/* A name for messages, copied. 0 or -ENOMEM. Not while tasks use the handle. */
int xy_handle_set_name(struct xy_handle *h, const char *name);
const char *xy_handle_name(const struct xy_handle *h);

/* The first pointer of what was registered, and the size of its content in bytes, without gaps. */
void *xy_handle_pointer(const struct xy_handle *h);
size_t xy_handle_size(const struct xy_handle *h);

#ifdef __cplusplus
}
#endif
#endif
