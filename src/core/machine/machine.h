/* SPDX-License-Identifier: MIT */
/* Private parts of machines, for the engines. */
#ifndef XYLEM_CORE_MACHINE_MACHINE_H
#define XYLEM_CORE_MACHINE_MACHINE_H

#include <xylem/machine.h>

/* An open device that gets workers. They share its memory, which is a node. */
struct xy__machine_device {
	enum xy_arch arch;
	unsigned index; /* among its driver's devices */
	unsigned nworkers;
	const char *title;               /* as its maker calls it */
	const char *pci;                 /* its address, as in /sys/bus/pci; NULL or "": not known */
	unsigned long long memory_bytes; /* 0: not known */
	double speed;                    /* 0: not known */
};

struct xy__machine_request {
	const char *text;
	int ncpu;                                 /* how many CPU workers "this" has; -1: one per core */
	bool device_cores;                        /* device workers get cores of their own, if there are enough */
	unsigned ndevices;                        /* only where xy__machine_takes_devices */
	const struct xy__machine_device *devices; /* ordered by architecture */
	const struct xy_driver_info *drivers;     /* by architecture; NULL: not probed */
	bool disk;                                /* it has a node for disks */
};

/* As xy_machine_create, with devices and what the settings say. */
int xy__machine_create(struct xy_machine **machine, const struct xy__machine_request *request, char *error,
		       size_t error_size);

/* CPU workers in a row that are equally fast. */
struct xy__machine_cpus {
	unsigned count;
	double speed;
};

/* A machine that is not here, in parts that have been checked: 1 to XY__CORES_MAX workers, and no mistake in the
 * topology. */
struct xy__machine_parts {
	const char *topology; /* "": cores share nothing but the machine */
	unsigned ncpus;       /* at most 64 */
	const struct xy__machine_cpus *cpus;
	unsigned ndevices;
	const struct xy__machine_device *devices; /* ordered by architecture */
	unsigned long long ram_bytes;             /* of each node of main memory; 0: not known */
};

/* Makes the machine of these parts without looking at this computer; 0 or -ENOMEM. */
int xy__machine_assemble(struct xy_machine **machine, const struct xy__machine_parts *parts);

/* Sets the class of a worker, where speed and architecture don't determine it: before the machine is used. */
void xy__machine_set_class(struct xy_machine *machine, unsigned worker, unsigned class);

/*
 * Whether the machine of a text includes this computer's devices: "this" in all its forms, unless other devices are
 * named.
 */
bool xy__machine_takes_devices(const char *text);

/* The place of the topology that a worker is at; those of one part have numbers in a row. */
unsigned xy__machine_place(const struct xy_machine *machine, unsigned worker);

/* What workers can have in common. A device's workers share all with each other and nothing with others. */
enum xy__part { XY__PART_NODE, XY__PART_PACKAGE, XY__PART_CACHE, XY__PART_CORE };

/* Which node, package, last-level cache or core a worker is in: equal numbers are the same one. */
unsigned xy__machine_part(const struct xy_machine *machine, unsigned worker, enum xy__part part);

/* Binds the calling thread to the core of a worker; 0 or -errno. Does nothing for pu < 0. */
int xy__machine_bind(const struct xy_machine *machine, unsigned worker);

#endif
