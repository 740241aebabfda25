/* SPDX-License-Identifier: MIT */
/* A tag orders two tasks against the order of their accesses, of which one has none. */
#include "check.h"

static int a_done;

static void fa(void *b[], void *x)
{
	(void)b;
	(void)x;
	usleep(10000);
	a_done = 1;
}

static void fb(void *b[], void *x)
{
	(void)b;
	(void)x;
	CHECK(a_done);
}

static struct starpu_codelet ca = { .cpu_funcs = { fa }, .nbuffers = 1, .modes = { STARPU_RW } },
			     cb = { .cpu_funcs = { fb }, .nbuffers = 1, .modes = { STARPU_RW } };

int main(void)
{
	START();
	int v = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&v, sizeof v);
	struct starpu_task *A = starpu_task_create(), *B = starpu_task_create();
	A->cl = &ca;
	B->cl = &cb;
	A->use_tag = 1;
	A->tag_id = 0;
	A->handles[0] = h;
	A->sequential_consistency = 0;
	B->handles[0] = h;
	B->use_tag = 1;
	B->tag_id = 1;
	starpu_tag_declare_deps(1, 1, (starpu_tag_t)0);
	OK(starpu_task_submit(B));
	OK(starpu_task_submit(A));
	OK(starpu_task_wait_for_all());
	CHECK(a_done);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
