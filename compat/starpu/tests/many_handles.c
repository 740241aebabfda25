/* SPDX-License-Identifier: MIT */
/* More handles than a task has room for, in all ways to pass them. */
#include "check.h"

#define N 150
static void f(void *b[], void *a)
{
	int n = (int)(intptr_t)a;
	for (int i = 0; i < n; i++)
		++*(int *)STARPU_VARIABLE_GET_PTR(b[i]);
	CHECK(STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) == (unsigned)n);
}

static void fi(void *b[], void *a)
{
	(void)a;
	for (int i = 0; i < N; i++)
		++*(int *)STARPU_VARIABLE_GET_PTR(b[i]);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = STARPU_VARIABLE_NBUFFERS };
static struct starpu_codelet cd = { .cpu_funcs = { fi }, .nbuffers = N };

int main(void)
{
	START();
	int v[N];
	starpu_data_handle_t h[N];
	enum starpu_data_access_mode m[N];
	struct starpu_data_descr d[N];
	for (int i = 0; i < N; i++) {
		v[i] = 0;
		starpu_variable_data_register(&h[i], 0, (uintptr_t)&v[i], sizeof v[i]);
		m[i] = STARPU_RW;
		d[i].handle = h[i];
		d[i].mode = STARPU_RW;
	}
	OK(starpu_task_insert(&cl, STARPU_DATA_MODE_ARRAY, d, N, STARPU_CL_ARGS_NFREE, (void *)(intptr_t)N, (size_t)0,
			      0));
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->nbuffers = N;
	t->dyn_handles = malloc(sizeof h);
	memcpy(t->dyn_handles, h, sizeof h);
	t->dyn_modes = malloc(sizeof m);
	memcpy(t->dyn_modes, m, sizeof m);
	t->cl_arg = (void *)(intptr_t)N;
	OK(starpu_task_submit(t));
	cd.dyn_modes = m;
	t = starpu_task_create();
	t->cl = &cd;
	t->dyn_handles = malloc(sizeof h);
	memcpy(t->dyn_handles, h, sizeof h);
	OK(starpu_task_submit(t));
	OK(starpu_task_insert(&cd, STARPU_DATA_ARRAY, h, N, 0));
	t = starpu_task_create();
	t->cl = &cl;
	t->nbuffers = 2;
	t->handles[0] = h[0];
	t->handles[1] = h[1];
	t->modes[0] = t->modes[1] = STARPU_RW;
	t->cl_arg = (void *)2;
	OK(starpu_task_submit(t));
	for (int i = 0; i < N; i++)
		starpu_data_unregister(h[i]);
	CHECK(v[0] == 5 && v[1] == 5 && v[2] == 4 && v[N - 1] == 4);
	starpu_shutdown();
	return 0;
}
