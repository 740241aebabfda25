/* SPDX-License-Identifier: MIT */
/* Data handles: access modes, registration's end, acquiring, where copies are,
 * reductions. */
#ifndef XYLEM_STARPU_DATA_H
#define XYLEM_STARPU_DATA_H

#include <parts/util.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_data_state;
typedef struct _starpu_data_state *starpu_data_handle_t;
struct starpu_codelet;
struct starpu_task;
struct starpu_data_interface_ops;

enum starpu_data_access_mode {
	STARPU_NONE = 0,
	STARPU_R = 1 << 0,
	STARPU_W = 1 << 1,
	STARPU_RW = STARPU_R | STARPU_W,
	STARPU_SCRATCH = 1 << 2,
	STARPU_REDUX = 1 << 3,
	STARPU_COMMUTE = 1 << 4,
	STARPU_SSEND = 1 << 5,
	STARPU_LOCALITY = 1 << 6,
	STARPU_MPI_REDUX = 1 << 7,
	STARPU_NOPLAN = 1 << 8,
	STARPU_UNMAP = 1 << 9,
	STARPU_NOFOOTPRINT = 1 << 10,
	STARPU_RECURSIVE_TASK_STRONG = 1 << 11,
	STARPU_MPI_SAME = 1 << 12,
	STARPU_ACCESS_MODE_MAX = 1 << 13
};

#define STARPU_MAIN_RAM 0
#define STARPU_ACQUIRE_NO_NODE -1
#define STARPU_ACQUIRE_NO_NODE_LOCK_ALL -2
#define STARPU_ACQUIRE_ALL_NODES STARPU_ACQUIRE_NO_NODE_LOCK_ALL

/* What a transfer is for; only a fetch is waited for. */
enum starpu_is_prefetch { STARPU_FETCH = 0, STARPU_TASK_PREFETCH, STARPU_PREFETCH, STARPU_IDLEFETCH, STARPU_NFETCH };

void starpu_data_set_name(starpu_data_handle_t handle, const char *name);
const char *starpu_data_get_name(starpu_data_handle_t handle);
void starpu_data_set_coordinates_array(starpu_data_handle_t handle, unsigned dimensions, int dims[]);
void starpu_data_set_coordinates(starpu_data_handle_t handle, unsigned dimensions, ...);
unsigned starpu_data_get_coordinates_array(starpu_data_handle_t handle, unsigned dimensions, int dims[]);
void starpu_data_set_user_data(starpu_data_handle_t handle, void *user_data);
void *starpu_data_get_user_data(starpu_data_handle_t handle);
void starpu_data_set_sched_data(starpu_data_handle_t handle, void *sched_data);
void *starpu_data_get_sched_data(starpu_data_handle_t handle);

void starpu_data_unregister(starpu_data_handle_t handle);
void starpu_data_unregister_no_coherency(starpu_data_handle_t handle);
void starpu_data_unregister_submit(starpu_data_handle_t handle);
void starpu_data_deinitialize(starpu_data_handle_t handle);
void starpu_data_deinitialize_submit(starpu_data_handle_t handle);
void starpu_data_invalidate(starpu_data_handle_t handle);
void starpu_data_invalidate_submit(starpu_data_handle_t handle);
void starpu_data_advise_as_important(starpu_data_handle_t handle, unsigned is_important);

int starpu_data_acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode);
int starpu_data_acquire_cb(starpu_data_handle_t handle, enum starpu_data_access_mode mode, void (*callback)(void *),
			   void *arg);
int starpu_data_acquire_on_node_cb(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
				   void (*callback)(void *), void *arg);
int starpu_data_acquire_cb_sequential_consistency(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
						  void (*callback)(void *), void *arg, int sequential_consistency);
int starpu_data_acquire_on_node_cb_sequential_consistency(starpu_data_handle_t handle, int node,
							  enum starpu_data_access_mode mode, void (*callback)(void *),
							  void *arg, int sequential_consistency);
int starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(starpu_data_handle_t handle, int node,
								      enum starpu_data_access_mode mode,
								      void (*callback)(void *), void *arg,
								      int sequential_consistency, int quick,
								      long *pre_sync_jobid, long *post_sync_jobid);
#define STARPU_DATA_ACQUIRE_CB(handle, mode, code) \
	do { \
		void callback(void *arg) \
		{ \
			(void)arg; \
			code; \
			starpu_data_release(handle); \
		} \
		starpu_data_acquire_cb(handle, mode, callback, NULL); \
	} while (0)
int starpu_data_acquire_on_node_cb_sequential_consistency_quick(starpu_data_handle_t handle, int node,
								enum starpu_data_access_mode mode,
								void (*callback)(void *), void *arg,
								int sequential_consistency, int quick);
/* Runs a callback when the data is on a node, without acquiring it. */
int starpu_data_get_on_node_cb_prio(starpu_data_handle_t handle, int node, enum starpu_is_prefetch is_prefetch,
				    void (*callback)(void *), void *arg, int prio);
