/* SPDX-License-Identifier: MIT */
/* Epochs of a transaction, one of which is not run. */
#include "check.h"

static int st(void *d, void *a)
{
	(void)d;
	return a == NULL || *(int *)a;
}

static int n;

static void f(void *b[], void *a)
{
	(void)a;
	++*(int *)STARPU_VARIABLE_GET_PTR(b[0]);
	n++;
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };

static int startf(struct starpu_transaction_descr *d, void *a)
{
	(void)d;
	return *(int *)a;
}

int main(void)
{
	START();
	int v = 0, y = 1, no = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	struct starpu_transaction *t = starpu_transaction_open(
		(int (*)(struct starpu_transaction_descr *, void *))startf, &y);
	CHECK(t);
	for (int i = 0; i < 5; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_TRANSACTION, t, 0));
	starpu_transaction_next_epoch(t, &no);
	for (int i = 0; i < 5; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_TRANSACTION, t, 0));
	starpu_transaction_next_epoch(t, &y);
	OK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_TRANSACTION, t, 0));
	starpu_transaction_close(t);
	OK(starpu_task_wait_for_all());
	starpu_data_unregister(h);
	CHECK(v == 6);
	(void)st;
	starpu_shutdown();
	return 0;
}
