/* SPDX-License-Identifier: MIT */
/*
 * Machines: the workers, what they can run, where they are. A machine is an immutable value; it can describe this
 * computer or an imaginary one.
 */
#ifndef XYLEM_MACHINE_H
#define XYLEM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The architecture of a worker. The masks below have this order. */
enum xy_arch { XY_CPU, XY_CUDA, XY_OPENCL, XY_HIP, XY_NARCH };

/* Masks of architectures, as in a codelet's `where`. */
#define XY_ON_CPU (1u << XY_CPU)
#define XY_ON_CUDA (1u << XY_CUDA)
#define XY_ON_OPENCL (1u << XY_OPENCL)
#define XY_ON_HIP (1u << XY_HIP)
#define XY_ON_ALL ((1u << XY_NARCH) - 1)

struct xy_machine;

/* One worker of a machine. Workers are numbered from 0, CPUs first, in topological order. */
struct xy_worker_info {
	char name[16]; /* "cpu0", "cuda1": unique in the machine */
	enum xy_arch arch;
	unsigned index;        /* among the workers of its architecture */
	unsigned node;         /* memory node that it computes in */
	int device;            /* its device among those of its driver, -1: a CPU */
	int pu;                /* the operating system's processor to bind to, -1: none */
	double speed;          /* relative to one CPU core */
	unsigned worker_class; /* workers of one class take equally long for any task; from 0 */
};

/* One memory node. Nodes are numbered from 0: main memory, the memory of each device, the disks. */
struct xy_node_info {
	char name[16];                   /* "ram0", "cuda1", "disk0": unique in the machine */
	enum xy_arch arch;               /* XY_CPU: main memory or disks, else the architecture of its device */
	int device;                      /* its device among those of its driver, -1: main memory or disks */
	char title[96];                  /* product name of the device, "" if unknown */
	unsigned long long memory_bytes; /* 0: unknown */
	bool disk;                       /* files, for data that main memory has no room for; see xy_disk_add */
};

/* Result of probing for a driver. */
enum xy_driver_state {
	XY_DRIVER_READY,      /* devices were opened */
	XY_DRIVER_OFF,        /* its devices were set to "none" */
	XY_DRIVER_ABSENT,     /* it is not installed */
	XY_DRIVER_UNLOADABLE, /* it can't be loaded: most often a library that it needs is missing */
	XY_DRIVER_REFUSED,    /* it was built for another version, or is not a driver */
	XY_DRIVER_IDLE,       /* it has no device */
	XY_DRIVER_BROKEN      /* it failed */
};

struct xy_driver_info {
	enum xy_driver_state state;
	unsigned ndevices; /* opened */
	char text[256];    /* an explanation for people */
};

/*
 * Makes a machine from text, into *machine:
 *   ""  or "this"                  this computer: a CPU worker per allowed core
 *   "this:3"                       this computer with three CPU workers
 *   "this(numa:2 core:1)"          this computer's cores, arranged as the topology says
 *   "cpu:4 cuda:2*15 opencl:1"     the given numbers of workers; a CUDA worker is as fast as 15 cores
 *   "topology(numa:2 core:4 pu:1) cuda:2"   CPUs from an hwloc synthetic topology, and devices
 * Only the machine of a runtime has real devices: see xy_machine_of_config in <xylem/task.h>.
 * Returns 0 or -errno (-EINVAL, -ENOMEM, -ERANGE) with a sentence in error[error_size] (may be NULL).
 * Any thread. The caller destroys it.
 */
int xy_machine_create(struct xy_machine **machine, const char *text, char *error, size_t error_size);

/* Destroys a machine that no tree or runtime uses. NULL is allowed. */
void xy_machine_destroy(struct xy_machine *machine);

/* Workers and memory nodes are numbered from 0. */
unsigned xy_machine_nworkers(const struct xy_machine *machine);
unsigned xy_machine_nnodes(const struct xy_machine *machine);

/* The worker's description, NULL if there is no such worker. Lives as long as the machine. */
const struct xy_worker_info *xy_machine_worker(const struct xy_machine *machine, unsigned worker);

/* The node's description, NULL if there is no such node. Lives as long as the machine. */
const struct xy_node_info *xy_machine_node(const struct xy_machine *machine, unsigned node);

/*
 * The result of probing for the driver of an architecture with devices; NULL if it was not probed, as for a machine
 * other than this computer. Lives as long as the machine.
 */
const struct xy_driver_info *xy_machine_driver(const struct xy_machine *machine, enum xy_arch arch);

/*
 * The distance of two workers: 0 for the same one, plus one for each level of the topology (cache, NUMA node, package,
 * machine) up to their nearest common part.
 */
unsigned xy_machine_distance(const struct xy_machine *machine, unsigned a, unsigned b);

/* Whether the workers are those of this computer, so that a runtime can run on it. */
bool xy_machine_is_here(const struct xy_machine *machine);

/* Number of cores that this process may use; 0 for a machine other than this computer. */
unsigned xy_machine_ncores(const struct xy_machine *machine);

/* "cpu", "cuda", "opencl", "hip"; NULL for anything else. */
const char *xy_arch_name(enum xy_arch arch);

#ifdef __cplusplus
}
#endif
#endif
