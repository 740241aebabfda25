/* SPDX-License-Identifier: MIT */
/* Accesses without order still exclude each other. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)a;
	int *p = (int *)STARPU_VARIABLE_GET_PTR(b[0]);
	(*p)++;
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };

int main(void)
{
	START();
	int v = 0;
	starpu_data_set_default_sequential_consistency_flag(0);
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	CHECK(!starpu_data_get_sequential_consistency_flag(h));
	for (int i = 0; i < 500; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
	OK(starpu_task_wait_for_all());
	CHECK(v == 500);
	struct starpu_task *a = starpu_task_create(), *b = starpu_task_create();
	a->cl = b->cl = &cl;
	a->handles[0] = b->handles[0] = h;
	starpu_task_declare_deps(a, 1, b);
	OK(starpu_task_submit(a));
	OK(starpu_task_submit(b));
	OK(starpu_task_wait_for_all());
	starpu_data_set_sequential_consistency_flag(h, 1);
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_SEQUENTIAL_CONSISTENCY, 0, 0));
	unsigned char sc[1] = { 0 };
	OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, sc, 0));
	OK(starpu_task_wait_for_all());
	starpu_data_unregister(h);
	CHECK(v == 603);
	starpu_data_set_default_sequential_consistency_flag(1);
	starpu_shutdown();
	return 0;
}
