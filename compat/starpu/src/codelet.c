/* SPDX-License-Identifier: MIT */
/*
 * Codelets. The one of Xylem's depends on which functions a codelet has and
 * where they may run, not on the functions themselves, which are looked up when
 * a task runs. It is kept in the program's struct and checked at each use,
 * because programs change their codelets between tasks and copy them. Records
 * are never freed: structs of the program still point to them, and each says
 * for which start it holds. They are as many as the program has codelets.
 */
#include "internal.h"

struct starpu_codelet starpu_codelet_nop = { .where = STARPU_NOWHERE, .name = "nop" };

/* What a codelet was when it was translated. */
struct xylem_starpu_codelet {
	struct xy_codelet xy;
	struct xylem_starpu_codelet *next; /* all of them, to be freed */
	unsigned generation;
	uint32_t where;
	uint64_t functions; /* a bit for each that is there */
	bool only_cpu;
	starpu_cpu_func_t cpu[STARPU_MAXIMPLEMENTATIONS], cuda[STARPU_MAXIMPLEMENTATIONS],
		opencl[STARPU_MAXIMPLEMENTATIONS], hip[STARPU_MAXIMPLEMENTATIONS];
	int32_t task_where;
	enum starpu_codelet_type type;
	int max_parallelism;
	void *can_execute;
	const char *name;
	struct starpu_perfmodel *model, *energy_model;
};

static pthread_mutex_t codelets_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xylem_starpu_codelet *codelets;

unsigned xs_archs(uint32_t where)
{
	return (where & STARPU_CPU ? XY_ON_CPU : 0) | (where & STARPU_CUDA ? XY_ON_CUDA : 0) |
	       (where & STARPU_OPENCL ? XY_ON_OPENCL : 0) | (where & STARPU_HIP ? XY_ON_HIP : 0);
}

/* Old programs have one function in a field of its own. */
static void codelet_modernise(struct starpu_codelet *cl)
{
	if (cl->cpu_func && cl->cpu_func != STARPU_MULTIPLE_CPU_IMPLEMENTATIONS && !cl->cpu_funcs[0])
		cl->cpu_funcs[0] = cl->cpu_func;
	if (cl->cuda_func && cl->cuda_func != STARPU_MULTIPLE_CUDA_IMPLEMENTATIONS && !cl->cuda_funcs[0])
		cl->cuda_funcs[0] = cl->cuda_func;
	if (cl->opencl_func && cl->opencl_func != STARPU_MULTIPLE_OPENCL_IMPLEMENTATIONS && !cl->opencl_funcs[0])
		cl->opencl_funcs[0] = cl->opencl_func;
	/* Some name only functions for other computers, which would be looked up
   * there. */
}

static uint64_t functions_of(const struct starpu_codelet *cl)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		bits |= (uint64_t)((cl->cpu_funcs[i] ? 1 : 0) | (cl->cuda_funcs[i] ? 2 : 0) |
				   (cl->opencl_funcs[i] ? 4 : 0) | (cl->hip_funcs[i] ? 8 : 0))
			<< (4 * i);
	return bits;
}

static bool codelet_can_execute(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct xs_job *job = xy_task_argument(task);

	return job->task->cl->can_execute(worker, job->task, implementation) != 0;
}

/* Most codelets have functions for CPUs alone. */
static bool functions_of_devices(const struct starpu_codelet *cl)
{
	uintptr_t any = 0;

	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		any |= (uintptr_t)cl->cuda_funcs[i] | (uintptr_t)cl->opencl_funcs[i] | (uintptr_t)cl->hip_funcs[i];
	return any;
}

static bool functions_are(const struct xylem_starpu_codelet *c, const struct starpu_codelet *cl)
{
	if (c->only_cpu)
		return !memcmp(c->cpu, cl->cpu_funcs, sizeof c->cpu) && !functions_of_devices(cl);
	return !memcmp(c->cpu, cl->cpu_funcs, sizeof c->cpu) && !memcmp(c->cuda, cl->cuda_funcs, sizeof c->cuda) &&
	       !memcmp(c->opencl, cl->opencl_funcs, sizeof c->opencl) && !memcmp(c->hip, cl->hip_funcs, sizeof c->hip);
}

static bool codelet_is_current(const struct xylem_starpu_codelet *c, const struct starpu_codelet *cl, int32_t where)
{
	return c && c->generation == xs_global.generation && c->where == cl->where && c->task_where == where &&
	       functions_are(c, cl) && c->type == cl->type && c->max_parallelism == cl->max_parallelism &&
	       c->can_execute == (void *)cl->can_execute && c->name == cl->name && c->model == cl->model &&
	       c->energy_model == cl->energy_model;
}

