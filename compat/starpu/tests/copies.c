/* SPDX-License-Identifier: MIT */
/* Read-only copies, copies of handles, packing, and where data is. */
#include "check.h"

static void set(void *b[], void *a)
{
	*(int *)STARPU_VARIABLE_GET_PTR(b[0]) = (int)(intptr_t)a;
}

static void chk(void *b[], void *a)
{
	CHECK(*(int *)STARPU_VARIABLE_GET_PTR(b[0]) == (int)(intptr_t)a);
}

static struct starpu_codelet cs = { .cpu_funcs = { set }, .nbuffers = 1, .modes = { STARPU_W } },
			     cc = { .cpu_funcs = { chk }, .nbuffers = 1, .modes = { STARPU_R } };
static int cbn;

static void cb(void *a)
{
	cbn += (int)(intptr_t)a;
}

int main(void)
{
	START();
	int v = 42;
	starpu_data_handle_t h, d1, d2, d3;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	OK(starpu_data_dup_ro(&d1, h, 1));
	OK(starpu_data_dup_ro(&d2, h, 1));
	CHECK(d1 == d2);
	OK(starpu_task_insert(&cs, STARPU_W, h, STARPU_CL_ARGS_NFREE, (void *)7, (size_t)0, 0));
	OK(starpu_data_dup_ro(&d3, h, 1));
	CHECK(d3 != d1);
	OK(starpu_task_insert(&cc, STARPU_R, d1, STARPU_CL_ARGS_NFREE, (void *)42, (size_t)0, 0));
	OK(starpu_task_insert(&cc, STARPU_R, d3, STARPU_CL_ARGS_NFREE, (void *)7, (size_t)0, 0));
	starpu_data_unregister(d1);
	starpu_data_unregister(d2);
	starpu_data_unregister(d3);
	starpu_data_handle_t x;
	starpu_variable_data_register(&x, -1, 0, sizeof v);
	OK(starpu_data_cpy(x, h, 1, cb, (void *)3));
	OK(starpu_task_wait_for_all());
	CHECK(cbn == 3);
	OK(starpu_data_cpy(x, h, 0, NULL, NULL));
	OK(starpu_data_acquire(x, STARPU_R));
	CHECK(*(int *)starpu_data_get_local_ptr(x) == 7);
	starpu_data_release(x);
	starpu_data_unregister_submit(x);
	starpu_data_handle_t s;
	starpu_data_register_same(&s, h);
	OK(starpu_task_insert(&cs, STARPU_W, s, STARPU_CL_ARGS_NFREE, (void *)9, (size_t)0, 0));
	OK(starpu_data_cpy_priority(h, s, 1, NULL, NULL, 3));
	starpu_data_unregister(s);
	OK(starpu_data_acquire(h, STARPU_R));
	CHECK(v == 9);
	starpu_data_release(h);
	void *p;
	starpu_ssize_t n;
	OK(starpu_data_pack(h, &p, &n));
	CHECK(n == (starpu_ssize_t)sizeof v);
	v = 0;
	OK(starpu_data_unpack(h, p, n));
	CHECK(v == 9);
	OK(starpu_data_prefetch_on_node(h, STARPU_MAIN_RAM, 1));
	OK(starpu_data_fetch_on_node(h, 0, 0));
	OK(starpu_data_idle_prefetch_on_node(h, 0, 1));
	starpu_data_wont_use(h);
	starpu_data_set_wt_mask(h, 1);
	CHECK(starpu_data_lookup(&v) == h);
	CHECK(starpu_data_handle_to_pointer(h, 0) == &v);
	int al, va, rq;
	starpu_data_query_status(h, 0, &al, &va, &rq);
	CHECK(al && va);
	CHECK(starpu_variable_get_elemsize(h) == sizeof v);
	CHECK(starpu_data_get_size(h) == sizeof v);
	CHECK(starpu_data_get_interface_id(h) == STARPU_VARIABLE_INTERFACE_ID);
	starpu_data_unregister_no_coherency(h);
	CHECK(starpu_data_lookup(&v) == NULL);
	starpu_variable_data_register(&h, -1, 0, sizeof v);
	OK(starpu_task_insert(&cs, STARPU_W, h, STARPU_CL_ARGS_NFREE, (void *)7, (size_t)0, 0));
	starpu_data_deinitialize_submit(h);
	OK(starpu_task_insert(&cs, STARPU_W, h, STARPU_CL_ARGS_NFREE, (void *)8, (size_t)0, 0));
	OK(starpu_task_insert(&cc, STARPU_R, h, STARPU_CL_ARGS_NFREE, (void *)8, (size_t)0, 0));
	starpu_data_invalidate(h);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
