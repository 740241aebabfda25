/* SPDX-License-Identifier: MIT */
/* Bounds of the execution time, buses, traces, hooks, and a tree of the machine. */
#ifndef XYLEM_STARPU_TOOLS_H
#define XYLEM_STARPU_TOOLS_H

#include <parts/model.h>
#include <parts/perf.h>
#include <parts/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- a lower bound of the time that recorded tasks take --- */

void starpu_bound_start(int deps, int prio);
void starpu_bound_stop(void);
void starpu_bound_compute(double *res, double *integer_res, int integer);
void starpu_bound_print(FILE *output, int integer);
void starpu_bound_print_lp(FILE *output);
void starpu_bound_print_mps(FILE *output);
void starpu_bound_print_dot(FILE *output);

/* --- buses: one in each direction between main memory and a device --- */

void starpu_profiling_init(void);
void starpu_profiling_set_id(int new_id);
int starpu_bus_get_count(void);
int starpu_bus_get_id(int src, int dst);
int starpu_bus_get_src(int busid);
int starpu_bus_get_dst(int busid);
void starpu_bus_set_direct(int busid, int direct);
int starpu_bus_get_direct(int busid);
void starpu_bus_set_ngpus(int busid, int ngpus);
int starpu_bus_get_ngpus(int busid);
int starpu_bus_get_profiling_info(int busid, struct starpu_profiling_bus_info *bus_info);

/* Write what workers did and what crossed buses to stderr. */
void starpu_profiling_worker_helper_display_summary(void);
void starpu_profiling_bus_helper_display_summary(void);

/* --- libraries of CUDA: each CUDA worker gets a handle, at once or at its first use, until the runtime stops --- */

void starpu_cublas_init(void);
void starpu_cublas_set_stream(void);
void starpu_cublas_shutdown(void);
void starpu_cusparse_init(void);
void starpu_cusparse_shutdown(void);
void starpu_cusolver_init(void);
void starpu_cusolver_shutdown(void);
/* A device's library reported an error: a line in the log, and the task that runs in this thread fails. */
void starpu_xylem_report_error(const char *func, const char *file, int line, const char *text);

/* --- there is no hypervisor of contexts --- */

void starpu_sched_ctx_notify_hypervisor_exists(void);
unsigned starpu_sched_ctx_check_if_hypervisor_exists(void);
void starpu_sched_ctx_update_start_resizing_sample(unsigned sched_ctx_id, double start_sample);

/* --- hooks that are called again and again while the runtime is there --- */

int starpu_progression_hook_register(unsigned (*func)(void *arg), void *arg);
void starpu_progression_hook_deregister(int hook_id);
int starpu_idle_hook_register(unsigned (*func)(void *arg), void *arg);
void starpu_idle_hook_deregister(int hook_id);

/* --- a tree of the machine --- */

struct starpu_tree {
	struct starpu_tree *nodes;
	struct starpu_tree *father;
	int arity;
	int id;
	int level;
	int is_pu;
};
void starpu_tree_reset_visited(struct starpu_tree *tree, char *visited);
void starpu_tree_prepare_children(unsigned arity, struct starpu_tree *father);
void starpu_tree_insert(struct starpu_tree *tree, int id, int level, int is_pu, int arity, struct starpu_tree *father);
struct starpu_tree *starpu_tree_get(struct starpu_tree *tree, int id);
struct starpu_tree *starpu_tree_get_neighbour(struct starpu_tree *tree, struct starpu_tree *node, char *visited,
					      char *present);
void starpu_tree_free(struct starpu_tree *tree);
struct starpu_tree *starpu_workers_get_tree(void);

/* --- priorities of the policy heteroprio: accepted, and without effect --- */

#define STARPU_HETEROPRIO_MAX_PRIO 100
#define STARPU_HETEROPRIO_MAX_PREFETCH 2
enum starpu_heteroprio_types {
	STARPU_CPU_IDX,
	STARPU_CUDA_IDX,
	STARPU_OPENCL_IDX,
	STARPU_MIC_IDX,
	STARPU_MPI_MS_IDX,
	STARPU_NB_TYPES
};
void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_heteroprio_types arch, unsigned max_prio);
void starpu_heteroprio_set_mapping(unsigned sched_ctx_id, enum starpu_heteroprio_types arch, unsigned source_prio,
				   unsigned dest_bucket_id);
void starpu_heteroprio_set_faster_arch(unsigned sched_ctx_id, enum starpu_heteroprio_types arch, unsigned bucket_id);
void starpu_heteroprio_set_arch_slow_factor(unsigned sched_ctx_id, enum starpu_heteroprio_types arch,
					    unsigned bucket_id, float slow_factor);

#ifdef __cplusplus
}
#endif
#endif
