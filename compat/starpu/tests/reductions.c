/* SPDX-License-Identifier: MIT */
/* Reductions with and without content, lazily initialised, and with arguments. */
#include "check.h"

static void init(void *b[], void *a)
{
	(void)a;
	*(int *)STARPU_VARIABLE_GET_PTR(b[0]) = 0;
}

static void red(void *b[], void *a)
{
	(void)a;
	*(int *)STARPU_VARIABLE_GET_PTR(b[0]) += *(int *)STARPU_VARIABLE_GET_PTR(b[1]);
}

static void inc(void *b[], void *a)
{
	(void)a;
	++*(int *)STARPU_VARIABLE_GET_PTR(b[0]);
}

static void chk(void *b[], void *a)
{
	CHECK(*(int *)STARPU_VARIABLE_GET_PTR(b[0]) == (int)(intptr_t)a);
}

static struct starpu_codelet ci = { .cpu_funcs = { init }, .nbuffers = 1, .modes = { STARPU_W } },
			     cr = { .cpu_funcs = { red },
				    .nbuffers = 2,
				    .modes = { STARPU_RW | STARPU_COMMUTE, STARPU_R } },
			     cinc = { .cpu_funcs = { inc }, .nbuffers = 1, .modes = { STARPU_REDUX } },
			     crw = { .cpu_funcs = { inc }, .nbuffers = 1, .modes = { STARPU_RW } },
			     cc = { .cpu_funcs = { chk }, .nbuffers = 1, .modes = { STARPU_R } },
			     ccm = { .cpu_funcs = { inc }, .nbuffers = 1, .modes = { STARPU_RW | STARPU_COMMUTE } };

static void initv(void *b[], void *a)
{
	CHECK(*(int *)a == 3);
	memset((void *)STARPU_VECTOR_GET_PTR(b[0]), 0, STARPU_VECTOR_GET_NX(b[0]) * sizeof(int));
}

static void redv(void *b[], void *a)
{
	CHECK(*(int *)a == 4);
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]), *y = (int *)STARPU_VECTOR_GET_PTR(b[1]);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(b[0]); i++)
		x[i] += y[i];
}

static void incv(void *b[], void *a)
{
	(void)a;
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(b[0]); i++)
		x[i]++;
}

static struct starpu_codelet cvi = { .cpu_funcs = { initv }, .nbuffers = 1, .modes = { STARPU_W } },
			     cvr = { .cpu_funcs = { redv },
				     .nbuffers = 2,
				     .modes = { STARPU_RW | STARPU_COMMUTE, STARPU_R } },
			     cvinc = { .cpu_funcs = { incv }, .nbuffers = 1, .modes = { STARPU_REDUX } };

/* Parts have the reduction methods of the whole. */
static void parts_are_reduced(void)
{
	struct starpu_data_filter halves = { .filter_func = starpu_vector_filter_block, .nchildren = 2 };
	starpu_data_handle_t h, parts[2];
	int vec[10] = { 0 }, three = 3, four = 4;

	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)vec, 10, sizeof *vec);
	starpu_data_set_reduction_methods_with_args(h, &cvr, &four, &cvi, &three);
	starpu_data_partition(h, &halves);
	for (int i = 0; i < 20; i++)
		OK(starpu_task_insert(&cvinc, STARPU_REDUX, starpu_data_get_sub_data(h, 1, i % 2), 0));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_partition_plan(h, &halves, parts);
	starpu_data_partition_submit(h, 2, parts);
	for (int i = 0; i < 20; i++)
		OK(starpu_task_insert(&cvinc, STARPU_REDUX, parts[i % 2], 0));
	starpu_data_unpartition_submit(h, 2, parts, STARPU_MAIN_RAM);
	starpu_data_partition_clean(h, 2, parts);
	starpu_data_unregister(h);
	CHECK(vec[0] == 20 && vec[9] == 20);
}

int main(void)
{
	START();
	parts_are_reduced();
	int v = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	starpu_data_set_reduction_methods(h, &cr, &ci);
	for (int l = 0; l < 4; l++) {
		for (int i = 0; i < 100; i++)
			OK(starpu_task_insert(&cinc, STARPU_REDUX, h, 0));
		OK(starpu_data_acquire(h, STARPU_R));
		CHECK(v == 100 * (l + 1));
		starpu_data_release(h);
	}
	for (int i = 0; i < 50; i++) {
		OK(starpu_task_insert(&cinc, STARPU_REDUX, h, 0));
		if (i % 10 == 9)
			OK(starpu_task_insert(&crw, STARPU_RW, h, 0));
	}
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)455, (size_t)0, 0));
	for (int i = 0; i < 45; i++)
		OK(starpu_task_insert(&ccm, STARPU_RW | STARPU_COMMUTE, h, 0));
	starpu_data_unregister(h);
	CHECK(v == 500);
	/* lazy: no home */ starpu_variable_data_register(&h, -1, 0, sizeof v);
	starpu_data_set_reduction_methods(h, &cr, &ci);
	for (int i = 0; i < 77; i++)
		OK(starpu_task_insert(&cinc, STARPU_REDUX, h, 0));
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)77, (size_t)0, 0));
	OK(starpu_data_acquire(h, STARPU_R));
	CHECK(*(int *)starpu_data_get_local_ptr(h) == 77);
	starpu_data_release(h);
	starpu_data_unregister(h);
	/* init on first RW */ starpu_variable_data_register(&h, -1, 0, sizeof v);
	starpu_data_set_reduction_methods(h, NULL, &ci);
	OK(starpu_task_insert(&crw, STARPU_RW, h, 0));
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)1, (size_t)0, 0));
	starpu_data_invalidate_submit(h);
	OK(starpu_task_insert(&crw, STARPU_RW, h, 0));
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)1, (size_t)0, 0));
	starpu_data_unregister_submit(h);
	OK(starpu_task_wait_for_all());
	int vec[50] = { 0 };
	int a3 = 3, a4 = 4;
	starpu_vector_data_register(&h, 0, (uintptr_t)vec, 50, sizeof *vec);
	starpu_data_set_reduction_methods_with_args(h, &cvr, &a4, &cvi, &a3);
	for (int i = 0; i < 60; i++)
		OK(starpu_task_insert(&cvinc, STARPU_REDUX, h, 0));
	starpu_data_unregister(h);
	for (int i = 0; i < 50; i++)
		CHECK(vec[i] == 60);
	/* wontuse, acquire REDUX result unregister no_coherency */ starpu_variable_data_register(&h, 0, (uintptr_t)&v,
												  sizeof v);
	starpu_data_set_reduction_methods(h, &cr, &ci);
	OK(starpu_task_insert(&cinc, STARPU_REDUX, h, 0));
	starpu_data_wont_use(h);
	starpu_data_unregister(h);
	CHECK(v == 501);
	starpu_shutdown();
	return 0;
}
