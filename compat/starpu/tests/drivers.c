/* SPDX-License-Identifier: MIT */
/* Drivers that a program runs itself, tasks that are tried again, sets of workers, binding of threads, the topology,
 * and numbers at random. */
#include <assert.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <starpu.h>
#include <starpu_driver.h>

static int ran, tries, checks;

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet count_cl = { .cpu_funcs = { count } };

static void *run_driver(void *arg)
{
	int ret = starpu_driver_run((struct starpu_driver *)arg);

	STARPU_CHECK_RETURN_VALUE(ret, "starpu_driver_run");
	return NULL;
}

static struct starpu_driver driver = { .type = STARPU_CPU_WORKER, .id.cpu_id = 0 };

static void drivers_run(void)
{
	struct starpu_conf conf;
	starpu_pthread_t thread;

	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.ncuda = conf.nopencl = 0;
	conf.not_launched_drivers = &driver;
	conf.n_not_launched_drivers = 1;
	assert(!starpu_init(&conf));
	starpu_pthread_create(&thread, NULL, run_driver, &driver);
	ran = 0;
	for (int i = 0; i < 10; i++)
		assert(!starpu_task_insert(&count_cl, 0));
	starpu_task_wait_for_all();
	assert(ran == 10);
	starpu_drivers_request_termination();
	starpu_pthread_join(thread, NULL);
	starpu_shutdown();
}

static void drivers_once(void)
{
	struct starpu_conf conf;
	struct starpu_task *task;

	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.not_launched_drivers = &driver;
	conf.n_not_launched_drivers = 1;
	assert(!starpu_init(&conf));
	assert(!starpu_driver_init(&driver));
	assert(starpu_driver_init(NULL) == -EINVAL);
	task = starpu_task_create();
	task->cl = &count_cl;
	task->detach = 0;
	assert(!starpu_task_submit(task));
	while (!starpu_task_finished(task))
		assert(!starpu_driver_run_once(&driver));
	assert(!starpu_task_wait(task));
	assert(!starpu_driver_deinit(&driver));
	starpu_shutdown();
}

/* --- tries --- */

static void increment(void *buffers[], void *arg)
{
	const unsigned *from = (const unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	unsigned *to = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);

	(void)arg;
	*to = *from + 1;
	if (tries++ % 5 != 4)
		starpu_task_ft_failed(starpu_task_get_current());
}

static struct starpu_codelet increment_cl = { .cpu_funcs = { increment },
					      .nbuffers = 2,
					      .modes = { STARPU_R, STARPU_W } };

static void check(void *arg)
{
	struct starpu_task *meta = (struct starpu_task *)arg, *current = starpu_task_get_current(), *next;
	int ret;

	checks++;
	assert(current != meta);
	if (!current->failed) {
		starpu_task_ft_success(meta);
		return;
	}
	next = starpu_task_ft_create_retry(meta, current, check);
	ret = starpu_task_submit_nodeps(next);
	STARPU_ASSERT(!ret);
}

static void retries(void)
{
	unsigned x = 12, y = 0;
	starpu_data_handle_t hx, hy;

	starpu_variable_data_register(&hx, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	starpu_variable_data_register(&hy, STARPU_MAIN_RAM, (uintptr_t)&y, sizeof y);
	assert(!starpu_task_insert(&increment_cl, STARPU_PROLOGUE_CALLBACK, starpu_task_ft_prologue,
				   STARPU_PROLOGUE_CALLBACK_ARG_NFREE, check, STARPU_R, hx, STARPU_W, hy, 0));
	starpu_task_wait_for_all();
	assert(tries == 5 && checks == 5);
	assert(!starpu_task_insert(&increment_cl, STARPU_PROLOGUE_CALLBACK, starpu_task_ft_prologue, STARPU_R, hx,
				   STARPU_W, hy, 0));
	starpu_data_unregister(hy);
	starpu_data_unregister(hx);
	assert(tries == 10 && x == 12 && y == 13);
}

/* --- sets of workers --- */

static int ranks[4], combined;

static void together(void *buffers[], void *arg)
{
	int size = starpu_combined_worker_get_size(), rank = starpu_combined_worker_get_rank();

	(void)buffers;
	(void)arg;
	assert(size == 2 && rank >= 0 && rank < 2);
	assert(starpu_combined_worker_get_id() == combined);
	STARPU_ATOMIC_ADD(&ranks[rank], 1);
}

static struct starpu_codelet spmd_cl = { .cpu_funcs = { together }, .type = STARPU_SPMD, .max_parallelism = 4 };
static struct starpu_codelet forkjoin_cl = { .cpu_funcs = { together }, .type = STARPU_FORKJOIN, .max_parallelism = 4 };

static void teams(void)
{
	int both[] = { 0, 1 }, wrong[] = { 0, 99 }, size = 0, *members = NULL;
	struct starpu_task *task;

	assert(starpu_combined_worker_get_count() == 0 && !starpu_worker_is_combined_worker(2));
	combined = starpu_combined_worker_assign_workerid(2, both);
	assert(combined == 2 && starpu_combined_worker_get_count() == 1 && starpu_worker_is_combined_worker(2));
	assert(starpu_combined_worker_assign_workerid(2, wrong) == -EINVAL);
	assert(!starpu_combined_worker_get_description(combined, &size, &members) && size == 2 && members[1] == 1);
	for (int i = 0; i < 10; i++) {
		task = starpu_task_create();
		task->cl = i < 5 ? &spmd_cl : &forkjoin_cl;
		task->execute_on_a_specific_worker = 1;
		task->workerid = (unsigned)combined;
		assert(starpu_combined_worker_can_execute_task((unsigned)combined, task, 0));
		assert(!starpu_task_submit(task));
	}
	starpu_task_wait_for_all();
	assert(ranks[0] == 10 && ranks[1] == 5);
}

/* --- threads and the topology --- */

static void *bound(void *arg)
{
	(void)arg;
	starpu_bind_thread_on_worker(1);
	starpu_bind_thread_on_cpu(starpu_worker_get_bindid(0));
	return NULL;
}

static void threads(void)
{
	unsigned id = starpu_get_next_bindid(STARPU_THREAD_ACTIVE, NULL, 0);
	hwloc_cpuset_t set = starpu_worker_get_hwloc_cpuset(0);
	starpu_pthread_t thread;

	starpu_bind_thread_on((int)id, STARPU_THREAD_ACTIVE, "main");
	starpu_bind_thread_on_main();
	starpu_pthread_create(&thread, NULL, bound, NULL);
	starpu_pthread_join(thread, NULL);
	assert(hwloc_get_nbobjs_by_type(starpu_get_hwloc_topology(), HWLOC_OBJ_PU) > 0);
	assert(hwloc_bitmap_weight(set) == 1 || hwloc_bitmap_isfull(set));
	hwloc_bitmap_free(set);
	starpu_srand48(7);
	assert(starpu_drand48() < 1.0);
	STARPU_RMB();
	STARPU_WMB();
	STARPU_HG_DISABLE_CHECKING(ran);
	(void)STARPU_RUNNING_ON_VALGRIND;
	starpu_fxt_trace_user_event_string("here");
}

int main(void)
{
	struct starpu_conf conf;

	drivers_run();
	drivers_once();
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	assert(!starpu_init(&conf));
	retries();
	teams();
	threads();
	starpu_shutdown();
	return 0;
}
