/* SPDX-License-Identifier: MIT */
/*
 * Parallel workers, once called clusters: groups of workers that share a task. Xylem forms teams for tasks that ask for
 * it, so a group is only a description of the machine here, and tasks run on single workers as before.
 */
#include "internal.h"

struct starpu_parallel_worker_config {
	unsigned ngroups;
	hwloc_obj_type_t level;
};

struct options {
	void (*prepare)(void *arg); /* for each group, on one of its workers */
	void *arg;
};

/* What follows the options that a program may give. */
static struct options options_of(va_list list)
{
	struct options options = { NULL, NULL };
	int kind;

	while ((kind = va_arg(list, int)))
		if (kind == STARPU_PARALLEL_WORKER_CREATE_FUNC)
			options.prepare = va_arg(list, void (*)(void *));
		else if (kind == STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG)
			options.arg = va_arg(list, void *);
		else if (kind == STARPU_PARALLEL_WORKER_POLICY_NAME || kind == STARPU_PARALLEL_WORKER_POLICY_STRUCT)
			(void)va_arg(list, void *);
		else if (kind != STARPU_PARALLEL_WORKER_NEW)
			(void)va_arg(list, int);
	return options;
}

static struct starpu_parallel_worker_config *config_create(hwloc_obj_type_t level, va_list list)
{
	struct starpu_parallel_worker_config *config = malloc(sizeof *config);
	hwloc_topology_t topology = starpu_get_hwloc_topology();
	int n = topology ? hwloc_get_nbobjs_by_type(topology, level) : 0;
	struct options options = options_of(list);

	if (!config)
		return NULL;
	if (!xs_global.rt || n <= 0) {
		xs_fail(-ENODEV, "the machine has no such level to group workers by");
		free(config);
		return NULL;
	}
	config->ngroups = (unsigned)n;
	config->level = level;
	for (unsigned i = 0, worker; options.prepare && i < config->ngroups; i++) {
		worker = i * xs_global.nworkers / config->ngroups;
		starpu_execute_on_specific_workers(options.prepare, options.arg, 1, &worker, "parallel worker");
	}
	xs_note("groups of workers: tasks run on single workers; see doc/coming-from-starpu.md");
	return config;
}

struct starpu_parallel_worker_config *starpu_parallel_worker_init(hwloc_obj_type_t parallel_worker_level, ...)
{
	struct starpu_parallel_worker_config *config;
	va_list list;

	va_start(list, parallel_worker_level);
	config = config_create(parallel_worker_level, list);
	va_end(list);
	return config;
}

struct starpu_cluster_machine *starpu_cluster_machine(hwloc_obj_type_t cluster_level, ...)
{
	struct starpu_parallel_worker_config *config;
	va_list list;

	va_start(list, cluster_level);
	config = config_create(cluster_level, list);
	va_end(list);
	return (struct starpu_cluster_machine *)config;
}

int starpu_parallel_worker_shutdown(struct starpu_parallel_worker_config *parallel_workers)
{
	if (!parallel_workers)
		return xs_fail(-EINVAL, "starpu_parallel_worker_shutdown: there are no groups");
	if (!xs_thread.task)
		starpu_task_wait_for_all();
	free(parallel_workers);
	return 0;
}

int starpu_uncluster_machine(struct starpu_cluster_machine *clusters)
{
	return starpu_parallel_worker_shutdown((struct starpu_parallel_worker_config *)clusters);
}

int starpu_parallel_worker_print(struct starpu_parallel_worker_config *parallel_workers)
{
	if (!parallel_workers)
		return xs_fail(-EINVAL, "starpu_parallel_worker_print: there are no groups");
	fprintf(stderr, "%u groups (%s), %u workers\n", parallel_workers->ngroups,
		hwloc_obj_type_string(parallel_workers->level), xs_global.nworkers);
	return 0;
}

int starpu_cluster_print(struct starpu_cluster_machine *clusters)
{
	return starpu_parallel_worker_print((struct starpu_parallel_worker_config *)clusters);
}

/* Threads of a program's OpenMP are its own business. */
void starpu_parallel_worker_openmp_prologue(void *arg)
{
	(void)arg;
}

void starpu_openmp_prologue(void *arg)
{
	(void)arg;
}
