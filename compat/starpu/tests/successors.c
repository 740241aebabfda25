/* SPDX-License-Identifier: MIT */
/* The tasks that wait for another one. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

int main(void)
{
	START();
	starpu_pause();
	struct starpu_task *t[4];
	for (int i = 0; i < 4; i++) {
		t[i] = starpu_task_create();
		t[i]->cl = &cl;
	}
	starpu_task_declare_deps_array(t[1], 1, t);
	starpu_task_declare_deps(t[2], 1, t[0]);
	struct starpu_task *s[4];
	CHECK(starpu_task_get_task_succs(t[0], 4, s) == 2);
	CHECK((s[0] == t[1] && s[1] == t[2]) || (s[0] == t[2] && s[1] == t[1]));
	for (int i = 0; i < 4; i++)
		OK(starpu_task_submit(t[i]));
	starpu_resume();
	OK(starpu_task_wait_for_all());
	starpu_data_handle_t h;
	int v = 0;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
