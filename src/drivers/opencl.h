/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the OpenCL driver. A device has its own context, a command queue for each launch queue, one
 * for each direction of copies and one for allocations, all in order: queues overlap, and the runtime's polls order
 * them.
 */
#ifndef XYLEM_DRIVERS_OPENCL_H
#define XYLEM_DRIVERS_OPENCL_H

#include <pthread.h>
#include <stdatomic.h>
#include <xylem/driver.h>
#include <xylem/opencl.h>

enum { XY__OPENCL_DEVICES = 64 }; /* more are not looked at */

struct opencl_kernel;
struct opencl_later;
struct opencl_program;

/* A launch queue. One thread at a time launches on it, so its kernels need no lock. */
struct opencl_queue {
	struct xy_opencl_services services; /* (c) first: codelets have a pointer to it */
	struct xy_device *device;           /* (c) */
	struct opencl_kernel *kernels;      /* (o) the launching thread */
};

/*
 * Locking key: (c) constant once open, (a) atomic, (l) lock, (o) see above.
 *
 * Some implementations on CPUs run a command in the thread that enqueues it, and then, holding their own locks,
 * those of other threads that waited for it (PoCL's device `basic` waits for itself there). On such a device, one
 * that is `inline_commands`, threads take turns: an enqueuing thread finds nothing unfinished. A codelet has its
 * turn while it runs, and may call the runtime; so a thread that holds locks of the runtime, to copy or to
 * allocate, must not wait for a turn.
 */
struct xy_device {
	cl_device_id id;             /* (c) */
	cl_context context;          /* (c) */
	cl_command_queue in, out;    /* (c) for copies */
	cl_command_queue memory;     /* (c) for allocations, so that they wait for nothing else */
	size_t memory_bytes;         /* (c) */
	_Atomic size_t used_bytes;   /* (a) */
	_Atomic bool lost;           /* (a) for good */
	bool inline_commands;        /* (c) */
	_Atomic unsigned waiting[2]; /* (a) copies that wait for a turn, out and in: those behind do too */
	pthread_mutex_t turn;        /* before lock; recursive: codelets may begin copies */
	pthread_mutex_t lock;
	struct opencl_program *programs; /* (l) */
	cl_event allocation;             /* (l) the last that may not have ended; or NULL */
	unsigned nqueues;                /* (c) */
	struct opencl_queue queues[];
};

/* Commands on one queue, oldest first. A code other than CL_SUCCESS: no further ones could be started. */
struct xy_event {
	cl_int code;
	unsigned n, room;
	struct opencl_later *later; /* copies whose turn has not come when they were asked for; or NULL */
	double *us;                 /* where the time between the first and the last event goes; or NULL */
	cl_event events[];
};

/* --- opencl_error.c: the calling thread's last error --- */

/* Both note a line and return the error: -errno for a code that `what` returned, which may be the end of
 * the device (may be NULL); 0 without a line for CL_SUCCESS. */
int xy__opencl_error(struct xy_device *device, cl_int code, const char *what);
int xy__opencl_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* xy__opencl_error for a codelet's call: its mistakes don't lose the device. */
int xy__opencl_check(const struct xy_opencl_services *services, cl_int code);
void xy__opencl_forget(void);
const char *xy__opencl_explain(void);
/* More text about the thread's last error, which stays the caller's and must stay. */
void xy__opencl_detail(const char *text);
const char *xy__opencl_details(void);
/* "CL_OUT_OF_RESOURCES", or "an error" for a code that has no name here. */
const char *xy__opencl_name(cl_int code);

/* --- opencl_select.c: which devices there are --- */

/* The devices that the text selects, in its order, and how many. Errors and the sentence as in probe. */
int xy__opencl_select(const struct xy_driver_config *config, cl_device_id ids[XY__OPENCL_DEVICES], unsigned *n,
		      char *error, size_t error_size);

/* --- opencl_program.c: programs and kernels --- */

/* xy_opencl_kernel of a launch queue. */
int xy__opencl_kernel(const struct xy_opencl_services *services, const struct xy_opencl_program *program,
		      const char *name, cl_kernel *kernel);
void xy__opencl_kernels_release(struct opencl_queue *queue);
void xy__opencl_programs_release(struct xy_device *device);

/* --- opencl.c --- */

/* Around everything that enqueues: waits for other threads only where the device asks for it. */
void xy__opencl_turn_begin(struct xy_device *device);
/* xy__opencl_turn_begin without waiting: false, and no turn, if another thread has it. */
bool xy__opencl_turn_try(struct xy_device *device);
void xy__opencl_turn_end(struct xy_device *device);

/* Commands enqueued from now on run after all earlier allocations. */
cl_int xy__opencl_settled(struct xy_device *device, cl_command_queue queue);

/* --- opencl_copy.c: copies and events --- */

int xy__opencl_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		    const struct xy_copy *copies, unsigned n, struct xy_event **event);
int xy__opencl_poll(struct xy_device *device, struct xy_event *event);
/* An event without commands yet; NULL: no memory. */
struct xy_event *xy__opencl_event(unsigned room);
/* Sends the commands of an event on their way. A queue that refuses would keep them for ever: then the
 * device is lost and the event gone. */
int xy__opencl_begun(struct xy_device *device, cl_command_queue queue, struct xy_event **event);
void xy__opencl_event_free(struct xy_event *event);

#endif
