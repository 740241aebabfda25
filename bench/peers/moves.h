/* SPDX-License-Identifier: MIT */
/*
 * What the program of one runtime gives to moves.c: blocks of numbers that tasks on OpenCL devices with little memory
 * use. Results are exact, so that a wrong order or a lost copy shows.
 */
#ifndef BENCH_MOVES_H
#define BENCH_MOVES_H

#include <stddef.h>
#include <stdint.h>

enum { MOVES_DEVICES = 2, MOVES_PIECES = 4, MOVES_ANY = -1 };

/* Functions return 0 or another value on failure. A device is a number, or MOVES_ANY. */
struct moves_peer {
	const char *name;
	/* With the OpenCL devices, each with so much memory for data, and no CPU workers; sched NULL: the default. */
	int (*start)(const char *sched, size_t limit_mib);
	int (*stop)(void);
	/*
	 * Between the two, tasks use a block: of the application, or temporary if that is NULL. After stop, what the
	 * application has is back in RAM.
	 */
	int (*share)(size_t block, uint32_t *numbers, size_t n);
	int (*unshare)(size_t block);
	/* Submit tasks: c = 3 c + a + k b; b = a + k. */
	int (*sum)(size_t a, size_t b, size_t c, uint32_t k, int device);
	int (*copy)(size_t a, size_t b, uint32_t k, int device);
	/* Divides a block into pieces, works on one of these: x = 3 x + k, and joins them on a device. */
	int (*split)(size_t block);
	int (*advance)(size_t block, unsigned piece, uint32_t k, int device);
	int (*join)(size_t block, int device);
	/* Waits for all tasks. */
	int (*wait)(void);
	/* Bytes moved between memory nodes since the last call. */
	double (*moved)(void);
};

extern const struct moves_peer moves_peer;

#define MOVES_SOURCE \
	"kernel void sum(global const uint *a, global const uint *b, global uint *c, uint k)\n" \
	"{\n" \
	"	size_t i = get_global_id(0);\n" \
	"	c[i] = 3 * c[i] + a[i] + k * b[i];\n" \
	"}\n" \
	"kernel void copy(global const uint *a, global uint *b, uint k)\n" \
	"{\n" \
	"	size_t i = get_global_id(0);\n" \
	"	b[i] = a[i] + k;\n" \
	"}\n" \
	"kernel void advance(global uint *x, uint k, uint first)\n" \
	"{\n" \
	"	size_t i = first + get_global_id(0);\n" \
	"	x[i] = 3 * x[i] + k;\n" \
	"}\n"

#endif
