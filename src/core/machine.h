/* SPDX-License-Identifier: MIT */
/*
 * Inside of machines, for the engines.
 */
#ifndef XYLEM_CORE_MACHINE_H
#define XYLEM_CORE_MACHINE_H

#include <xylem/machine.h>

/* As xy_machine_create; ncpu > 0 replaces the number of CPU workers of "this" computer. */
int xy__machine_create(struct xy_machine **machine, const char *text, unsigned ncpu, char *error,
		       size_t error_size);

/* Binds the calling thread to the core of a worker; 0 or -errno. Does nothing for pu < 0. */
int xy__machine_bind(const struct xy_machine *machine, unsigned worker);

#endif
