/* SPDX-License-Identifier: MIT */
/*
 * The driver of GPUs whose run-time library is CUDA's or looks like it, as HIP's does: equal functions, values
 * and layouts under other names. The code uses CUDA's names; struct xy__gpu_dialect holds the differences. A device has
 * a stream for each launch queue and one for each kind of copy. Operations on different streams overlap; the runtime
 * orders them by polling.
 */
#ifndef XYLEM_DRIVERS_GPU_H
#define XYLEM_DRIVERS_GPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <xylem/driver.h>
#include <xylem/gpu.h>

#include "drivers/gpu_api.h"

enum { XY__GPU_DEVICES = 64, XY__GPU_KINDS = XY_COPY_PEER + 1 };
/* What a thread had before an operation. */
struct xy__gpu_caller {
	int device;                      /* its current one; negative: unknown */
	enum cudaStreamCaptureMode mode; /* for calls that a capture forbids */
};

enum { GPU_STAGES = XY_COPY_OUT + 1, GPU_STAGE_BUFFERS = 2, GPU_KEPT_LISTS = 64 };

/* A handle of a library and the functions for it; only the thread that launches uses it. */
struct gpu_library {
	void *made; /* NULL: not yet */
	int (*create)(void **handle);
	int (*set_stream)(void *handle, struct CUstream_st *stream);
	int (*destroy)(void *handle);
};

struct gpu_queue {
	struct xy_gpu_services services; /* (c) first: codelets have a pointer to it */
	struct xy_device *device;        /* (c) */
	struct CUstream_st *stream;      /* (c) */
	struct gpu_library libraries[XY_GPU_NLIBRARIES];
};

/* The way of copies from and to pageable memory, in one direction: see gpu_stage.c. */
struct gpu_stage {
	pthread_mutex_t lock;                         /* (s) below; held while pieces are moved */
	struct xy_event *added;                       /* (l) the newest copies, newest first, by next */
	struct xy_event *first;                       /* (s) the copies before them, in their order, by next */
	_Atomic bool ready;                           /* (a) it has all of these: */
	void *buffers[GPU_STAGE_BUFFERS];             /* (s) pinned, or NULL */
	struct CUevent_st *events[GPU_STAGE_BUFFERS]; /* (s) when the device has moved one; or NULL */
};

/* Locking key: (c) constant once open, (a) atomic, (l) lock. */
struct xy_device {
	const struct xy__gpu_api *api;             /* (c) */
	int ordinal;                               /* (c) its number for the library */
	size_t most_pitch;                         /* (c) bytes between rows that are copied at once */
	struct CUstream_st *copies[XY__GPU_KINDS]; /* (c) by enum xy_copy_kind */
	struct CUmemPoolHandle_st *pool;           /* (c) of its memory, or NULL; see gpu_pool.c */
	struct CUstream_st *pool_stream;           /* (c) or NULL */
	void *blocks;                              /* (l) tree of its memory that is in use, without a pool */
	struct gpu_block *kept[GPU_KEPT_LISTS];    /* (l) blocks for reuse, by size */
	struct gpu_stage stages[GPU_STAGES];       /* by enum xy_copy_kind */
	_Atomic int lost;                          /* (a) the error that made it useless; 0 while it works */
	pthread_mutex_t lock;
	struct xy_event *idle;   /* (l) by next */
	struct xy_event *events; /* (l) all there are, by next_made */
	unsigned nqueues;        /* (c) */
	struct gpu_queue queues[];
};

/* Owned by the thread that waits for it, or idle. */
struct xy_event {
	struct xy_event *next, *next_made;
	struct CUevent_st *event;
	struct CUevent_st *from, *to; /* of timed work, in place of `event`; NULL before they are needed */
	double *us;                   /* where its time goes; NULL: it is not timed */
	struct CUstream_st *stream;   /* that it is on */
	int status;                   /* why some of the work could not be started; 0: all of it was */
	enum cudaError code;          /* the library's code for it */
	const char *what;             /* the call that returned it */
	struct gpu_staged *staged;    /* copies through a stage, NULL for other work */
	struct gpu_stage *stage;      /* that one */
	bool ended;                   /* (s) all of it has been copied, or can't be */
};

/* --- the operations of struct xy_driver that are not in a file of their own: gpu.c --- */

int xy__gpu_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size);
int xy__gpu_open(struct xy_device **opened, const struct xy_driver_config *config, unsigned index,
		 struct xy_device_info *info, char *error, size_t error_size);
void xy__gpu_close(struct xy_device *device);
int xy__gpu_allocate(struct xy_device *device, size_t bytes, void **memory);
void xy__gpu_free(struct xy_device *device, void *memory);
int xy__gpu_part(struct xy_device *device, void *memory, size_t offset, size_t bytes, bool mixed, void **part);
void *xy__gpu_host_allocate(struct xy_device *device, size_t bytes);
void xy__gpu_host_free(struct xy_device *device, void *memory);
bool xy__gpu_owns(struct xy_device *device, const void *memory);
int xy__gpu_host_pin(struct xy_device *device, void *memory, size_t bytes);
int xy__gpu_host_unpin(struct xy_device *device, void *memory);
int xy__gpu_launch(struct xy_device *device, unsigned index, xy_function *function, struct xy_call *call,
		   struct xy_event **event);
