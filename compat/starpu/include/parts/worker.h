/* SPDX-License-Identifier: MIT */
/* Workers, memory nodes, memory, and helpers. */
#ifndef XYLEM_STARPU_WORKER_H
#define XYLEM_STARPU_WORKER_H

#include <hwloc.h>
#include <parts/insert.h>
#include <parts/task.h>
#include <parts/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum starpu_node_kind {
	STARPU_UNUSED = 0,
	STARPU_CPU_RAM = 1,
	STARPU_CUDA_RAM = 2,
	STARPU_OPENCL_RAM = 3,
	STARPU_MAX_FPGA_RAM = 4,
	STARPU_DISK_RAM = 5,
	STARPU_MPI_MS_RAM = 6,
	STARPU_TCPIP_MS_RAM = 7,
	STARPU_HIP_RAM = 8,
	STARPU_MAX_RAM = 8,
	STARPU_NRAM
};
#define STARPU_MPI_SC_RAM STARPU_MPI_MS_RAM
#define STARPU_TCPIP_SC_RAM STARPU_TCPIP_MS_RAM

enum starpu_worker_archtype {
	STARPU_CPU_WORKER = 0,
	STARPU_CUDA_WORKER = 1,
	STARPU_OPENCL_WORKER = 2,
	STARPU_MIC_WORKER = 3,
	STARPU_MAX_FPGA_WORKER = 4,
	STARPU_MPI_MS_WORKER = 5,
	STARPU_TCPIP_MS_WORKER = 6,
	STARPU_HIP_WORKER = 7,
	STARPU_NARCH = 8,
	STARPU_ANY_WORKER = 255
};
#define STARPU_MPI_SC_WORKER STARPU_MPI_MS_WORKER
#define STARPU_TCPIP_SC_WORKER STARPU_TCPIP_MS_WORKER

/* --- workers --- */

unsigned starpu_worker_get_count(void);
unsigned starpu_cpu_worker_get_count(void);
unsigned starpu_cuda_worker_get_count(void);
unsigned starpu_hip_worker_get_count(void);
unsigned starpu_opencl_worker_get_count(void);
unsigned starpu_mic_worker_get_count(void);
unsigned starpu_mpi_ms_worker_get_count(void);
unsigned starpu_mpi_sc_worker_get_count(void);
unsigned starpu_tcpip_ms_worker_get_count(void);
unsigned starpu_tcpip_sc_worker_get_count(void);
unsigned starpu_max_fpga_worker_get_count(void);
int starpu_worker_get_id(void);
unsigned _starpu_worker_get_id_check(const char *f, int l);
unsigned starpu_worker_get_id_check(void);
#define starpu_worker_get_id_check() _starpu_worker_get_id_check(__FILE__, __LINE__)
int starpu_worker_get_bindid(int workerid);
enum starpu_worker_archtype starpu_worker_get_type(int id);
int starpu_worker_get_count_by_type(enum starpu_worker_archtype type);
unsigned starpu_worker_get_ids_by_type(enum starpu_worker_archtype type, int *workerids, unsigned maxsize);
int starpu_worker_get_by_type(enum starpu_worker_archtype type, int num);
int starpu_worker_get_by_devid(enum starpu_worker_archtype type, int devid);
hwloc_topology_t starpu_get_hwloc_topology(void);
hwloc_cpuset_t starpu_worker_get_hwloc_cpuset(int workerid);
void starpu_worker_get_name(int id, char *dst, size_t maxlen);
void starpu_worker_display_all(FILE *output);
void starpu_worker_display_names(FILE *output, enum starpu_worker_archtype type);
void starpu_worker_display_count(FILE *output, enum starpu_worker_archtype type);
int starpu_worker_get_devid(int id);
int starpu_worker_get_devnum(int id);
int starpu_worker_get_subworkerid(int id);
int starpu_worker_get_devids(enum starpu_worker_archtype type, int *devids, int num);
hwloc_obj_t starpu_worker_get_hwloc_obj(int workerid);
int starpu_get_pu_os_index(unsigned logical_index);
/* The workers bound to a processing unit; the list lives until the next call. */
int starpu_bindid_get_workerids(int bindid, int **workerids);
int starpu_worker_get_mp_nodeid(int id);
unsigned starpu_mic_device_get_count(void);
void starpu_display_bindings(void);
void starpu_worker_get_current_task_exp_end(unsigned workerid, struct timespec *date);
void starpu_worker_set_going_to_sleep_callback(void (*callback)(unsigned workerid));
void starpu_worker_set_waking_up_callback(void (*callback)(unsigned workerid));
char *starpu_worker_get_type_as_string(enum starpu_worker_archtype type);

/* Workers that run a parallel task together. */
unsigned starpu_combined_worker_get_count(void);
unsigned starpu_worker_is_combined_worker(int id);
int starpu_combined_worker_get_id(void);
int starpu_combined_worker_get_size(void);
int starpu_combined_worker_get_rank(void);

/* --- memory nodes --- */

