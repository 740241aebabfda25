/* SPDX-License-Identifier: MIT */
/* The settings of heteroprio, from the policy's callback. */
#include "check.h"
#include <starpu_heteroprio.h>

static void initp(unsigned c)
{
	starpu_heteroprio_set_nb_prios(c, STARPU_CPU_IDX, 3);
	for (int i = 0; i < 3; i++) {
		starpu_heteroprio_set_mapping(c, STARPU_CPU_IDX, i, i);
		starpu_heteroprio_set_faster_arch(c, STARPU_CPU_IDX, i);
		starpu_heteroprio_set_arch_slow_factor(c, STARPU_CPU_IDX, i, 1.0f);
	}
}

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
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy_name = "heteroprio";
	conf.sched_policy_callback = initp;
	OK(starpu_init(&conf));
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&cl, STARPU_PRIORITY, i % 3, 0));
	OK(starpu_task_wait_for_all());
	CHECK(n == 100);
	starpu_shutdown();
	return 0;
}