bool xy__gpu_driver_is_lost(struct xy_device *device);

/* The operations of xy_driver. */
#define XY__GPU_OPERATIONS \
	.probe = xy__gpu_probe, .open = xy__gpu_open, .close = xy__gpu_close, .allocate = xy__gpu_allocate, \
	.free = xy__gpu_free, .part = xy__gpu_part, .host_allocate = xy__gpu_host_allocate, \
	.host_free = xy__gpu_host_free, .owns = xy__gpu_owns, .host_pin = xy__gpu_host_pin, \
	.host_unpin = xy__gpu_host_unpin, .copy = xy__gpu_copy, .launch = xy__gpu_launch, .poll = xy__gpu_poll, \
	.explain = xy__gpu_explain, .is_lost = xy__gpu_driver_is_lost

/* --- gpu_error.c: the calling thread's last error --- */

/* The -errno for a code; -ENODEV if the device is lost with it. */
int xy__gpu_errno(enum cudaError code);
/* Both store a line and return the error. xy__gpu_error: -errno for a result of the library, which may mean that the
 * device is lost; 0 without a line for success. `what` is a function without its prefix, "Malloc", or words. */
int xy__gpu_error(struct xy_device *device, enum cudaError code, const char *what);
int xy__gpu_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Stores the line only. */
void xy__gpu_note(struct xy_device *device, enum cudaError code, const char *what);
/* Whether every call on the device fails. */
bool xy__gpu_is_broken(struct xy_device *device);
/* The -ENODEV of a device that is lost. */
int xy__gpu_is_lost(struct xy_device *device);
/*
 * Around an operation: makes the device the calling thread's current one, unless it is lost, relaxes its capture mode,
 * and restores what the caller had afterwards. *caller is for xy__gpu_end, which follows also after a failure.
 */
int xy__gpu_begin(struct xy_device *device, struct xy__gpu_caller *caller);
void xy__gpu_end(struct xy_device *device, const struct xy__gpu_caller *caller);
/* The capture mode alone. Calls of a thread whose mode is relaxed don't break what the program captures meanwhile. */
void xy__gpu_relax(struct xy_device *device, struct xy__gpu_caller *caller);
void xy__gpu_unrelax(struct xy_device *device, const struct xy__gpu_caller *caller);
/* xy_cuda_check or xy_hip_check of a launch queue. */
int xy__gpu_check(const struct xy_gpu_services *services, int code);
void xy__gpu_forget(void);
const char *xy__gpu_explain(void);

/* --- gpu_select.c: which devices there are --- */

/* The devices that the text selects, in its order, and how many. Errors and the sentence as in probe. */
int xy__gpu_select(const char *text, int ordinals[XY__GPU_DEVICES], unsigned *n, char *error, size_t error_size);

/* --- gpu_pool.c: the memory of a device, which is current --- */

/* Opens a pool if the library has pools; other devices that can access the memory may do so. Without one, freed memory
 * is kept here. */
void xy__gpu_pool_open(struct xy_device *device, const int *ordinals, unsigned n);
void xy__gpu_pool_close(struct xy_device *device);
enum cudaError xy__gpu_pool_allocate(struct xy_device *device, size_t bytes, void **memory, const char **what);
void xy__gpu_pool_free(struct xy_device *device, void *memory);

/* --- gpu_event.c --- */

/* An event for work about to be started on the stream. 0 or an error. */
int xy__gpu_event_take(struct xy_device *device, struct CUstream_st *stream, struct xy_event **event);
void xy__gpu_event_give(struct xy_device *device, struct xy_event *event);
/* The device is to say how long the work on the stream takes from here. It may not be able to: then *us is not set. */
void xy__gpu_event_time(struct xy_device *device, struct xy_event *event, double *us);
/* All work on the event's stream has been started. On failure it has also completed, and the event is destroyed. */
int xy__gpu_event_record(struct xy_device *device, struct xy_event **event);
void xy__gpu_events_destroy(struct xy_device *device);
int xy__gpu_poll(struct xy_device *device, struct xy_event *event);

/* --- gpu_copy.c --- */

int xy__gpu_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer, const struct xy_copy *copies,
		 unsigned n, struct xy_event **event);
/* Starts a copy between the device and RAM that must not wait. *what is the last call. */
enum cudaError xy__gpu_copy_piece(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copy,
				  const char **what);

/* --- gpu_library.c --- */

/* xy_cublas and so on of a launch queue. */
void *xy__gpu_library(const struct xy_gpu_services *services, unsigned which);
void xy__gpu_libraries_destroy(struct gpu_queue *queue);

/* --- gpu_stage.c --- */

/* Whether the library would wait for these copies. */
bool xy__gpu_stage_wants(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copies, unsigned n);
/* Queues copies, which xy__gpu_stage_poll then moves. False without memory. The device is current. */
bool xy__gpu_stage_begin(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copies, unsigned n,
			 struct xy_event *event);
/* xy__gpu_poll of such an event. */
int xy__gpu_stage_poll(struct xy_device *device, struct xy_event *event);
void xy__gpu_stages_destroy(struct xy_device *device);

#endif
