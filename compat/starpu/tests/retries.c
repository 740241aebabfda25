/* SPDX-License-Identifier: MIT */
/* Tasks that fail and are tried again, with and without the program's own check. */
#include "check.h"

static int tries;
static void check_ft(void *arg);

static void f(void *b[], void *a)
{
	(void)a;
	int *p = (int *)STARPU_VARIABLE_GET_PTR(b[0]);
	const int *q = (int *)STARPU_VARIABLE_GET_PTR(b[1]);
	*p = *q;
	int r = STARPU_ATOMIC_ADD(&tries, 1);
	if (r < 4) {
		*p = -1;
		starpu_task_ft_failed(starpu_task_get_current());
	}
}

static void check_ft(void *arg)
{
	struct starpu_task *meta = arg, *cur = starpu_task_get_current();
	if (!cur->failed) {
		starpu_task_ft_success(meta);
		return;
	}
	struct starpu_task *nt = starpu_task_ft_create_retry(meta, cur, check_ft);
	OK(starpu_task_submit_nodeps(nt));
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 2, .modes = { STARPU_W, STARPU_R } };

int main(void)
{
	START();
	int v = 0, e = 12;
	starpu_data_handle_t h, he;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	starpu_variable_data_register(&he, 0, (uintptr_t)&e, sizeof e);
	OK(starpu_task_insert(&cl, STARPU_PROLOGUE_CALLBACK, starpu_task_ft_prologue,
			      STARPU_PROLOGUE_CALLBACK_ARG_NFREE, check_ft, STARPU_W, h, STARPU_R, he, 0));
	OK(starpu_task_wait_for_all());
	starpu_data_unregister(h);
	CHECK(v == 12 && tries == 4);
	tries = 0;
	starpu_variable_data_register(&h, 0, (uintptr_t)&v, sizeof v);
	OK(starpu_task_insert(&cl, STARPU_PROLOGUE_CALLBACK, starpu_task_ft_prologue, STARPU_W, h, STARPU_R, he, 0));
	starpu_data_unregister(h);
	CHECK(v == 12 && tries == 4);
	starpu_data_unregister(he);
	starpu_shutdown();
	return 0;
}