static void codelet_functions(struct xy_codelet *xy, uint64_t bits)
{
	for (unsigned i = 0, n[4] = { 0 }; i < STARPU_MAXIMPLEMENTATIONS; i++) {
		if (bits >> (4 * i) & 1)
			xy->cpu[n[0]++] = xs_run_cpu;
		if (bits >> (4 * i) & 2)
			xy->cuda[n[1]++] = xs_run_cuda;
		if (bits >> (4 * i) & 4)
			xy->opencl[n[2]++] = xs_run_opencl;
		if (bits >> (4 * i) & 8)
			xy->hip[n[3]++] = xs_run_hip;
	}
}

static struct xylem_starpu_codelet *codelet_translate(struct starpu_codelet *cl, int32_t where)
{
	struct xylem_starpu_codelet *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->generation = xs_global.generation;
	c->where = cl->where;
	c->task_where = where;
	c->functions = functions_of(cl);
	c->only_cpu = !functions_of_devices(cl);
	memcpy(c->cpu, cl->cpu_funcs, sizeof c->cpu);
	memcpy(c->cuda, cl->cuda_funcs, sizeof c->cuda);
	memcpy(c->opencl, cl->opencl_funcs, sizeof c->opencl);
	memcpy(c->hip, cl->hip_funcs, sizeof c->hip);
	c->type = cl->type;
	c->max_parallelism = cl->max_parallelism;
	c->can_execute = (void *)cl->can_execute;
	c->name = cl->name;
	c->model = cl->model;
	c->energy_model = cl->energy_model;
	c->xy.name = cl->name ? cl->name : cl->model && cl->model->symbol ? cl->model->symbol : "codelet";
	c->xy.parallel = cl->type == STARPU_SPMD ? XY_SPMD : cl->type == STARPU_FORKJOIN ? XY_FORK_JOIN : XY_SEQUENTIAL;
	c->xy.most_ranks = cl->type && cl->max_parallelism > 0 && cl->max_parallelism < STARPU_NMAXWORKERS
				   ? (unsigned)cl->max_parallelism
				   : 0;
	c->xy.where = xs_archs(where != -1 ? (uint32_t)where : cl->where);
	codelet_functions(&c->xy, c->functions);
	c->xy.model = xs_model(cl->model, false);
	c->xy.energy_model = xs_model(cl->energy_model, true);
	c->xy.never_behind = true; /* StarPU calls no function before the callbacks of earlier tasks */
	if (cl->can_execute)
		c->xy.can_execute = codelet_can_execute;
	return c;
}

const struct xy_codelet *xs_codelet(struct starpu_codelet *cl, int32_t where, int *error)
{
	struct xylem_starpu_codelet *c;

	*error = 0;
	if (!cl || (where != -1 ? (uint32_t)where : cl->where) == STARPU_NOWHERE)
		return NULL;
	/* Copies of a struct may point to one record; each checks it, so no lock is
   * needed to read it. */
	c = __atomic_load_n(&cl->xylem_private, __ATOMIC_ACQUIRE);
	if (codelet_is_current(c, cl, where))
		return &c->xy;
	pthread_mutex_lock(&codelets_lock);
	codelet_modernise(cl);
	for (c = codelets; c && !codelet_is_current(c, cl, where); c = c->next)
		;
	if (!c) {
		c = codelet_translate(cl, where);
		if (c) {
			c->next = codelets;
			codelets = c;
		}
	}
	if (!cl->checked) /* else the struct may be constant */
		__atomic_store_n(&cl->xylem_private, c, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&codelets_lock);
	if (!c)
		*error = -ENOMEM;
	else if (!c->functions)
		*error = -ENODEV;
	return c && c->functions ? &c->xy : NULL;
}

void starpu_codelet_init(struct starpu_codelet *cl)
{
	memset(cl, 0, sizeof *cl);
}

void starpu_codelet_display_stats(struct starpu_codelet *cl)
{
	unsigned long total = 0;

	for (unsigned i = 0; i < xs_global.nworkers && i < STARPU_NMAXWORKERS; i++)
		total += cl->per_worker_stats[i];
	fprintf(stderr, "codelet %s: %lu tasks\n", cl->name ? cl->name : "without a name", total);
	for (unsigned i = 0; i < xs_global.nworkers && i < STARPU_NMAXWORKERS; i++)
		fprintf(stderr, "\t%s\t%lu\n", xy_machine_worker(xs_global.machine, i)->name, cl->per_worker_stats[i]);
}
