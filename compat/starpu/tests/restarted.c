/* SPDX-License-Identifier: MIT */
/* A static task that is submitted again and again, waited for by itself and by its tag. */
#include "check.h"

static unsigned count;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&count, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

int main(void)
{
	struct starpu_task t = STARPU_TASK_INITIALIZER;
	START();
	t.cl = &cl;
	t.detach = 0;
	for (int i = 0; i < 200; i++) {
		OK(starpu_task_submit(&t));
		OK(starpu_task_wait(&t));
	}
	CHECK(count == 200);
	starpu_task_clean(&t);
	starpu_task_init(&t);
	t.cl = &cl;
	t.use_tag = 1;
	t.tag_id = 42;
	t.detach = 1;
	for (int i = 0; i < 200; i++) {
		OK(starpu_task_submit(&t));
		OK(starpu_tag_wait(42));
	}
	CHECK(count == 400);
	OK(starpu_task_wait_for_all());
	starpu_task_clean(&t);
	starpu_shutdown();
	return 0;
}
