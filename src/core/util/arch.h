/* SPDX-License-Identifier: MIT */
/*
 * The architectures: one row each, in the order of enum xy_arch. What differs between architectures outside of their
 * drivers stands in this table; all other code counts from 0 to XY_NARCH.
 */
#ifndef XYLEM_CORE_UTIL_ARCH_H
#define XYLEM_CORE_UTIL_ARCH_H

#include <stddef.h>
#include <xylem/task.h>

/* From this one on, the workers of an architecture drive devices, through a plug-in. */
#define XY__ARCH_DEVICES (XY_CPU + 1)

struct xy__arch {
	const char *name;          /* of workers, nodes, settings and the plug-in: "cuda" for cuda0 and cuda.so */
	const char *capitals;      /* the name in XYLEM_..._DEVICES and XY_... */
	const char *title;         /* in sentences */
	size_t functions;          /* offset of its field in struct xy_codelet */
	const char *devices;       /* the default of XYLEM_..._DEVICES, in words */
	const char *devices_words; /* what that may be */
	unsigned ahead;            /* tasks whose data a worker fetches while it runs another */
	double speed;              /* of a worker, in CPU cores, where nothing is known */
	char mark;                 /* in plots of letters */
	const char *colour;        /* in plots of SVG */
};

extern const struct xy__arch xy__archs[XY_NARCH];

/* The implementations of a codelet for an architecture. Their fields stand in the order of enum xy_arch, which a
 * test compares with the table: this is on the hot path. */
static inline xy_function *const *xy__arch_functions(const struct xy_codelet *codelet, unsigned arch)
{
	const char *first = (const char *)codelet + offsetof(struct xy_codelet, cpu);

	return (xy_function *const *)(first + arch * sizeof codelet->cpu);
}

/* Makes a function the first implementation of a codelet on each of these architectures (XY_ON_...). */
void xy__arch_implement(struct xy_codelet *codelet, unsigned archs, xy_function *function);

/* Writes the names of all architectures with `behind` after each: "cpu, cuda or opencl". */
void xy__arch_list(char *text, size_t size, const char *behind);

#endif
