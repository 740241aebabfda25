/* SPDX-License-Identifier: MIT */
/*
 * For authors of drivers. A driver runs codelet implementations on one type of device, allocates memory
 * on it and copies data to and from it. The runtime does the rest: which copy of a handle is valid, what
 * is moved where, what is evicted, when a task may be launched.
 *
 * Operations are asynchronous: an operation returns an event, and the runtime polls it until it has
 * completed, and never again after that.
 *
 * Errors: 0 or -errno. -ENOMEM from allocate means no room now. -ENODEV from any operation means that the
 * device is permanently lost: the runtime stops using it and its tasks go elsewhere; every later operation
 * on it returns -ENODEV too, but free and close must still work. -ENOEXEC from launch means that the
 * function can't run on this device, for lack of code for it: another worker may run the task. Any other
 * error concerns the one operation.
 *
 * Threads: any thread may call any operation at any time, several at once too, except that open and
 * close come first and last, one thread at a time calls launch for each queue, and one thread at a time
 * polls an event. No operation may block, except launch (inside the codelet's function) and close. A
 * driver prints nothing, never exits, and reads no environment variables.
 */
#ifndef XYLEM_DRIVER_H
#define XYLEM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/machine.h>
#include <xylem/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the structs below; a driver built for another value is refused. */
#define XY_DRIVER_ABI 4u

struct xy_device; /* private to the driver: an open device */
struct xy_event;  /* private to the driver: a pending operation; NULL: already completed */

/* The user's settings for a driver's devices. */
struct xy_driver_config {
	const char *devices; /* selection, as in XYLEM_CUDA_DEVICES and so on; "" for the default */
	unsigned queues;     /* launch queues of each device: one or several per worker */
	bool own_vendors;    /* OpenCL: the environment tells its loader where the implementations are */
};

struct xy_device_info {
	char name[96];       /* its product name */
	size_t memory_bytes; /* memory for data; 0: unknown */
	double speed;        /* relative to one CPU core; 0: unknown */
	uint64_t peers;      /* devices of this driver (by index) from which copies come directly */
	char pci[24];        /* its address, such as "0000:3b:00.0"; "": unknown */
};

/* An end of a copy: an address in RAM, or memory from allocate, and an offset in bytes. */
struct xy_place {
	void *memory;
	size_t offset;
};

enum xy_copy_kind {
	XY_COPY_IN,  /* from RAM to the device */
	XY_COPY_OUT, /* from the device to RAM */
	XY_COPY_PEER /* from `peer`, a device of this driver, to the device */
};

/*
 * Rows of bytes, in up to three dimensions: rows of a plane, planes. Strides are in bytes and ignored where the count
 * is 1. No count is 0; source and destination do not overlap.
 */
struct xy_copy {
	struct xy_place to, from;
	size_t row_bytes;
	size_t nrows, to_row, from_row;
	size_t nplanes, to_plane, from_plane;
};

struct xy_driver {
	unsigned abi;     /* XY_DRIVER_ABI */
	const char *name; /* of its workers too: "cuda" */
	enum xy_arch arch;

	/*
	 * Counts the devices that config selects, into *ndevices. 0, even without devices: then and on failure a
	 * sentence in error says why. -EINVAL if config->devices is invalid.
	 */
	int (*probe)(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size);

	/* Opens the index-th of them; close comes after all operations have completed. */
	int (*open)(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		    struct xy_device_info *info, char *error, size_t error_size);
	void (*close)(struct xy_device *device);

	/*
	 * Memory of the device. Its representation, an address or a handle, is up to the driver: codelets get it as
	 * the pointer of their buffers.
	 */
	int (*allocate)(struct xy_device *device, size_t bytes, void **memory);
	void (*free)(struct xy_device *device, void *memory);
	/*
	 * Makes a part of allocated memory, `bytes` bytes from `offset` on, memory of its own for copies and codelets.
	 * part_free comes before free. With `mixed`, some of these bytes belong to other parts, which may be written at
	 * the same time. An error means that the driver can't make this part. part may be NULL, and part_free too if
	 * nothing is to be freed.
	 */
	int (*part)(struct xy_device *device, void *memory, size_t offset, size_t bytes, bool mixed, void **part);
	void (*part_free)(struct xy_device *device, void *part);

	/* RAM from which copies are fast; NULL without memory. The pair may be NULL: malloc. */
	void *(*host_allocate)(struct xy_device *device, size_t bytes);
	void (*host_free)(struct xy_device *device, void *memory);
	/*
	 * Whether an address given as RAM belongs to any of the driver's devices. May be NULL if that can't be
	 * determined.
	 */
	bool (*owns)(struct xy_device *device, const void *memory);
	/* Pins and unpins the application's memory: -EALREADY if it is pinned, -EINVAL if it is not. May be NULL. */
	int (*host_pin)(struct xy_device *device, void *memory, size_t bytes);
	int (*host_unpin)(struct xy_device *device, void *memory);

	/*
	 * Starts n copies of one direction, with one event for all of them. The runtime polls copies of one
	 * direction and device in the order in which they were started. The peer is the other side, NULL for RAM.
	 */
	int (*copy)(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		    const struct xy_copy *copies, unsigned n, struct xy_event **event);

	/*
	 * Sets call->stream and call->services, and calls the function, which launches work on that stream. Work of
	 * earlier launches on this queue may still run: what is launched here runs after it. If the function returns
	 * an error, waits for its work and returns the error. The function may call the runtime, which may call copy
	 * and allocate: these never wait for a launch.
	 */
	int (*launch)(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
		      struct xy_event **event);

	/*
	 * Polls an operation: 0 completed, -EAGAIN pending, else it failed. Any answer but -EAGAIN destroys the event.
	 */
	int (*poll)(struct xy_device *device, struct xy_event *event);

	/*
	 * One line about the last error that the calling thread got from this driver; "" without one, or since the
	 * start of the last launch.
	 */
	const char *(*explain)(void);

	/*
	 * More about that error, as lines of text, such as a compiler's log; NULL or "" without any. Valid until the
	 * thread's next call. May be NULL. The runtime writes it to the log.
	 */
	const char *(*details)(void);

	/* Whether the device is lost: a codelet may return -ENODEV for its own reasons. */
	bool (*is_lost)(struct xy_device *device);
};

/* A driver's shared object defines this. */
extern const struct xy_driver xy_driver;

#ifdef __cplusplus
}
#endif
#endif
