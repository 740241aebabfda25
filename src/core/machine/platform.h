/* SPDX-License-Identifier: MIT */
/*
 * Platforms: machines that machine files describe (doc/machines.md), with their links and the durations of kernels.
 * A platform is constant once read, apart from the memory of xy__platform_kernel. Its workers and nodes have the
 * numbers that they have in the machine of it.
 */
#ifndef XYLEM_CORE_MACHINE_PLATFORM_H
#define XYLEM_CORE_MACHINE_PLATFORM_H

#include <stddef.h>
#include <xylem/machine.h>
#include <xylem/perf.h>

#include "core/util/buffer.h"

enum {
	XY__PLATFORM_NAME = 32,
	XY__PLATFORM_WORD = 16,    /* names of classes, nodes and links, with the zero byte */
	XY__PLATFORM_CLASSES = 32, /* at most */
	XY__PLATFORM_NODES = 64,
	XY__PLATFORM_LINKS = 1024,
	XY__PLATFORM_ROUTE = 8 /* links of a route */
};

/* A kind of worker: all of one class take equally long for a kernel. */
struct xy__platform_class {
	char name[XY__PLATFORM_WORD];
	enum xy_arch arch;
	double speed; /* relative to one CPU core */
};

struct xy__platform_worker {
	unsigned class, node;
};

struct xy__platform_node {
	char name[XY__PLATFORM_WORD];    /* as in the machine: "ram0", "cuda1" */
	enum xy_arch arch;               /* XY_CPU: main memory */
	int device;                      /* -1: main memory */
	unsigned class, nworkers;        /* of a device */
	unsigned long long memory_bytes; /* 0: no limit */
	char title[96];                  /* of a device, "" when the file does not say */
};

/* A shared resource: concurrent transfers over it share bytes_per_us. */
struct xy__platform_link {
	char name[XY__PLATFORM_WORD];
	double latency_us, bytes_per_us;
};

/* The way from a node to another. */
struct xy__platform_route {
	unsigned nlinks; /* 0: not direct, transfers go through RAM */
	unsigned links[XY__PLATFORM_ROUTE];
	double latency_us;   /* as given, or the sum over its links */
	double bytes_per_us; /* of a transfer that is alone: the file's, or the least of its links' */
};

/* CPU workers in a row that are of one class. */
struct xy__platform_cpus {
	unsigned count, class;
};

struct xy__platform_kernels;

struct xy__platform {
	char name[XY__PLATFORM_NAME];
	unsigned nclasses, nworkers, nnodes, nlinks;
	unsigned nram; /* nodes that are main memory: the first ones */
	struct xy__platform_class classes[XY__PLATFORM_CLASSES];
	struct xy__platform_worker *workers;
	struct xy__platform_node nodes[XY__PLATFORM_NODES];
	struct xy__platform_link *links;
	struct xy__platform_route *routes; /* nnodes * nnodes */
	char *topology;                    /* as hwloc's synthetic ones; "": cores share nothing */
	unsigned ncpus;
	struct xy__platform_cpus cpus[XY__PLATFORM_CLASSES];
	struct xy__platform_kernels *kernels;
};

/*
 * Reads a machine file into *p, for the caller to destroy. A word with neither a '/' nor a '.' is the name of a
 * machine: it is looked up in the folders (separated by ':', may be NULL), then where machines are installed. A '@' may
 * precede either, as in the text of a machine. 0 or -errno: -ENOENT, -EINVAL (the file is wrong), -ENOMEM, others of
 * the file system; with a sentence in error (may be NULL) that names the file, the line, the fault and what was
 * expected. With 0, error is empty or a warning, such as that a model file was left out. Any thread.
 */
int xy__platform_read(struct xy__platform **p, const char *name_or_path, const char *folders, char *error,
		      size_t error_size);

/* xy__platform_read that adds all errors and warnings to problems, one per line. */
int xy__platform_read_all(struct xy__platform **p, const char *name_or_path, const char *folders,
			  struct xy__buffer *problems);

/*
 * xy__platform_read from a text, which ends with a zero byte; path is its name in messages, and files it names are
 * relative to that path's folder.
 */
int xy__platform_read_text(struct xy__platform **p, const char *text, const char *path, struct xy__buffer *problems);

/* NULL is allowed. */
void xy__platform_destroy(struct xy__platform *p);

/* The machine of a platform: not here, and nothing of this computer is looked at. 0 or -ENOMEM. The caller destroys
 * it; it does not need the platform any more. */
int xy__platform_machine(const struct xy__platform *p, struct xy_machine **machine);

/* Never NULL; from and to are below nnodes. From a node to itself: no links, no time, and nothing to do. */
static inline const struct xy__platform_route *xy__platform_route(const struct xy__platform *p, unsigned from,
								  unsigned to)
{
	return &p->routes[from * p->nnodes + to];
}

/*
 * The duration of a kernel on a worker, by the bytes of all data of the task: the file's value for exactly that size,
 * or a power law between the two sizes next to it. Unknown outside the file's sizes, and for a class it does not list;
 * none for a kernel that is not in the file. key identifies the kernel: the address of a codelet or a model whose name
 * does not change. One thread at a time.
 */
struct xy_prediction xy__platform_kernel(struct xy__platform *p, const void *key, const char *kernel, double bytes,
					 unsigned worker);

/* --- for listings --- */

unsigned xy__platform_nkernels(const struct xy__platform *p);
/* The name of the i-th kernel, in the order of the alphabet. */
const char *xy__platform_kernel_name(const struct xy__platform *p, unsigned i);

struct xy__platform_point {
	double bytes, us, spread;
	unsigned samples; /* 0: the file says so */
};

/* The known durations of the i-th kernel on a class, by size, into *points; returns their number. */
unsigned xy__platform_points(const struct xy__platform *p, unsigned i, unsigned class,
			     const struct xy__platform_point **points);

/* Lists the names of all machines that can be found, one per line. */
void xy__platform_list(const char *folders, struct xy__buffer *names);

#endif
