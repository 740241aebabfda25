/* SPDX-License-Identifier: MIT */
/* Dependencies declared in callbacks, on tasks that have ended, and after the other task's submission. */
#include "check.h"

static int order[3], k;

static void f(void *b[], void *a)
{
	(void)b;
	usleep(2000);
	order[k++] = (int)(intptr_t)a;
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };
static struct starpu_task *a, *b, *cc;

static void cb(void *x)
{
	(void)x;
	starpu_task_declare_deps_array(cc, 1, &b);
	OK(starpu_task_submit(cc));
	OK(starpu_task_submit(b));
}

int main(void)
{
	START();
	a = starpu_task_create();
	b = starpu_task_create();
	cc = starpu_task_create();
	a->cl = b->cl = cc->cl = &cl;
	a->cl_arg = (void *)0;
	b->cl_arg = (void *)1;
	cc->cl_arg = (void *)2;
	a->detach = b->detach = cc->detach = 0;
	a->callback_func = cb;
	a->destroy = b->destroy = 0;
	OK(starpu_task_submit(a));
	OK(starpu_task_wait(a));
	OK(starpu_task_wait(b));
	OK(starpu_task_wait(cc));
	CHECK(order[0] == 0 && order[1] == 1 && order[2] == 2);
	/* dependency on tasks already finished */
	struct starpu_task *d = starpu_task_create();
	d->cl = &cl;
	k = 0;
	d->detach = 0;
	struct starpu_task *x[] = { a, b };
	starpu_task_declare_deps_array(d, 2, x);
	OK(starpu_task_submit(d));
	OK(starpu_task_wait(d));
	starpu_task_destroy(a);
	starpu_task_destroy(b);
	/* dependency declared after submission of the prerequisite, many times */
	for (int i = 0; i < 100; i++) {
		struct starpu_task *p = starpu_task_create(), *q = starpu_task_create();
		p->cl = q->cl = &cl;
		k = 0;
		p->detach = 0;
		p->destroy = 0;
		q->detach = 0;
		OK(starpu_task_submit(p));
		starpu_task_declare_deps_array(q, 1, &p);
		OK(starpu_task_submit(q));
		OK(starpu_task_wait(q));
		OK(starpu_task_wait(p));
		starpu_task_destroy(p);
	}
	/* synchronous */
	{
		struct starpu_task *p = starpu_task_create();
		p->cl = &cl;
		p->synchronous = 1;
		k = 0;
		OK(starpu_task_submit(p));
		CHECK(k == 1);
	}
	{
		struct starpu_task *p = starpu_task_create(), *q = starpu_task_create();
		p->cl = q->cl = &cl;
		k = 0;
		p->destroy = 0;
		p->synchronous = 1;
		q->synchronous = 1;
		OK(starpu_task_submit(p));
		starpu_task_declare_deps_array(q, 1, &p);
		OK(starpu_task_submit(q));
		CHECK(k == 2);
		starpu_task_destroy(p);
	}
	starpu_shutdown();
	return 0;
}
