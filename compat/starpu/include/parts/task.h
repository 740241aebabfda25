/* SPDX-License-Identifier: MIT */
/* Codelets and tasks as structs, dependencies, tags, and tasks by one call. */
#ifndef XYLEM_STARPU_TASK_H
#define XYLEM_STARPU_TASK_H

#include <parts/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t starpu_tag_t;
struct starpu_perfmodel;
struct starpu_perfmodel_arch;
struct starpu_profiling_task_info;
struct starpu_omp_task;
struct starpu_transaction;
struct _starpu_task_bundle;
typedef struct _starpu_task_bundle *starpu_task_bundle_t;

/* --- codelets --- */

#define STARPU_NOWHERE ((1ULL) << 0)
#define STARPU_CPU ((1ULL) << 1)
#define STARPU_CUDA ((1ULL) << 3)
#define STARPU_OPENCL ((1ULL) << 6)
#define STARPU_MIC ((1ULL) << 7)
#define STARPU_MAX_FPGA ((1ULL) << 8)
#define STARPU_MPI_MS ((1ULL) << 9)
#define STARPU_MPI_SC STARPU_MPI_MS
#define STARPU_TCPIP_MS ((1ULL) << 10)
#define STARPU_TCPIP_SC STARPU_TCPIP_MS
#define STARPU_HIP ((1ULL) << 11)

#define STARPU_CODELET_SIMGRID_EXECUTE (1 << 0)
#define STARPU_CODELET_SIMGRID_EXECUTE_AND_INJECT (1 << 1)
#define STARPU_CODELET_NOPLANS (1 << 2)
#define STARPU_CUDA_ASYNC (1 << 0)
#define STARPU_HIP_ASYNC (1 << 0)
#define STARPU_OPENCL_ASYNC (1 << 0)

enum starpu_codelet_type { STARPU_SEQ = 0, STARPU_SPMD, STARPU_FORKJOIN };

enum starpu_task_status {
	STARPU_TASK_INIT,
#define STARPU_TASK_INIT 0
#define STARPU_TASK_INVALID STARPU_TASK_INIT
	STARPU_TASK_BLOCKED,
	STARPU_TASK_READY,
	STARPU_TASK_RUNNING,
	STARPU_TASK_FINISHED,
	STARPU_TASK_BLOCKED_ON_TAG,
	STARPU_TASK_BLOCKED_ON_TASK,
	STARPU_TASK_BLOCKED_ON_DATA,
	STARPU_TASK_STOPPED
};

typedef void (*starpu_cpu_func_t)(void **, void *);
typedef void (*starpu_cuda_func_t)(void **, void *);
typedef void (*starpu_hip_func_t)(void **, void *);
typedef void (*starpu_opencl_func_t)(void **, void *);
typedef void (*starpu_max_fpga_func_t)(void **, void *);
typedef void (*starpu_mic_kernel_t)(void **, void *);
typedef starpu_mic_kernel_t (*starpu_mic_func_t)(void);
typedef void (*starpu_mpi_ms_kernel_t)(void **, void *);
typedef starpu_mpi_ms_kernel_t (*starpu_mpi_ms_func_t)(void);

#define STARPU_MULTIPLE_CPU_IMPLEMENTATIONS ((starpu_cpu_func_t)-1)
#define STARPU_MULTIPLE_CUDA_IMPLEMENTATIONS ((starpu_cuda_func_t)-1)
#define STARPU_MULTIPLE_HIP_IMPLEMENTATIONS ((starpu_hip_func_t)-1)
#define STARPU_MULTIPLE_OPENCL_IMPLEMENTATIONS ((starpu_opencl_func_t)-1)

#define STARPU_VARIABLE_NBUFFERS (-1)
#define STARPU_SPECIFIC_NODE_LOCAL (-1)
#define STARPU_SPECIFIC_NODE_CPU (-2)
#define STARPU_SPECIFIC_NODE_SLOW (-3)
#define STARPU_SPECIFIC_NODE_FAST (-4)
#define STARPU_SPECIFIC_NODE_LOCAL_OR_CPU (-5)
#define STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU (-6)
#define STARPU_SPECIFIC_NODE_NONE (-7)

