/* SPDX-License-Identifier: MIT */
/* Bounds, hooks, waiting for several queues, trees of the machine, buses, packing without acquiring, and what contexts
 * and workers say. */
#include <starpu.h>
#include <assert.h>
#include <string.h>

#define NTASKS 8

static unsigned calls, ran, acquired;

static void wait_us(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static double ten(struct starpu_task *task, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 10000.0;
}

static struct starpu_perfmodel model = { .type = STARPU_COMMON, .cost_function = ten, .symbol = "xylem_tools_test" };
static struct starpu_codelet cl = { .cpu_funcs = { wait_us }, .name = "tools", .model = &model };
static struct starpu_codelet unknown = { .cpu_funcs = { wait_us }, .name = "unknown" };

static void insert(struct starpu_codelet *codelet)
{
	for (int i = 0; i < NTASKS; i++)
		assert(!starpu_task_insert(codelet, 0));
	starpu_task_wait_for_all();
}

static void bounds(void)
{
	double bound, whole, speed;
	char text[4096] = "";
	FILE *file = fmemopen(text, sizeof text - 1, "w");

	assert(file);
	starpu_bound_start(0, 0);
	insert(&cl);
	starpu_bound_stop();
	insert(&unknown); /* after the stop: does not count */
	starpu_bound_compute(&bound, &whole, 1);
	speed = starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(0, 0));
	assert(bound > 0.999 * NTASKS * 10.0 / speed / 2 && bound < 1.001 * NTASKS * 10.0 / speed / 2 &&
	       whole >= bound);
	starpu_bound_print(file, 0);
	starpu_bound_print_lp(file);
	starpu_bound_print_mps(file);
	starpu_bound_print_dot(file);
	fclose(file);
	assert(strstr(text, "8 tasks of tools") && strstr(text, "w0t0 + w1t0 = 8;") && strstr(text, "ENDATA") &&
	       strstr(text, "label=\"tools: 8\""));
	starpu_bound_start(0, 0);
	insert(&unknown);
	starpu_bound_compute(&bound, NULL, 0);
	assert(bound == 0.0);
	starpu_bound_stop();
}

static unsigned hook(void *arg)
{
	STARPU_ATOMIC_ADD((unsigned *)arg, 1);
	return 0;
}

static void hooks(void)
{
	int progress = starpu_progression_hook_register(hook, &calls), idle = starpu_idle_hook_register(hook, &calls);

	assert(progress >= 0 && idle >= 0 && progress != idle);
	while (STARPU_ATOMIC_ADD(&calls, 0) < 6)
		starpu_usleep(1000);
	starpu_progression_hook_deregister(progress);
	starpu_idle_hook_deregister(idle);
	starpu_wake_all_blocked_workers();
}

static starpu_pthread_queue_t queues[2];

static void *producer(void *arg)
{
	starpu_usleep(1000);
	starpu_pthread_queue_signal(&queues[1]);
	return arg;
}

static void waits(void)
{
	starpu_pthread_t thread;
	starpu_pthread_wait_t wait;
	struct timespec past = { 1, 0 };

	assert(!starpu_pthread_wait_init(&wait));
	for (int i = 0; i < 2; i++)
		assert(!starpu_pthread_queue_init(&queues[i]) && !starpu_pthread_queue_register(&wait, &queues[i]));
	assert(!starpu_pthread_wait_reset(&wait));
	assert(starpu_pthread_wait_timedwait(&wait, &past) == ETIMEDOUT);
	STARPU_PTHREAD_CREATE(&thread, NULL, producer, NULL);
	assert(!starpu_pthread_wait_wait(&wait));
	STARPU_PTHREAD_JOIN(thread, NULL);
	starpu_pthread_wait_reset(&wait);
	starpu_pthread_queue_broadcast(&queues[0]);
	assert(!starpu_pthread_wait_wait(&wait));
	for (int i = 0; i < 2; i++)
		assert(!starpu_pthread_queue_unregister(&wait, &queues[i]) &&
		       !starpu_pthread_queue_destroy(&queues[i]));
	assert(!starpu_pthread_wait_destroy(&wait));
}

