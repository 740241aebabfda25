/* SPDX-License-Identifier: MIT */
/* Shared by the files of bench/quality. The state of all functions is that of the random numbers. */
#ifndef BENCH_QUALITY_H
#define BENCH_QUALITY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { QUALITY_KINDS = 32 };

struct quality_machine {
	unsigned kinds;      /* of workers, up to QUALITY_KINDS */
	unsigned cores;      /* the most of one kind */
	unsigned memory_mib; /* of a device; 0: no limit */
	bool devices;        /* with memory of their own */
};

unsigned quality_draw(uint64_t *state, unsigned least, unsigned most);

/* A machine file with these kinds of workers. */
void quality_machine(FILE *out, uint64_t *state, const struct quality_machine *machine);
/* A machine file of processors that each have a memory, all linked to each other. */
void quality_apart(FILE *out, uint64_t *state, unsigned processors);

/* Graphs in Xylem's format: with a cost for each processor, and like workflows. */
void quality_costs(FILE *out, uint64_t *state, unsigned processors, unsigned ntasks);
void quality_workflow(FILE *out, uint64_t *state, unsigned width);

/* Names of graphs: factorizations of so many tiles, and graphs of layers. */
void quality_dense(char *text, size_t room, uint64_t *state, unsigned least, unsigned most);
void quality_layered(char *text, size_t room, uint64_t *state, unsigned layers);

#endif