struct starpu_codelet {
	uint32_t where;
	int (*can_execute)(unsigned workerid, struct starpu_task *task, unsigned nimpl);
	enum starpu_codelet_type type;
	int max_parallelism;
	starpu_cpu_func_t cpu_func STARPU_DEPRECATED;
	starpu_cuda_func_t cuda_func STARPU_DEPRECATED;
	starpu_opencl_func_t opencl_func STARPU_DEPRECATED;
	starpu_cpu_func_t cpu_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_cuda_func_t cuda_funcs[STARPU_MAXIMPLEMENTATIONS];
	char cuda_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_hip_func_t hip_funcs[STARPU_MAXIMPLEMENTATIONS];
	char hip_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_opencl_func_t opencl_funcs[STARPU_MAXIMPLEMENTATIONS];
	char opencl_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_max_fpga_func_t max_fpga_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_mic_func_t mic_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_mpi_ms_func_t mpi_ms_funcs[STARPU_MAXIMPLEMENTATIONS];
	const char *cpu_funcs_name[STARPU_MAXIMPLEMENTATIONS];
	/* (task, argument, buffers): whether the task is replaced by others, and the function that submits those */
	union {
		int (*recursive_task_func)(XYLEM_STARPU_ANY);
		int (*bubble_func)(XYLEM_STARPU_ANY);
	};
	union {
		void (*recursive_task_gen_dag_func)(XYLEM_STARPU_ANY);
		void (*bubble_gen_dag_func)(XYLEM_STARPU_ANY);
	};
	int nbuffers;
	enum starpu_data_access_mode modes[STARPU_NMAXBUFS];
	enum starpu_data_access_mode *dyn_modes;
	unsigned specific_nodes;
	int nodes[STARPU_NMAXBUFS];
	int *dyn_nodes;
	struct starpu_perfmodel *model;
	struct starpu_perfmodel *energy_model;
	unsigned long per_worker_stats[STARPU_NMAXWORKERS];
	const char *name;
	unsigned color;
	void (*callback_func)(void *);
	int flags;
	int checked;
	struct xylem_starpu_codelet *xylem_private; /* the library's own */
};

/* --- tasks --- */

struct starpu_data_mode_node_descr {
	starpu_data_handle_t handle;
	enum starpu_data_access_mode mode;
	int node;
};
struct starpu_data_descr {
	starpu_data_handle_t handle;
	enum starpu_data_access_mode mode;
};

struct starpu_task {
	const char *name;
	const char *file;
	int line;
	struct starpu_codelet *cl;
	int32_t where;
	int nbuffers;
	starpu_data_handle_t *dyn_handles;
	void **dyn_interfaces;
	enum starpu_data_access_mode *dyn_modes;
	starpu_data_handle_t handles[STARPU_NMAXBUFS];
	void *interfaces[STARPU_NMAXBUFS];
	enum starpu_data_access_mode modes[STARPU_NMAXBUFS];
	unsigned char *handles_sequential_consistency;
	void *cl_arg;
	size_t cl_arg_size;
	void *cl_ret;
	size_t cl_ret_size;
	void (*epilogue_callback_func)(void *);
	void *epilogue_callback_arg;
	void (*callback_func)(void *);
	void *callback_arg;
	void (*prologue_callback_func)(void *);
	void *prologue_callback_arg;
	void (*prologue_callback_pop_func)(void *);
	void *prologue_callback_pop_arg;
	struct starpu_transaction *transaction;
	starpu_tag_t tag_id;
	unsigned cl_arg_free : 1;
	unsigned cl_ret_free : 1;
	unsigned callback_arg_free : 1;
	unsigned epilogue_callback_arg_free : 1;
	unsigned prologue_callback_arg_free : 1;
	unsigned prologue_callback_pop_arg_free : 1;
	unsigned use_tag : 1;
	unsigned sequential_consistency : 1;
	unsigned synchronous : 1;
	unsigned execute_on_a_specific_worker : 1;
	unsigned detach : 1;
	unsigned destroy : 1;
	unsigned regenerate : 1;
	unsigned no_submitorder : 1;
	unsigned failed : 1;
	unsigned char mf_skip;
	unsigned char scheduled;
	unsigned char prefetched;
	unsigned workerid;
	unsigned workerorder;
	uint32_t *workerids;
	unsigned workerids_len;
	int priority;
	enum starpu_task_status status;
	int magic;
	unsigned type;
	unsigned color;
	unsigned sched_ctx;
	int hypervisor_tag;
	unsigned possibly_parallel;
	starpu_task_bundle_t bundle;
	struct starpu_profiling_task_info *profiling_info;
	double flops;
	double predicted;
	double predicted_transfer;
	double predicted_start;
	struct starpu_task *prev;
	struct starpu_task *next;
	void *starpu_private;
	struct starpu_omp_task *omp_task;
	unsigned nb_termination_call_required;
	union {
		int (*recursive_task_func)(XYLEM_STARPU_ANY);
		int (*bubble_func)(XYLEM_STARPU_ANY);
	};
	union {
		void *recursive_task_func_arg;
		void *bubble_func_arg;
	};
	union {
		void (*recursive_task_gen_dag_func)(XYLEM_STARPU_ANY);
		void (*bubble_gen_dag_func)(XYLEM_STARPU_ANY);
	};
	union {
		void *recursive_task_gen_dag_func_arg;
		void *bubble_gen_dag_func_arg;
	};
	union {
		struct starpu_task *recursive_task_parent;
		struct starpu_task *bubble_parent;
	};
	unsigned specific_nodes;
	int nodes[STARPU_NMAXBUFS];
	int *dyn_nodes;
	void *sched_data;
};

