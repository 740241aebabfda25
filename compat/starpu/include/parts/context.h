/* SPDX-License-Identifier: MIT */
/* More about contexts, bundles, profiling and bounds. */
#ifndef XYLEM_STARPU_CONTEXT_H
#define XYLEM_STARPU_CONTEXT_H

#include <parts/toolbox.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- contexts --- */

unsigned starpu_sched_ctx_create_inside_interval(const char *policy_name, const char *sched_ctx_name, int min_ncpus,
						 int max_ncpus, int min_ngpus, int max_ngpus, unsigned allow_overlap);
void starpu_sched_ctx_register_close_callback(unsigned sched_ctx_id,
					      void (*close_callback)(unsigned sched_ctx_id, void *args), void *args);
unsigned starpu_sched_ctx_get_inheritor(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_get_hierarchy_level(unsigned sched_ctx_id);
void starpu_sched_ctx_stop_task_submission(void);
unsigned starpu_sched_ctx_get_workers_list_raw(unsigned sched_ctx_id, int **workerids);
unsigned starpu_sched_ctx_get_nshared_workers(unsigned sched_ctx_id, unsigned sched_ctx_id2);
unsigned starpu_sched_ctx_contains_type_of_worker(enum starpu_worker_archtype arch, unsigned sched_ctx_id);
unsigned starpu_sched_ctx_worker_get_id(unsigned sched_ctx_id);
int starpu_sched_ctx_get_worker_rank(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_get_ctx_for_task(struct starpu_task *task);
unsigned starpu_sched_ctx_overlapping_ctxs_on_worker(int workerid);
/* Calls the function in this thread: the workers of the context go on with other tasks. */
void *starpu_sched_ctx_exec_parallel_code(void *(*func)(void *), void *param, unsigned sched_ctx_id);
void starpu_sched_ctx_bind_current_thread_to_cpuid(unsigned cpuid);
int starpu_sched_ctx_set_min_priority(unsigned sched_ctx_id, int min_prio);
int starpu_sched_ctx_set_max_priority(unsigned sched_ctx_id, int max_prio);
int starpu_sched_ctx_min_priority_is_set(unsigned sched_ctx_id);
int starpu_sched_ctx_max_priority_is_set(unsigned sched_ctx_id);
unsigned starpu_worker_get_sched_ctx_list(int worker, unsigned **sched_ctx);
unsigned starpu_worker_is_blocked_in_parallel(int workerid);
unsigned starpu_worker_is_slave_somewhere(int workerid);

/* --- bundles --- */

double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch,
					  unsigned nimpl);
double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle, unsigned memory_node);
double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch,
					  unsigned nimpl);

#ifdef __cplusplus
}
#endif
#endif
