/* SPDX-License-Identifier: MIT */
/*
 * Which workers get which cores. A device worker keeps launching and polling, so on this computer each gets a core of
 * its own, near its device, and CPU workers have the rest; unless too few cores would be left.
 */
#ifndef XYLEM_CORE_MACHINE_MACHINE_CORES_H
#define XYLEM_CORE_MACHINE_MACHINE_CORES_H

#include "core/machine/machine.h"
#include "core/machine/machine_layout.h"
#include "core/machine/topology.h"

struct xy__core_order {
	unsigned ncpus;   /* CPU workers */
	unsigned nothers; /* device workers with a core of their own: all or none */
	unsigned nfree;   /* cores for CPU workers, which take them in turn */
	unsigned *order;  /* cores: those for CPU workers, then one for each device worker */
};

/* 0 or -ENOMEM. The caller frees order. */
int xy__machine_cores_order(struct xy__core_order *cores, const struct xy__topology *t,
			    const struct xy__machine_layout *layout, const struct xy__machine_request *request);

#endif
