/* SPDX-License-Identifier: MIT */
/*
 * Starting and stopping: one runtime for the process, counted starts, and the
 * log.
 */
#include <limits.h>

#include "internal.h"

struct xs_global xs_global = { .sequential = 1 };

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t init_cond = PTHREAD_COND_INITIALIZER;
static unsigned starts; /* with init_lock */

/* --- the log --- */

static void log_line(const char *format, va_list list)
{
	char line[512];

	if (xs_global.silent)
		return;
	vsnprintf(line, sizeof line, format, list);
	fprintf(stderr, "xylem-starpu: %s\n", line);
}

int xs_fail(int error, const char *format, ...)
{
	int none = 0;
	va_list list;

	atomic_compare_exchange_strong(&xs_global.first_error, &none, error);
	va_start(list, format);
	log_line(format, list);
	va_end(list);
	return error;
}

void xs_note(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	log_line(format, list);
	va_end(list);
}

/* --- settings --- */

int starpu_conf_init(struct starpu_conf *conf)
{
	if (!conf)
		return -EINVAL;
	memset(conf, 0, sizeof *conf);
	conf->magic = 42;
	conf->ncpus = conf->ncuda = conf->nhip = conf->nopencl = conf->nmax_fpga = conf->nmic = -1;
	conf->nmpi_ms = conf->nmpi_sc = conf->ntcpip_ms = conf->ntcpip_sc = -1;
	conf->reserve_ncpus = -1;
	conf->disable_asynchronous_copy = xs_getenv("STARPU_DISABLE_ASYNCHRONOUS_COPY") != NULL;
	conf->global_sched_ctx_min_priority = conf->global_sched_ctx_max_priority = 0;
	conf->catch_signals = 1;
	conf->driver_spinning_backoff_min = 1;
	conf->driver_spinning_backoff_max = 32;
	return 0;
}

int starpu_conf_noworker(struct starpu_conf *conf)
{
	int error = starpu_conf_init(conf);

	if (error)
		return error;
	conf->ncpus = conf->ncuda = conf->nhip = conf->nopencl = conf->nmax_fpga = conf->nmic = 0;
	conf->nmpi_ms = conf->nmpi_sc = conf->ntcpip_ms = conf->ntcpip_sc = 0;
	return 0;
}

/* --- start --- */

/* Xylem's policies take any priority; the program's own say which they take. */
static void init_priorities(const struct starpu_conf *conf)
{
	bool given = conf->global_sched_ctx_min_priority || conf->global_sched_ctx_max_priority || xs_global.policy;

	xs_global.min_priority = given ? conf->global_sched_ctx_min_priority : INT_MIN;
	xs_global.max_priority = given ? conf->global_sched_ctx_max_priority : INT_MAX;
}

static int init_runtime(const struct starpu_conf *conf)
{
	/* Programs of StarPU's submit as much as they like before they open the first
   * tag: nothing may block. */
	struct xy_config config = { .window = 1u << 30, .components = xs_policy_components };
	char *texts = NULL;
	cpu_set_t mask;
	int narrowed, error = xs_environment(&config, conf, &texts);

	narrowed = error ? 0 : xs_processors_narrow(conf, &mask);
	if (narrowed < 0)
		error = narrowed;
	if (!error)
		error = xy_start(&xs_global.rt, &config);
	if (narrowed > 0)
		sched_setaffinity(0, sizeof mask, &mask);
	if (error == -EINVAL && config.ncpu == XY_NONE)
		error = -ENODEV; /* no worker */
	free(texts);
	if (error)
		return error == -EINVAL || error == -ENOENT || error == -ENOMEM ? error : -ENODEV;
	xs_global.machine = xy_runtime_machine(xs_global.rt);
	xs_global.nworkers = xy_machine_nworkers(xs_global.machine);
	xs_global.nnodes = xy_machine_nnodes(xs_global.machine);
	xs_global.generation++;
	xs_global.start_s = xy_now(xs_global.rt);
	xs_contexts_start();
	xs_drivers_start();
	xs_opencl_start();
	xs_global.copies_synchronous = conf->disable_asynchronous_copy > 0;
	atomic_store(&xs_global.first_error, 0);
	atomic_store(&xs_global.pauses, 0);
	starpu_set_limit_max_submitted_tasks(0);
	starpu_set_limit_min_submitted_tasks(0);
	atomic_store(&xs_global.sequential, 1);
	init_priorities(conf);
	if (conf->start_perf_counter_collection)
		starpu_perf_counter_collection_start();
	xs_context_prepare(0, xs_global.sched,
			   conf->sched_policy_callback ? conf->sched_policy_callback : conf->sched_policy_init);
	xs_policy_start(xs_global.policy);
	return 0;
}

