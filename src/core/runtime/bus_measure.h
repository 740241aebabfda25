/* SPDX-License-Identifier: MIT */
/* Measuring, storing and loading the bus of a runtime. */
#ifndef XYLEM_CORE_RUNTIME_BUS_MEASURE_H
#define XYLEM_CORE_RUNTIME_BUS_MEASURE_H

struct xy_runtime;

/* Loads what is stored about the links between memory nodes, or measures them. 0 or -ENOMEM. Before the workers. */
int xy__bus_measure(struct xy_runtime *rt);

#endif
