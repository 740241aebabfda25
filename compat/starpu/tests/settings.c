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

int main(void)
{
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
