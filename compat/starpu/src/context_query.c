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
