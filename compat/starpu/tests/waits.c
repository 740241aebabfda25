/* SPDX-License-Identifier: MIT */
/* All ways to wait for tasks and tags. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	usleep(500);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

static struct starpu_task *mk(void)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->detach = 0;
	return t;
}

int main(void)
{
	START();
	for (int k = 0; k < 20; k++) {
		struct starpu_task *a = mk(), *b = mk(), *c = mk(), *d = mk(), *e = mk();
		struct starpu_task *d1[] = { a }, *d2[] = { b, c }, *d3[] = { d };
		starpu_task_declare_deps_array(b, 1, d1);
		starpu_task_declare_deps_array(c, 1, d1);
		starpu_task_declare_deps_array(d, 2, d2);
		starpu_task_declare_deps_array(e, 1, d3);
		OK(starpu_task_submit(e));
		OK(starpu_task_submit(d));
		OK(starpu_task_submit(c));
		OK(starpu_task_submit(b));
		OK(starpu_task_submit(a));
		struct starpu_task *all[] = { a, b, c, d, e };
		OK(starpu_task_wait_array(all, 5));
	}
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&cl, 0));
	OK(starpu_task_wait_for_n_submitted(10));
	CHECK(starpu_task_nsubmitted() <= 10);
	OK(starpu_task_wait_for_no_ready());
	OK(starpu_task_wait_for_all());
	CHECK(starpu_task_nsubmitted() == 0 && starpu_task_nready() == 0);
	starpu_tag_t tags[3] = { 100, 101, 102 };
	for (int i = 0; i < 3; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		t->use_tag = 1;
		t->tag_id = tags[i];
		OK(starpu_task_submit(t));
	}
	OK(starpu_tag_wait_array(3, tags));
	for (int i = 0; i < 3; i++)
		starpu_tag_remove(tags[i]);
	starpu_create_sync_task(200, 0, NULL, NULL, NULL);
	OK(starpu_tag_wait(200));
	starpu_tag_t dd[] = { 200, 201 };
	int got = 0;
	(void)got;
	starpu_create_sync_task(202, 2, dd, NULL, NULL);
	starpu_create_sync_task(201, 1, dd, NULL, NULL);
	OK(starpu_tag_wait(202));
	starpu_create_callback_task((void (*)(void *))free, malloc(4));
	OK(starpu_task_wait_for_all());
	starpu_shutdown();
	return 0;
}
