/* SPDX-License-Identifier: MIT */
/* Tasks of two contexts, by argument and by thread; their workers change. */
#include "check.h"

static int n1, n2, w0[64];

static void f1(void *b[], void *a)
{
	(void)b;
	(void)a;
	CHECK(w0[starpu_worker_get_id()]);
	STARPU_ATOMIC_ADD(&n1, 1);
	unsigned c = starpu_task_get_current()->sched_ctx;
	CHECK(c == *(unsigned *)a);
}

static void f2(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n2, 1);
}

static struct starpu_codelet c1 = { .cpu_funcs = { f1 } }, c2 = { .cpu_funcs = { f2 } };

static void *th(void *a)
{
	unsigned c = *(unsigned *)a;
	starpu_sched_ctx_set_context(&c);
	for (int i = 0; i < 100; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &c2;
		OK(starpu_task_submit(t));
	}
	OK(starpu_task_wait_for_all());
	starpu_sched_ctx_set_context(NULL);
	return NULL;
}

int main(void)
{
	START();
	int n = starpu_worker_get_count(), ids[64];
	starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, 64);
	unsigned a = starpu_sched_ctx_create(ids, 1, "first", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	unsigned b = starpu_sched_ctx_create(ids + (n > 1), n > 1 ? n - 1 : 1, "second", STARPU_SCHED_CTX_POLICY_NAME,
					     "dmda", STARPU_SCHED_CTX_POLICY_MIN_PRIO, 0,
					     STARPU_SCHED_CTX_POLICY_MAX_PRIO, 1, 0);
	CHECK(a != b && a < STARPU_NMAX_SCHED_CTXS);
	w0[ids[0]] = 1;
	starpu_sched_ctx_set_inheritor(b, a);
	starpu_sched_ctx_display_workers(a, stdout);
	for (int i = 0; i < 100; i++)
		OK(starpu_task_insert(&c1, STARPU_SCHED_CTX, a, STARPU_CL_ARGS_NFREE, &a, sizeof a, 0));
	starpu_pthread_t t;
	STARPU_PTHREAD_CREATE(&t, NULL, th, &b);
	STARPU_PTHREAD_JOIN(t, NULL);
	struct starpu_task *q = starpu_task_create();
	q->cl = &c2;
	OK(starpu_task_submit_to_ctx(q, b));
	starpu_sched_ctx_finished_submit(b);
	OK(starpu_task_wait_for_all_in_ctx(a));
	OK(starpu_task_wait_for_all());
	CHECK(n1 == 100 && n2 == 101);
	int *list;
	unsigned nw = starpu_sched_ctx_get_workers_list(a, &list);
	CHECK(nw == 1 && list[0] == ids[0]);
	free(list);
	CHECK(starpu_sched_ctx_get_nworkers(b) == (unsigned)(n > 1 ? n - 1 : 1));
	CHECK(starpu_sched_ctx_contains_worker(ids[0], a));
	starpu_sched_ctx_delete(b);
	starpu_sched_ctx_add_workers(ids, n, a);
	CHECK(starpu_sched_ctx_get_nworkers(a) == (unsigned)n);
	starpu_sched_ctx_remove_workers(ids + 1, n - 1, a);
	CHECK(starpu_sched_ctx_get_nworkers(a) == 1);
	struct starpu_worker_collection *col = starpu_sched_ctx_get_worker_collection(a);
	struct starpu_sched_ctx_iterator it;
	col->init_iterator(col, &it);
	int k = 0;
	while (col->has_next(col, &it)) {
		CHECK(col->get_next(col, &it) == ids[0]);
		k++;
	}
	CHECK(k == 1);
	starpu_sched_ctx_delete(a);
	starpu_shutdown();
	return 0;
}
