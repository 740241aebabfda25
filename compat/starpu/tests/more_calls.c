/* SPDX-License-Identifier: MIT */
/* Calls and macros that few programs use, each with what it promises. */
#include "check.h"
#include <starpu_perfmodel.h>

STARPU_ATTRIBUTE_UNUSED static int unused;
static char line[STARPU_CACHELINE_SIZE] STARPU_ATTRIBUTE_ALIGNED(STARPU_CACHELINE_SIZE);
static starpu_data_handle_t handle;
static starpu_pthread_cond_t cond;
static int arrived, soon;

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_VALGRIND_YIELD();
	STARPU_UYIELD();
}

static struct starpu_perfmodel model = { .type = STARPU_HISTORY_BASED, .symbol = "more_calls" };
static struct starpu_codelet cl = { .cpu_funcs = { nothing },
				    .nbuffers = 1,
				    .modes = { STARPU_RW },
				    .model = &starpu_perfmodel_nop,
				    .flags = STARPU_CODELET_SIMGRID_EXECUTE };

static void on_arrival(void *arg)
{
	CHECK(arg == &arrived);
	STARPU_ATOMIC_ADD(&arrived, 1);
}

static void ready_soon(void *data, struct starpu_task *task, double delay)
{
	(void)task;
	(void)delay;
	++*(int *)data;
}

static void prefetching(void)
{
	struct starpu_task *task = starpu_task_create();
	starpu_notify_ready_soon_func notify = ready_soon;

	starpu_task_notify_ready_soon_register(notify, &soon);
	task->cl = &cl;
	task->handles[0] = handle;
	CHECK(starpu_get_prefetch_flag() == 0 || starpu_get_prefetch_flag() == 1);
	OK(starpu_prefetch_task_input_on_node(task, STARPU_MAIN_RAM));
	OK(starpu_prefetch_task_input_on_node_prio(task, STARPU_MAIN_RAM, 1));
	OK(starpu_idle_prefetch_task_input_on_node(task, STARPU_MAIN_RAM));
	OK(starpu_idle_prefetch_task_input_on_node_prio(task, STARPU_MAIN_RAM, 1));
	OK(starpu_prefetch_task_input_for(task, 0));
	OK(starpu_prefetch_task_input_for_prio(task, 0, 1));
	OK(starpu_idle_prefetch_task_input_for(task, 0));
	OK(starpu_idle_prefetch_task_input_for_prio(task, 0, 1));
	starpu_parallel_task_barrier_init(task, 0);
	starpu_parallel_task_barrier_init_n(task, 1);
	starpu_sched_task_break(task);
	CHECK(starpu_sched_ctx_get_ctx_for_task(task) == 0);
	OK(starpu_task_submit(task));
	OK(starpu_data_get_on_node_cb_prio(handle, STARPU_MAIN_RAM, STARPU_FETCH, on_arrival, &arrived, 0));
	OK(starpu_task_wait_for_all());
	CHECK(arrived == 1);
	starpu_data_set_gathering_node(handle, STARPU_MAIN_RAM);
	CHECK(starpu_data_evict_from_node(handle, STARPU_MAIN_RAM) == -1);
}

static void locks(void)
{
	starpu_pthread_mutex_t *mutex;
	starpu_pthread_cond_t *wake;

	starpu_worker_get_sched_condition(0, &mutex, &wake);
	CHECK(mutex && wake);
	starpu_worker_lock_self(); /* no worker: nothing */
	starpu_worker_unlock_self();
	CHECK(!starpu_worker_sched_op_pending());
	CHECK(!starpu_worker_get_relax_state());
	starpu_wake_worker_relax(0);
	starpu_wake_worker_no_relax(0);
	starpu_wake_worker_locked(0);
	starpu_wakeup_worker(0, wake, mutex);
	starpu_wakeup_worker_locked(0, wake, mutex);
}

static void models(void)
{
	struct starpu_perfmodel_device device = { .type = STARPU_CPU_WORKER, .devid = 0, .ncores = 1 };
	int comb = starpu_perfmodel_arch_comb_add(1, &device);

	CHECK(comb >= 0 && starpu_perfmodel_arch_comb_get(1, &device) == comb);
	CHECK(starpu_perfmodel_get_archtype_name(STARPU_CPU_WORKER));
	starpu_perfmodel_initialize();
	starpu_perfmodel_free_sampling();
	(void)model;
	starpu_bus_print_affinity(stderr);
	starpu_bus_print_filenames(stderr);
	CHECK(!(starpu_transfer_bandwidth(STARPU_MAIN_RAM, STARPU_MAIN_RAM) < 0)); /* or unknown */
	CHECK(!(starpu_transfer_latency(STARPU_MAIN_RAM, STARPU_MAIN_RAM) < 0));
}

static void contexts(void)
{
	unsigned id;

	CHECK(starpu_sched_ctx_get_hierarchy_level(0) == 0);
	CHECK((int)starpu_sched_ctx_worker_get_id(0) == -1 || starpu_sched_ctx_worker_get_id(0) < STARPU_NMAXWORKERS);
	CHECK(starpu_sched_ctx_get_worker_rank(0) >= -1);
	starpu_sched_ctx_worker_shares_tasks_lists(0, 0);
	starpu_sched_find_all_worker_combinations();
	id = starpu_sched_ctx_create_inside_interval("eager", "interval", 1, 1, 0, 0, 1);
	CHECK(id < STARPU_NMAX_SCHED_CTXS && starpu_sched_ctx_get_nworkers(id) == 1);
	starpu_sched_ctx_stop_task_submission();
	starpu_sched_ctx_delete(id);
}

int main(void)
{
	struct starpu_bitmap bitmap;
	starpu_cuda_func_t cuda = NULL;
	starpu_hip_func_t hip = NULL;
	starpu_opencl_func_t opencl = NULL;
	void *memory;

	START();
	CHECK((uintptr_t)line % STARPU_CACHELINE_SIZE == 0 && sizeof line == STARPU_CACHELINE_SIZE);
	CHECK(!cuda && !hip && !opencl && STARPU_MAXIMPLEMENTATIONS >= 1);
	CHECK(STARPU_MAXCPUS >= 1 && STARPU_MAXCUDADEVS >= 0);
	CHECK(STARPU_MIN_PRIO <= STARPU_MAX_PRIO);
	if (STARPU_UNLIKELY(!strcmp(__starpu_func__, "")))
		STARPU_ABORT_MSG("%s", "a function without a name");
	STARPU_PTHREAD_COND_INIT(&cond, NULL);
	STARPU_PTHREAD_COND_DESTROY(&cond);
	STARPU_SYNCHRONIZE();
	CHECK(starpu_getenv("HOME"));
	CHECK(starpu_disk_swap_node == -1);
	starpu_bitmap_init(&bitmap);
	CHECK(!starpu_bitmap_cardinal(&bitmap));
	OK(starpu_malloc_flags(&memory, 100, STARPU_MALLOC_NORECLAIM));
	starpu_free_flags(memory, 100, STARPU_MALLOC_NORECLAIM);
	starpu_void_data_register(&handle);
	prefetching();
	locks();
	models();
	contexts();
	starpu_data_unregister(handle);
	starpu_shutdown();
	return 0;
}