#define STARPU_TASK_TYPE_NORMAL 0
#define STARPU_TASK_TYPE_INTERNAL (1 << 0)
#define STARPU_TASK_TYPE_DATA_ACQUIRE (1 << 1)

#define STARPU_DEFAULT_PRIO 0
#define STARPU_TASK_INITIALIZER \
	{ \
		.where = -1, .sequential_consistency = 1, .detach = 1, .priority = STARPU_DEFAULT_PRIO, .magic = 42, \
		.sched_ctx = STARPU_NMAX_SCHED_CTXS, .predicted = NAN, .predicted_transfer = NAN, \
		.predicted_start = NAN, \
	}

#define STARPU_TASK_GET_NBUFFERS(task) \
	((unsigned)((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? (task)->nbuffers : (task)->cl->nbuffers))
#define STARPU_TASK_GET_HANDLE(task, i) (STARPU_TASK_GET_HANDLES(task)[i])
#define STARPU_TASK_GET_HANDLES(task) ((task)->dyn_handles ? (task)->dyn_handles : (task)->handles)
#define STARPU_TASK_SET_HANDLE(task, handle, i) \
	do { \
		STARPU_TASK_GET_HANDLES(task)[i] = (handle); \
	} while (0)
#define STARPU_CODELET_GET_MODE(codelet, i) ((codelet)->dyn_modes ? (codelet)->dyn_modes[i] : (codelet)->modes[i])
#define STARPU_CODELET_SET_MODE(codelet, mode, i) \
	do { \
		if ((codelet)->dyn_modes) \
			(codelet)->dyn_modes[i] = (mode); \
		else \
			(codelet)->modes[i] = (mode); \
	} while (0)
#define STARPU_TASK_GET_MODE(task, i) \
	((task)->dyn_modes                                  ? (task)->dyn_modes[i] \
	 : (task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? (task)->modes[i] \
							    : STARPU_CODELET_GET_MODE((task)->cl, i))
#define STARPU_TASK_SET_MODE(task, mode, i) \
	do { \
		if ((task)->dyn_modes) \
			(task)->dyn_modes[i] = (mode); \
		else if ((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS) \
			(task)->modes[i] = (mode); \
		else \
			STARPU_CODELET_SET_MODE((task)->cl, mode, i); \
	} while (0)
#define STARPU_CODELET_GET_NODE(codelet, i) ((codelet)->dyn_nodes ? (codelet)->dyn_nodes[i] : (codelet)->nodes[i])
#define STARPU_CODELET_SET_NODE(codelet, node, i) \
	do { \
		if ((codelet)->dyn_nodes) \
			(codelet)->dyn_nodes[i] = (node); \
		else \
			(codelet)->nodes[i] = (node); \
	} while (0)
#define STARPU_TASK_GET_NODE(task, i, default_node) \
	((task)->specific_nodes       ? ((task)->dyn_nodes ? (task)->dyn_nodes[i] : (task)->nodes[i]) \
	 : (task)->cl->specific_nodes ? STARPU_CODELET_GET_NODE((task)->cl, i) \
				      : (default_node))
#define STARPU_TASK_SET_NODE(task, node, i) \
	do { \
		if ((task)->dyn_nodes) \
			(task)->dyn_nodes[i] = (node); \
		else \
			(task)->nodes[i] = (node); \
	} while (0)

extern struct starpu_codelet starpu_codelet_nop;

void starpu_task_init(struct starpu_task *task);
void starpu_task_clean(struct starpu_task *task);
struct starpu_task *starpu_task_create(void) STARPU_ATTRIBUTE_MALLOC;
struct starpu_task *starpu_task_create_sync(starpu_data_handle_t handle,
					    enum starpu_data_access_mode mode) STARPU_ATTRIBUTE_MALLOC;
void starpu_task_destroy(struct starpu_task *task);
void starpu_task_set_destroy(struct starpu_task *task);
int starpu_task_submit(struct starpu_task *task) STARPU_WARN_UNUSED_RESULT;
int starpu_task_submit_nodeps(struct starpu_task *task) STARPU_WARN_UNUSED_RESULT;
int starpu_task_submit_to_ctx(struct starpu_task *task, unsigned sched_ctx_id);
int starpu_task_finished(struct starpu_task *task) STARPU_WARN_UNUSED_RESULT;
int starpu_task_wait(struct starpu_task *task) STARPU_WARN_UNUSED_RESULT;
int starpu_task_wait_array(struct starpu_task **tasks, unsigned nb_tasks) STARPU_WARN_UNUSED_RESULT;
int starpu_task_wait_for_all(void);
int starpu_task_wait_for_n_submitted(unsigned n);
int starpu_task_wait_for_all_in_ctx(unsigned sched_ctx_id);
int starpu_task_wait_for_n_submitted_in_ctx(unsigned sched_ctx_id, unsigned n);
/* Submission waits while as many tasks as the maximum have not ended, until the minimum is left. 0: never. */
void starpu_set_limit_min_submitted_tasks(int limit_min);
void starpu_set_limit_max_submitted_tasks(int limit_max);
int starpu_task_nsubmitted(void);
/* Tasks that no tag and no other task holds back; those that wait for data count. */
int starpu_task_nready(void);
int starpu_task_wait_for_no_ready(void);
void starpu_task_watchdog_set_hook(void (*hook)(void *), void *hook_arg);
void starpu_iteration_push(unsigned long iteration);
void starpu_iteration_pop(void);
void starpu_do_schedule(void);
void starpu_codelet_init(struct starpu_codelet *cl);
void starpu_codelet_display_stats(struct starpu_codelet *cl);
struct starpu_task *starpu_task_get_current(void);
int starpu_task_get_current_data_node(unsigned i);
const char *starpu_task_get_model_name(struct starpu_task *task);
const char *starpu_task_get_name(struct starpu_task *task);
struct starpu_task *starpu_task_dup(struct starpu_task *task);
void starpu_task_set_implementation(struct starpu_task *task, unsigned impl);
unsigned starpu_task_get_implementation(struct starpu_task *task);
void starpu_create_sync_task(starpu_tag_t sync_tag, unsigned ndeps, starpu_tag_t *deps, void (*callback)(void *),
			     void *callback_arg);
void starpu_create_callback_task(void (*callback)(void *), void *callback_arg);
unsigned long starpu_task_get_job_id(struct starpu_task *task);
const char *starpu_task_status_get_as_string(enum starpu_task_status status);

/* --- dependencies --- */

void starpu_task_declare_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[]);
void starpu_task_declare_deps(struct starpu_task *task, unsigned ndeps, ...);
void starpu_task_declare_end_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[]);
void starpu_task_declare_end_deps(struct starpu_task *task, unsigned ndeps, ...);
int starpu_task_get_task_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[]);
int starpu_task_get_task_scheduled_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[]);
void starpu_task_end_dep_add(struct starpu_task *t, int nb_deps);
void starpu_task_end_dep_release(struct starpu_task *t);

