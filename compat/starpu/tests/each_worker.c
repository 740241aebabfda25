/* SPDX-License-Identifier: MIT */
/* Functions and tasks on each worker; tasks for workers that are not there. */
#include "check.h"

static int seen[STARPU_NMAXWORKERS];

static void each(void *a)
{
	CHECK(a == seen);
	seen[starpu_worker_get_id_check()] = 1;
}

static void f(void *b[], void *a)
{
	(void)b;
	CHECK(starpu_worker_get_id() == (int)(intptr_t)a);
	CHECK(starpu_worker_get_memory_node(starpu_worker_get_id()) == starpu_worker_get_local_memory_node());
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

int main(void)
{
	START();
	unsigned n = starpu_worker_get_count();
	CHECK(n >= 1);
	starpu_execute_on_each_worker(each, seen, STARPU_CPU | STARPU_CUDA | STARPU_OPENCL);
	for (unsigned i = 0; i < n; i++)
		CHECK(seen[i]);
	starpu_execute_on_each_worker_ex(each, seen, STARPU_CPU, "name");
	unsigned ids[2] = { 0, n - 1 };
	starpu_execute_on_specific_workers(each, seen, 2, ids, "spec");
	int w[STARPU_NMAXWORKERS];
	CHECK(starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, w, STARPU_NMAXWORKERS) == starpu_cpu_worker_get_count());
	CHECK(starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, NULL, 0) ==
	      (n ? (unsigned)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, w, 64) : 0));
	for (unsigned i = 0; i < n; i++) {
		char name[64];
		starpu_worker_get_name(i, name, 64);
		puts(name);
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		t->cl_arg = (void *)(uintptr_t)i;
		t->execute_on_a_specific_worker = 1;
		t->workerid = i;
		OK(starpu_task_submit(t));
		CHECK(starpu_worker_get_by_type(STARPU_CPU_WORKER, i) == (int)i);
		CHECK(starpu_worker_get_by_devid(STARPU_CPU_WORKER, starpu_worker_get_devid(i)) == (int)i);
		hwloc_cpuset_t s = starpu_worker_get_hwloc_cpuset(i);
		CHECK(s);
		hwloc_bitmap_free(s);
	}
	OK(starpu_task_wait_for_all());
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->execute_on_a_specific_worker = 1;
	t->workerid = STARPU_NMAXWORKERS + 5;
	CHECK(starpu_task_submit(t) == -ENODEV);
	starpu_task_destroy(t);
	static struct starpu_codelet gpu = { .cuda_funcs = { f }, .nbuffers = 0 };
	CHECK(starpu_task_insert(&gpu, 0) == -ENODEV);
	t = starpu_task_create();
	t->cl = &gpu;
	t->where = STARPU_CUDA;
	CHECK(starpu_task_submit(t) == -ENODEV);
	starpu_task_destroy(t);
	starpu_worker_display_names(stdout, STARPU_CPU_WORKER);
	starpu_worker_display_all(stdout);
	starpu_topology_print(stdout);
	starpu_shutdown();
	return 0;
}
