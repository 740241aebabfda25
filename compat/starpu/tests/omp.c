/* SPDX-License-Identifier: MIT */
/* OpenMP's constructs as calls. */
#include <starpu.h>

#define N 1000

static int seen[N], order[N];
static unsigned norder, counter, unnamed, executors, tasks_done;
static starpu_omp_lock_t lock;
static starpu_omp_nest_lock_t nest;
static starpu_data_handle_t handle;
static int vector[16];

static void parallel(starpu_cpu_func_t f, int num_threads)
{
	struct starpu_omp_parallel_region_attr attr = { .cl = { .cpu_funcs = { f }, .where = STARPU_CPU },
							.if_clause = 1,
							.num_threads = num_threads };

	starpu_omp_parallel_region(&attr);
}

static void reset(void)
{
	memset(seen, 0, sizeof seen);
	norder = counter = unnamed = executors = tasks_done = 0;
}

static void all_once(void)
{
	for (int i = 0; i < N; i++)
		STARPU_ASSERT(seen[i] == 1);
}

static void count(void *arg)
{
	*(unsigned *)arg += 1;
}

static void mark(unsigned long long first, unsigned long long n, void *arg)
{
	(void)arg;
	for (unsigned long long i = first; i < first + n; i++)
		seen[i]++;
}

static void mark_between(unsigned long long begin, unsigned long long end, void *arg)
{
	mark(begin, end - begin, arg);
}

static void in_order(void *arg)
{
	order[norder++] = (int)*(unsigned long long *)arg;
}

static void mark_in_order(unsigned long long first, unsigned long long n, void *arg)
{
	(void)arg;
	for (unsigned long long i = first; i < first + n; i++) {
		seen[i]++;
		if (i % 2)
			starpu_omp_ordered(in_order, &i);
		else {
			starpu_omp_ordered_inline_begin();
			order[norder++] = (int)i;
			starpu_omp_ordered_inline_end();
		}
	}
}

static void loops(void *buffers[], void *arg)
{
	static const int kinds[] = { starpu_omp_sched_static, starpu_omp_sched_dynamic, starpu_omp_sched_guided,
				     starpu_omp_sched_auto, starpu_omp_sched_runtime };
	unsigned long long first, n;

	(void)buffers;
	(void)arg;
	for (unsigned k = 0; k < 5; k++)
		for (unsigned chunk = 0; chunk < 8; chunk += 7) {
			starpu_omp_for(mark, NULL, N, chunk, kinds[k], 0, 0);
			if (starpu_omp_master_inline()) {
				all_once();
				reset();
			}
			starpu_omp_barrier();
		}
	starpu_omp_for_alt(mark_between, NULL, N, 3, starpu_omp_sched_dynamic, 0, 0);
	starpu_omp_single(count, &executors, 0);
	if (starpu_omp_for_inline_first(N, 1, starpu_omp_sched_static, 0, &first, &n))
		do
			mark(first, n, NULL);
		while (starpu_omp_for_inline_next(N, 1, starpu_omp_sched_static, 0, &first, &n));
	starpu_omp_barrier();
	STARPU_ASSERT(executors == 1 && seen[0] == 2 && seen[N - 1] == 2);
	starpu_omp_barrier();
	starpu_omp_master(count, &executors);
	starpu_omp_barrier();
	if (starpu_omp_single_inline())
		reset();
	starpu_omp_barrier();
	starpu_omp_for(mark_in_order, NULL, 100, 3, starpu_omp_sched_dynamic, 1, 0);
}

static void section(unsigned long long i, void *arg)
{
	(void)arg;
	STARPU_ATOMIC_ADD(&seen[i], 1);
}
static void section_0(void *arg)
{
	section(0, arg);
}
static void section_1(void *arg)
{
	section(1, arg);
}

static void copy(void *arg, void *data, unsigned long long data_size)
{
	STARPU_ASSERT(arg == &counter && data_size == sizeof(int));
	*(int *)data = 42;
}

static void sharing(void *buffers[], void *arg)
{
	void (*functions[])(void *) = { section_0, section_1 };
	void *args[] = { NULL, NULL };
	int private = 0, *from;

	(void)buffers;
	(void)arg;
	STARPU_ASSERT(starpu_omp_in_parallel() == (starpu_omp_get_num_threads() > 1) && starpu_omp_get_level() == 1);
	STARPU_ASSERT(starpu_worker_get_id() == starpu_omp_get_thread_num());
	STARPU_ASSERT(starpu_omp_get_ancestor_thread_num(0) == 0 && starpu_omp_get_team_size(0) == 1);
	starpu_omp_sections(2, functions, args, 0);
	starpu_omp_sections_combined(2, section, NULL, 0);
	for (int i = 0; i < 100; i++) {
		starpu_omp_critical(count, i % 2 ? &counter : &unnamed, i % 2 ? "name" : NULL);
		starpu_omp_critical_inline_begin("other");
		executors++;
		starpu_omp_critical_inline_end("other");
		starpu_omp_set_lock(&lock);
		tasks_done++;
		starpu_omp_unset_lock(&lock);
		starpu_omp_set_nest_lock(&nest);
		STARPU_ASSERT(starpu_omp_test_nest_lock(&nest) == 2);
		norder++;
		starpu_omp_unset_nest_lock(&nest);
		starpu_omp_unset_nest_lock(&nest);
		starpu_omp_atomic_fallback_inline_begin();
		seen[9]++;
		starpu_omp_atomic_fallback_inline_end();
	}
	starpu_omp_single_copyprivate(copy, &counter, &private, sizeof private);
	STARPU_ASSERT(private == 42);
	from = starpu_omp_single_copyprivate_inline_begin(&private);
	if (!from)
	private = 7;
	else private = *from;
	starpu_omp_single_copyprivate_inline_end();
	STARPU_ASSERT(private == 7);
}

