/* SPDX-License-Identifier: MIT */
/* What a runtime does about its bus. */
#ifndef XYLEM_CORE_BUS_H
#define XYLEM_CORE_BUS_H

struct xy_runtime;

/* Loads what is stored about the links between memory nodes, or measures them. 0 or -ENOMEM. Before the workers. */
int xy__bus_start(struct xy_runtime *rt);

#endif