static void trees(void)
{
	struct starpu_tree root = { 0 }, *machine = starpu_workers_get_tree(), *unit;
	char visited[4] = { 1, 1, 1, 1 }, present[4] = { 1, 1, 0, 1 };

	starpu_tree_insert(&root, -1, 0, 0, 0, NULL);
	starpu_tree_prepare_children(2, &root);
	for (int i = 0; i < 2; i++) {
		starpu_tree_insert(&root.nodes[i], -1, 1, 0, 0, &root);
		starpu_tree_prepare_children(2, &root.nodes[i]);
		for (int k = 0; k < 2; k++)
			starpu_tree_insert(&root.nodes[i].nodes[k], 2 * i + k, 2, 1, 0, &root.nodes[i]);
	}
	starpu_tree_reset_visited(&root, visited);
	assert(!visited[0] && !visited[3]);
	unit = starpu_tree_get(&root, 0);
	assert(unit && unit->is_pu && unit->father == &root.nodes[0]);
	visited[0] = 1;
	assert(starpu_tree_get_neighbour(&root, unit, visited, present)->id == 1);
	visited[1] = 1;
	assert(starpu_tree_get_neighbour(&root, unit, visited, present)->id == 3);
	visited[3] = 1;
	assert(!starpu_tree_get_neighbour(&root, unit, visited, present));
	starpu_tree_free(&root);
	assert(machine && starpu_tree_get(machine, 0) && starpu_tree_get(machine, 0)->is_pu);
}

static void buses(void)
{
	int n = starpu_bus_get_count();
	struct starpu_profiling_bus_info info;

	starpu_profiling_init();
	assert(n >= 0 && n % 2 == 0 && starpu_bus_get_id(0, 0) == -1);
	assert(starpu_bus_get_src(n) == -1 && starpu_bus_get_dst(n) == -1);
	assert(starpu_bus_get_profiling_info(n, &info) == -EINVAL && !starpu_bus_get_direct(n));
	for (int i = 0; i < n; i++)
		assert(starpu_bus_get_id(starpu_bus_get_src(i), starpu_bus_get_dst(i)) == i);
}

static void packing(void)
{
	int matrix[4][6], other[4][4];
	starpu_data_handle_t part, whole;
	starpu_ssize_t size;
	void *bytes;

	memset(other, 0, sizeof other);
	for (int j = 0; j < 4; j++)
		for (int i = 0; i < 6; i++)
			matrix[j][i] = 10 * j + i;
	starpu_matrix_data_register(&part, STARPU_MAIN_RAM, (uintptr_t)matrix, 6, 4, 4, sizeof(int));
	starpu_matrix_data_register(&whole, STARPU_MAIN_RAM, (uintptr_t)other, 4, 4, 4, sizeof(int));
	assert(!starpu_data_pack(part, NULL, &size) && size == sizeof other);
	assert(!starpu_data_pack(part, &bytes, &size) && !starpu_data_peek(whole, bytes, (size_t)size));
	assert(other[3][3] == 33 && other[1][0] == 10);
	assert(starpu_data_peek(whole, bytes, 1) == -EINVAL);
	assert(!starpu_data_unpack(part, bytes, (size_t)size) && matrix[2][4] == 24);
	starpu_data_unregister(whole);
	/* without memory of its own yet */
	starpu_matrix_data_register(&whole, -1, 0, 4, 4, 4, sizeof(int));
	assert(!starpu_data_pack(part, &bytes, &size) && !starpu_data_unpack(whole, bytes, (size_t)size));
	assert(!starpu_data_acquire(whole, STARPU_R));
	assert(((int *)starpu_matrix_get_local_ptr(whole))[5] == 11);
	starpu_data_release(whole);
	starpu_data_unregister(whole);
	starpu_data_unregister(part);
}

static void got(void *arg)
{
	acquired++;
	starpu_data_release(*(starpu_data_handle_t *)arg);
}

static void acquiring(void)
{
	int value = 1;
	long before = 0, after = 0;
	starpu_data_handle_t handle;

	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	assert(!starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(handle, STARPU_MAIN_RAM, STARPU_RW,
										  got, &handle, 1, 0, &before, &after));
	starpu_task_wait_for_all();
	assert(acquired == 1 && before == -1 && after == -1);
	starpu_data_unregister(handle);
}

static void ready(void)
{
	unsigned before = ran;
	struct starpu_task *task = starpu_task_create();

	task->cl = &cl;
	task->use_tag = 1;
	task->tag_id = 1;
	starpu_tag_declare_deps(1, 1, (starpu_tag_t)2);
	assert(!starpu_task_submit(task));
	assert(starpu_task_nready() == 0 && starpu_task_nsubmitted() == 1 && !starpu_task_wait_for_no_ready());
	assert(ran == before);
	starpu_tag_notify_from_apps(2);
	starpu_task_wait_for_all();
	assert(ran == before + 1 && starpu_task_nready() == 0);
}

static void eat(void *buffers[], void *arg)
{
	unsigned *left = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	unsigned *right = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);

	(void)arg;
	++*left;
	++*right;
}

