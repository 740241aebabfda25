/* SPDX-License-Identifier: MIT */
/*
 * Rehearses the submitted graph: runs a copy of it in a simulating runtime with the policy of the first one, once for
 * each branch of the component that asks, and compares the makespans.
 */
#include "engines/rehearsal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/runtime/engine.h"
#include "core/task/pool.h"
#include "core/util/arch.h"
#include "engines/engines.h"
#include "engines/sim.h"

/* A branch must be better by so much to replace the one in use, as predictions are not exact. */
#define REHEARSAL_GAIN 0.002
/* In real time: what a rehearsal takes, for a runtime and for a task of it, and which part of the tasks' own time it
 * may take. */
#define REHEARSAL_START_US 2000
#define REHEARSAL_TASK_US 4
#define REHEARSAL_SHARE 0.02
/* Where durations vary: simulations of each branch, and branches that take so much longer than the best drop out. */
#define REHEARSAL_ROUNDS 3
#define REHEARSAL_DROP 1.5
/* Where more tasks will be submitted, those that are there stand for them. Otherwise the end, where workers run out of
 * tasks, counts too much. */
#define REHEARSAL_TIMES 3

/* --- a run --- */

/* A copy of the graph in a simulating runtime. */
struct rehearsal_run {
	const struct xy__rehearsal *r;
	struct xy_runtime *rt;
	struct xy_codelet codelets[2][XY_ON_ALL + 1]; /* unlike or not; by architectures */
	struct xy_handle **handles;                   /* by datum */
	struct xy_task **kept;                        /* by task: those that others wait for explicitly */
	void *space;
	size_t space_bytes;
};

static int run_body(struct xy_call *call)
{
	(void)call;
	return -ENOSYS;
}

struct xy_prediction xy__rehearsal_length(const struct xy__rehearsal *r, const struct xy_task *task, unsigned worker)
{
	const struct xy__rehearsal_task *t = xy_task_argument(task);

	if (!t)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE,
				       .us = r->us[t->first_us + (t->unlike ? worker : r->classes[worker])] };
}

/* The runtime of a task that is unlike others tells its rehearsal. */
static double run_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)implementation;
	return xy__rehearsal_length(task->pool->runtime->rehearsal, task, worker).us;
}

static const struct xy_model run_unlike = { .name = "rehearsal", .kind = XY_MODEL_WORKER, .per_worker = run_length };

