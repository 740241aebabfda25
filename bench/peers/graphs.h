/* SPDX-License-Identifier: MIT */
/*
 * The task graphs: their sizes, how to run them, and a serial model of what they compute.
 */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

#include "peer.h"

struct graph {
	const char *name;
	const char *usage;
	size_t initial[2]; /* of the arguments; 0: there is none */
	bool (*is_possible)(void);
	size_t (*ncells)(const size_t *arguments);
	size_t (*ntasks)(const size_t *arguments);
	int (*run)(const size_t *arguments);
	/* Does to the cells and the tally what one run of the graph does. */
	void (*model)(const size_t *arguments, uint64_t *cells, struct bench_tally *tally);
};

/* Ends with a NULL name. */
extern const struct graph bench_graphs[];

const struct graph *bench_graph(const char *name);

#endif
