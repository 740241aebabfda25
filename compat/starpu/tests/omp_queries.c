/* SPDX-License-Identifier: MIT */
/* What a program may ask OpenMP for, and set, outside and inside a region; loops by begin and end, groups in line. */
#include "check.h"

#define N 100

static int cells[N];
static int values, tasks;
static starpu_data_handle_t handle;

static void task(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&tasks, 1);
}

static void places(void)
{
	int n = starpu_omp_get_num_places(), ids[64] = { 0 };

	CHECK(n >= 0);
	if (n)
		CHECK(starpu_omp_get_place_num_procs(0) >= 0);
	starpu_omp_get_place_proc_ids(0, ids);
	CHECK(starpu_omp_get_place_num() >= -1);
	CHECK(starpu_omp_get_partition_num_places() >= 0);
	starpu_omp_get_partition_place_nums(ids);
}

static void outside(void)
{
	enum starpu_omp_proc_bind_value bind = starpu_omp_get_proc_bind();

	CHECK(bind == starpu_omp_proc_bind_undefined || bind == starpu_omp_proc_bind_false ||
	      bind == starpu_omp_proc_bind_true || bind == starpu_omp_proc_bind_master ||
	      bind == starpu_omp_proc_bind_close || bind == starpu_omp_proc_bind_spread);
	CHECK(starpu_omp_get_active_level() == 0 && starpu_omp_get_level() == 0);
	CHECK(starpu_omp_get_cancellation() == 0);
	CHECK(starpu_omp_get_max_task_priority() >= 0);
	starpu_omp_set_default_device(0);
	CHECK(starpu_omp_get_default_device() == 0);
	CHECK(starpu_omp_get_num_devices() >= 0 && starpu_omp_get_initial_device() >= 0);
	CHECK(starpu_omp_is_initial_device());
	CHECK(starpu_omp_get_num_teams() == 1 && starpu_omp_get_team_num() == 0);
	CHECK(starpu_omp_get_thread_limit() >= 1);
	starpu_omp_set_dynamic(0);
	CHECK(!starpu_omp_get_dynamic());
	starpu_omp_set_nested(1);
	CHECK(starpu_omp_get_nested());
	starpu_omp_set_max_active_levels(2);
	CHECK(starpu_omp_get_max_active_levels() == 2);
	CHECK(starpu_omp_get_default_arbiter());
	places();
}

static void region(void *buffers[], void *arg)
{
	struct starpu_omp_task_region_attr attr;
	unsigned long long begin, end;
	int more;

	(void)buffers;
	(void)arg;
	CHECK(starpu_omp_get_level() == 1);
	CHECK(starpu_omp_get_active_level() == (starpu_omp_get_num_threads() > 1));
	more = starpu_omp_for_inline_first_alt(N, 3, starpu_omp_sched_dynamic, 0, &begin, &end);
	while (more) {
		for (unsigned long long i = begin; i < end; i++)
			cells[i]++;
		more = starpu_omp_for_inline_next_alt(N, 3, starpu_omp_sched_dynamic, 0, &begin, &end);
	}
	starpu_omp_barrier();
	if (starpu_omp_master_inline()) {
		memset(&attr, 0, sizeof attr);
		attr.cl.cpu_funcs[0] = task;
		attr.cl.where = STARPU_CPU;
		attr.if_clause = attr.untied_clause = 1;
		starpu_omp_taskgroup_inline_begin();
		for (int i = 0; i < 5; i++)
			starpu_omp_task_region(&attr);
		starpu_omp_taskgroup_inline_end();
		CHECK(tasks == 5);
	}
}

int main(void)
{
	struct starpu_omp_parallel_region_attr attr;
	enum starpu_omp_sched_value kind = starpu_omp_sched_undefined;
	int chunk = 0;

	OK(starpu_omp_init());
	outside();
	starpu_omp_set_schedule(starpu_omp_sched_dynamic, 7);
	starpu_omp_get_schedule(&kind, &chunk);
	CHECK(kind == starpu_omp_sched_dynamic && chunk == 7);
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&values, 1, sizeof values);
	starpu_omp_vector_annotate(handle, 0);
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = region;
	attr.cl.where = STARPU_CPU;
	attr.if_clause = 1;
	starpu_omp_parallel_region(&attr);
	for (int i = 0; i < N; i++)
		CHECK(cells[i] == 1);
	starpu_data_unregister(handle);
	starpu_omp_shutdown();
	return 0;
}
