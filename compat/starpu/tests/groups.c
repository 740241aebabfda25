/* SPDX-License-Identifier: MIT */
/* Groups of workers, which are accepted. */
#include "check.h"
#include <hwloc.h>

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };

int main(void)
{
	START();
	struct starpu_parallel_worker_config *p = starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, 0);
	if (!p)
		return 77;
	starpu_parallel_worker_print(p);
	int v;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	for (int i = 0; i < 10; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
	OK(starpu_task_wait_for_all());
	starpu_data_unregister(h);
	CHECK(n == 10);
	starpu_parallel_worker_shutdown(p);
	starpu_shutdown();
	return 0;
}
