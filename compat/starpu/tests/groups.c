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

static void prepare(void *arg)
{
	CHECK(starpu_worker_get_id() >= 0);
	STARPU_ATOMIC_ADD((int *)arg, 1);
}

int main(void)
{
	int prepared = 0;

	START();
	struct starpu_parallel_worker_config *p = starpu_parallel_worker_init(
		HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_CREATE_FUNC, prepare, STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG,
		&prepared, 0);
	if (!p)
		return 77;
	CHECK(prepared == 1);
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
