/* SPDX-License-Identifier: MIT */
/* Profiles of tasks, workers and buses. */
#include "check.h"

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	usleep(1000);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .name = "prof" };

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	OK(starpu_init(&conf));
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_ENABLE);
	struct starpu_task *t[20];
	for (int i = 0; i < 20; i++) {
		t[i] = starpu_task_create();
		t[i]->cl = &cl;
		t[i]->detach = 0;
		t[i]->destroy = 0;
		OK(starpu_task_submit(t[i]));
	}
	double del = 0, len = 0;
	for (int i = 0; i < 20; i++) {
		OK(starpu_task_wait(t[i]));
		struct starpu_profiling_task_info *p = t[i]->profiling_info;
		CHECK(p);
		del += starpu_timing_timespec_delay_us(&p->submit_time, &p->start_time);
		len += starpu_timing_timespec_delay_us(&p->start_time, &p->end_time);
		CHECK(p->workerid >= 0);
		starpu_task_destroy(t[i]);
	}
	printf("%f %f\n", del / 20, len / 20);
	CHECK(len / 20 >= 1000);
	for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
		struct starpu_profiling_worker_info i;
		OK(starpu_profiling_worker_get_info(w, &i));
		double tot = starpu_timing_timespec_to_us(&i.total_time),
		       ex = starpu_timing_timespec_to_us(&i.executing_time),
		       sl = starpu_timing_timespec_to_us(&i.sleeping_time);
		printf("%d tasks tot %f ex %f sl %f\n", i.executed_tasks, tot, ex, sl);
		CHECK(tot > 0);
		CHECK(ex <= tot * 1.01 + 100);
	}
	starpu_profiling_bus_helper_display_summary();
	starpu_profiling_worker_helper_display_summary();
	for (int i = 0; i < starpu_bus_get_count(); i++) {
		struct starpu_profiling_bus_info bi;
		starpu_bus_get_profiling_info(i, &bi);
	}
	starpu_codelet_display_stats(&cl);
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	starpu_shutdown();
	return 0;
}
