/* SPDX-License-Identifier: MIT */
/* Workers by number and type, calls on each of them, pausing, time, memory,
 * hashes, threads. */
#include <starpu.h>

static unsigned calls, ran;
static starpu_pthread_mutex_t mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static starpu_pthread_cond_t cond = STARPU_PTHREAD_COND_INITIALIZER;

static void on_worker(void *arg)
{
	int id = starpu_worker_get_id();

	STARPU_ASSERT_MSG(arg == &calls, "the argument is another one: %p", arg);
	STARPU_ASSERT(id >= 0 && starpu_worker_get_id_check() == (unsigned)id);
	STARPU_ASSERT(starpu_worker_get_local_memory_node() == starpu_worker_get_memory_node((unsigned)id));
	STARPU_ATOMIC_ADD(&calls, 1);
}

static void here(void *buffers[], void *arg)
{
	(void)buffers;
	STARPU_ASSERT(arg == STARPU_POISON_PTR || starpu_worker_get_id() == (int)(intptr_t)arg);
	STARPU_ASSERT(starpu_task_get_current()->cl);
	STARPU_ASSERT(starpu_combined_worker_get_size() == 1 && starpu_combined_worker_get_rank() == 0);
	STARPU_PTHREAD_MUTEX_LOCK(&mutex);
	ran++;
	STARPU_PTHREAD_COND_SIGNAL(&cond);
	STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
}

static struct starpu_codelet cl = { .cpu_funcs = { here }, .where = STARPU_CPU };

static void each(void)
{
	unsigned workers[1] = { 0 };

	starpu_execute_on_each_worker(on_worker, &calls, STARPU_CPU | STARPU_CUDA | STARPU_OPENCL);
	STARPU_ASSERT(calls == starpu_worker_get_count());
	starpu_execute_on_each_worker_ex(on_worker, &calls, STARPU_CPU, "again");
	starpu_execute_on_specific_workers(on_worker, &calls, 1, workers, "one");
	STARPU_ASSERT(calls == starpu_worker_get_count() + starpu_cpu_worker_get_count() + 1);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_task *task = starpu_task_create();

		task->cl = &cl;
		task->cl_arg = (void *)(intptr_t)i;
		task->execute_on_a_specific_worker = 1;
		task->workerid = i;
		STARPU_ASSERT(starpu_worker_can_execute_task(i, task, 0) &&
			      !starpu_worker_can_execute_task(i, task, 1));
		STARPU_ASSERT(starpu_task_submit(task) == 0);
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, i, STARPU_EXECUTE_WHERE, STARPU_CPU,
						 STARPU_CL_ARGS_NFREE, (void *)(intptr_t)i, (size_t)0, 0) == 0);
	}
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	STARPU_ASSERT(ran == 2 * starpu_worker_get_count());
}

static void types(void)
{
	int ids[STARPU_NMAXWORKERS];
	char name[64];

	STARPU_ASSERT(starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, STARPU_NMAXWORKERS) ==
		      (unsigned)starpu_worker_get_count_by_type(STARPU_CPU_WORKER));
	STARPU_ASSERT(starpu_worker_get_by_type(STARPU_CPU_WORKER, 0) == ids[0]);
	STARPU_ASSERT(starpu_worker_get_by_type(STARPU_MPI_SC_WORKER, 0) == -1 && !starpu_mpi_sc_worker_get_count());
	STARPU_ASSERT(starpu_worker_get_type(ids[0]) == STARPU_CPU_WORKER);
	STARPU_ASSERT(!strcmp(starpu_worker_get_type_as_string(STARPU_CPU_WORKER), "CPU"));
	starpu_worker_get_name(ids[0], name, sizeof name);
	STARPU_ASSERT(!strcmp(name, "CPU 0"));
	STARPU_ASSERT(starpu_worker_get_bindid(ids[0]) >= -1 && starpu_worker_get_devid(ids[0]) == 0);
	STARPU_ASSERT(starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() +
			      starpu_hip_worker_get_count() + starpu_cpu_worker_get_count() ==
		      starpu_worker_get_count());
	STARPU_ASSERT(starpu_memory_nodes_get_count() >= 1 && starpu_memory_nodes_get_numa_count() >= 1);
	STARPU_ASSERT(starpu_node_get_kind(STARPU_MAIN_RAM) == STARPU_CPU_RAM);
	STARPU_ASSERT(starpu_worker_get_id() == -1 && !starpu_task_get_current());
}

static void pause_and_wait(void)
{
	double start = starpu_timing_now();

	ran = 0;
	starpu_pause();
	STARPU_ASSERT(starpu_is_paused());
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_CL_ARGS_NFREE, STARPU_POISON_PTR, (size_t)0, 0) == 0);
	starpu_usleep(10000);
	STARPU_ASSERT(!ran && starpu_timing_now() - start >= 10000);
	starpu_resume();
	STARPU_PTHREAD_MUTEX_LOCK(&mutex);
	while (!ran)
		STARPU_PTHREAD_COND_WAIT(&cond, &mutex);
	STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
	starpu_sleep(0.001f);
	STARPU_ASSERT(starpu_task_wait_for_n_submitted(0) == 0);
}

static void *thread(void *arg)
{
	STARPU_PTHREAD_BARRIER_WAIT((starpu_pthread_barrier_t *)arg);
	return arg;
}

static void threads(void)
{
	starpu_pthread_barrier_t barrier;
	starpu_pthread_t other;
	void *result;

	STARPU_PTHREAD_BARRIER_INIT(&barrier, NULL, 2);
	STARPU_PTHREAD_CREATE(&other, NULL, thread, &barrier);
	STARPU_PTHREAD_BARRIER_WAIT(&barrier);
	STARPU_PTHREAD_JOIN(other, &result);
	STARPU_PTHREAD_BARRIER_DESTROY(&barrier);
	STARPU_ASSERT(result == &barrier);
}

int main(void)
{
	uint32_t crc = starpu_hash_crc32c_be(7, 0);
	uintptr_t memory;
	struct starpu_conf conf;
	int ret;

	STARPU_ASSERT(starpu_conf_noworker(&conf) == 0 && starpu_conf_init(&conf) == 0);
	conf.ncpus = 2;
	conf.precedence_over_environment_variables = 1;
	conf.sched_policy_name = "eager";
	ret = starpu_init(&conf);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_init");
	STARPU_ASSERT(starpu_cpu_worker_get_count() == 2 && !starpu_asynchronous_copy_disabled());
	types();
	each();
	pause_and_wait();
	threads();
	memory = starpu_malloc_on_node(STARPU_MAIN_RAM, 100);
	STARPU_ASSERT(memory);
	starpu_free_on_node(STARPU_MAIN_RAM, memory, 100);
	STARPU_ASSERT(crc == starpu_hash_crc32c_be(7, 0) && crc != starpu_hash_crc32c_be(8, 0));
	STARPU_ASSERT(starpu_getenv_number_default("STARPU_NO_SUCH_VARIABLE", 5) == 5);
	starpu_shutdown();
	conf.sched_policy_name = "no-such-policy";
	STARPU_ASSERT(starpu_init(&conf) < 0);
	return 0;
}
