/* SPDX-License-Identifier: MIT */
/* Planned partitions: submitted, read-only, upgraded, nested, and by themselves. */
#include "check.h"

#define NX 40
#define P 4
static void wr(void *b[], void *a)
{
	int f = (int)(intptr_t)a;
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(b[0]); i++)
		x[i] = x[i] * 2 + f;
}

static struct starpu_codelet cw = { .cpu_funcs = { wr }, .nbuffers = 1, .modes = { STARPU_RW } };

static void rd(void *b[], void *a)
{
	(void)b;
	(void)a;
}

static struct starpu_codelet cr = { .cpu_funcs = { rd }, .nbuffers = 1, .modes = { STARPU_R } };

static void chk(void *b[], void *a)
{
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]);
	for (unsigned i = 1; i < STARPU_VECTOR_GET_NX(b[0]); i++)
		CHECK(x[i] == (int)(intptr_t)a);
}

static struct starpu_codelet cc = { .cpu_funcs = { chk }, .nbuffers = 1, .modes = { STARPU_R } };

static void done(void *a)
{
	++*(int *)a;
}

int main(void)
{
	START();
	int v[NX] = { 0 };
	starpu_data_handle_t h, c[P], d[2], s[2];
	starpu_vector_data_register(&h, 0, (uintptr_t)v, NX, sizeof *v);
	struct starpu_data_filter f = { .filter_func = starpu_vector_filter_block, .nchildren = P },
				  g = { .filter_func = starpu_vector_filter_block, .nchildren = 2 };
	starpu_data_partition_plan(h, &f, c);
	starpu_data_partition_plan(h, &g, d);
	starpu_data_partition_plan(c[0], &g, s);
	CHECK(starpu_data_partition_get_nplans(h) == 2);
	OK(starpu_task_insert(&cw, STARPU_RW, h, STARPU_CL_ARGS_NFREE, (void *)1, (size_t)0, 0));
	starpu_data_partition_submit(h, P, c);
	for (int i = 0; i < P; i++)
		OK(starpu_task_insert(&cw, STARPU_RW, c[i], STARPU_CL_ARGS_NFREE, (void *)1, (size_t)0, 0));
	starpu_data_partition_submit(c[0], 2, s);
	for (int i = 0; i < 2; i++)
		OK(starpu_task_insert(&cw, STARPU_RW, s[i], STARPU_CL_ARGS_NFREE, (void *)0, (size_t)0, 0));
	starpu_data_unpartition_submit(c[0], 2, s, -1);
	starpu_data_unpartition_submit(h, P, c, -1);
	OK(starpu_data_acquire(h, STARPU_RW));
	for (int i = 0; i < NX; i++)
		CHECK(v[i] == (i < 10 ? 6 : 3));
	for (int i = 0; i < NX; i++)
		v[i] = 5;
	starpu_data_release(h);
	starpu_data_partition_readonly_submit(h, P, c);
	starpu_data_partition_readonly_submit(h, 2, d);
	for (int i = 0; i < P; i++)
		OK(starpu_task_insert(&cc, STARPU_R, c[i], STARPU_CL_ARGS_NFREE, (void *)5, (size_t)0, 0));
	for (int i = 0; i < 2; i++)
		OK(starpu_task_insert(&cc, STARPU_R, d[i], STARPU_CL_ARGS_NFREE, (void *)5, (size_t)0, 0));
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)5, (size_t)0, 0));
	starpu_data_unpartition_submit(h, 2, d, -1);
	starpu_data_partition_readwrite_upgrade_submit(h, P, c);
	for (int i = 0; i < P; i++)
		OK(starpu_task_insert(&cw, STARPU_RW, c[i], STARPU_CL_ARGS_NFREE, (void *)0, (size_t)0, 0));
	int n = 0;
	starpu_data_unpartition_submit_sequential_consistency_cb(h, P, c, STARPU_MAIN_RAM, 1, done, &n);
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)10, (size_t)0, 0));
	OK(starpu_task_wait_for_all());
	CHECK(n == 1);
	/* implicit */ for (int k = 0; k < 5; k++) {
		OK(starpu_task_insert(&cw, STARPU_RW, h, STARPU_CL_ARGS_NFREE, (void *)0, (size_t)0, 0));
		for (int i = 0; i < P; i++)
			OK(starpu_task_insert(&cw, STARPU_RW, c[i], STARPU_CL_ARGS_NFREE, (void *)0, (size_t)0, 0));
		for (int i = 0; i < 2; i++)
			OK(starpu_task_insert(&cr, STARPU_R, d[i], 0));
		for (int i = 0; i < 2; i++)
			OK(starpu_task_insert(&cw, STARPU_RW, s[i], STARPU_CL_ARGS_NFREE, (void *)0, (size_t)0, 0));
	}
	starpu_data_partition_clean(c[0], 2, s);
	starpu_data_partition_clean_node(h, P, c, STARPU_MAIN_RAM);
	starpu_data_partition_clean(h, 2, d);
	starpu_data_unregister(h);
	for (int i = 0; i < NX; i++)
		CHECK(v[i] == 10 * 1024 * (i < 10 ? 32 : 1));
	starpu_shutdown();
	return 0;
}
