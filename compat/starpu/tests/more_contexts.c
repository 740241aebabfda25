/* SPDX-License-Identifier: MIT */
/* Contexts with options, closing functions, code of the program's own, and all workers. */
#include "check.h"

static int in;

static void *par(void *a)
{
	CHECK(*(int *)a == 5);
	in++;
	unsigned c = 1;
	(void)c;
	return (void *)7;
}

static void ip(unsigned c)
{
	struct starpu_task_list *l = malloc(sizeof *l);
	starpu_task_list_init(l);
	starpu_sched_ctx_set_policy_data(c, l);
}

static int closed;

static void clo(unsigned c, void *a)
{
	(void)c;
	CHECK(a == &closed);
	closed++;
}

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

static void scb(unsigned c)
{
	printf("init ctx %u\n", c);
}

int main(void)
{
	START();
	int nw = starpu_cpu_worker_get_count(), ids[64];
	starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, 64);
	unsigned c = starpu_sched_ctx_create(ids, nw, "ctx", 0);
	int v = 5;
	void *r = starpu_sched_ctx_exec_parallel_code(par, &v, c);
	CHECK(r == (void *)7 && in == 1);
	starpu_sched_ctx_register_close_callback(c, clo, &closed);
	OK(starpu_task_insert(&cl, STARPU_SCHED_CTX, c, 0));
	OK(starpu_task_wait_for_all_in_ctx(c));
	CHECK(n == 1);
	starpu_sched_ctx_delete(c);
	CHECK(closed == 1);
	int *cpu;
	int ncpu;
	unsigned d = starpu_sched_ctx_create(ids, nw, "d", STARPU_SCHED_CTX_POLICY_NAME, "eager",
					     STARPU_SCHED_CTX_AWAKE_WORKERS, 0);
	starpu_sched_ctx_get_available_cpuids(d, &cpu, &ncpu);
	CHECK(ncpu >= 1);
	free(cpu);
	unsigned e = starpu_sched_ctx_create(ids, 1, "e", STARPU_SCHED_CTX_POLICY_NAME, "prio",
					     STARPU_SCHED_CTX_HIERARCHY_LEVEL, 1, STARPU_SCHED_CTX_NESTED, d, 0);
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&cl, STARPU_SCHED_CTX, i % 2 ? d : e, STARPU_PRIORITY, i % 3, 0));
	OK(starpu_task_wait_for_all());
	CHECK(n == 101);
	starpu_sched_ctx_delete(e);
	starpu_sched_ctx_delete(d);
	(void)ip;
	(void)scb;
	unsigned all = starpu_sched_ctx_create(NULL, -1, "all", 0);
	CHECK(starpu_sched_ctx_get_nworkers(all) == starpu_worker_get_count());
	starpu_sched_ctx_delete(all);
	starpu_shutdown();
	return 0;
}
