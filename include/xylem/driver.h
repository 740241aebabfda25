/* SPDX-License-Identifier: MIT */
/*
 * For authors of drivers. A driver runs implementations of codelets on one kind of device, keeps memory
 * on it and copies data to and from it. The runtime does the rest: which copy of a handle is valid, what
 * has to be moved where, what is evicted, when a task may be launched.
 *
 * Whatever a device does goes on while the call that began it has returned: an operation gives an event,
 * and the runtime polls that. Nothing is polled twice once it has ended.
 *
 * Errors: 0 or -errno. -ENOMEM from allocate means that there is no room now. -ENODEV from anything means
 * that the device is lost for good: the runtime stops using it and its tasks go elsewhere; whatever is
 * called later for it returns -ENODEV too, and free and close still have to be callable. Any other error
 * is that of the one operation.
 *
 * Threads: any thread may call any operation at any time, several at once too, except that open and
 * close come first and last, launch is called by one thread at a time for each queue, and an event is
 * polled by one thread at a time. No operation may wait for the device, except launch (whatever the
 * codelet's function does) and close. A driver prints nothing, exits never, reads no environment.
 */
#ifndef XYLEM_DRIVER_H
#define XYLEM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/machine.h>
#include <xylem/task.h>

/* Changes whenever the structs below do; a driver made for another one is refused. */
#define XY_DRIVER_ABI 2u

struct xy_device;    /* a driver's own: an open device */
struct xy_event;     /* a driver's own: something that a device is doing; NULL: it is done already */

/* What the user wants of a driver's devices. */
struct xy_driver_config {
	const char *devices;     /* which: as XYLEM_CUDA_DEVICES or XYLEM_OPENCL_DEVICES; "" for the default */
	unsigned queues;         /* how many launch queues each device is opened with: one per worker */
};

struct xy_device_info {
	char name[96];           /* as its maker calls it */
	size_t memory_bytes;     /* that data can use; 0: not known */
	double speed;            /* relative to one CPU core; 0: not known */
	uint64_t peers;          /* devices of this driver (by index) from which copies come directly */
};

/* Where a copy begins or ends: an address in RAM, or memory from allocate, and an offset in bytes. */
struct xy_place {
	void *memory;
	size_t offset;
};

enum xy_copy_kind {
	XY_COPY_IN,              /* from RAM to the device */
	XY_COPY_OUT,             /* from the device to RAM */
	XY_COPY_PEER             /* from `peer`, a device of this driver, to the device */
};

/* Rows of bytes, in up to three dimensions: rows of a plane, planes. Strides are in bytes and say
 * nothing where the count is 1. Nothing is empty; source and destination do not overlap. */
struct xy_copy {
	struct xy_place to, from;
	size_t row_bytes;
	size_t nrows, to_row, from_row;
	size_t nplanes, to_plane, from_plane;
};

struct xy_driver {
	unsigned abi;                    /* XY_DRIVER_ABI */
	const char *name;                /* of its workers too: "cuda" */
	enum xy_arch arch;

	/* Counts the devices that config selects, into *ndevices. 0, also when there are none: then and
	 * on failure a sentence in error says why. -EINVAL when config->devices is wrong. */
	int (*probe)(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size);

	/* Opens the index-th of them; closing comes after the end of everything that was begun. */
	int (*open)(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		    struct xy_device_info *info, char *error, size_t error_size);
	void (*close)(struct xy_device *device);

	/* Memory of the device. What memory is, an address or a handle, is the driver's affair: codelets
	 * get it as the pointer of their buffers. */
	int (*allocate)(struct xy_device *device, size_t bytes, void **memory);
	void (*free)(struct xy_device *device, void *memory);

	/* RAM from which copies are fast; NULL when there is none left. The pair may be NULL: malloc. */
	void *(*host_allocate)(struct xy_device *device, size_t bytes);
	void (*host_free)(struct xy_device *device, void *memory);
	/* Whether an address that the application takes for RAM is one of a device, whichever of the driver's.
	 * May be NULL, if that can't be told. */
	bool (*owns)(struct xy_device *device, const void *memory);
	/* Makes memory of the application such RAM, and undoes it. The pair may be NULL. */
	int (*host_pin)(struct xy_device *device, void *memory, size_t bytes);
	void (*host_unpin)(struct xy_device *device, void *memory);

	/* Begins n copies of one kind, with one event for all of them. Copies of one kind and device
	 * end in the order in which they were begun. The peer is the other side, NULL for RAM. */
	int (*copy)(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		    const struct xy_copy *copies, unsigned n, struct xy_event **event);

	/* Sets call->stream and call->services, and calls the function, which begins work on that
	 * stream. A non-zero return of the function is returned, after the end of what it began. The function may
	 * call the runtime, and that copy and allocate: these never wait for a launch. */
	int (*launch)(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
		      struct xy_event **event);

	/* Whether an operation has ended: 0 well, -EAGAIN not yet, else it failed. The event is gone
	 * unless the answer is -EAGAIN. */
	int (*poll)(struct xy_device *device, struct xy_event *event);

	/* One line about the last error that the calling thread got from this driver; "" without one, or
	 * since the last launch began. */
	const char *(*explain)(void);

	/* Whether the device is lost: a codelet may return -ENODEV for reasons of its own. */
	bool (*is_lost)(struct xy_device *device);
};

/* A driver that is a shared object defines `const struct xy_driver xy_driver`. */

#endif