/* Tasks that take two forks each, in any order, of one arbiter or of two. */
static void philosophers(void)
{
	static struct starpu_codelet eats = { .cpu_funcs = { eat },
					      .nbuffers = 2,
					      .modes = { STARPU_RW | STARPU_COMMUTE, STARPU_RW | STARPU_COMMUTE } };
	starpu_arbiter_t arbiters[2] = { starpu_arbiter_create(), starpu_arbiter_create() };
	unsigned forks[6] = { 0 }, sum = 0;
	starpu_data_handle_t handles[6];

	for (int i = 0; i < 6; i++) {
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&forks[i], sizeof forks[i]);
		starpu_data_assign_arbiter(handles[i], arbiters[i / 3]);
	}
	for (int i = 0; i < 600; i++)
		assert(!starpu_task_insert(&eats, STARPU_RW | STARPU_COMMUTE, handles[i % 6],
					   STARPU_RW | STARPU_COMMUTE, handles[(i + 1) % 6], 0));
	for (int i = 0; i < 6; i++)
		starpu_data_unregister(handles[i]);
	for (int i = 0; i < 6; i++)
		sum += forks[i];
	assert(sum == 1200);
	starpu_arbiter_destroy(arbiters[0]);
	starpu_arbiter_destroy(arbiters[1]);
}

/* The task of a tag is known in its callback. */
static void ask(void *arg)
{
	assert(starpu_tag_get_task((starpu_tag_t)(uintptr_t)arg) == starpu_task_get_current());
}

static void tags(void)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &cl;
	task->use_tag = 1;
	task->tag_id = 7;
	task->callback_func = ask;
	task->callback_arg = (void *)7;
	assert(!starpu_task_submit(task));
	assert(!starpu_tag_wait(7));
	starpu_task_wait_for_all();
	assert(!starpu_tag_get_task(7));
}

static void questions(void)
{
	int *list, n, start = 0, end = 0, workers[STARPU_NMAXWORKERS];
	unsigned awake = 1;

	starpu_sched_ctx_get_available_cpuids(0, &list, &n);
	assert(n == 2 && list[0] == starpu_worker_get_bindid(0));
	free(list);
	assert(starpu_bindid_get_workerids(starpu_worker_get_bindid(0), &list) >= 1);
	assert(starpu_worker_get_hwloc_obj(0) && starpu_worker_get_hwloc_obj(0)->type == HWLOC_OBJ_PU);
	assert(starpu_get_pu_os_index(0) >= 0 && starpu_get_pu_os_index(1u << 30) == -1);
	assert(starpu_sched_ctx_has_starpu_scheduler(0, &awake) && !awake);
	assert(starpu_sched_ctx_get_stream_worker(0) == -1 && starpu_sched_ctx_get_nsms(0) == 0);
	starpu_sched_ctx_get_sms_interval(0, &start, &end);
	assert(start == -1 && end == -1 && starpu_mic_device_get_count() == 0 && starpu_worker_get_mp_nodeid(0) == -1);
	assert(starpu_worker_get_sched_ctx_id_stream(0) == STARPU_NMAX_SCHED_CTXS);
	assert(starpu_sched_ctx_master_get_context(0) == STARPU_NMAX_SCHED_CTXS);
	assert(starpu_sched_ctx_worker_is_master_for_child_ctx(0, 0) == STARPU_NMAX_SCHED_CTXS);
	assert(starpu_worker_get_stream_workerids(0, workers, STARPU_CUDA_WORKER) >= 0);
	assert(starpu_sched_ctx_get_nready_tasks(0) == 0 && starpu_sched_ctx_get_nready_flops(0) == 0.0);
	assert(!starpu_sched_ctx_get_sched_policy_init(0));
	starpu_cublas_init(); /* without CUDA, these do nothing */
	starpu_cublas_set_stream();
	starpu_cublas_shutdown();
	starpu_cusparse_init();
	starpu_cusparse_shutdown();
	assert(!starpu_sched_ctx_check_if_hypervisor_exists());
	assert(starpu_memory_nodes_numa_id_to_hwloclogid(0) >= 0);
	starpu_profiling_worker_helper_display_summary();
	starpu_profiling_bus_helper_display_summary();
}

int main(void)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.ncuda = conf.nopencl = 0;
	assert(!starpu_init(&conf));
	bounds();
	hooks();
	waits();
	trees();
	buses();
	packing();
	ready();
	philosophers();
	tags();
	questions();
	acquiring(); /* last: a callback counts as submitted until it returns, after the wait */
	starpu_shutdown();
	return 0;
}
