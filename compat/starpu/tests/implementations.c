/* SPDX-License-Identifier: MIT */
/* Several implementations, can_execute, old fields, and codelets that do nothing. */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int which[3];

static void f0(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&which[0], 1);
	CHECK(starpu_task_get_implementation(starpu_task_get_current()) == 0);
}

static void f1(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&which[1], 1);
}

static void f2(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&which[2], 1);
}

static int can(unsigned w, struct starpu_task *t, unsigned n)
{
	(void)t;
	CHECK(w < starpu_worker_get_count());
	return n == 1;
}

static int cannot(unsigned w, struct starpu_task *t, unsigned n)
{
	(void)w;
	(void)t;
	(void)n;
	return 0;
}

static struct starpu_codelet cl = { .cpu_funcs = { f0, f1, f2 }, .can_execute = can };
static struct starpu_codelet c0 = { .cpu_funcs = { f0 }, .can_execute = cannot };
static struct starpu_codelet dep = { .where = STARPU_CPU, .cpu_func = f1, .nbuffers = 0 };
static struct starpu_codelet dep2 = { .cpu_func = STARPU_MULTIPLE_CPU_IMPLEMENTATIONS, .cpu_funcs = { f2 } };
static struct starpu_codelet nw = { .where = STARPU_NOWHERE };
static int cbs;

static void cb(void *a)
{
	(void)a;
	cbs++;
}

static void note_worker(void *b[], void *a)
{
	(void)b;
	*(int *)a = starpu_worker_get_id();
}

/* A bit for each worker. */
static void runs_on_the_listed_workers(void)
{
	struct starpu_codelet notes = { .cpu_funcs = { note_worker } };
	unsigned last = starpu_worker_get_count() - 1;
	uint32_t listed[STARPU_NMAXWORKERS / 32] = { 0 };
	int worker = -1;

	CHECK(starpu_task_insert(&notes, STARPU_TASK_WORKERIDS, 1, listed, STARPU_CL_ARGS_NFREE, &worker, sizeof worker,
				 0) == -ENODEV);
	listed[last / 32] = 1u << last % 32;
	OK(starpu_task_insert(&notes, STARPU_TASK_WORKERIDS, STARPU_NMAXWORKERS / 32, listed, STARPU_CL_ARGS_NFREE,
			      &worker, sizeof worker, STARPU_TASK_SYNCHRONOUS, 1, 0));
	CHECK(worker == (int)last);
}

int main(void)
{
	START();
	runs_on_the_listed_workers();
	for (int i = 0; i < 20; i++)
		OK(starpu_task_insert(&cl, 0));
	OK(starpu_task_wait_for_all());
	CHECK(which[1] == 20);
	CHECK(starpu_task_insert(&c0, 0) == -ENODEV);
	OK(starpu_task_insert(&dep, 0));
	OK(starpu_task_insert(&dep2, 0));
	OK(starpu_task_insert(&nw, STARPU_CALLBACK, cb, 0));
	OK(starpu_task_insert(&starpu_codelet_nop, STARPU_CALLBACK, cb, 0));
	OK(starpu_task_wait_for_all());
	CHECK(which[1] == 21 && which[2] == 1 && cbs == 2);
	struct starpu_codelet dyn;
	starpu_codelet_init(&dyn);
	dyn.cpu_funcs[0] = f2;
	dyn.nbuffers = 0;
	struct starpu_task *t = starpu_task_create();
	t->cl = &dyn;
	t->synchronous = 1;
	OK(starpu_task_submit(t));
	CHECK(which[2] == 2);
	starpu_shutdown();
	return 0;
}
