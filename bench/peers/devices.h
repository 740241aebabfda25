/* SPDX-License-Identifier: MIT */
/*
 * What the program of one runtime gives to devices.c: blocks of numbers that tasks on OpenCL devices use. Both
 * kernels compute with whole numbers, so that results are exact and a wrong order shows.
 */
#ifndef BENCH_DEVICES_H
#define BENCH_DEVICES_H

#include <stddef.h>
#include <stdint.h>

enum { NDEVICES = 2 };

/* Functions return 0 or another value on failure. */
struct devices_peer {
	const char *name;
	/* With NDEVICES OpenCL devices and no CPU workers; sched NULL: the runtime's default. */
	int (*start)(const char *sched);
	int (*stop)(void);
	/* Between the two, tasks use n blocks of `elements` numbers; they are back in RAM after the second. */
	int (*share)(uint32_t **blocks, size_t n, size_t elements);
	int (*unshare)(void);
	/* Submits a task: block c += a * b, as matrices of side * side, on any device. */
	int (*multiply)(size_t a, size_t b, size_t c, uint32_t side);
	/* Submits a task on one device: x = 3 x + k for each number of a block. */
	int (*advance)(size_t block, unsigned device, uint32_t k);
	int (*wait)(void);
	/* Bytes moved between memory nodes since the last call. */
	double (*moved)(void);
	/* 16 MiB to a device and back, bare and through the runtime, in GB/s; NULL: not for this one. */
	int (*bandwidth)(unsigned repeat);
};

extern const struct devices_peer devices_peer;

#define DEVICES_SOURCE \
	"kernel void multiply(global const uint *a, global const uint *b, global uint *c, uint side)\n" \
	"{\n" \
	"	size_t x = get_global_id(0), y = get_global_id(1);\n" \
	"	uint sum = c[x + y * side];\n" \
	"	for (uint k = 0; k < side; k++)\n" \
	"		sum += a[k + y * side] * b[x + k * side];\n" \
	"	c[x + y * side] = sum;\n" \
	"}\n" \
	"kernel void advance(global uint *x, uint k)\n" \
	"{\n" \
	"	size_t i = get_global_id(0);\n" \
	"	x[i] = 3 * x[i] + k;\n" \
	"}\n"

#endif
