/* SPDX-License-Identifier: MIT */
/* Bundles, and tasks that several workers run together. */
#include "check.h"

static void f(void *b[], void *a)
{
	++*(float *)STARPU_VARIABLE_GET_PTR(b[0]);
	(void)a;
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } };
static int ranks;

static void sp(void *b[], void *a)
{
	(void)a;
	(void)b;
	int s = starpu_combined_worker_get_size(), r = starpu_combined_worker_get_rank();
	CHECK(r >= 0 && r < s);
	STARPU_ATOMIC_ADD(&ranks, 1);
}

static struct starpu_codelet cs = { .cpu_funcs = { sp },
				    .type = STARPU_SPMD,
				    .max_parallelism = INT_MAX,
				    .nbuffers = 1,
				    .modes = { STARPU_RW } },
			     cf = { .cpu_funcs = { sp },
				    .type = STARPU_FORKJOIN,
				    .max_parallelism = INT_MAX,
				    .nbuffers = 1,
				    .modes = { STARPU_RW } };

int main(void)
{
	setenv("STARPU_SCHED", "pheft", 1);
	START();
	float v[10];
	starpu_data_handle_t h[10];
	for (int i = 0; i < 10; i++) {
		v[i] = i + 1;
		starpu_variable_data_register(&h[i], 0, (uintptr_t)&v[i], sizeof(float));
	}
	for (int k = 0; k < 10; k++) {
		struct starpu_task *t[10];
		starpu_task_bundle_t b;
		starpu_task_bundle_create(&b);
		for (int i = 0; i < 10; i++) {
			t[i] = starpu_task_create();
			t[i]->cl = &cl;
			t[i]->handles[0] = h[i];
			OK(starpu_task_bundle_insert(b, t[i]));
		}
		starpu_task_bundle_remove(b, t[3]);
		starpu_task_bundle_close(b);
		for (int i = 0; i < 10; i++)
			OK(starpu_task_submit(t[i]));
	}
	OK(starpu_task_wait_for_all());
	for (int i = 0; i < 20; i++) {
		OK(starpu_task_insert(&cs, STARPU_RW, h[0], 0));
		OK(starpu_task_insert(&cf, STARPU_RW, h[1], 0));
	}
	OK(starpu_task_wait_for_all());
	printf("combined %u ranks %d\n", starpu_combined_worker_get_count(), ranks);
	CHECK(ranks >= 40);
	int ids[2] = { 0, (int)starpu_worker_get_count() - 1 };
	int c = starpu_combined_worker_assign_workerid(starpu_worker_get_count() > 1 ? 2 : 1, ids);
	CHECK(c >= 0);
	int sz, *w;
	OK(starpu_combined_worker_get_description(c, &sz, &w));
	CHECK(w[0] == 0);
	ranks = 0;
	OK(starpu_task_insert(&cs, STARPU_RW, h[0], STARPU_EXECUTE_ON_WORKER, c, 0));
	OK(starpu_task_wait_for_all());
	CHECK(ranks == sz);
	for (int i = 0; i < 10; i++) {
		starpu_data_unregister(h[i]);
		CHECK(v[i] == i + 11);
	}
	starpu_shutdown();
	return 0;
}
