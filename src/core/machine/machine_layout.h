/* SPDX-License-Identifier: MIT */
/* What a machine text asks for, before anything is looked up. */
#ifndef XYLEM_CORE_MACHINE_MACHINE_LAYOUT_H
#define XYLEM_CORE_MACHINE_MACHINE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <xylem/machine.h>

#define XY__ITEMS_MAX 64u

/* "cuda:2*15": workers of one architecture and speed. */
struct xy__machine_item {
	enum xy_arch arch;
	unsigned count;
	double speed;
};

/* Whose cores the CPU workers are on. */
enum xy__machine_cores {
	XY__CORES_FLAT,     /* imaginary: they share nothing but the machine */
	XY__CORES_HERE,     /* this computer's */
	XY__CORES_TEXT,     /* of the synthetic topology */
	XY__CORES_ARRANGED, /* this computer's, at the places that the synthetic topology has */
};

struct xy__machine_layout {
	enum xy__machine_cores cores;
	const char *topology, *topology_end; /* between the parentheses, or NULL */
	bool all;                            /* a CPU worker for each core */
	bool here;                           /* a runtime can run on it */
	bool devices;                        /* the open devices of this computer belong to it */
	unsigned nitems;
	struct xy__machine_item items[XY__ITEMS_MAX];
	unsigned count[XY_NARCH]; /* of the items */
};

/* Reads a text as xy_machine_create describes it. ncpu >= 0 says how many CPU workers "this" has, nothers
 * how many workers its devices have. */
int xy__machine_layout_read(struct xy__machine_layout *layout, const char *text, int ncpu, unsigned nothers,
			    char *error, size_t error_size);

/* How many workers with devices its items have. */
unsigned xy__machine_layout_devices(const struct xy__machine_layout *layout);

/* Writes what is wrong at a place of the text and returns code. */
int xy__machine_fail(int code, const char *text, const char *at, const char *sentence, char *error, size_t error_size);

#endif
