/* SPDX-License-Identifier: MIT */
/* Many starts and stops, with settings of the program and the environment; no worker at all. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

int main(void)
{
	struct starpu_conf conf;
	for (int i = 0; i < 10; i++) {
		starpu_conf_init(&conf);
		conf.ncpus = 1 + i % 2;
		conf.precedence_over_environment_variables = 1;
		int r = starpu_init(&conf);
		if (r == -ENODEV)
			return 77;
		OK(r);
		CHECK(starpu_cpu_worker_get_count() == (unsigned)(1 + i % 2));
		CHECK(starpu_worker_get_count() == starpu_cpu_worker_get_count());
		for (int k = 0; k < 20; k++)
			OK(starpu_task_insert(&cl, 0));
		starpu_shutdown();
	}
	CHECK(n == 200);
	setenv("STARPU_NCPU", "1", 1);
	starpu_conf_init(&conf);
	OK(starpu_init(&conf));
	CHECK(starpu_cpu_worker_get_count() == 1);
	starpu_shutdown();
	unsetenv("STARPU_NCPU");
	starpu_conf_init(&conf);
	OK(starpu_conf_noworker(&conf));
	CHECK(starpu_init(&conf) == -ENODEV);
	starpu_conf_init(&conf);
	starpu_conf_noworker(&conf);
	conf.precedence_over_environment_variables = 1;
	conf.ncpus = 1;
	OK(starpu_init(&conf));
	CHECK(starpu_worker_get_count() == 1);
	starpu_shutdown();
	return 0;
}