/* --- tasks --- */

static void add(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);

	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = 2 * v[i] + (int)(intptr_t)arg;
}

static void leaf(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&tasks_done, 1);
}

static struct starpu_omp_task_region_attr attr_of(starpu_cpu_func_t f)
{
	return (struct starpu_omp_task_region_attr){ .cl = { .cpu_funcs = { f }, .where = STARPU_CPU },
						     .if_clause = 1 };
}

static void parent(void *buffers[], void *arg)
{
	struct starpu_omp_task_region_attr attr = attr_of(leaf);
	unsigned before;

	(void)buffers;
	attr.if_clause = arg == NULL;
	before = STARPU_ATOMIC_ADD(&tasks_done, 0); /* other parents' leaves still count */
	for (int i = 0; i < 5; i++)
		starpu_omp_task_region(&attr);
	starpu_omp_taskwait();
	STARPU_ASSERT(STARPU_ATOMIC_ADD(&tasks_done, 0) >= before + 5);
}

static void group(void *arg)
{
	struct starpu_omp_task_region_attr attr = attr_of(parent);

	for (int i = 0; i < 4; i++) {
		attr.cl_arg = i % 2 ? arg : NULL;
		starpu_omp_task_region(&attr);
	}
}

static void loop_piece(void *buffers[], void *arg)
{
	struct starpu_omp_task_region_attr *attr = arg;

	(void)buffers;
	mark_between(attr->begin_i, attr->end_i, NULL);
}

static void tasks(void *buffers[], void *arg)
{
	struct starpu_omp_task_region_attr attr = attr_of(add), loop = attr_of(loop_piece), last = attr_of(parent);

	(void)buffers;
	(void)arg;
	starpu_omp_barrier();
	if (!starpu_omp_single_inline())
		return;
	attr.cl.nbuffers = 1;
	attr.cl.modes[0] = STARPU_RW;
	handle = starpu_omp_data_lookup(vector);
	attr.handles = &handle;
	for (int i = 0; i < 5; i++) {
		attr.cl_arg = (void *)(intptr_t)i;
		starpu_omp_task_region(&attr);
	}
	starpu_omp_taskgroup(group, &attr);
	STARPU_ASSERT(tasks_done == 20);
	loop.nb_iterations = N;
	loop.grainsize = 130;
	starpu_omp_taskloop_inline_begin(&loop);
	starpu_omp_taskloop_inline_end(&loop);
	all_once();
	last.final_clause = 1;
	starpu_omp_task_region(&last);
	STARPU_ASSERT(tasks_done == 25);
}

int main(void)
{
	enum starpu_omp_sched_value kind;
	int modifier, cpus;

	STARPU_CHECK_RETURN_VALUE(starpu_omp_init(), "starpu_omp_init");
	cpus = (int)starpu_cpu_worker_get_count();
	STARPU_ASSERT(starpu_omp_get_num_threads() == 1 && starpu_omp_get_thread_num() == 0);
	STARPU_ASSERT(starpu_omp_get_num_procs() == cpus && !starpu_omp_in_parallel() && !starpu_omp_in_final());
	starpu_omp_get_schedule(&kind, &modifier);
	STARPU_ASSERT(kind == starpu_omp_sched_static && modifier == 0);
	starpu_omp_set_schedule(starpu_omp_sched_guided, 2);
	starpu_omp_set_num_threads(cpus);
	STARPU_ASSERT(starpu_omp_get_max_threads() == cpus && starpu_omp_get_wtime() > 0);
	starpu_omp_init_lock(&lock);
	starpu_omp_init_nest_lock(&nest);
	parallel(loops, 0);
	STARPU_ASSERT(norder == 100 && counter == 0);
	for (int i = 0; i < 100; i++)
		STARPU_ASSERT(order[i] == i);
	reset();
	parallel(sharing, cpus);
	STARPU_ASSERT(seen[0] == 2 && seen[1] == 2 && seen[9] == 100 * cpus);
	/* "name" and no name are two sections: count is not exact across both */
	STARPU_ASSERT(executors == 100u * (unsigned)cpus && tasks_done == executors && norder == executors);
	reset();
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)vector, 16, sizeof *vector);
	starpu_omp_handle_register(handle);
	parallel(tasks, 0);
	STARPU_ASSERT(vector[0] == (((0 * 2 + 1) * 2 + 2) * 2 + 3) * 2 + 4 && vector[15] == vector[0]);
	starpu_omp_handle_unregister(handle);
	starpu_data_unregister(handle);
	starpu_omp_destroy_lock(&lock);
	starpu_omp_destroy_nest_lock(&nest);
	starpu_omp_shutdown();
	return 0;
}
