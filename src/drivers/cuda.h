/* SPDX-License-Identifier: MIT */
/*
 * What the files of the CUDA driver share. A device has a stream for each launch queue and one for each
 * kind of copy. What is on different streams overlaps, and the runtime's polls put it in order.
 */
#ifndef XYLEM_DRIVERS_CUDA_H
#define XYLEM_DRIVERS_CUDA_H

#include <pthread.h>
#include <stdatomic.h>
#include <xylem/cuda.h>
#include <xylem/driver.h>

#include "drivers/cuda_api.h"

enum { XY__CUDA_DEVICES = 64, XY__CUDA_KINDS = XY_COPY_PEER + 1 };

struct cuda_queue {
	struct xy_cuda_services services;   /* (c) first: codelets have a pointer to it */
	struct xy_device *device;           /* (c) */
	struct CUstream_st *stream;         /* (c) */
};

/* Locking key: (c) constant once open, (a) atomic, (l) lock. */
struct xy_device {
	const struct xy__cuda_api *api;             /* (c) */
	int ordinal;                                /* (c) its number for CUDA */
	size_t most_pitch;                          /* (c) bytes between rows that CUDA copies at once */
	struct CUstream_st *copies[XY__CUDA_KINDS]; /* (c) by enum xy_copy_kind */
	_Atomic int lost;                           /* (a) the error that made it useless; 0 while it works */
	pthread_mutex_t lock;
	struct xy_event *idle;                      /* (l) by next */
	struct xy_event *events;                    /* (l) all there are, by next_made */
	unsigned nqueues;                           /* (c) */
	struct cuda_queue queues[];
};

/* Belongs to whoever is waiting for it, or is idle. */
struct xy_event {
	struct xy_event *next, *next_made;
	struct CUevent_st *event;
	struct CUstream_st *stream;     /* that it is on */
	int status;                     /* why not everything could be begun; 0: everything was */
	enum cudaError code;            /* the same as CUDA says it */
	const char *what;               /* which call said so */
};

/* --- cuda_error.c: the calling thread's last error --- */

/* The -errno for a code; -ENODEV after which a device can't go on. */
int xy__cuda_errno(enum cudaError code);
/* Both note a line and return the error: -errno for what a function of CUDA returned, which may be the
 * end of the device; 0 without a line for success. */
int xy__cuda_error(struct xy_device *device, enum cudaError code, const char *what);
int xy__cuda_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Only the line. */
void xy__cuda_note(struct xy_device *device, enum cudaError code, const char *what);
/* Whether the device fails whatever it is asked. */
bool xy__cuda_is_broken(struct xy_device *device);
/* The -ENODEV of a device that is lost. */
int xy__cuda_is_lost(struct xy_device *device);
/* First in an operation: the device becomes the thread's current one, unless it is lost. */
int xy__cuda_begin(struct xy_device *device);
/* xy_cuda_check of a launch queue. */
int xy__cuda_check(const struct xy_cuda_services *services, int code);
void xy__cuda_forget(void);
const char *xy__cuda_explain(void);

/* --- cuda_select.c: which devices there are --- */

/* The devices that the text selects, in its order, and how many. Errors and the sentence as in probe. */
int xy__cuda_select(const char *text, int ordinals[XY__CUDA_DEVICES], unsigned *n, char *error, size_t error_size);

/* --- cuda_event.c --- */

/* An event for something that is to be begun on the stream. 0 or an error. */
int xy__cuda_event_take(struct xy_device *device, struct CUstream_st *stream, struct xy_event **event);
void xy__cuda_event_give(struct xy_device *device, struct xy_event *event);
/* Everything on the event's stream has been begun. On failure it has ended too, and the event is gone. */
int xy__cuda_event_record(struct xy_device *device, struct xy_event **event);
void xy__cuda_events_destroy(struct xy_device *device);
int xy__cuda_poll(struct xy_device *device, struct xy_event *event);

/* --- cuda_copy.c --- */

int xy__cuda_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		  const struct xy_copy *copies, unsigned n, struct xy_event **event);

#endif