void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...);
void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t *array);
int starpu_tag_wait(starpu_tag_t id);
int starpu_tag_wait_array(unsigned ntags, starpu_tag_t *id);
void starpu_tag_restart(starpu_tag_t id);
void starpu_tag_remove(starpu_tag_t id);
void starpu_tag_notify_from_apps(starpu_tag_t id);
void starpu_tag_notify_restart_from_apps(starpu_tag_t id);
struct starpu_task *starpu_tag_get_task(starpu_tag_t id);

/* --- lists --- */

struct starpu_task_list {
	struct starpu_task *head;
	struct starpu_task *tail;
};
void starpu_task_list_init(struct starpu_task_list *list);
void starpu_task_list_push_front(struct starpu_task_list *list, struct starpu_task *task);
void starpu_task_list_push_back(struct starpu_task_list *list, struct starpu_task *task);
struct starpu_task *starpu_task_list_front(const struct starpu_task_list *list);
struct starpu_task *starpu_task_list_back(const struct starpu_task_list *list);
int starpu_task_list_empty(const struct starpu_task_list *list);
void starpu_task_list_erase(struct starpu_task_list *list, struct starpu_task *task);
struct starpu_task *starpu_task_list_pop_front(struct starpu_task_list *list);
struct starpu_task *starpu_task_list_pop_back(struct starpu_task_list *list);
struct starpu_task *starpu_task_list_begin(const struct starpu_task_list *list);
struct starpu_task *starpu_task_list_end(const struct starpu_task_list *list);
struct starpu_task *starpu_task_list_next(const struct starpu_task *task);
int starpu_task_list_ismember(const struct starpu_task_list *list, const struct starpu_task *look);
void starpu_task_list_move(struct starpu_task_list *ldst, struct starpu_task_list *lsrc);

#ifdef __cplusplus
}
#endif
#endif