int starpu_init(struct starpu_conf *conf)
{
	struct starpu_conf own;
	int error = 0;

	if (conf && conf->magic != 42)
		return xs_fail(-EINVAL, "starpu_init: the configuration was not filled by starpu_conf_init");
	if (!conf) {
		starpu_conf_init(&own);
		conf = &own;
	}
	pthread_mutex_lock(&init_lock);
	if (!starts)
		error = init_runtime(conf);
	if (!error)
		starts++;
	pthread_cond_broadcast(&init_cond);
	pthread_mutex_unlock(&init_lock);
	return error;
}

int starpu_initialize(struct starpu_conf *user_conf, int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return starpu_init(user_conf);
}

int starpu_is_initialized(void)
{
	int is;

	pthread_mutex_lock(&init_lock);
	is = starts > 0;
	pthread_mutex_unlock(&init_lock);
	return is;
}

void starpu_wait_initialized(void)
{
	pthread_mutex_lock(&init_lock);
	while (!starts)
		pthread_cond_wait(&init_cond, &init_lock);
	pthread_mutex_unlock(&init_lock);
}

void starpu_worker_wait_for_initialisation(void)
{
	starpu_wait_initialized();
}

static void print_stats(void)
{
	if (xs_global.worker_stats)
		starpu_display_stats();
	for (unsigned node = 0; node < xs_global.nnodes && xs_global.bus_stats; node++) {
		struct xy_node_stats stats;

		if (!xy_node_stats(xs_global.rt, node, &stats))
			fprintf(stderr, "memory node %u\t%llu bytes in\t%llu bytes out\t%llu transfers\n", node,
				stats.bytes_in, stats.bytes_out, stats.transfers);
	}
}

#define STALL_S 1.0

/* Waits for all tasks. Where none has ended for a while, what the program forgot is done for it: data is released, and
 * tasks that wait for tags or tasks that never come are skipped. */
static void finish(void)
{
	long left;

	do {
		left = atomic_load(&xs_global.nsubmitted);
		if (xy_wait_for(xs_global.rt, STALL_S) != -ETIMEDOUT)
			return;
		if (atomic_load(&xs_global.nsubmitted) == left && !xs_handles_release() && !starpu_task_nready())
			xs_deps_abandon();
	} while (true);
}

void starpu_shutdown(void)
{
	int error;

	pthread_mutex_lock(&init_lock);
	if (!starts) {
		pthread_mutex_unlock(&init_lock);
		xs_fail(-EINVAL, "starpu_shutdown without starpu_init");
		return;
	}
	if (--starts) {
		pthread_mutex_unlock(&init_lock);
		return;
	}
	xs_pause_fini();
	xs_deps_cycles();
	xs_policy_do_schedule();
	finish();
	xs_handles_fini();
	xs_policy_stop();
	print_stats();
	error = xy_stop(&xs_global.rt);
	if (error)
		xs_note("starpu_shutdown: %s", strerror(-error));
	if (atomic_load(&xs_global.first_error))
		xs_note("starpu_shutdown: the first error that was reported: %s",
			strerror(-atomic_load(&xs_global.first_error)));
	xs_bound_fini();
	xs_counters_fini();
	xs_hooks_fini();
	xs_tree_fini();
	xs_disks_fini();
	xs_policy_fini();
	xs_teams_fini();
	xs_tags_fini();
	xs_tasks_fini();
	xs_models_fini();
	xs_topology_fini();
	xs_global.rt = NULL;
	xs_global.machine = NULL;
	xs_global.nworkers = xs_global.nnodes = 0;
	atomic_store(&xs_global.nsubmitted, 0);
	pthread_mutex_unlock(&init_lock);
}

void starpu_get_version(int *major, int *minor, int *release)
{
	*major = STARPU_MAJOR_VERSION;
	*minor = STARPU_MINOR_VERSION;
	*release = STARPU_RELEASE_VERSION;
}

int starpu_asynchronous_copy_disabled(void)
{
	return xs_global.copies_synchronous;
}

#define NO_COPIES(name) \
	int starpu_asynchronous_##name##_copy_disabled(void) \
	{ \
		return xs_global.copies_synchronous; \
	}
NO_COPIES(cuda)
NO_COPIES(hip)
NO_COPIES(opencl)
NO_COPIES(mic)
NO_COPIES(mpi_ms)
NO_COPIES(mpi_sc)
NO_COPIES(tcpip_sc)
NO_COPIES(max_fpga)

int starpu_map_enabled(void)
{
	return 0;
}

void starpu_topology_print(FILE *f)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++) {
		const struct xy_worker_info *worker = xy_machine_worker(xs_global.machine, i);

		fprintf(f, "worker %u\t%s\tmemory node %u\tprocessor %d\n", i, worker->name, worker->node, worker->pu);
	}
}

void starpu_display_stats(void)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++) {
		struct xy_worker_stats stats;

		if (!xy_worker_stats(xs_global.rt, i, &stats))
			fprintf(stderr, "%s\t%llu tasks\n", xy_machine_worker(xs_global.machine, i)->name, stats.tasks);
	}
}
