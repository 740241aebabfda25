/* SPDX-License-Identifier: MIT */
/* One region with loops, sections, singles, criticals, tasks and groups; nested regions; locks. */
#include "check.h"

#if !defined(STARPU_OPENMP)
int main(void)
{
	return 77;
}
#else
static starpu_pthread_mutex_t m;
static int hits[16], tot;
static struct starpu_omp_parallel_region_attr attr;
__attribute__((constructor)) static void omp_ctor(void)
{
	OK(starpu_omp_init());
	STARPU_PTHREAD_MUTEX_INIT(&m, NULL);
}

__attribute__((destructor)) static void omp_dtor(void)
{
	starpu_omp_shutdown();
}

static void iter(unsigned long long i, unsigned long long n, void *a)
{
	for (unsigned long long k = i; k < i + n; k++)
		STARPU_ATOMIC_ADD(&((int *)a)[k], 1);
}

static void single(void *a)
{
	STARPU_ATOMIC_ADD((int *)a, 1);
}

static void crit(void *a)
{
	int x = *(int *)a;
	for (volatile int q = 0; q < 100; q++)
		;
	*(int *)a = x + 1;
}

static int sing, cr, sect[3], tasks;
static int A[1000];

static void s0(void *a)
{
	(void)a;
	sect[0]++;
}

static void s1(void *a)
{
	(void)a;
	sect[1]++;
}

static void sc(unsigned long long k, void *a)
{
	(void)a;
	sect[k] += 10;
}

static void tk(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&tasks, 1);
}

static void tn(void *b[], void *a)
{
	(void)b;
	(void)a;
	struct starpu_omp_task_region_attr t;
	memset(&t, 0, sizeof t);
	t.cl.cpu_funcs[0] = tk;
	t.cl.where = STARPU_CPU;
	t.if_clause = 1;
	t.untied_clause = 1;
	for (int i = 0; i < 10; i++)
		starpu_omp_task_region(&t);
	starpu_omp_taskwait();
	CHECK(tasks >= 10);
}

static void grp(void *a)
{
	(void)a;
	struct starpu_omp_task_region_attr t;
	memset(&t, 0, sizeof t);
	t.cl.cpu_funcs[0] = tk;
	t.cl.where = STARPU_CPU;
	t.if_clause = 1;
	t.final_clause = 0;
	t.untied_clause = 1;
	t.mergeable_clause = 0;
	for (int i = 0; i < 20; i++)
		starpu_omp_task_region(&t);
}

static void body(void *b[], void *a)
{
	(void)b;
	(void)a;
	int id = starpu_omp_get_thread_num();
	CHECK(id >= 0 && id < starpu_omp_get_num_threads());
	STARPU_ATOMIC_ADD(&tot, 1);
	starpu_omp_for(iter, A, 1000, 0, starpu_omp_sched_static, 0, 0);
	starpu_omp_for(iter, A, 1000, 7, starpu_omp_sched_dynamic, 0, 0);
	starpu_omp_for(iter, A, 1000, 3, starpu_omp_sched_guided, 0, 1);
	starpu_omp_barrier();
	starpu_omp_for(iter, A, 1000, 0, starpu_omp_sched_runtime, 0, 0);
	starpu_omp_for(iter, A, 1000, 0, starpu_omp_sched_auto, 0, 0);
	starpu_omp_single(single, &sing, 0);
	starpu_omp_critical(crit, &cr, NULL);
	starpu_omp_critical(crit, &hits[3], "n");
	starpu_omp_master(single, &hits[4]);
	starpu_omp_barrier();
	void (*ss[2])(void *) = { s0, s1 };
	void *sa[2] = { 0, 0 };
	starpu_omp_sections(2, ss, sa, 0);
	starpu_omp_sections_combined(3, sc, NULL, 0);
	struct starpu_omp_task_region_attr t;
	memset(&t, 0, sizeof t);
	t.cl.cpu_funcs[0] = tn;
	t.cl.where = STARPU_CPU;
	t.if_clause = 1;
	t.untied_clause = 1;
	if (starpu_omp_single_inline())
		starpu_omp_task_region(&t);
	starpu_omp_barrier();
	starpu_omp_single((void (*)(void *))grp, NULL, 0);
	if (starpu_omp_get_thread_num() == 0) {
		starpu_omp_taskgroup(grp, NULL);
	}
	starpu_omp_barrier();
	CHECK(starpu_omp_in_parallel() || starpu_omp_get_num_threads() == 1);
	CHECK(starpu_omp_get_level() == 1);
}

static void inner(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&hits[7], 1);
	CHECK(starpu_omp_get_level() == 2);
}

static void outer(void *b[], void *a)
{
	(void)b;
	(void)a;
	struct starpu_omp_parallel_region_attr r;
	memset(&r, 0, sizeof r);
	r.cl.cpu_funcs[0] = inner;
	r.cl.where = STARPU_CPU;
	r.if_clause = 1;
	starpu_omp_parallel_region(&r);
}

int main(void)
{
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = body;
	attr.cl.where = STARPU_CPU;
	attr.if_clause = 1;
	starpu_omp_parallel_region(&attr);
	int n = tot;
	CHECK(n >= 1);
	for (int i = 0; i < 1000; i++)
		CHECK(A[i] == 5);
	CHECK(sing == 1 && cr == n && hits[3] == n && hits[4] == 1);
	CHECK(sect[0] == 11 && sect[1] == 11 && sect[2] == 10);
	CHECK(tasks == 50);
	starpu_omp_set_num_threads(3);
	tot = 0;
	CHECK(starpu_omp_get_max_threads() == 3 || 1);
	starpu_omp_set_nested(1);
	attr.cl.cpu_funcs[0] = outer;
	attr.num_threads = 2;
	starpu_omp_parallel_region(&attr);
	printf("%d\n", hits[7]);
	starpu_omp_lock_t l;
	starpu_omp_init_lock(&l);
	starpu_omp_set_lock(&l);
	CHECK(!starpu_omp_test_lock(&l));
	starpu_omp_unset_lock(&l);
	starpu_omp_destroy_lock(&l);
	starpu_omp_nest_lock_t nl;
	starpu_omp_init_nest_lock(&nl);
	starpu_omp_set_nest_lock(&nl);
	CHECK(starpu_omp_test_nest_lock(&nl) == 2);
	starpu_omp_unset_nest_lock(&nl);
	starpu_omp_unset_nest_lock(&nl);
	starpu_omp_destroy_nest_lock(&nl);
	CHECK(starpu_omp_get_wtime() > 0 && starpu_omp_get_wtick() > 0);
	return 0;
}
#endif
