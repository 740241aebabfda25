/* SPDX-License-Identifier: MIT */
/* Performance models, profiling, traces. */
#ifndef XYLEM_STARPU_PERF_H
#define XYLEM_STARPU_PERF_H

#include <parts/worker.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- performance models --- */

struct starpu_perfmodel_device {
	enum starpu_worker_archtype type;
	int devid;
	int ncores;
};
struct starpu_perfmodel_arch {
	int ndevices;
	struct starpu_perfmodel_device *devices;
};
typedef double (*starpu_perfmodel_per_arch_cost_function)(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
							  unsigned nimpl);
typedef size_t (*starpu_perfmodel_per_arch_size_base)(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
						      unsigned nimpl);
enum starpu_perfmodel_type {
	STARPU_PERFMODEL_INVALID = 0,
	STARPU_PER_WORKER,
	STARPU_PER_ARCH,
	STARPU_COMMON,
	STARPU_HISTORY_BASED,
	STARPU_REGRESSION_BASED,
	STARPU_NL_REGRESSION_BASED,
	STARPU_MULTIPLE_REGRESSION_BASED
};
struct _starpu_perfmodel_state;
typedef struct _starpu_perfmodel_state *starpu_perfmodel_state_t;
struct starpu_perfmodel {
	enum starpu_perfmodel_type type;
	double (*cost_function)(struct starpu_task *, unsigned nimpl);
	double (*arch_cost_function)(struct starpu_task *, struct starpu_perfmodel_arch *arch, unsigned nimpl);
	double (*worker_cost_function)(struct starpu_task *, unsigned workerid, unsigned nimpl);
	size_t (*size_base)(struct starpu_task *, unsigned nimpl);
	uint32_t (*footprint)(struct starpu_task *);
	const char *symbol;
	unsigned is_loaded;
	unsigned benchmarking;
	unsigned is_init;
	void (*parameters)(struct starpu_task *task, double *parameters);
	const char **parameters_names;
	unsigned nparameters;
	unsigned **combinations;
	unsigned ncombinations;
	const char *path;
	starpu_perfmodel_state_t state;
};

void starpu_perfmodel_init(struct starpu_perfmodel *model);
int starpu_perfmodel_deinit(struct starpu_perfmodel *model);
extern struct starpu_perfmodel starpu_perfmodel_nop;
struct starpu_perfmodel_arch *starpu_worker_get_perf_archtype(int workerid, unsigned sched_ctx_id);
double starpu_task_expected_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl);
double starpu_task_expected_energy(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl);
/* Energy is not measured: -1 with a log line. */
int starpu_energy_start(int workerid, enum starpu_worker_archtype archi);
int starpu_energy_stop(struct starpu_perfmodel *model, struct starpu_task *task, unsigned nimpl, unsigned ntasks,
		       int workerid, enum starpu_worker_archtype archi);
int starpu_energy_use(float joules);
/* Over the workers of a context; 0 if none is known. */
double starpu_task_expected_length_average(struct starpu_task *task, unsigned sched_ctx_id);
double starpu_task_expected_energy_average(struct starpu_task *task, unsigned sched_ctx_id);
double starpu_task_worker_expected_length(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id,
					  unsigned nimpl);
double starpu_task_worker_expected_energy(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id,
					  unsigned nimpl);
double starpu_task_expected_data_transfer_time(unsigned memory_node, struct starpu_task *task);
double starpu_task_expected_data_transfer_time_for(struct starpu_task *task, unsigned worker);
double starpu_data_expected_transfer_time(starpu_data_handle_t handle, unsigned memory_node,
					  enum starpu_data_access_mode mode);
double starpu_task_expected_conversion_time(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
					    unsigned nimpl);
double starpu_worker_get_relative_speedup(struct starpu_perfmodel_arch *perf_arch);
uint32_t starpu_task_data_footprint(struct starpu_task *task);
double starpu_transfer_predict(unsigned src_node, unsigned dst_node, size_t size);

/* --- profiling --- */

#define STARPU_PROFILING_DISABLE 0
#define STARPU_PROFILING_ENABLE 1
struct starpu_profiling_task_info {
	struct timespec submit_time;
	struct timespec push_start_time;
	struct timespec push_end_time;
	struct timespec pop_start_time;
	struct timespec pop_end_time;
	struct timespec acquire_data_start_time;
	struct timespec acquire_data_end_time;
	struct timespec start_time;
	struct timespec end_time;
	struct timespec release_data_start_time;
	struct timespec release_data_end_time;
	struct timespec callback_start_time;
	struct timespec callback_end_time;
	int workerid;
	uint64_t used_cycles;
	uint64_t stall_cycles;
	double energy_consumed;
};
struct starpu_profiling_worker_info {
	struct timespec start_time;
	struct timespec total_time;
	struct timespec executing_time;
	struct timespec callback_time;
	struct timespec waiting_time;
	struct timespec sleeping_time;
	struct timespec scheduling_time;
	struct timespec all_executing_time;
	int executed_tasks;
	uint64_t used_cycles;
	uint64_t stall_cycles;
	double energy_consumed;
	double flops;
};
struct starpu_profiling_bus_info {
	struct timespec start_time;
	struct timespec total_time;
	long long transferred_bytes;
	int transfer_count;
};
int starpu_profiling_status_set(int status);
int starpu_profiling_status_get(void);
int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info *worker_info);
double starpu_timing_timespec_delay_us(struct timespec *start, struct timespec *end);
double starpu_timing_timespec_to_us(struct timespec *ts);
#define STARPU_NS_PER_S 1000000000
static __starpu_inline void starpu_timespec_clear(struct timespec *tsp)
{
	tsp->tv_sec = 0;
	tsp->tv_nsec = 0;
}
static __starpu_inline void starpu_timespec_add(struct timespec *a, struct timespec *b, struct timespec *result)
{
	long nanoseconds = a->tv_nsec + b->tv_nsec;

	result->tv_sec = a->tv_sec + b->tv_sec + nanoseconds / STARPU_NS_PER_S;
	result->tv_nsec = nanoseconds % STARPU_NS_PER_S;
}
static __starpu_inline void starpu_timespec_accumulate(struct timespec *result, struct timespec *a)
{
	starpu_timespec_add(result, a, result);
}
static __starpu_inline void starpu_timespec_sub(const struct timespec *a, const struct timespec *b,
						struct timespec *result)
{
	long nanoseconds = a->tv_nsec - b->tv_nsec;

	result->tv_sec = a->tv_sec - b->tv_sec - (nanoseconds < 0);
	result->tv_nsec = nanoseconds < 0 ? nanoseconds + STARPU_NS_PER_S : nanoseconds;
}
#define starpu_timespec_cmp(a, b, CMP) \
	((a)->tv_sec == (b)->tv_sec ? (a)->tv_nsec CMP(b)->tv_nsec : (a)->tv_sec CMP(b)->tv_sec)

/* --- traces: Xylem's own are started with XYLEM_TRACE and the like; these
 * calls leave no mark --- */

void starpu_fxt_autostart_profiling(int autostart);
void starpu_fxt_start_profiling(void);
void starpu_fxt_stop_profiling(void);
int starpu_fxt_is_enabled(void);
void starpu_fxt_trace_user_event(unsigned long code);
void starpu_fxt_trace_user_event_string(const char *s);

#ifdef __cplusplus
}
#endif
#endif
