/* SPDX-License-Identifier: MIT */
/*
 * Devices that Xylem drives itself, so that a program's calls for them have little to do. Buses: one in each direction
 * between main memory and each other node. Bytes that crossed them are not counted.
 */
#include "internal.h"

static unsigned buses_between(void)
{
	return xs_global.nnodes > 1 ? xs_global.nnodes - 1 : 0;
}

void starpu_profiling_init(void)
{
}

void starpu_profiling_set_id(int new_id)
{
	(void)new_id;
}

int starpu_bus_get_count(void)
{
	return (int)(2 * buses_between());
}

/* Even: from main memory; odd: to it. */
int starpu_bus_get_id(int src, int dst)
{
	int n = (int)xs_global.nnodes;

	if (src == 0 && dst > 0 && dst < n)
		return 2 * (dst - 1);
	if (dst == 0 && src > 0 && src < n)
		return 2 * (src - 1) + 1;
	return -1;
}

static bool bus_is(int busid)
{
	return busid >= 0 && busid < starpu_bus_get_count();
}

int starpu_bus_get_src(int busid)
{
	return !bus_is(busid) ? -1 : busid % 2 ? busid / 2 + 1 : 0;
}

int starpu_bus_get_dst(int busid)
{
	return !bus_is(busid) ? -1 : busid % 2 ? 0 : busid / 2 + 1;
}

void starpu_bus_set_direct(int busid, int direct)
{
	(void)busid;
	(void)direct;
}

int starpu_bus_get_direct(int busid)
{
	(void)busid;
	return 0;
}

void starpu_bus_set_ngpus(int busid, int ngpus)
{
	(void)busid;
	(void)ngpus;
}

int starpu_bus_get_ngpus(int busid)
{
	return bus_is(busid);
}

int starpu_bus_get_profiling_info(int busid, struct starpu_profiling_bus_info *bus_info)
{
	if (!bus_is(busid))
		return -EINVAL;
	if (bus_info)
		memset(bus_info, 0, sizeof *bus_info);
	return 0;
}

void starpu_profiling_bus_helper_display_summary(void)
{
	for (int i = 0; i < starpu_bus_get_count(); i++)
		fprintf(stderr, "bus %d: from node %d to node %d\n", i, starpu_bus_get_src(i), starpu_bus_get_dst(i));
}

/* --- the hypervisor --- */

void starpu_sched_ctx_notify_hypervisor_exists(void)
{
}

unsigned starpu_sched_ctx_check_if_hypervisor_exists(void)
{
	return 0;
}

void starpu_sched_ctx_update_start_resizing_sample(unsigned sched_ctx_id, double start_sample)
{
	(void)sched_ctx_id;
	(void)start_sample;
}
