/* SPDX-License-Identifier: MIT */
/*
 * Data handles. A task names the handles it reads and writes; dependencies follow from the submission order of the
 * tasks that share a handle.
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
	XY_R = 1, /* read */
	XY_W = 2, /* overwritten completely, old content not needed */
	XY_RW = 3,
	XY_SCRATCH = 4,    /* a private buffer of the same shape, content undefined, no dependency */
	XY_COMMUTE = 8,    /* with XY_RW: consecutive accesses in any order, one at a time */
	XY_UNORDERED = 16, /* with XY_R, XY_W or XY_RW, in a task's accesses: this access gives no dependency */
	XY_REDUX = 32,     /* adds to its worker's private copy; see xy_handle_set_reduction */
	/*
	 * With XY_R, XY_W or XY_RW, in tasks: where the data is to be, if not in the memory of the worker. The codelet
	 * gets it there: a kernel on a device may be unable to use it, but its function may copy it or give it to MPI.
	 */
	XY_IN_RAM = 64,   /* in RAM, whichever worker runs the task */
	XY_ANYWHERE = 128 /* where it is, nothing is moved; see xy_call_node */
};

#ifdef __cplusplus
/* XY_RW | XY_COMMUTE is a mode in C++ too. */
extern "C++" constexpr enum xy_mode operator|(enum xy_mode a, enum xy_mode b)
{
	return static_cast<enum xy_mode>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
#endif

/*
 * Waits for the tasks that use the handle and destroys it; *h becomes NULL. Returns 0, or the error of the last task
 * that should have written it, or -EDEADLK inside a codelet or callback, or while this thread has it acquired
 * (nothing happens then).
 */
int xy_unregister(struct xy_handle **h);

/*
 * xy_unregister, asynchronously: takes its place in the order like a task and returns. *h becomes NULL, and the handle
 * can't be used any more, except in xy_release for an acquire from before. When the tasks that use it have ended, its
 * content is brought to RAM and what the runtime allocated is freed. xy_wait and xy_stop wait for that and report its
 * error like a task's; the application may use its memory afterwards. Any thread, also inside codelets and callbacks.
 * 0, or with nothing done: -EINVAL, -ENOMEM, -EBUSY for a handle with plans or partitions, or one that is a child.
 */
int xy_unregister_submit(struct xy_handle **h);

/*
 * Acquires the data for the application in `mode`, taking a place in the order like a task: waits for earlier tasks,
 * and later ones wait until xy_release. Returns 0, -EINVAL, -EDEADLK inside a codelet or callback, or if this thread
 * would wait for its own acquire, -ENODATA to read invalidated data, or the error of the task that should have written
 * the data (nothing is acquired then).
 */
int xy_acquire(struct xy_handle *h, enum xy_mode mode);

/*
 * xy_acquire, asynchronously: callback(arg, status) is called when the data is available, from this thread or a
 * worker's. With status 0 the data is acquired until xy_release, which the callback may call.
 */
int xy_acquire_callback(struct xy_handle *h, enum xy_mode mode, void (*callback)(void *arg, int status), void *arg);

/*
 * xy_acquire on a memory node, see <xylem/memory.h>, for R, W or RW: the data is there, and stays, until xy_release.
 * The view that codelets get there is stored in *view, unless that is NULL: device addresses, which calls of the
 * device's own library may use. Work that was started with them has to end before xy_release. Further errors:
 * -ENOMEM without room, -EINVAL for disks.
 */
int xy_acquire_on(struct xy_handle *h, enum xy_mode mode, unsigned node, const void **view);

/* Ends an acquire. -EINVAL if the handle is not acquired. Any thread. */
int xy_release(struct xy_handle *h);

/*
 * Packs the content into bytes without gaps, array after array unless the interface has its own format, and unpacks
 * them into a handle with the same interface and sizes. Acquire the handle first: for reading to pack, for writing to
 * unpack. `size` is the result of xy_handle_packed_size. 0, or -EINVAL, -ENOMEM with nothing done.
 */
int xy_handle_packed_size(const struct xy_handle *h, size_t *bytes);
int xy_pack(struct xy_handle *h, void *bytes, size_t size);
int xy_unpack(struct xy_handle *h, const void *bytes, size_t size);

/* Without sequential order, tasks submitted from now on get no dependencies from this handle. */
int xy_handle_set_sequential(struct xy_handle *h, bool sequential);

/*
 * Allows tasks with XY_REDUX. Consecutive ones form a group and run in any order and in parallel, each on its worker's
 * private copy. `init` (XY_W) fills a copy with the neutral element, `combine` (XY_RW, XY_R) adds its second buffer to
 * its first. Before the next access in another mode, a tree of tasks combines the copies, and the result with the
 * handle's content from before the group. Both codelets get the arguments set below and must stay valid; the operation
 * must be associative and commutative. init must not have can_execute; its first implementation for an architecture is
 * used, and only workers that have one run the tasks. 0, -EINVAL, -ENODEV (no worker can run them), -EBUSY (a group is
 * not combined yet), -ENOMEM.
 */
struct xy_codelet;
int xy_handle_set_reduction(struct xy_handle *h, const struct xy_codelet *init, const struct xy_codelet *combine);
/* The arguments of init and combine, borrowed; NULL before the first call. 0, -EINVAL without a reduction, -EBUSY. */
int xy_handle_set_reduction_args(struct xy_handle *h, void *init_arg, void *combine_arg);

/* A name for messages, copied. 0 or -ENOMEM. Not while tasks use the handle. */
int xy_handle_set_name(struct xy_handle *h, const char *name);
const char *xy_handle_name(const struct xy_handle *h);

/* The first registered pointer, and the size of the content in bytes, without gaps. */
void *xy_handle_pointer(const struct xy_handle *h);
size_t xy_handle_size(const struct xy_handle *h);

#ifdef __cplusplus
}
#endif
#endif
