/* SPDX-License-Identifier: MIT */
/* A graph whose last task submits all its tasks again: dependencies are declared once. */
#include "check.h"

/* callback of the last task submits the whole graph again; static tasks */
static unsigned n = 300, loop;
static struct starpu_task *t[4];
static unsigned count;
static int done;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&count, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

static void go(void)
{
	starpu_task_declare_deps(t[1], 1, t[0]);
	struct starpu_task *d[] = { t[1], t[2] };
	starpu_task_declare_deps_array(t[2], 1, t);
	starpu_task_declare_deps_array(t[3], 2, d);
	OK(starpu_task_submit(t[1]));
	OK(starpu_task_submit(t[2]));
	OK(starpu_task_submit(t[3]));
	OK(starpu_task_submit(t[0]));
}

static void cbd(void *a)
{
	(void)a;
	if (++loop == n)
		done = 1;
	else {
		OK(starpu_task_submit(t[1]));
		OK(starpu_task_submit(t[2]));
		OK(starpu_task_submit(t[3]));
		OK(starpu_task_submit(t[0]));
	}
}

int main(void)
{
	START();
	for (int i = 0; i < 4; i++) {
		t[i] = starpu_task_create();
		t[i]->cl = &cl;
		t[i]->destroy = 0;
	}
	t[3]->callback_func = cbd;
	go();
	OK(starpu_task_wait_for_all());
	CHECK(done);
	printf("%u\n", count);
	CHECK(count == 4 * n);
	for (int i = 0; i < 4; i++)
		starpu_task_destroy(t[i]);
	starpu_shutdown();
	return 0;
}
