/* SPDX-License-Identifier: MIT */
/* Pausing, twice, and resuming. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

int main(void)
{
	double a, b;
	START();
	a = starpu_timing_now();
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&cl, 0));
	OK(starpu_task_wait_for_all());
	b = starpu_timing_now();
	CHECK(b >= a);
	CHECK(n == 100);
	starpu_pause();
	CHECK(starpu_is_paused());
	starpu_pause();
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&cl, 0));
	usleep(100000);
	CHECK(n <= 102);
	starpu_resume();
	CHECK(starpu_is_paused());
	usleep(20000);
	CHECK(n <= 102);
	starpu_resume();
	OK(starpu_task_wait_for_all());
	CHECK(n == 200);
	CHECK(!starpu_is_paused());
	starpu_shutdown();
	return 0;
}
