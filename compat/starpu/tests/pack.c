/* SPDX-License-Identifier: MIT */
/* Values packed and unpacked one by one. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)b;
	struct starpu_codelet_pack_arg_data s;
	size_t n = ((size_t *)0 == 0) ? starpu_task_get_current()->cl_arg_size : 0;
	starpu_codelet_unpack_arg_init(&s, a, n);
	int x;
	double y;
	starpu_codelet_unpack_arg(&s, &x, sizeof x);
	CHECK(x == 5);
	starpu_codelet_unpack_arg(&s, &y, sizeof y);
	CHECK(y == 1.5);
	void *p;
	size_t z;
	starpu_codelet_dup_arg(&s, &p, &z);
	CHECK(z == 6 && !strcmp(p, "hello"));
	free(p);
	starpu_codelet_pick_arg(&s, &p, &z);
	CHECK(z == 4);
	starpu_codelet_unpack_discard_arg(&s);
	starpu_codelet_unpack_arg_fini(&s);
	int q;
	char rest[512];
	starpu_codelet_unpack_args_and_copyleft(a, rest, sizeof rest, &q, 0);
	CHECK(q == 5);
	double yy;
	starpu_codelet_unpack_args(rest, &yy, 0);
	CHECK(yy == 1.5);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

int main(void)
{
	START();
	struct starpu_codelet_pack_arg_data s;
	int x = 5, k = 3;
	double y = 1.5;
	starpu_codelet_pack_arg_init(&s);
	starpu_codelet_pack_arg(&s, &x, sizeof x);
	starpu_codelet_pack_arg(&s, &y, sizeof y);
	starpu_codelet_pack_arg(&s, "hello", 6);
	starpu_codelet_pack_arg(&s, &k, 4);
	starpu_codelet_pack_arg(&s, &k, 4);
	void *a;
	size_t n;
	starpu_codelet_pack_arg_fini(&s, &a, &n);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->cl_arg = a;
	t->cl_arg_size = n;
	t->cl_arg_free = 1;
	t->synchronous = 1;
	OK(starpu_task_submit(t));
	starpu_shutdown();
	return 0;
}
