/* SPDX-License-Identifier: MIT */
/* Scratch buffers, and one handle several times in a task. */
#include "check.h"

static int used;

static void f(void *b[], void *a)
{
	int *s = (int *)STARPU_VECTOR_GET_PTR(b[1]);
	CHECK(s);
	CHECK(STARPU_VECTOR_GET_NX(b[1]) == 1000);
	for (int i = 0; i < 1000; i++)
		s[i] = i;
	*(int *)STARPU_VARIABLE_GET_PTR(b[0]) += s[999];
	(void)a;
	STARPU_ATOMIC_ADD(&used, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_SCRATCH } };

static void same(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_VARIABLE_GET_PTR(b[0]) == STARPU_VARIABLE_GET_PTR(b[1]));
	++*(int *)STARPU_VARIABLE_GET_PTR(b[0]);
}

static struct starpu_codelet c2 = { .cpu_funcs = { same }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_R } },
			     c3 = { .cpu_funcs = { same }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_RW } },
			     c4 = { .cpu_funcs = { same }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW } };

int main(void)
{
	START();
	int v = 0;
	starpu_data_handle_t h, s;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	starpu_vector_data_register(&s, -1, 0, 1000, sizeof(int));
	for (int i = 0; i < 50; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_SCRATCH, s, 0));
	OK(starpu_task_insert(&c2, STARPU_RW, h, STARPU_R, h, 0));
	OK(starpu_task_insert(&c3, STARPU_RW, h, STARPU_RW, h, 0));
	OK(starpu_task_insert(&c4, STARPU_R, h, STARPU_RW, h, 0));
	starpu_data_unregister(h);
	starpu_data_unregister(s);
	CHECK(v == 50 * 999 + 3);
	starpu_shutdown();
	return 0;
}
