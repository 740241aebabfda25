/* SPDX-License-Identifier: MIT */
/*
 * Private parts of platforms: the reader of machine files, which passes over the lines several times so that they may
 * come in any order, and the table of kernels that it fills.
 */
#ifndef XYLEM_CORE_MACHINE_PLATFORM_PARTS_H
#define XYLEM_CORE_MACHINE_PLATFORM_PARTS_H

#include <stdbool.h>

#include "core/perf/lines.h"
#include "core/machine/platform.h"

enum {
	XY__PLATFORM_KERNEL = 64,    /* the name of a kernel, with the zero byte */
	XY__PLATFORM_KERNELS = 4096, /* at most */
	XY__PLATFORM_GROUPS = 64     /* lines with devices */
};

/* --- the reader --- */

struct xy__xym_problem {
	unsigned line;
	bool skipped; /* a file that was left out: a warning */
	char *text;
};

/* Equal devices in a row. */
struct xy__xym_group {
	unsigned line, count, class, nworkers;
	unsigned long long memory_bytes;
	char title[96];
};

struct xy__xym_reader {
	struct xy__platform *p;
	const char *path; /* of the file, for messages and for what it names */
	struct xy__lines lines;
	bool no_memory;
	unsigned nproblems, nskipped; /* all, and those that are warnings */
	struct xy__xym_problem *problems;
	unsigned topology_line; /* 0: none */
	unsigned long long ram_bytes;
	unsigned ngroups;
	struct xy__xym_group groups[XY__PLATFORM_GROUPS];
	bool *general; /* by route: it comes from a line with a '*' */
};

/* Notes what is wrong with the current line; returns false. */
__attribute__((format(printf, 2, 3))) bool xy__xym_wrong(struct xy__xym_reader *r, const char *format, ...);

/* Makes the last problem a warning: what it is about is left out. */
void xy__xym_skip(struct xy__xym_reader *r);

/* Reports an unknown name: "no KIND \"WORD\"", with the nearest of n names that lie `stride` bytes apart. */
bool xy__xym_unknown(struct xy__xym_reader *r, const char *kind, const char *word, const char *names, size_t stride,
		     unsigned n);

/* Read the next word of the line; say what is wrong and return false when it is none of what they read. */
bool xy__xym_word(struct xy__xym_reader *r, char *word, size_t size, const char *what);
bool xy__xym_name(struct xy__xym_reader *r, char *name, size_t size, const char *what);
bool xy__xym_count(struct xy__xym_reader *r, unsigned max, unsigned *count, const char *what);
bool xy__xym_size(struct xy__xym_reader *r, double *bytes, const char *what);
bool xy__xym_time(struct xy__xym_reader *r, double *us, const char *what);
bool xy__xym_rate(struct xy__xym_reader *r, double *bytes_per_us, const char *what);
bool xy__xym_class(struct xy__xym_reader *r, unsigned *class);
bool xy__xym_ended(struct xy__xym_reader *r);

/* Lines about routes: platform_route.c. */
bool xy__xym_read_link(struct xy__xym_reader *r);
bool xy__xym_read_route(struct xy__xym_reader *r);
/* Those about workers and nodes: platform_nodes.c. The last one makes workers and nodes when all lines are known. */
bool xy__xym_read_workers(struct xy__xym_reader *r);
bool xy__xym_read_devices(struct xy__xym_reader *r);
bool xy__xym_make_nodes(struct xy__xym_reader *r);
/* "models FOLDER HOST ...": platform_models.c. */
bool xy__xym_read_models(struct xy__xym_reader *r);

/* --- kernels: platform_kernel.c --- */

struct xy__platform_kernels *xy__kernels_create(unsigned nclasses);
void xy__kernels_destroy(struct xy__platform_kernels *kernels);

/* Adds a duration. 0, -EEXIST when there is one for this size, -ENOSPC when there are too many kernels, -ENOMEM. */
int xy__kernels_add(struct xy__platform_kernels *kernels, const char *name, unsigned class,
		    const struct xy__platform_point *point);
/* Puts everything in order once nothing is added any more. False without memory. */
bool xy__kernels_seal(struct xy__platform_kernels *kernels);

#endif
