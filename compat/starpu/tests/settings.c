/* SPDX-License-Identifier: MIT */
/* Settings of the environment for workers and policies. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

/* StarPU makes do with what is there. */
static void more_is_wanted_than_is_there(void)
{
	struct starpu_conf conf;

	OK(starpu_conf_init(&conf));
	conf.ncpus = 1000;
	conf.ncuda = conf.nopencl = conf.nhip = 100;
	OK(starpu_init(&conf));
	CHECK(starpu_cpu_worker_get_count() == STARPU_MAXCPUS);
	CHECK(starpu_cuda_worker_get_count() < 100 && starpu_opencl_worker_get_count() < 100);
	starpu_shutdown();
}

static void the_program_names_a_processor(void)
{
	struct starpu_conf conf;

	OK(starpu_conf_init(&conf));
	conf.ncpus = 1;
	conf.ncuda = conf.nopencl = conf.nhip = 0;
	conf.use_explicit_workers_bindid = 1;
	OK(starpu_init(&conf));
	CHECK(starpu_worker_get_bindid(0) == 0);
	starpu_shutdown();
}

int main(void)
{
	more_is_wanted_than_is_there();
	the_program_names_a_processor();
	setenv("STARPU_WORKERS_CPUID", "1", 1);
	setenv("STARPU_SCHED", "modular-heft", 1);
	setenv("STARPU_SCHED_BETA", "2.5", 1);
	setenv("STARPU_NTASKS_THRESHOLD", "7", 1);
	START();
	printf("%u workers, bind %d\n", starpu_worker_get_count(), starpu_worker_get_bindid(0));
	CHECK(starpu_worker_get_bindid(0) == 1);
	for (int i = 0; i < 10; i++)
		OK(starpu_task_insert(&cl, 0));
	OK(starpu_task_wait_for_all());
	starpu_shutdown();
	setenv("STARPU_SCHED", "dmdas", 1);
	START();
	starpu_shutdown();
	setenv("STARPU_SCHED", "heteroprio", 1);
	START();
	starpu_shutdown();
	setenv("STARPU_SCHED", "lws", 1);
	START();
	starpu_shutdown();
	return 0;
}
