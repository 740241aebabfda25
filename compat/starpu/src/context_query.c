/* SPDX-License-Identifier: MIT */
/*
 * Questions about contexts, and what follows from their workers.
 */
#include "internal.h"

unsigned starpu_sched_ctx_get_hierarchy_level(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	return 0;
}

/* Tasks may be submitted to any context until the runtime stops. */
void starpu_sched_ctx_stop_task_submission(void)
{
}

unsigned starpu_sched_ctx_get_workers_list_raw(unsigned sched_ctx_id, int **workerids)
{
	struct starpu_worker_collection *workers = starpu_sched_ctx_get_worker_collection(sched_ctx_id);

	*workerids = workers ? workers->workerids : NULL;
	return workers ? workers->nworkers : 0;
}

unsigned starpu_sched_ctx_get_nshared_workers(unsigned sched_ctx_id, unsigned sched_ctx_id2)
{
	unsigned shared = 0;

	for (unsigned w = 0; w < xs_global.nworkers; w++)
		shared += starpu_sched_ctx_contains_worker((int)w, sched_ctx_id) &&
			  starpu_sched_ctx_contains_worker((int)w, sched_ctx_id2);
	return shared;
}

unsigned starpu_sched_ctx_contains_type_of_worker(enum starpu_worker_archtype arch, unsigned sched_ctx_id)
{
	for (unsigned w = 0; w < xs_global.nworkers; w++)
		if (starpu_worker_get_type((int)w) == arch && starpu_sched_ctx_contains_worker((int)w, sched_ctx_id))
			return 1;
	return 0;
}

int starpu_sched_ctx_get_worker_rank(unsigned sched_ctx_id)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(sched_ctx_id, &workers);

	for (unsigned i = 0; i < n; i++)
		if (workers[i] == xs_worker())
			return (int)i;
	return -1;
}

unsigned starpu_sched_ctx_worker_get_id(unsigned sched_ctx_id)
{
	return (unsigned)starpu_sched_ctx_get_worker_rank(sched_ctx_id);
}

unsigned starpu_sched_ctx_get_ctx_for_task(struct starpu_task *task)
{
	return task->sched_ctx < STARPU_NMAX_SCHED_CTXS ? task->sched_ctx : xs_context_current();
}

unsigned starpu_worker_get_sched_ctx_list(int worker, unsigned **sched_ctx)
{
	unsigned *list = malloc(STARPU_NMAX_SCHED_CTXS * sizeof *list), n = 0;

	for (unsigned c = 0; list && c < STARPU_NMAX_SCHED_CTXS; c++)
		if (xs_context_is(c) && starpu_sched_ctx_contains_worker(worker, c))
			list[n++] = c;
	*sched_ctx = list;
	return n;
}

unsigned starpu_sched_ctx_overlapping_ctxs_on_worker(int workerid)
{
	unsigned *list, n = starpu_worker_get_sched_ctx_list(workerid, &list);

	free(list);
	return n > 1;
}

/* Workers of Xylem's are never blocked for the sake of others. */
unsigned starpu_worker_is_blocked_in_parallel(int workerid)
{
	(void)workerid;
	return 0;
}

unsigned starpu_worker_is_slave_somewhere(int workerid)
{
	(void)workerid;
	return 0;
}

void *starpu_sched_ctx_exec_parallel_code(void *(*func)(void *), void *param, unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	return func(param);
}

void starpu_sched_ctx_bind_current_thread_to_cpuid(unsigned cpuid)
{
	starpu_bind_thread_on_cpu((int)cpuid);
}

unsigned starpu_sched_ctx_create_inside_interval(const char *policy_name, const char *sched_ctx_name, int min_ncpus,
						 int max_ncpus, int min_ngpus, int max_ngpus, unsigned allow_overlap)
{
	int workers[STARPU_NMAXWORKERS], ncpus = 0, ngpus = 0, n = 0;

	(void)policy_name;
	(void)allow_overlap;
	for (int w = 0; w < (int)xs_global.nworkers && n < STARPU_NMAXWORKERS; w++) {
		bool cpu = starpu_worker_get_type(w) == STARPU_CPU_WORKER;

		if (cpu ? ncpus < max_ncpus : ngpus < max_ngpus) {
			workers[n++] = w;
			*(cpu ? &ncpus : &ngpus) += 1;
		}
	}
	if (ncpus < min_ncpus || ngpus < min_ngpus)
		xs_note("context '%s' has %d CPUs and %d devices, fewer than asked for",
			sched_ctx_name ? sched_ctx_name : "", ncpus, ngpus);
	return starpu_sched_ctx_create(workers, n, sched_ctx_name, 0);
}