static int run_data(struct rehearsal_run *run)
{
	const struct xy__rehearsal *r = run->r;
	size_t at = 0;
	int error = 0;

	for (uint32_t i = 0; i < r->ndata; i++)
		if (__builtin_add_overflow(run->space_bytes, r->bytes[i], &run->space_bytes))
			return -ENOMEM;
	if (run->space_bytes) {
		run->space = mmap(NULL, run->space_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
				  0);
		if (run->space == MAP_FAILED) {
			run->space = NULL;
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < r->ndata && !error; i++) {
		error = r->bytes[i]
				? xy_variable_register(run->rt, &run->handles[i], (char *)run->space + at, r->bytes[i])
				: xy_void_register(run->rt, &run->handles[i]);
		at += r->bytes[i];
	}
	return error;
}

/* Submits a task; `edge` is the first edge that may be its own, and goes on to the next task's. */
static int run_task(struct rehearsal_run *run, uint32_t i, uint32_t *edge)
{
	const struct xy__rehearsal *r = run->r;
	const struct xy__rehearsal_task *t = &r->tasks[i];
	uint32_t first = *edge, n = 0;
	struct xy_access *accesses = malloc((t->naccesses + (size_t)1) * sizeof *accesses);
	struct xy_task **after;
	int error = -ENOMEM;

	while (*edge < r->nedges && r->edges[*edge].to == i)
		++*edge;
	after = malloc((*edge - first + (size_t)1) * sizeof(struct xy_task *));
	if (accesses && after) {
		struct xy_task_desc desc = { .codelet = t->archs ? &run->codelets[t->unlike][t->archs] : NULL,
					     .accesses = accesses,
					     .arg = (void *)t,
					     .after = after,
					     .priority = t->priority };

		for (uint32_t k = 0; k < t->naccesses; k++)
			accesses[k] = (struct xy_access){ run->handles[r->accesses[t->first_access + k].data],
							  r->accesses[t->first_access + k].mode };
		accesses[t->naccesses] = (struct xy_access){ .handle = NULL };
		for (; first < *edge; first++)
			after[n++] = run->kept[r->edges[first].from];
		desc.nafter = n;
		if (!r->nedges) {
			error = xy_submit(run->rt, &desc);
		} else {
			error = xy_task_create(run->rt, &desc, &run->kept[i]);
			error = error ? error : xy_task_submit(run->kept[i]);
		}
	}
	free(accesses);
	free(after);
	return error;
}

static int run_all(struct rehearsal_run *run)
{
	int error;

	run->handles = calloc(run->r->ndata + (size_t)1, sizeof(struct xy_handle *));
	run->kept = calloc(run->r->ntasks + (size_t)1, sizeof(struct xy_task *));
	error = run->handles && run->kept ? run_data(run) : -ENOMEM;
	for (unsigned archs = 1; archs <= XY_ON_ALL; archs++)
		for (unsigned unlike = 0; unlike < 2; unlike++) {
			run->codelets[unlike][archs] = (struct xy_codelet){ .name = "rehearsal",
									    .model = unlike ? &run_unlike : NULL };
			xy__arch_implement(&run->codelets[unlike][archs], archs, run_body);
		}
	for (unsigned time = 0; time < run->r->times && !error; time++) {
		uint32_t edge = 0;

		for (uint32_t i = 0; i < run->r->ntasks && !error; i++)
			error = run_task(run, i, &edge);
		for (uint32_t i = 0; i < run->r->ntasks; i++) {
			xy_task_release(run->kept[i]);
			run->kept[i] = NULL;
		}
	}
	return error ? error : xy_wait(run->rt);
}

/* The machine of the rehearsal numbers its workers as the first one does. */
static bool run_has_workers(const struct rehearsal_run *run)
{
	for (unsigned i = 0; i < run->r->nworkers; i++) {
		const struct xy_worker_info *info = xy_machine_worker(run->rt->machine, i);

		if (!info || info->arch != run->r->archs[i])
			return false;
	}
	return run->rt->nworkers == run->r->nworkers;
}

static void rehearsal_log(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

/* The settings of the first runtime that matter for a schedule. */
static struct xy_config rehearsal_config(const struct xy_context *context, const struct xy__rehearsal *r,
					 const char *machine)
{
	const struct xy_runtime *rt = context->runtime;
	const struct xy__settings *s = &rt->settings;

	return (struct xy_config){
		.sched = xy__runtime_policy(context),
		.components = s->components,
		.machines = s->machines,
		.plugins = s->plugins,
		.seed = s->seed,
		.window = r->times > 1 ? s->window : r->ntasks + 1,
		.prefetch = s->prefetch ? XY_YES : XY_NO,
		.sim = machine,
		.sim_noise = r->noise,
		.sim_overhead_us = s->sim_overhead_us,
		.sim_shared = rt->shared_memory ? XY_YES : XY_NO,
		.sigusr1 = XY_NO,
		.ignore_environment = true,
		.log = rehearsal_log,
	};
}

/* The makespan; INFINITY if it fails. */
static double rehearsal_run(const struct xy__rehearsal *r, const struct xy_config *config)
{
	static const struct xy__engine_ops *const engines[] = { &xy__sim_engine, NULL };
	struct rehearsal_run *run = calloc(1, sizeof *run);
	double makespan_s = INFINITY;

	if (!run)
		return makespan_s;
	run->r = r;
	if (!xy__runtime_start(&run->rt, config, engines)) {
		run->rt->rehearsal = r;
		if (run_has_workers(run) && !run_all(run))
			makespan_s = xy_now(run->rt);
		xy_stop(&run->rt);
	}
	if (run->space)
		munmap(run->space, run->space_bytes);
	free(run->handles);
	free(run->kept);
	free(run);
	return makespan_s;
}

/* --- all branches --- */

/* How long a round takes in real time. */
static double rehearsal_cost_us(const struct xy__rehearsal *r, unsigned nbranches)
{
	return nbranches * (REHEARSAL_START_US + (double)REHEARSAL_TASK_US * r->times * r->ntasks);
}

/* As many rounds as make sense, and as there is time for; maybe none. */
static unsigned rehearsal_rounds(const struct xy_runtime *rt, const struct xy__rehearsal *r, unsigned nbranches)
{
	double room = rt->engine->is_simulated ? INFINITY
					       : REHEARSAL_SHARE * r->work_us / rehearsal_cost_us(r, nbranches);

	if (r->noise > 0 && room >= REHEARSAL_ROUNDS)
		return REHEARSAL_ROUNDS;
	return room >= 1;
}

/* Adds the makespans of a round; INFINITY for branches that drop out. */
static void rehearsal_round(struct xy__rehearsal *r, struct xy_config *config, unsigned nbranches, double *sums_s)
{
	double least_s = INFINITY;

	for (unsigned i = 0; i < nbranches; i++)
		least_s = fmin(least_s, sums_s[i]);
	if (r->noise > 0) /* not the noise of the run itself, which nobody knows */
		config->seed = config->seed * 6364136223846793005u + 1442695040888963407u;
	for (unsigned i = 0; i < nbranches; i++) {
		r->branch = i;
		sums_s[i] = sums_s[i] > REHEARSAL_DROP * least_s ? INFINITY : sums_s[i] + rehearsal_run(r, config);
	}
}

/* The branch with the shortest makespan. */
static unsigned rehearsal_compare(struct xy__rehearsal *r, struct xy_config *config, unsigned nbranches,
				  unsigned branch, unsigned rounds)
{
	double *sums_s = calloc(nbranches, sizeof *sums_s);
	unsigned best = branch;

	for (unsigned round = 0; round < rounds && sums_s; round++)
		rehearsal_round(r, config, nbranches, sums_s);
	for (unsigned i = 0; i < nbranches && sums_s; i++)
		if (sums_s[i] < (best == branch ? 1 - REHEARSAL_GAIN : 1) * sums_s[best])
			best = i;
	free(sums_s);
	return best;
}

int xy__rehearse(struct xy__tree_engine *engine, struct xy_component *component, unsigned branch, struct xy_agent *by)
{
	struct xy_context *context = xy__context_of(engine);
	struct xy_runtime *rt = context->runtime;
	struct xy__buffer machine = { 0 };
	struct xy__rehearsal r = { .times = 1 };
	bool known = rt->engine->is_simulated, more = false;
	unsigned rounds = 0;

	if (rt->rehearsal)
		return (int)rt->rehearsal->branch;
	/* a policy built by calls has no text; and on so many workers a rehearsal has too few tasks */
	if ((rt->settings.tree && !context->policy) || rt->nworkers > XY__REHEARSAL_TASKS / 8)
		return (int)branch;
	engine->submitted(engine, &more);
	if (more)
		r.times = REHEARSAL_TIMES;
	if (xy__rehearsal_copy(&r, component)) {
		r.noise = known ? rt->settings.sim_noise : r.noise;
		rounds = rehearsal_rounds(rt, &r, component->nchildren);
	}
	if (rounds && (known || xy__sim_describe(rt, &machine))) {
		struct xy_config config = rehearsal_config(context, &r, known ? rt->settings.sim : machine.at);
		double cost_us = known || by->worker < 0 ? 0 : rounds * rehearsal_cost_us(&r, component->nchildren);

		/* mappers must not expect the worker to be idle meanwhile */
		if (cost_us > 0)
			xy__worker_occupy(&rt->workers[by->worker], cost_us);
		branch = rehearsal_compare(&r, &config, component->nchildren, branch, rounds);
		if (cost_us > 0)
			xy__worker_occupy(&rt->workers[by->worker], -cost_us);
	}
	xy__buffer_fini(&machine);
	xy__rehearsal_fini(&r);
	return (int)branch;
}
