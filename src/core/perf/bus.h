/* SPDX-License-Identifier: MIT */
/*
 * Transfer times between memory nodes: a latency and a bandwidth for each pair. As text, Xylem's or StarPU's. Constant
 * once a runtime has started.
 */
#ifndef XYLEM_CORE_PERF_BUS_H
#define XYLEM_CORE_PERF_BUS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/util/buffer.h"

enum { XY__BUS_NODES = 64 };

struct xy__link {
	double latency_us;
	double mb_per_s; /* millions of bytes; 0: not known */
};

struct xy__bus {
	unsigned nnodes;
	struct xy__link *links; /* from a node, to a node: nnodes * nnodes; NULL: nothing is known */
};

int xy__bus_init(struct xy__bus *bus, unsigned nnodes);
void xy__bus_fini(struct xy__bus *bus);

static inline struct xy__link *xy__bus_link(const struct xy__bus *bus, unsigned from, unsigned to)
{
	return &bus->links[from * bus->nnodes + to];
}

/* The time to transfer these bytes into *us; false if unknown. */
bool xy__bus_time(const struct xy__bus *bus, unsigned from, unsigned to, size_t bytes, double *us);

/* Pairs of nodes that are not known, but are both known with RAM, node 0, get what the way by RAM takes. */
void xy__bus_complete(struct xy__bus *bus);

/* Our own text, for nodes of these names. bus is initialised. 0, -EINVAL with "line N: ...", -ESTALE when it is about
 * other nodes. */
int xy__bus_read(struct xy__bus *bus, const char *const *names, const char *text, char *error, size_t error_size);
void xy__bus_print(const struct xy__bus *bus, const char *const *names, const char *host, struct xy__buffer *text);

/*
 * StarPU's matrices; nodes are identified by their position: RAM, CUDA devices, OpenCL devices. Creates the bus, with
 * as many nodes as there are numbers in the first line. 0, -EINVAL, -ENOMEM.
 */
int xy__bus_read_starpu(struct xy__bus *bus, const char *bandwidth, const char *latency, char *error,
			size_t error_size);

#endif
