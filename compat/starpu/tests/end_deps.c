/* SPDX-License-Identifier: MIT */
/* Tasks that end only after others, or when the program says so. */
#include "check.h"

static int x;

static void f1(void *b[], void *a)
{
	(void)b;
	(void)a;
	usleep(5000);
	x = 1;
}

static void f0(void *b[], void *a)
{
	(void)a;
	*(int *)STARPU_VARIABLE_GET_PTR(b[0]) = 12;
}

static struct starpu_codelet c1 = { .cpu_funcs = { f1 } },
			     c0 = { .cpu_funcs = { f0 }, .nbuffers = 1, .modes = { STARPU_RW } };

static void fr(void *b[], void *a)
{
	(void)a;
	CHECK(x == 1);
	CHECK(*(int *)STARPU_VARIABLE_GET_PTR(b[0]) == 12);
	x = 5;
}

static struct starpu_codelet cr = { .cpu_funcs = { fr }, .nbuffers = 1, .modes = { STARPU_R } };
static struct starpu_task *A;

static void relcb(void *a)
{
	(void)a;
	starpu_task_end_dep_release(A);
}

int main(void)
{
	START();
	struct starpu_task *a = starpu_task_create(), *b = starpu_task_create(), *c = starpu_task_create();
	int v = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	a->cl = &c0;
	a->handles[0] = h;
	a->name = "a";
	b->cl = &c1;
	b->name = "b";
	c->cl = &cr;
	c->handles[0] = h;
	starpu_task_declare_end_deps_array(a, 1, &b);
	OK(starpu_task_submit(a));
	OK(starpu_task_submit(c));
	usleep(20000);
	CHECK(x == 0);
	OK(starpu_task_submit(b));
	OK(starpu_task_wait_for_all());
	CHECK(x == 5);
	x = 0;
	A = starpu_task_create();
	A->cl = &c0;
	A->handles[0] = h;
	A->detach = 0;
	starpu_task_end_dep_add(A, 1);
	OK(starpu_task_submit(A));
	struct starpu_task *B = starpu_task_create();
	B->cl = &c1;
	B->callback_func = relcb;
	OK(starpu_task_submit(B));
	OK(starpu_task_wait(A));
	CHECK(x == 1);
	x = 0;
	struct starpu_task *e = starpu_task_create();
	e->cl = &c1;
	struct starpu_task *ee[] = { e };
	OK(starpu_task_insert(&c0, STARPU_RW, h, STARPU_TASK_END_DEPS_ARRAY, 1, ee, 0));
	OK(starpu_task_submit(e));
	OK(starpu_data_acquire(h, STARPU_R));
	CHECK(x == 1);
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