int starpu_data_acquire_try(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
int starpu_data_acquire_on_node_try(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode);
void starpu_data_release(starpu_data_handle_t handle);
void starpu_data_release_on_node(starpu_data_handle_t handle, int node);
void starpu_data_release_to(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode);
void starpu_data_release_to_on_node(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode, int node);

struct starpu_arbiter;
typedef struct starpu_arbiter *starpu_arbiter_t;
starpu_arbiter_t starpu_arbiter_create(void) STARPU_ATTRIBUTE_MALLOC;
void starpu_data_assign_arbiter(starpu_data_handle_t handle, starpu_arbiter_t arbiter);
void starpu_arbiter_destroy(starpu_arbiter_t arbiter);

int starpu_data_request_allocation(starpu_data_handle_t handle, unsigned node);
int starpu_data_fetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async);
int starpu_data_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async);
int starpu_data_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int prio);
int starpu_data_idle_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async);
int starpu_data_idle_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int prio);
unsigned starpu_data_is_on_node(starpu_data_handle_t handle, unsigned node);
void starpu_data_wont_use(starpu_data_handle_t handle);
int starpu_data_evict_from_node(starpu_data_handle_t handle, unsigned node);
void starpu_data_set_wt_mask(starpu_data_handle_t handle, uint32_t wt_mask);
void starpu_data_set_gathering_node(starpu_data_handle_t handle, int node);
void starpu_data_query_status(starpu_data_handle_t handle, int memory_node, int *is_allocated, int *is_valid,
			      int *is_requested);
void starpu_data_query_status2(starpu_data_handle_t handle, int memory_node, int *is_allocated, int *is_valid,
			       int *is_loading, int *is_requested);
unsigned starpu_data_test_if_allocated_on_node(starpu_data_handle_t handle, unsigned memory_node);
unsigned starpu_data_test_if_mapped_on_node(starpu_data_handle_t handle, unsigned memory_node);
unsigned starpu_data_is_on_node_excluding_prefetch(starpu_data_handle_t handle, unsigned node);
int starpu_data_can_evict(starpu_data_handle_t handle, unsigned node, enum starpu_is_prefetch is_prefetch);
void starpu_data_get_node_data(unsigned node, starpu_data_handle_t **handles, int **valid, unsigned *n);
#define STARPU_DATA_NO_VICTIM ((starpu_data_handle_t)-1)
typedef starpu_data_handle_t starpu_data_victim_selector(starpu_data_handle_t toload, unsigned node,
							 enum starpu_is_prefetch is_prefetch, void *data);
typedef void starpu_data_victim_eviction_failed(starpu_data_handle_t victim, void *data);
void starpu_data_register_victim_selector(starpu_data_victim_selector selector,
					  starpu_data_victim_eviction_failed evicted, void *data);
void starpu_memchunk_tidy(unsigned memory_node);

void starpu_data_set_sequential_consistency_flag(starpu_data_handle_t handle, unsigned flag);
unsigned starpu_data_get_sequential_consistency_flag(starpu_data_handle_t handle);
unsigned starpu_data_get_default_sequential_consistency_flag(void);
void starpu_data_set_default_sequential_consistency_flag(unsigned flag);
void starpu_data_set_ooc_flag(starpu_data_handle_t handle, unsigned flag);
unsigned starpu_data_get_ooc_flag(starpu_data_handle_t handle);

void starpu_data_set_reduction_methods(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
				       struct starpu_codelet *init_cl);
void starpu_data_set_reduction_methods_with_args(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
						 void *redux_cl_arg, struct starpu_codelet *init_cl, void *init_cl_arg);
void starpu_data_display_memory_stats(void);
struct starpu_data_interface_ops *starpu_data_get_interface_ops(starpu_data_handle_t handle);

int starpu_data_cpy(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
		    void (*callback_func)(void *), void *callback_arg);
int starpu_data_cpy_priority(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
			     void (*callback_func)(void *), void *callback_arg, int priority);
/* A copy that is only read: the one that is there already, if the source was not written since. StarPU dropped the
 * third argument after 1.4. */
int _starpu_data_dup_ro(starpu_data_handle_t *dst_handle, starpu_data_handle_t src_handle, int asynchronous, ...);
#define starpu_data_dup_ro(dst_handle, ...) _starpu_data_dup_ro(dst_handle, __VA_ARGS__, 1)
starpu_data_handle_t starpu_data_dup_ro_get(starpu_data_handle_t handle);

/* The handle of <xylem.h> behind one of these, and a handle for one of
 * <xylem.h> that has one of its predefined shapes; see
 * doc/coming-from-starpu.md. */
struct xy_handle;
struct xy_runtime;
struct xy_handle *xy_from_starpu(starpu_data_handle_t handle);
starpu_data_handle_t starpu_from_xy(struct xy_handle *handle);
/* The runtime that starpu_init started, NULL before and after. */
struct xy_runtime *xy_starpu_runtime(void);

#ifdef __cplusplus
}
#endif
#endif
