/* SPDX-License-Identifier: MIT */
/* What a codelet or callback may ask, and must not wait for. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)b;
	struct starpu_task *t = starpu_task_get_current();
	CHECK(t == (struct starpu_task *)a);
	CHECK(starpu_task_get_job_id(t));
	CHECK(starpu_worker_get_id() >= 0);
	CHECK(starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CPU_WORKER);
	int sync = starpu_task_wait_for_all();
	CHECK(sync == -EDEADLK);
	struct starpu_task *q = starpu_task_create();
	q->cl = NULL;
	q->synchronous = 1;
	CHECK(starpu_task_submit(q) == -EDEADLK);
	q->synchronous = 0;
	starpu_task_destroy(q);
}

static void cb(void *a)
{
	CHECK(starpu_task_get_current() == a);
	CHECK(starpu_task_wait_for_all() == -EDEADLK);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

static void f2(void *b[], void *a)
{
	(void)b;
	starpu_data_handle_t h = *(starpu_data_handle_t *)a;
	CHECK(starpu_data_acquire(h, STARPU_R) == -EDEADLK);
	CHECK(starpu_tag_wait(5) == -EDEADLK);
	OK(starpu_data_acquire_cb(h, STARPU_R, (void (*)(void *))starpu_data_release, h));
}

static struct starpu_codelet cl2 = { .cpu_funcs = { f2 }, .nbuffers = 0 };

int main(void)
{
	START();
	CHECK(starpu_task_get_current() == NULL);
	CHECK(starpu_worker_get_id() == -1);
	for (int i = 0; i < 50; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		t->cl_arg = t;
		t->callback_func = cb;
		t->callback_arg = t;
		OK(starpu_task_submit(t));
	}
	OK(starpu_task_wait_for_all());
	int v;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl2;
	t->cl_arg = &h;
	t->cl_arg_size = sizeof h;
	OK(starpu_task_submit(t));
	OK(starpu_task_wait_for_all());
	starpu_shutdown();
	return 0;
}
