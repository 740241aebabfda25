/* SPDX-License-Identifier: MIT */
/* What a program forgot before it shuts down: tags that never come, data that is not released. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	n++;
}

static struct starpu_codelet cl = { .cpu_funcs = { f } },
			     c1 = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };

static void ncb(void *a)
{
	(void)a;
}

int main(void)
{
	START();
	int v = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->use_tag = 1;
	t->tag_id = 5;
	starpu_tag_declare_deps(5, 1, (starpu_tag_t)6);
	OK(starpu_task_submit(t));
	OK(starpu_data_acquire(h, STARPU_RW));
	OK(starpu_task_insert(&c1, STARPU_RW, h, 0));
	OK(starpu_data_acquire_cb(h, STARPU_R, ncb, NULL));
	starpu_shutdown();
	CHECK(n == 1);
	START();
	OK(starpu_task_insert(&cl, 0));
	OK(starpu_task_wait_for_all());
	CHECK(n == 2);
	starpu_shutdown();
	return 0;
}
