/* SPDX-License-Identifier: MIT */
/* Acquiring in all forms, with the modes lowered while it is held. */
#include "check.h"

static int n, rel;
static starpu_data_handle_t h;
static int v;

static void f(void *b[], void *a)
{
	(void)a;
	++*(int *)STARPU_VARIABLE_GET_PTR(b[0]);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };

static void cb(void *a)
{
	n++;
	CHECK(a == &n);
	v += 10;
	starpu_data_release(h);
}

static void cbi(void *a)
{
	CHECK(a == &rel);
	rel++;
	OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
	starpu_data_release(h);
}

static void cbto(void *a)
{
	(void)a;
	starpu_data_release_to(h, STARPU_R);
	n++;
	starpu_data_release(h);
}

int main(void)
{
	START();
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&v, sizeof v);
	for (int i = 0; i < 10; i++)
		OK(starpu_data_acquire_cb(h, STARPU_RW, cb, &n));
	OK(starpu_task_wait_for_all());
	OK(starpu_data_acquire(h, STARPU_RW));
	CHECK(v == 100);
	v = 0;
	OK(starpu_data_acquire_try(h, STARPU_R) == -EAGAIN ? 0 : 1);
	starpu_data_release_to(h, STARPU_R);
	OK(starpu_data_acquire_try(h, STARPU_R));
	starpu_data_release(h);
	starpu_data_release_to(h, STARPU_NONE);
	starpu_data_acquire_cb(h, STARPU_RW, cbi, &rel);
	OK(starpu_task_wait_for_all());
	OK(starpu_data_acquire_on_node(h, STARPU_MAIN_RAM, STARPU_R));
	CHECK(v == 1);
	starpu_data_release_on_node(h, STARPU_MAIN_RAM);
	OK(starpu_data_acquire_on_node(h, -1, STARPU_R));
	starpu_data_release_on_node(h, -1);
	OK(starpu_data_acquire_on_node(h, STARPU_ACQUIRE_NO_NODE, STARPU_R));
	starpu_data_release_on_node(h, STARPU_ACQUIRE_NO_NODE);
	OK(starpu_data_acquire_on_node(h, STARPU_ACQUIRE_NO_NODE_LOCK_ALL, STARPU_RW));
	starpu_data_release_on_node(h, STARPU_ACQUIRE_NO_NODE_LOCK_ALL);
	starpu_data_acquire_cb_sequential_consistency(h, STARPU_RW, cb, &n, 0);
	starpu_data_acquire_on_node_cb(h, STARPU_MAIN_RAM, STARPU_R, cb, &n);
	OK(starpu_task_wait_for_all());
#ifndef __clang__ /* it has no functions inside others */
	n = 0;
	STARPU_DATA_ACQUIRE_CB(h, STARPU_RW, n = 5; starpu_data_release(h));
	OK(starpu_task_wait_for_all());
	CHECK(n == 5);
#else
	n = 5;
#endif
	OK(starpu_data_acquire_cb(h, STARPU_RW, cbto, NULL));
	OK(starpu_task_wait_for_all());
	CHECK(n == 6);
	OK(starpu_data_acquire(h, STARPU_W));
	v = 1;
	starpu_data_release_to(h, STARPU_RW);
	v++;
	starpu_data_release(h);
	OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
	starpu_data_unregister(h);
	CHECK(v == 3);
	/* multi-thread style: acquire after tasks, in loops */
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&v, sizeof v);
	v = 0;
	for (int i = 0; i < 200; i++) {
		OK(starpu_task_insert(&cl, STARPU_RW, h, 0));
		OK(starpu_data_acquire(h, STARPU_RW));
		v++;
		starpu_data_release(h);
	}
	starpu_data_unregister(h);
	CHECK(v == 400);
	starpu_shutdown();
	return 0;
}
