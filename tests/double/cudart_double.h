/* SPDX-License-Identifier: MIT */
/*
 * How a test sets and watches the test double of libcudart, in the same process. Any thread may call
 * what is here. A device is named by its number before CUDA_VISIBLE_DEVICES.
 * README.md beside this file says what the double does and which variables set it from outside.
 */
#ifndef CUDART_DOUBLE_H
#define CUDART_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* --- what it is --- */

/* As the environment says, without faults, with all devices alive and all counters at 0. Memory,
 * streams and events that there are stay. */
void cudart_double_reset(void);

/* Memory of a device in bytes, from now on. */
void cudart_double_set_memory(unsigned device, size_t bytes);

/* Copies take at least as long as this bandwidth says (0: no time), kernels at least so long. */
void cudart_double_set_delays(double gigabytes_per_second, double launch_us);

/* So many devices in a row share a link with the host, and so many reach each other (0: all). What runtimes have opened
 * stays as it was. */
void cudart_double_set_topology(unsigned linked, unsigned island);

/* Copies that a stream begins to execute stay under way until they are let go, 20 seconds at most. */
void cudart_double_hold_copies(bool hold);

/* Allocations of pinned memory wait until they are let go, 20 seconds at most. */
void cudart_double_hold_host_memory(bool hold);

/* --- faults --- */

/*
 * Lets the nth call from now (1: the next) of a function fail with this cudaError, once: "cudaMalloc",
 * NULL for any function that can fail, "operation" for what a stream executes. A sticky error, and
 * whatever strikes an operation, makes the device lost for good. Up to 8 at a time; false: no more.
 */
bool cudart_double_fail(const char *function, uint64_t nth, int error);

/* Whether all faults that were ordered have struck. */
bool cudart_double_failed(void);

/* Calls of a function since the last reset; of all that can fail with NULL. */
uint64_t cudart_double_calls(const char *function);

/* --- what there is --- */

/* What has been made and not been released. */
struct cudart_double_live {
	size_t device_bytes, allocations; /* of all devices */
	size_t host_bytes, registered_bytes;
	unsigned streams, events, pools;
};
void cudart_double_live(struct cudart_double_live *live);
size_t cudart_double_device_bytes(unsigned device);

enum cudart_double_direction {
	CUDART_DOUBLE_IN,
	CUDART_DOUBLE_OUT,
	CUDART_DOUBLE_WITHIN,
	CUDART_DOUBLE_PEER,
	CUDART_DOUBLE_HOST,
	CUDART_DOUBLE_NDIRECTIONS
};
struct cudart_double_traffic {
	uint64_t copies, bytes, pageable_bytes; /* begun since the last reset; of memory that is not pinned */
};
void cudart_double_traffic(enum cudart_double_direction direction, struct cudart_double_traffic *traffic);

/* --- kernels --- */

/* The address at which the host can read and write what a device address names; NULL for none. */
void *cudart_double_readable(const void *memory);

/* Runs function(args) on a stream as a kernel: after what was begun before, in the stream's thread, with
 * a copy of the arguments that it may change. Returns a cudaError. */
int cudart_double_launch(struct CUstream_st *stream, void (*function)(void *args), const void *args, size_t size);

struct cudart_double_grid {
	unsigned grid[3], block[3];
	size_t shared_bytes;
};

enum { CUDART_DOUBLE_NARGS = 12 };

/* The body of a __global__ function: args[i] points to a copy of its i-th argument of sizes[i] bytes. */
struct cudart_double_kernel {
	const char *name; /* as nvcc registers it: mangled unless it is extern "C" */
	void (*body)(const struct cudart_double_grid *grid, void **args);
	size_t sizes[CUDART_DOUBLE_NARGS]; /* ended by 0 */
};

/* Adds a table that a kernel without a name ends; it stays the caller's and must stay. A shared object
 * named by CUDART_DOUBLE_KERNELS defines `const struct cudart_double_kernel cudart_double_kernels[]`. */
bool cudart_double_add_kernels(const struct cudart_double_kernel *kernels);

#ifdef __cplusplus
}
#endif
#endif
