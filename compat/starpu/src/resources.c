/* SPDX-License-Identifier: MIT */
/*
 * Which processors and devices get workers: as struct starpu_conf and the environment say, as far as they are there.
 */
#include "internal.h"

#include <sched.h>

/* The numbers of the devices of an architecture that are there, but at most n of them, separated by commas. */
static int devices_there(const struct xy_config *config, enum xy_arch arch, int n, char *room, size_t size)
{
	struct xy_machine *machine;
	const struct xy_worker_info *worker;
	size_t used = 0;
	int found = 0, last = -1;

	if (xy_machine_of_config(&machine, config))
		return 0;
	for (unsigned i = 0; (worker = xy_machine_worker(machine, i)) && found < n && used < size; i++) {
		if (worker->arch != arch || worker->device == last)
			continue;
		last = worker->device;
		used += (size_t)snprintf(room + used, size - used, "%s%d", found++ ? "," : "", last);
	}
	xy_machine_destroy(machine);
	return found;
}

void xs_devices(struct xy_config *config, enum xy_arch arch, int n, char *room, size_t size)
{
	int found;

	if (n < 0)
		return;
	found = n ? devices_there(config, arch, n, room, size) : 0;
	if (found < n)
		xs_note("%d %s devices are wanted, and %d are there", n, xy_arch_name(arch), found);
	if (!found)
		snprintf(room, size, "none");
	config->arch[arch].devices = room;
}

int xs_devices_of_opencl(struct xy_config *config)
{
	int too = 0, only = 0;
	int error = xs_number("STARPU_OPENCL_ON_CPUS", &too) | xs_number("STARPU_OPENCL_ONLY_ON_CPUS", &only);

	char room[8];

	if (only <= 0 && too <= 0)
		return error;
	config->arch[XY_OPENCL].devices = only > 0 ? "cpu" : "all";
	if (!devices_there(config, XY_OPENCL, 1, room, sizeof room)) /* StarPU goes on without any */
		config->arch[XY_OPENCL].devices = NULL;
	return error;
}

void xs_devices_chosen(struct xy_device_config *config, const char *name, int n, char *room, size_t size)
{
	const char *text = xs_getenv(name);
	size_t used = 0;

	if (!text || !*text || !n)
		return;
	for (; *text && used + 1 < size; text++)
		if (*text != ' ' && *text != ',')
			room[used++] = *text;
		else if (used && room[used - 1] != ',')
			room[used++] = ',';
	used -= used && room[used - 1] == ',';
	room[used] = 0;
	config->devices = room;
}

static void processors_add(cpu_set_t *set, long first, long last, long n)
{
	for (long i = first; i <= last && i < n; i++) {
		int os = starpu_get_pu_os_index((unsigned)i);

		if (os >= 0)
			CPU_SET((unsigned)os, set);
	}
}

/* Numbers and ranges, such as "0 2-3": in hwloc's order, like StarPU's. */
static bool processors_parse(const char *text, cpu_set_t *set)
{
	long n = hwloc_get_nbobjs_by_type(starpu_get_hwloc_topology(), HWLOC_OBJ_PU);

	while (*text) {
		char *end;
		long first = strtol(text, &end, 10), last = first;

		if (end == text || first < 0)
			return false;
		text = end;
		if (*text == '-') {
			last = strtol(text + 1, &end, 10);
			if (end == text + 1)
				last = n - 1;
			text = end;
		}
		processors_add(set, first, last, n);
		text += strspn(text, " ,");
	}
	return CPU_COUNT(set) > 0;
}

/* The program names one for each worker; here, they are a set. */
static void processors_given(const struct starpu_conf *conf, cpu_set_t *set)
{
	int n = conf->ncpus > 0 ? conf->ncpus : xs_cores();

	for (int i = 0; i < n && i < STARPU_NMAXWORKERS; i++)
		processors_add(set, conf->workers_bindid[i], conf->workers_bindid[i], conf->workers_bindid[i] + 1L);
}

int xs_processors_narrow(const struct starpu_conf *conf, cpu_set_t *before)
{
	const char *text = xs_getenv("STARPU_WORKERS_CPUID");
	cpu_set_t set;

	text = text ? text : "";
	if ((!*text && !conf->use_explicit_workers_bindid) || !starpu_get_hwloc_topology())
		return 0;
	CPU_ZERO(&set);
	if (!*text)
		processors_given(conf, &set);
	else if (!processors_parse(text, &set))
		return xs_fail(-EINVAL, "STARPU_WORKERS_CPUID=%s: no list of processors", text);
	CPU_ZERO(before);
	sched_getaffinity(0, sizeof *before, before);
	if (sched_setaffinity(0, sizeof set, &set))
		return xs_fail(-EINVAL, "%s: these processors can't be used",
			       *text ? "STARPU_WORKERS_CPUID" : "workers_bindid");
	return 1;
}

int xs_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}