/* --- what Xylem's contexts do not have --- */

int starpu_sched_ctx_book_workers_for_task(unsigned sched_ctx_id, int *workerids, int nworkers)
{
	(void)sched_ctx_id;
	return nworkers > 0 ? workerids[0] : -1;
}

void starpu_sched_ctx_unbook_workers_for_task(unsigned sched_ctx_id, int master)
{
	(void)sched_ctx_id;
	(void)master;
}

unsigned starpu_sched_ctx_worker_is_master_for_child_ctx(int workerid, unsigned sched_ctx_id)
{
	(void)workerid;
	(void)sched_ctx_id;
	return STARPU_NMAX_SCHED_CTXS;
}

unsigned starpu_sched_ctx_master_get_context(int masterid)
{
	(void)masterid;
	return STARPU_NMAX_SCHED_CTXS;
}

/* The caller frees the list. */
void starpu_sched_ctx_get_available_cpuids(unsigned sched_ctx_id, int **cpuids, int *ncpuids)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(sched_ctx_id, &workers);

	*ncpuids = 0;
	*cpuids = malloc((n + 1) * sizeof **cpuids);
	for (unsigned i = 0; i < n && *cpuids; i++)
		if (starpu_worker_get_type(workers[i]) == STARPU_CPU_WORKER)
			(*cpuids)[(*ncpuids)++] = starpu_worker_get_bindid(workers[i]);
}

int starpu_sched_ctx_get_nready_tasks(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	return starpu_task_nready();
}

double starpu_sched_ctx_get_nready_flops(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	return 0;
}

void starpu_sched_ctx_set_priority(int *workers, int nworkers, unsigned sched_ctx_id, unsigned priority)
{
	(void)workers;
	(void)nworkers;
	(void)sched_ctx_id;
	(void)priority;
}

unsigned starpu_sched_ctx_get_priority(int worker, unsigned sched_ctx_id)
{
	(void)worker;
	(void)sched_ctx_id;
	return 1;
}

unsigned starpu_sched_ctx_has_starpu_scheduler(unsigned sched_ctx_id, unsigned *awake_workers)
{
	if (awake_workers)
		*awake_workers = 0;
	return xs_context_is(sched_ctx_id);
}

int starpu_sched_ctx_get_stream_worker(unsigned sub_ctx)
{
	(void)sub_ctx;
	return -1;
}

int starpu_sched_ctx_get_nsms(unsigned sched_ctx)
{
	(void)sched_ctx;
	return 0;
}

void starpu_sched_ctx_get_sms_interval(int stream_workerid, int *start, int *end)
{
	(void)stream_workerid;
	*start = *end = -1;
}

unsigned starpu_worker_get_sched_ctx_id_stream(unsigned stream_workerid)
{
	(void)stream_workerid;
	return STARPU_NMAX_SCHED_CTXS;
}

int starpu_worker_get_stream_workerids(unsigned devid, int *workerids, enum starpu_worker_archtype type)
{
	int n = 0;

	for (int w = 0; w < (int)xs_global.nworkers; w++)
		if (starpu_worker_get_type(w) == type && starpu_worker_get_devid(w) == (int)devid)
			workerids[n++] = w;
	return n;
}

void starpu_sched_ctx_list_task_counters_increment(unsigned sched_ctx_id, int workerid)
{
	(void)sched_ctx_id;
	(void)workerid;
}

void starpu_sched_ctx_list_task_counters_decrement(unsigned sched_ctx_id, int workerid)
{
	(void)sched_ctx_id;
	(void)workerid;
}

void starpu_sched_ctx_list_task_counters_reset(unsigned sched_ctx_id, int workerid)
{
	(void)sched_ctx_id;
	(void)workerid;
}

void starpu_sched_ctx_list_task_counters_increment_all_ctx_locked(struct starpu_task *task, unsigned sched_ctx_id)
{
	(void)task;
	(void)sched_ctx_id;
}

void starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked(struct starpu_task *task, unsigned sched_ctx_id)
{
	(void)task;
	(void)sched_ctx_id;
}

void starpu_sched_ctx_list_task_counters_reset_all(struct starpu_task *task, unsigned sched_ctx_id)
{
	(void)task;
	(void)sched_ctx_id;
}

void starpu_sched_ctx_revert_task_counters_ctx_locked(unsigned sched_ctx_id, double flops)
{
	(void)sched_ctx_id;
	(void)flops;
}
