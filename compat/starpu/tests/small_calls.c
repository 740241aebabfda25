/* SPDX-License-Identifier: MIT */
/* Bounds, random numbers, hashes, events and times. */
#include "check.h"
#include <starpu_bound.h>
#include <starpu_rand.h>

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	usleep(100);
}

static struct starpu_perfmodel m = { .type = STARPU_HISTORY_BASED, .symbol = "x_bound" };
static struct starpu_codelet cl = { .cpu_funcs = { f }, .model = &m };

int main(void)
{
	START();
	starpu_bound_start(0, 0);
	for (int i = 0; i < 40; i++)
		OK(starpu_task_insert(&cl, 0));
	OK(starpu_task_wait_for_all());
	starpu_bound_stop();
	double r = -1, ri = -1;
	starpu_bound_compute(&r, &ri, 0);
	printf("%f %f\n", r, ri);
	FILE *o = tmpfile();
	starpu_bound_print_lp(o);
	starpu_bound_print_mps(o);
	starpu_bound_print_dot(o);
	starpu_bound_print(o, 0);
	fclose(o);
	starpu_srand48(42);
	double d = starpu_drand48();
	CHECK(d >= 0 && d < 1);
	long l = starpu_lrand48();
	CHECK(l >= 0);
	unsigned short x[3] = { 1, 2, 3 };
	d = starpu_erand48(x);
	starpu_sleep(0.01f);
	starpu_usleep(10);
	CHECK(starpu_hash_crc32c_be(1, 0) != starpu_hash_crc32c_be(2, 0));
	CHECK(starpu_hash_crc32c_string("a", 0) != 0);
	starpu_fxt_trace_user_event(1);
	starpu_fxt_trace_user_event_string("x");
	starpu_fxt_start_profiling();
	starpu_fxt_stop_profiling();
	starpu_fxt_autostart_profiling(0);
	int a, b, c;
	starpu_get_version(&a, &b, &c);
	printf("%d.%d.%d\n", a, b, c);
	starpu_iteration_push(1);
	starpu_iteration_pop();
	starpu_shutdown();
	return 0;
}
