/* SPDX-License-Identifier: MIT */
/*
 * The topology of this computer, limited to the cores that the calling thread may use, as restricted by taskset, a
 * cgroup or a batch system. From /sys, or else from hwloc.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <hwloc.h>

#include "core/machine/topology.h"

#define HERE_PUS_MIN 1024u
#define HERE_PUS_MAX (1u << 20)

/* The core of a processor, or the processor where cores are not known. */
static hwloc_obj_t here_core(hwloc_topology_t topology, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);

	return core ? core : pu;
}

/* The memory nearest to an object. */
static unsigned here_node(hwloc_obj_t object)
{
	while (object && !object->memory_first_child)
		object = object->parent;
	for (object = object ? object->memory_first_child : NULL; object; object = object->memory_first_child)
		if (object->type == HWLOC_OBJ_NUMANODE)
			return object->logical_index;
	return 0;
}

static void here_fill(struct xy__core *core, hwloc_obj_t object, unsigned nlevels)
{
	hwloc_obj_t chain[XY__LEVELS_MAX], cache = NULL;
	unsigned length = 0;

	for (hwloc_obj_t above = object->parent; above && above->parent; above = above->parent)
		if (length < nlevels)
			chain[length++] = above;
	/* A core with fewer levels above it than others repeats the last one. */
	for (unsigned level = 0; level < nlevels; level++)
		core->part[level] = length == 0 ? 0
						: (unsigned)chain[level < length ? length - 1 - level : 0]->gp_index;
	core->node = here_node(object);
	for (hwloc_obj_t above = object; above; above = above->parent) {
		if (hwloc_obj_type_is_cache(above->type))
			cache = above;
		if (above->type == HWLOC_OBJ_PACKAGE)
			core->package = (unsigned)above->gp_index;
	}
	core->cache = cache ? (unsigned)cache->gp_index : core->package;
}

/* Calls for each core in order; with t == NULL only counts the cores and the levels above them. */
static unsigned here_each_core(hwloc_topology_t topology, const cpu_set_t *set, size_t set_size, struct xy__topology *t,
			       unsigned *nlevels)
{
	hwloc_obj_t pu = NULL, last = NULL;
	unsigned ncores = 0;

	while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t object = here_core(topology, pu);
		unsigned levels = object->depth > 1 ? (unsigned)object->depth - 1 : 0;

		if (object == last || !CPU_ISSET_S(pu->os_index, set_size, set))
			continue;
		if (levels > *nlevels)
			*nlevels = levels < XY__LEVELS_MAX ? levels : XY__LEVELS_MAX;
		if (t) {
			here_fill(xy__topology_core(t, ncores), object, t->nlevels);
			xy__topology_core(t, ncores)->pu = (int)pu->os_index;
		}
		last = object;
		ncores++;
	}
	return ncores;
}

static int here_load(hwloc_topology_t topology)
{
	if (hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_STRUCTURE) ||
	    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) ||
	    hwloc_topology_load(topology))
		return errno ? -errno : -EIO;
	/* hwloc's own variables can make it describe another computer. */
	return hwloc_topology_is_thissystem(topology) ? 0 : -ENODEV;
}

int xy__topology_of_hwloc(struct xy__topology *t, const cpu_set_t *set, size_t set_size)
{
	hwloc_topology_t topology;
	unsigned ncores, nlevels = 0;
	int error;

	*t = (struct xy__topology){ 0 };
	if (hwloc_topology_init(&topology))
		return -ENOMEM;
	error = here_load(topology);
	if (error)
		goto out;
	ncores = here_each_core(topology, set, set_size, NULL, &nlevels);
	error = ncores == 0 ? -ENODEV : ncores > XY__CORES_MAX ? -ERANGE : 0;
	if (!error)
		error = xy__topology_init(t, ncores, nlevels);
	if (!error) {
		here_each_core(topology, set, set_size, t, &nlevels);
		error = xy__topology_build(t);
	}
	if (error)
		xy__topology_fini(t);
out:
	hwloc_topology_destroy(topology);
	return error;
}

/* The kernel says -EINVAL until the set has room for all its processors. */
static cpu_set_t *here_allowed(size_t *size)
{
	for (unsigned npus = HERE_PUS_MIN; npus <= HERE_PUS_MAX; npus *= 2) {
		cpu_set_t *set = CPU_ALLOC(npus);

		*size = CPU_ALLOC_SIZE(npus);
		if (!set)
			return NULL;
		CPU_ZERO_S(*size, set);
		if (sched_getaffinity(0, *size, set) == 0)
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

int xy__topology_of_here(struct xy__topology *t)
{
	size_t size;
	cpu_set_t *set = here_allowed(&size);
	int error;

	if (!set)
		return errno ? -errno : -ENOMEM;
	error = xy__topology_of_sys(t, "/sys", set, size);
	if (error == -ENOENT)
		error = xy__topology_of_hwloc(t, set, size);
	CPU_FREE(set);
	return error;
}
