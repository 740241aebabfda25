/* SPDX-License-Identifier: MIT */
/* Scheduling: priorities, what workers can run, predefined policies. */
#ifndef XYLEM_STARPU_SCHED_H
#define XYLEM_STARPU_SCHED_H

#include <parts/perf.h>

#ifdef __cplusplus
extern "C" {
#endif

int starpu_sched_get_min_priority(void);
int starpu_sched_get_max_priority(void);
int starpu_sched_set_min_priority(int min_prio);
int starpu_sched_set_max_priority(int max_prio);
#define STARPU_MIN_PRIO (starpu_sched_get_min_priority())
#define STARPU_MAX_PRIO (starpu_sched_get_max_priority())
int starpu_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl);
int starpu_worker_can_execute_task_impl(unsigned workerid, struct starpu_task *task, unsigned *impl_mask);
unsigned starpu_worker_type_can_execute_task(enum starpu_worker_archtype worker_type, const struct starpu_task *task);
int starpu_worker_can_execute_task_first_impl(unsigned workerid, struct starpu_task *task, unsigned *nimpl);

/* --- policies --- */

enum starpu_worker_collection_type { STARPU_WORKER_TREE, STARPU_WORKER_LIST };

/* A policy: a predefined one by its name, or functions of the program's own. */
struct starpu_sched_policy {
	void (*init_sched)(unsigned sched_ctx_id);
	void (*deinit_sched)(unsigned sched_ctx_id);
	int (*push_task)(struct starpu_task *);
	double (*simulate_push_task)(struct starpu_task *);
	void (*push_task_notify)(struct starpu_task *, int workerid, int perf_workerid, unsigned sched_ctx_id);
	struct starpu_task *(*pop_task)(unsigned sched_ctx_id);
	struct starpu_task *(*pop_every_task)(unsigned sched_ctx_id);
	void (*submit_hook)(struct starpu_task *task);
	void (*pre_exec_hook)(struct starpu_task *, unsigned sched_ctx_id);
	void (*post_exec_hook)(struct starpu_task *, unsigned sched_ctx_id);
	void (*do_schedule)(unsigned sched_ctx_id);
	void (*add_workers)(unsigned sched_ctx_id, int *workerids, unsigned nworkers);
	void (*remove_workers)(unsigned sched_ctx_id, int *workerids, unsigned nworkers);
	int prefetches;
	const char *policy_name;
	const char *policy_description;
	enum starpu_worker_collection_type worker_type;
};
struct starpu_sched_policy **starpu_sched_get_predefined_policies(void);
struct starpu_sched_policy *starpu_sched_get_sched_policy(void);
struct starpu_sched_policy *starpu_sched_get_sched_policy_in_ctx(unsigned sched_ctx_id);

/* --- contexts: sets of workers --- */

#define STARPU_SCHED_CTX_POLICY_NAME (1 << 16)
#define STARPU_SCHED_CTX_POLICY_STRUCT (2 << 16)
#define STARPU_SCHED_CTX_POLICY_MIN_PRIO (3 << 16)
#define STARPU_SCHED_CTX_POLICY_MAX_PRIO (4 << 16)
#define STARPU_SCHED_CTX_HIERARCHY_LEVEL (5 << 16)
#define STARPU_SCHED_CTX_NESTED (6 << 16)
#define STARPU_SCHED_CTX_AWAKE_WORKERS (7 << 16)
#define STARPU_SCHED_CTX_POLICY_INIT (8 << 16)
#define STARPU_SCHED_CTX_USER_DATA (9 << 16)
#define STARPU_SCHED_CTX_CUDA_NSMS (10 << 16)
#define STARPU_SCHED_CTX_SUB_CTXS (11 << 16)

struct starpu_sched_ctx_iterator {
	int cursor;
	void *value;
	void *possible_value;
	char visited[STARPU_NMAXWORKERS];
	int possibly_parallel;
};
struct starpu_worker_collection {
	int *workerids;
	void *collection_private;
	unsigned nworkers;
	void *unblocked_workers;
	unsigned nunblocked_workers;
	void *masters;
	unsigned nmasters;
	char present[STARPU_NMAXWORKERS];
	char is_unblocked[STARPU_NMAXWORKERS];
	char is_master[STARPU_NMAXWORKERS];
	enum starpu_worker_collection_type type;
	unsigned (*has_next)(struct starpu_worker_collection *workers, struct starpu_sched_ctx_iterator *it);
	int (*get_next)(struct starpu_worker_collection *workers, struct starpu_sched_ctx_iterator *it);
	int (*add)(struct starpu_worker_collection *workers, int worker);
	int (*remove)(struct starpu_worker_collection *workers, int worker);
	void (*init)(struct starpu_worker_collection *workers);
	void (*deinit)(struct starpu_worker_collection *workers);
	void (*init_iterator)(struct starpu_worker_collection *workers, struct starpu_sched_ctx_iterator *it);
	void (*init_iterator_for_parallel_tasks)(struct starpu_worker_collection *workers,
						 struct starpu_sched_ctx_iterator *it, struct starpu_task *task);
};

unsigned starpu_sched_ctx_create(int *workerids_ctx, int nworkers_ctx, const char *sched_ctx_name, ...);
void starpu_sched_ctx_delete(unsigned sched_ctx_id);
void starpu_sched_ctx_add_workers(int *workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id);
void starpu_sched_ctx_remove_workers(int *workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id);
void starpu_sched_ctx_display_workers(unsigned sched_ctx_id, FILE *f);
void starpu_sched_ctx_set_context(unsigned *sched_ctx_id);
unsigned starpu_sched_ctx_get_context(void);
void starpu_sched_ctx_set_inheritor(unsigned sched_ctx_id, unsigned inheritor);
void starpu_sched_ctx_finished_submit(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_get_workers_list(unsigned sched_ctx_id, int **workerids);
unsigned starpu_sched_ctx_get_nworkers(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_contains_worker(int workerid, unsigned sched_ctx_id);
void starpu_sched_ctx_set_policy_data(unsigned sched_ctx_id, void *policy_data);
void *starpu_sched_ctx_get_policy_data(unsigned sched_ctx_id);
void starpu_sched_ctx_set_user_data(unsigned sched_ctx_id, void *user_data);
void *starpu_sched_ctx_get_user_data(unsigned sched_ctx_id);
int starpu_sched_ctx_get_min_priority(unsigned sched_ctx_id);
int starpu_sched_ctx_get_max_priority(unsigned sched_ctx_id);
struct starpu_sched_policy *starpu_sched_ctx_get_sched_policy(unsigned sched_ctx_id);
/* Whose functions a program copies into a collection of its own. */
extern struct starpu_worker_collection starpu_worker_list, starpu_worker_tree;
struct starpu_worker_collection *starpu_sched_ctx_get_worker_collection(unsigned sched_ctx_id);
struct starpu_worker_collection *starpu_sched_ctx_create_worker_collection(unsigned sched_ctx_id,
									   enum starpu_worker_collection_type type);
void starpu_sched_ctx_delete_worker_collection(unsigned sched_ctx_id);

/* --- bundles --- */

void starpu_task_bundle_create(starpu_task_bundle_t *bundle);
int starpu_task_bundle_insert(starpu_task_bundle_t bundle, struct starpu_task *task);
int starpu_task_bundle_remove(starpu_task_bundle_t bundle, struct starpu_task *task);
void starpu_task_bundle_close(starpu_task_bundle_t bundle);

#ifdef __cplusplus
}
#endif
#endif
