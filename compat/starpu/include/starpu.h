/* SPDX-License-Identifier: MIT */
/*
 * StarPU's programming interface on Xylem: programs are recompiled, not changed. The names and their meanings are
 * StarPU's; this header and the library behind it stand on <xylem.h>. compat/starpu/names.tsv says what is there,
 * doc/coming-from-starpu.md what differs.
 */
#ifndef XYLEM_STARPU_H
#define XYLEM_STARPU_H

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <starpu_config.h>
#include <parts/util.h>
#include <parts/thread.h>
#include <parts/data.h>
#include <parts/interfaces.h>
#include <parts/task.h>
#include <parts/insert.h>
#include <parts/worker.h>
#include <parts/omp.h>
#include <parts/perf.h>
#include <parts/model.h>
#include <parts/sched.h>
#include <parts/toolbox.h>
#include <parts/driver.h>
#include <parts/disk.h>
#include <parts/context.h>
#include <parts/parallel_worker.h>
#include <parts/counters.h>
#include <parts/tools.h>
#ifdef STARPU_USE_OPENCL
#include <parts/opencl.h>
#endif
#if defined STARPU_USE_CUDA && !defined STARPU_DONT_INCLUDE_CUDA_HEADERS
#include <parts/cuda.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STARPU_USE_OPENCL
struct starpu_opencl_program {
	void *programs[STARPU_MAXOPENCLDEVS]; /* of OpenCL, by device */
};
#endif

/* Settings of a program; filled in by starpu_conf_init. Environment variables win, unless
 * precedence_over_environment_variables is set. Fields for devices that Xylem does not have are ignored. */
struct starpu_conf {
	int magic;
	int will_use_mpi;
	const char *sched_policy_name;
	struct starpu_sched_policy *sched_policy;
	void (*sched_policy_callback)(unsigned);
	void (*sched_policy_init)(unsigned);
	int precedence_over_environment_variables;
	int ncpus;
	int reserve_ncpus;
	int ncuda;
	int nhip;
	int nopencl;
	int nmax_fpga;
	int nmic;
	char *mic_sink_program_path;
	int nmpi_ms;
	int nmpi_sc;
	int ntcpip_ms;
	int ntcpip_sc;
	unsigned use_explicit_workers_bindid;
	unsigned workers_bindid[STARPU_NMAXWORKERS];
	unsigned use_explicit_workers_cuda_gpuid;
	unsigned workers_cuda_gpuid[STARPU_NMAXWORKERS];
	unsigned use_explicit_workers_hip_gpuid;
	unsigned workers_hip_gpuid[STARPU_NMAXWORKERS];
	unsigned use_explicit_workers_opencl_gpuid;
	unsigned workers_opencl_gpuid[STARPU_NMAXWORKERS];
	unsigned use_explicit_workers_mic_deviceid;
	unsigned workers_mic_deviceid[STARPU_NMAXWORKERS];
	unsigned use_explicit_workers_mpi_ms_deviceid;
	unsigned workers_mpi_ms_deviceid[STARPU_NMAXWORKERS];
	int bus_calibrate;
	int calibrate;
	int data_locality_enforce;
	int single_combined_worker;
	int disable_asynchronous_copy;
	int disable_asynchronous_cuda_copy;
	int disable_asynchronous_hip_copy;
	int disable_asynchronous_opencl_copy;
	int disable_asynchronous_mic_copy;
	int disable_asynchronous_mpi_ms_copy;
	int disable_asynchronous_mpi_sc_copy;
	int disable_asynchronous_tcpip_sc_copy;
	int disable_asynchronous_max_fpga_copy;
	int enable_map;
	unsigned *cuda_opengl_interoperability;
	unsigned n_cuda_opengl_interoperability;
	struct starpu_driver *not_launched_drivers;
	unsigned n_not_launched_drivers;
	uint64_t trace_buffer_size;
	int global_sched_ctx_min_priority;
	int global_sched_ctx_max_priority;
	int catch_signals;
	int start_perf_counter_collection;
	unsigned driver_spinning_backoff_min;
	unsigned driver_spinning_backoff_max;
	int cuda_only_fast_alloc_other_memnodes;
};

int starpu_conf_init(struct starpu_conf *conf);
int starpu_conf_noworker(struct starpu_conf *conf);
int starpu_init(struct starpu_conf *conf) STARPU_WARN_UNUSED_RESULT;
int starpu_initialize(struct starpu_conf *user_conf, int *argc, char ***argv);
int starpu_is_initialized(void);
void starpu_wait_initialized(void);
void starpu_worker_wait_for_initialisation(void);
void starpu_shutdown(void);
void starpu_pause(void);
void starpu_resume(void);
int starpu_is_paused(void);
#define STARPU_THREAD_ACTIVE (1 << 0)
unsigned starpu_get_next_bindid(unsigned flags, unsigned *preferred, unsigned npreferred);
int starpu_bind_thread_on(int cpuid, unsigned flags, const char *name);
void starpu_bind_thread_on_worker(unsigned workerid);
void starpu_bind_thread_on_main(void);
void starpu_bind_thread_on_cpu(int cpuid);
void starpu_topology_print(FILE *f);
int starpu_asynchronous_copy_disabled(void);
int starpu_asynchronous_cuda_copy_disabled(void);
int starpu_asynchronous_hip_copy_disabled(void);
int starpu_asynchronous_opencl_copy_disabled(void);
int starpu_asynchronous_mic_copy_disabled(void);
int starpu_asynchronous_mpi_ms_copy_disabled(void);
int starpu_asynchronous_mpi_sc_copy_disabled(void);
int starpu_asynchronous_tcpip_sc_copy_disabled(void);
int starpu_asynchronous_max_fpga_copy_disabled(void);
int starpu_map_enabled(void);
void starpu_display_stats(void);
void starpu_get_version(int *major, int *minor, int *release);

#ifdef __cplusplus
}
#endif
#include <parts/deprecated.h>
#endif
