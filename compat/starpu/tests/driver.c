/* SPDX-License-Identifier: MIT */
/* Drivers that the program runs itself. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	++*(int *)a;
	n++;
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

static int cpu(void)
{
	int var = 0;
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.precedence_over_environment_variables = 1;
	starpu_conf_noworker(&conf);
	conf.precedence_over_environment_variables = 1;
	conf.ncpus = 1;
	struct starpu_driver d = { .type = STARPU_CPU_WORKER, .id.cpu_id = 0 };
	conf.not_launched_drivers = &d;
	conf.n_not_launched_drivers = 1;
	OK(starpu_init(&conf));
	OK(starpu_driver_init(&d));
	for (int i = 0; i < 10; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		t->cl_arg = &var;
		OK(starpu_task_submit(t));
		OK(starpu_driver_run_once(&d));
		for (int w = 0; starpu_task_nsubmitted() && w < 100000; w++)
			OK(starpu_driver_run_once(&d));
		CHECK(var == i + 1);
	}
	OK(starpu_driver_deinit(&d));
	starpu_shutdown();
	return 0;
}

static void *run(void *a)
{
	OK(starpu_driver_run(a));
	return NULL;
}

int main(void)
{
	cpu();
	n = 0;
	int var = 0;
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.precedence_over_environment_variables = 1;
	struct starpu_driver d = { .type = STARPU_CPU_WORKER, .id.cpu_id = 0 };
	conf.not_launched_drivers = &d;
	conf.n_not_launched_drivers = 1;
	OK(starpu_init(&conf));
	starpu_pthread_t t;
	STARPU_PTHREAD_CREATE(&t, NULL, run, &d);
	struct starpu_task *k = starpu_task_create();
	k->cl = &cl;
	k->cl_arg = &var;
	k->synchronous = 1;
	OK(starpu_task_submit(k));
	CHECK(var == 1);
	starpu_drivers_request_termination();
	STARPU_PTHREAD_JOIN(t, NULL);
	starpu_shutdown();
	return 0;
}
