/* SPDX-License-Identifier: MIT */
/* Every kind of argument of starpu_task_insert. */
#include "check.h"

static int cbs;

static void cb(void *a)
{
	cbs += *(int *)a;
}

static void cb2(void *a)
{
	cbs += (int)(intptr_t)a;
}

static void f(void *b[], void *a)
{
	int i;
	float x;
	char buf[16];
	starpu_codelet_unpack_args(a, &i, &x, buf);
	int *v = (int *)STARPU_VARIABLE_GET_PTR(b[0]);
	float *w = (float *)STARPU_VARIABLE_GET_PTR(b[1]);
	CHECK(!strcmp(buf, "hello"));
	*v = i;
	*w = x;
}

static struct starpu_codelet cl = { .cpu_funcs = { f },
				    .cpu_funcs_name = { "f" },
				    .nbuffers = 2,
				    .modes = { STARPU_RW, STARPU_RW },
				    .name = "insert" };
static struct starpu_codelet cl0 = { .cpu_funcs = { f }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_RW } };

static void order(void *b[], void *a)
{
	(void)a;
	int *v = (int *)STARPU_VARIABLE_GET_PTR(b[0]);
	*v *= 2;
}

static struct starpu_codelet clo = { .cpu_funcs = { order }, .nbuffers = 1, .modes = { STARPU_RW } };
static int pro, pop, epi;

static void prologue(void *a)
{
	pro += (int)(intptr_t)a;
}

static void prologue_pop(void *a)
{
	pop += (int)(intptr_t)a;
}

static void epilogue(void *a)
{
	epi += *(int *)a;
}

int main(void)
{
	START();
	int v = 1;
	float w = 2.f;
	starpu_data_handle_t h[2];
	starpu_variable_data_register(&h[0], STARPU_MAIN_RAM, (uintptr_t)&v, sizeof v);
	starpu_variable_data_register(&h[1], STARPU_MAIN_RAM, (uintptr_t)&w, sizeof w);
	int one = 7;
	float x = 3.5f;
	char s[16] = "hello";
	int *carg = malloc(sizeof *carg);
	*carg = 5;
	int *earg = malloc(sizeof *earg);
	*earg = 3;
	OK(starpu_task_insert(&cl, STARPU_VALUE, &one, sizeof one, STARPU_PRIORITY, 1, STARPU_RW, h[0], STARPU_VALUE,
			      &x, sizeof x, STARPU_RW, h[1], STARPU_VALUE, s, sizeof s, STARPU_CALLBACK_WITH_ARG, cb,
			      carg, STARPU_TAG, (starpu_tag_t)12, STARPU_NAME, "my", STARPU_FLOPS, 100.0,
			      STARPU_PROLOGUE_CALLBACK, prologue, STARPU_PROLOGUE_CALLBACK_ARG_NFREE, (void *)1,
			      STARPU_PROLOGUE_CALLBACK_POP, prologue_pop, STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE,
			      (void *)2, STARPU_EPILOGUE_CALLBACK, epilogue, STARPU_EPILOGUE_CALLBACK_ARG, earg,
			      STARPU_EXECUTE_ON_WORKER, 0, STARPU_TASK_COLOR, 0xff00ff, STARPU_HYPERVISOR_TAG, 3, 0));
	OK(starpu_tag_wait(12));
	OK(starpu_task_wait_for_all());
	CHECK(cbs == 5 && pro == 1 && pop == 2 && epi == 3);
	OK(starpu_data_acquire(h[0], STARPU_R));
	CHECK(v == 7);
	starpu_data_release(h[0]);
	OK(starpu_task_insert(&cl, STARPU_DATA_ARRAY, h, 2, STARPU_VALUE, &one, sizeof one, STARPU_VALUE, &x, sizeof x,
			      STARPU_VALUE, s, sizeof s, STARPU_CALLBACK, cb2, STARPU_CALLBACK_ARG_NFREE, (void *)10,
			      STARPU_TASK_SYNCHRONOUS, 1, 0));
	CHECK(cbs == 15);
	struct starpu_data_descr d[2] = { { h[0], STARPU_RW }, { h[1], STARPU_RW } };
	OK(starpu_task_insert(&cl, STARPU_DATA_MODE_ARRAY, d, 2, STARPU_VALUE, &one, sizeof one, STARPU_VALUE, &x,
			      sizeof x, STARPU_VALUE, s, sizeof s, STARPU_EXECUTE_WHERE, STARPU_CPU, 0));
	void *args;
	size_t size;
	starpu_codelet_pack_args(&args, &size, STARPU_VALUE, &one, sizeof one, STARPU_VALUE, &x, sizeof x, STARPU_VALUE,
				 s, sizeof s, 0);
	OK(starpu_task_insert(&cl, STARPU_CL_ARGS, args, size, STARPU_RW, h[0], STARPU_RW, h[1], 0));
	struct starpu_task *t = starpu_task_build(&cl, STARPU_VALUE, &one, sizeof one, STARPU_VALUE, &x, sizeof x,
						  STARPU_VALUE, s, sizeof s, STARPU_RW, h[0], STARPU_RW, h[1],
						  STARPU_CALLBACK_WITH_ARG_NFREE, cb2, (void *)1, 0);
	CHECK(t);
	t->destroy = 0;
	t->detach = 0;
	OK(starpu_task_submit(t));
	struct starpu_task *deps[] = { t };
	OK(starpu_task_insert(&clo, STARPU_TASK_DEPS_ARRAY, 1, deps, STARPU_RW, h[0], 0));
	OK(starpu_task_wait(t));
	starpu_task_destroy(t);
	OK(starpu_task_insert(NULL, STARPU_CALLBACK, cb2, STARPU_CALLBACK_ARG_NFREE, (void *)100, 0));
	OK(starpu_task_wait_for_all());
	CHECK(cbs == 116);
	starpu_data_unregister(h[0]);
	starpu_data_unregister(h[1]);
	CHECK(v == 14 && w == 3.5f);
	(void)cl0;
	starpu_shutdown();
	return 0;
}