unsigned starpu_worker_get_local_memory_node(void);
unsigned starpu_worker_get_memory_node(unsigned workerid);
unsigned starpu_memory_nodes_get_count(void);
unsigned starpu_memory_nodes_get_count_by_kind(enum starpu_node_kind kind);
unsigned starpu_memory_node_get_ids_by_type(enum starpu_node_kind kind, unsigned *memory_nodes_ids, unsigned maxsize);
int starpu_memory_node_get_devid(unsigned node);
int starpu_memory_node_get_name(unsigned node, char *name, size_t size);
int starpu_memory_nodes_get_numa_count(void);
int starpu_memory_nodes_numa_id_to_devid(int osid);
int starpu_memory_nodes_numa_devid_to_id(unsigned id);
int starpu_memory_nodes_numa_id_to_hwloclogid(unsigned id);
enum starpu_node_kind starpu_node_get_kind(unsigned node);

/* --- memory --- */

#define STARPU_MALLOC_PINNED ((1ULL) << 1)
#define STARPU_MALLOC_COUNT ((1ULL) << 2)
#define STARPU_MALLOC_NORECLAIM ((1ULL) << 3)
#define STARPU_MEMORY_WAIT ((1ULL) << 4)
#define STARPU_MEMORY_OVERFLOW ((1ULL) << 5)
#define STARPU_MALLOC_SIMULATION_FOLDED ((1ULL) << 6)
#define STARPU_MALLOC_SIMULATION_UNIQUE ((1ULL) << 7)
#define starpu_data_malloc_pinned_if_possible starpu_malloc
#define starpu_data_free_pinned_if_possible starpu_free
void starpu_malloc_set_align(size_t align);
int starpu_malloc(void **A, size_t dim);
int starpu_free(void *A);
int starpu_free_noflag(void *A, size_t dim);
int starpu_malloc_flags(void **A, size_t dim, int flags);
int starpu_free_flags(void *A, size_t dim, int flags);
typedef int (*starpu_malloc_hook)(unsigned dst_node, void **A, size_t dim, int flags);
typedef int (*starpu_free_hook)(unsigned dst_node, void *A, size_t dim, int flags);
void starpu_malloc_set_hooks(starpu_malloc_hook malloc_hook, starpu_free_hook free_hook);
int starpu_memory_pin(void *addr, size_t size);
int starpu_memory_unpin(void *addr, size_t size);
starpu_ssize_t starpu_memory_get_total(unsigned node);
starpu_ssize_t starpu_memory_get_available(unsigned node);
size_t starpu_memory_get_used(unsigned node);
starpu_ssize_t starpu_memory_get_total_all_nodes(void);
starpu_ssize_t starpu_memory_get_available_all_nodes(void);
size_t starpu_memory_get_used_all_nodes(void);
void starpu_memory_wait_available(unsigned node, size_t size);
int starpu_memory_allocate(unsigned node, size_t size, int flags);
void starpu_memory_deallocate(unsigned node, size_t size);
void starpu_malloc_on_node_set_default_flags(unsigned node, int flags);
uintptr_t starpu_malloc_on_node_flags(unsigned dst_node, size_t size, int flags);
uintptr_t starpu_malloc_on_node(unsigned dst_node, size_t size);
void starpu_free_on_node_flags(unsigned dst_node, uintptr_t addr, size_t size, int flags);
void starpu_free_on_node(unsigned dst_node, uintptr_t addr, size_t size);
void starpu_sleep(float nb_sec);
void starpu_usleep(float nb_micro_sec);

/* --- helpers --- */

/* Xylem's own: which of StarPU's variables and policies there are, and what they do. */
void starpu_xylem_print_environment(FILE *to);
char *starpu_getenv(const char *str);
int starpu_getenv_string_var_default(const char *str, const char *strings[], int defvalue);
int starpu_getenv_size_default(const char *str, int defval);
int starpu_getenv_number(const char *str);
int starpu_getenv_number_default(const char *str, int defval);
float starpu_getenv_float_default(const char *str, float defval);
#define starpu_get_env_string_var_default starpu_getenv_string_var_default
#define starpu_get_env_size_default starpu_getenv_size_default
#define starpu_get_env_number starpu_getenv_number
#define starpu_get_env_number_default starpu_getenv_number_default
#define starpu_get_env_float_default starpu_getenv_float_default
void starpu_execute_on_each_worker(void (*func)(void *), void *arg, uint32_t where);
void starpu_execute_on_each_worker_ex(void (*func)(void *), void *arg, uint32_t where, const char *name);
void starpu_execute_on_specific_workers(void (*func)(void *), void *arg, unsigned num_workers, unsigned *workers,
					const char *name);
double starpu_timing_now(void);
uint32_t starpu_hash_crc32c_be_n(const void *input, size_t n, uint32_t inputcrc);
uint32_t starpu_hash_crc32c_be_ptr(void *input, uint32_t inputcrc);
uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t inputcrc);
uint32_t starpu_hash_crc32c_string(const char *str, uint32_t inputcrc);
char *_starpu_mkdtemp(char *tmpl);
const char *starpu_strerror_r(int errnum, char *buf, size_t buflen);

#ifdef __cplusplus
}
#endif
#endif
