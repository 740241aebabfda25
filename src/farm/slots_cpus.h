/* SPDX-License-Identifier: MIT */
/*
 * The processors that this process may use, in the order of the topology (hardware threads of a core
 * side by side), and which of them are near to a PCI device.
 */
#ifndef XYLEM_FARM_SLOTS_CPUS_H
#define XYLEM_FARM_SLOTS_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct slots_cpus {
	unsigned count;
	unsigned *numbers; /* the operating system's numbers */
	void *topology;    /* hwloc's, loaded */
};

/* Finds them; all processors of the topology in an XML file of hwloc if xml is not NULL. 0 or -errno. */
int slots_cpus_init(struct slots_cpus *cpus, const char *xml);
void slots_cpus_fini(struct slots_cpus *cpus);

/* near[i] = whether processor i shares the part of the computer that the device at this PCI address
 * ("0000:3b:00.0", also with eight digits first) hangs on. False where the topology does not know it. */
bool slots_cpus_near(const struct slots_cpus *cpus, const char *address, bool *near);

/* Numbers as a list such as "0-3,8". Cut to size. */
void slots_cpus_print(const struct slots_cpus *cpus, const unsigned *indices, unsigned n, char *text, size_t size);

/* A set for sched_setaffinity, of all processors if indices is NULL; the caller ends it with CPU_FREE.
 * NULL without memory. */
cpu_set_t *slots_cpus_set(const struct slots_cpus *cpus, const unsigned *indices, unsigned n, size_t *size);

#endif
