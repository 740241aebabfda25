/* SPDX-License-Identifier: MIT */
/* Threads that start, submit and wait at once. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

static void *th(void *a)
{
	(void)a;
	int v = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	static struct starpu_codelet c1 = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };
	for (int i = 0; i < 500; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		t->detach = i % 2;
		OK(starpu_task_submit(t));
		if (!(i % 2))
			OK(starpu_task_wait(t));
		OK(starpu_task_insert(&c1, STARPU_RW, h, 0));
	}
	starpu_data_unregister(h);
	return NULL;
}

static void *ini(void *a)
{
	(void)a;
	int r = starpu_init(NULL);
	OK(r);
	return NULL;
}

int main(void)
{
	starpu_pthread_t t[8];
	for (int i = 0; i < 8; i++)
		STARPU_PTHREAD_CREATE(&t[i], NULL, ini, NULL);
	for (int i = 0; i < 8; i++)
		STARPU_PTHREAD_JOIN(t[i], NULL);
	for (int i = 0; i < 8; i++)
		STARPU_PTHREAD_CREATE(&t[i], NULL, th, NULL);
	for (int i = 0; i < 8; i++)
		STARPU_PTHREAD_JOIN(t[i], NULL);
	OK(starpu_task_wait_for_all());
	CHECK(n == 8000);
	for (int i = 0; i < 8; i++)
		starpu_shutdown();
	return 0;
}
