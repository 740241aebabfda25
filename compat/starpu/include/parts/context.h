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
/* Workers of Xylem's are not lent to a task, and contexts have no streams of a device of their own. */
int starpu_sched_ctx_book_workers_for_task(unsigned sched_ctx_id, int *workerids, int nworkers);
void starpu_sched_ctx_unbook_workers_for_task(unsigned sched_ctx_id, int master);
unsigned starpu_sched_ctx_worker_is_master_for_child_ctx(int workerid, unsigned sched_ctx_id);
unsigned starpu_sched_ctx_master_get_context(int masterid);
void starpu_sched_ctx_get_available_cpuids(unsigned sched_ctx_id, int **cpuids, int *ncpuids);
int starpu_sched_ctx_get_nready_tasks(unsigned sched_ctx_id);
double starpu_sched_ctx_get_nready_flops(unsigned sched_ctx_id);
void starpu_sched_ctx_set_priority(int *workers, int nworkers, unsigned sched_ctx_id, unsigned priority);
unsigned starpu_sched_ctx_get_priority(int worker, unsigned sched_ctx_id);
void (*starpu_sched_ctx_get_sched_policy_init(unsigned sched_ctx_id))(unsigned);
unsigned starpu_sched_ctx_has_starpu_scheduler(unsigned sched_ctx_id, unsigned *awake_workers);
int starpu_sched_ctx_get_stream_worker(unsigned sub_ctx);
int starpu_sched_ctx_get_nsms(unsigned sched_ctx);
void starpu_sched_ctx_get_sms_interval(int stream_workerid, int *start, int *end);
unsigned starpu_worker_get_sched_ctx_id_stream(unsigned stream_workerid);
int starpu_worker_get_stream_workerids(unsigned devid, int *workerids, enum starpu_worker_archtype type);
/* Counters that policies of StarPU's keep for their contexts: here each worker looks for itself. */
void starpu_sched_ctx_list_task_counters_increment(unsigned sched_ctx_id, int workerid);
void starpu_sched_ctx_list_task_counters_decrement(unsigned sched_ctx_id, int workerid);
void starpu_sched_ctx_list_task_counters_reset(unsigned sched_ctx_id, int workerid);
void starpu_sched_ctx_list_task_counters_increment_all_ctx_locked(struct starpu_task *task, unsigned sched_ctx_id);
void starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked(struct starpu_task *task, unsigned sched_ctx_id);
void starpu_sched_ctx_list_task_counters_reset_all(struct starpu_task *task, unsigned sched_ctx_id);
void starpu_sched_ctx_revert_task_counters_ctx_locked(unsigned sched_ctx_id, double flops);

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
