/* SPDX-License-Identifier: MIT */
/*
 * Processors and their distance to devices, from hwloc.
 */
#include "farm/slots_cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hwloc.h>

#include "core/util/message.h"

/* PCI devices say all that is needed. With OS devices, plug-ins of hwloc would load OpenCL, CUDA and X11, whose threads
 * then take the signals of the tool. */
static int cpus_load(hwloc_topology_t topology, const char *xml)
{
	if (xml && hwloc_topology_set_xml(topology, xml))
		return errno ? -errno : -EINVAL;
	if (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
	    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_load(topology))
		return errno ? -errno : -EIO;
	/* hwloc's own variables can make it describe another computer. */
	return xml || hwloc_topology_is_thissystem(topology) ? 0 : -ENODEV;
}

/* What the process may use: its affinity here, everything of another computer. */
static int cpus_allowed(hwloc_topology_t topology, hwloc_bitmap_t set)
{
	if (!hwloc_topology_is_thissystem(topology))
		return hwloc_bitmap_copy(set, hwloc_topology_get_topology_cpuset(topology));
	return hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS);
}

static int cpus_list(struct slots_cpus *cpus, hwloc_topology_t topology, hwloc_const_bitmap_t set)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	hwloc_obj_t pu = NULL;

	cpus->numbers = n > 0 ? calloc((size_t)n, sizeof(*cpus->numbers)) : NULL;
	if (!cpus->numbers)
		return n > 0 ? -ENOMEM : -ENODEV;
	while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)))
		if (hwloc_bitmap_isset(set, pu->os_index))
			cpus->numbers[cpus->count++] = pu->os_index;
	return cpus->count > 0 ? 0 : -ENODEV;
}

int slots_cpus_init(struct slots_cpus *cpus, const char *xml)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_topology_t topology = NULL;
	int error = -ENOMEM;

	*cpus = (struct slots_cpus){ 0 };
	if (set && !hwloc_topology_init(&topology)) {
		cpus->topology = topology;
		error = cpus_load(topology, xml);
		if (!error && cpus_allowed(topology, set))
			error = errno ? -errno : -EIO;
		if (!error)
			error = cpus_list(cpus, topology, set);
	}
	hwloc_bitmap_free(set);
	if (error)
		slots_cpus_fini(cpus);
	return error;
}

void slots_cpus_fini(struct slots_cpus *cpus)
{
	if (cpus->topology)
		hwloc_topology_destroy(cpus->topology);
	free(cpus->numbers);
	*cpus = (struct slots_cpus){ 0 };
}

bool slots_cpus_near(const struct slots_cpus *cpus, const char *address, bool *near)
{
	size_t domain = strcspn(address, ":");
	hwloc_obj_t device, place;
	char text[32];

	/* nvidia-smi writes the domain with eight digits. */
	if (domain > 4)
		address += domain - 4;
	snprintf(text, sizeof(text), "%s", address);
	device = hwloc_get_pcidev_by_busidstring(cpus->topology, text);
	place = device ? hwloc_get_non_io_ancestor_obj(cpus->topology, device) : NULL;
	for (unsigned i = 0; i < cpus->count; i++)
		near[i] = place && place->cpuset && hwloc_bitmap_isset(place->cpuset, cpus->numbers[i]);
	return place != NULL;
}

static int cpus_compare(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

void slots_cpus_print(const struct slots_cpus *cpus, const unsigned *indices, unsigned n, char *text, size_t size)
{
	unsigned *numbers = malloc(n * sizeof(*numbers) + 1);
	struct xy__message message;

	xy__message_init(&message, text, size);
	for (unsigned i = 0; numbers && i < n; i++)
		numbers[i] = cpus->numbers[indices[i]];
	if (numbers)
		qsort(numbers, n, sizeof(*numbers), cpus_compare);
	for (unsigned i = 0; numbers && i < n;) {
		unsigned first = i++;

		while (i < n && numbers[i] == numbers[i - 1] + 1)
			i++;
		xy__message_add(&message, first ? ",%u" : "%u", numbers[first]);
		if (i - first > 1)
			xy__message_add(&message, "-%u", numbers[i - 1]);
	}
	free(numbers);
}

cpu_set_t *slots_cpus_set(const struct slots_cpus *cpus, const unsigned *indices, unsigned n, size_t *size)
{
	unsigned count = indices ? n : cpus->count, most = 0;
	cpu_set_t *set;

	for (unsigned i = 0; i < cpus->count; i++)
		if (cpus->numbers[i] > most)
			most = cpus->numbers[i];
	set = CPU_ALLOC(most + 1);
	*size = CPU_ALLOC_SIZE(most + 1);
	if (!set)
		return NULL;
	CPU_ZERO_S(*size, set);
	for (unsigned i = 0; i < count; i++)
		CPU_SET_S(cpus->numbers[indices ? indices[i] : i], *size, set);
	return set;
}
