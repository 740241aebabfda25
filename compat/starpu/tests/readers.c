/* SPDX-License-Identifier: MIT */
/* Many readers and few writers without order; callbacks and tasks in turns. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
}

static struct starpu_codelet r = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_R } },
			     w = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_W } };
static int cnt;

static void fb(void *b[], void *a)
{
	(void)a;
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(b[0]);
	(*v)++;
	STARPU_ATOMIC_ADD(&cnt, 1);
}

static struct starpu_codelet inc = { .cpu_funcs = { fb }, .nbuffers = 1, .modes = { STARPU_RW } };
static starpu_data_handle_t h;
static unsigned v __attribute__((aligned(16)));

static void acb(void *a)
{
	(void)a;
	v++;
	starpu_data_release(h);
}

int main(void)
{
	START();
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&v, 1, sizeof v);
	starpu_data_set_sequential_consistency_flag(h, 0);
	for (int i = 0; i < 512 * 10; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = i % 10 == 0 ? &w : &r;
		t->handles[0] = h;
		OK(starpu_task_submit(t));
	}
	OK(starpu_task_wait_for_all());
	starpu_data_set_sequential_consistency_flag(h, 1);
	v = 0;
	for (int i = 0; i < 1000; i++) {
		OK(starpu_task_insert(&inc, STARPU_RW, h, 0));
		OK(starpu_data_acquire_cb(h, STARPU_RW, acb, NULL));
	}
	OK(starpu_task_wait_for_all());
	OK(starpu_data_acquire(h, STARPU_R));
	CHECK(v == 2000);
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
