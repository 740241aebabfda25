/* SPDX-License-Identifier: MIT */
/* Commuting accesses to two of many handles exclude each other, with an arbiter and without. */
#include "check.h"

#define N 8
static int inside[N];

static void f(void *b[], void *a)
{
	(void)a;
	struct starpu_task *t = starpu_task_get_current();
	unsigned n = STARPU_TASK_GET_NBUFFERS(t);
	for (unsigned i = 0; i < n; i++) {
		int *p = (int *)STARPU_VARIABLE_GET_PTR(b[i]);
		int k = p[0];
		CHECK(STARPU_ATOMIC_ADD(&inside[k], 1) == 1);
	}
	for (volatile int q = 0; q < 2000; q++)
		;
	for (unsigned i = 0; i < n; i++) {
		int *p = (int *)STARPU_VARIABLE_GET_PTR(b[i]);
		p[1]++;
		STARPU_ATOMIC_ADD(&inside[p[0]], -1);
	}
}

static struct starpu_codelet cl = { .cpu_funcs = { f },
				    .nbuffers = 2,
				    .modes = { STARPU_RW | STARPU_COMMUTE, STARPU_RW | STARPU_COMMUTE } };

int main(void)
{
	for (int arb = 0; arb < 2; arb++) {
		START();
		int v[N][2];
		starpu_data_handle_t h[N];
		starpu_arbiter_t a = arb ? starpu_arbiter_create() : NULL;
		for (int i = 0; i < N; i++) {
			v[i][0] = i;
			v[i][1] = 0;
			starpu_variable_data_register(&h[i], 0, (uintptr_t)v[i], sizeof v[i]);
			if (arb)
				starpu_data_assign_arbiter(h[i], a);
		}
		for (int k = 0; k < 1000; k++) {
			int i = rand() % N, j = (i + 1 + rand() % (N - 1)) % N;
			OK(starpu_task_insert(&cl, STARPU_RW | STARPU_COMMUTE, h[i], STARPU_RW | STARPU_COMMUTE, h[j],
					      0));
		}
		int s = 0;
		for (int i = 0; i < N; i++) {
			starpu_data_unregister(h[i]);
			s += v[i][1];
		}
		CHECK(s == 2000);
		if (arb)
			starpu_arbiter_destroy(a);
		starpu_shutdown();
	}
	return 0;
}
