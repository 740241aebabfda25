/* SPDX-License-Identifier: MIT */
/*
 * Topologies: which cores there are and what they share. A source (/sys, hwloc, a synthetic text)
 * fills in the cores and the parts they belong to; build turns that into a tree of places whose
 * leaves are the cores. Memory is linear in the number of cores. One thread uses a topology.
 */
#ifndef XYLEM_CORE_MACHINE_TOPOLOGY_H
#define XYLEM_CORE_MACHINE_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define XY__CORES_MAX 100000u /* as many workers as a machine may have */
#define XY__LEVELS_MAX 16u    /* levels between the machine and a core */

struct xy__core {
	int pu;           /* the operating system's processor for it, -1: none */
	unsigned node;    /* memory node: a small number; from 0 in order of appearance after build */
	unsigned package; /* the package it is in: cores of one package have equal numbers */
	unsigned cache;   /* likewise its last-level cache; where none is known, the package */
	unsigned place;   /* its leaf; set by build */
	unsigned part[];  /* for each level, coarsest first: which part of it the core is in */
};

/* A part of the machine that cores share, or a core. Place 0 is the machine. */
struct xy__place {
	unsigned parent;
	unsigned depth; /* of the machine: 0 */
};

struct xy__topology {
	unsigned ncores, nlevels;
	char *cores; /* ncores times a core with nlevels parts: see xy__topology_core */
	unsigned nplaces;
	struct xy__place *places;
	unsigned depth;  /* of the deepest place */
	unsigned nnodes; /* at least 1 */
};

static inline size_t xy__core_size(unsigned nlevels)
{
	return sizeof(struct xy__core) + nlevels * sizeof(unsigned);
}

static inline struct xy__core *xy__topology_core(const struct xy__topology *t, unsigned core)
{
	return (struct xy__core *)(t->cores + core * xy__core_size(t->nlevels));
}

/* Room for ncores cores, all in node 0 and part 0 of each level, without a pu; 0 or -ENOMEM. */
int xy__topology_init(struct xy__topology *t, unsigned ncores, unsigned nlevels);
void xy__topology_fini(struct xy__topology *t); /* also after a failure; twice does no harm */

/* Makes the places. The cores must be in topological order and each level's parts must lie inside
 * the parts of the level before; levels that tell nothing new get no place. 0 or -ENOMEM. */
int xy__topology_build(struct xy__topology *t);

/* --- sources; each gives a topology that is built, which the caller ends with fini --- */

/* The cores that the calling thread may use, one pu of each; 0, -ENOMEM or another -errno. */
int xy__topology_of_here(struct xy__topology *t);

/* xy__topology_of_here from `sys` ("/sys") for the processors of a set; -ENOENT without a topology there. */
int xy__topology_of_sys(struct xy__topology *t, const char *sys, const cpu_set_t *set, size_t set_size);

/* Whether a processor is near a PCI device, such as "0000:3b:00.0", by `sys` ("/sys"); false if that is unknown. */
bool xy__topology_is_near(const char *sys, const char *pci, int pu);

/* xy__topology_of_here by hwloc, for systems without /sys. */
int xy__topology_of_hwloc(struct xy__topology *t, const cpu_set_t *set, size_t set_size);

/* The cores of a synthetic description in hwloc's notation, such as "numa:2 core:4 pu:2", which is
 * the text from begin up to end. 0, -ENOMEM, or -EINVAL, -ERANGE with the place of the mistake in
 * *begin and a sentence in error. */
int xy__topology_of_text(struct xy__topology *t, const char **begin, const char *end, char *error, size_t error_size);

#endif
