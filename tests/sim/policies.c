/* SPDX-License-Identifier: MIT */
/*
 * Every policy on every shipped machine, in virtual time: whatever is known of the tasks, and whatever becomes of that
 * while they run, each task runs once, after those that it waits for, where it may; no worker sleeps beside a task that
 * it could run; and the same seed gives the same run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "engines/sim.h"
#include "graph/graph.h"

#include "../helper.h"
#include "core/runtime/engine.h"
#include "core/runtime/worker.h"
#include "core/task/pool.h"

enum { SEEDS = 20, AUDITED = 8, PIN_EVERY = 7, KERNELS = 8 };

static const char *const machines[] = { "attila", "idgraf", "laptop", "mirage", "mirage-12", "node-64-8", "node-64-4" };
static const char *const graphs[] = {
	"cholesky:5",     "lu:4",    "qr:3", "stencil:5x5", "forkjoin:12x2", "random:layers=4:width=8:seed=3",
	"independent:40", "chain:6",
};
enum { NGRAPHS = sizeof graphs / sizeof graphs[0] };

/* --- what is known of tasks --- */

enum knowledge {
	ALL_KNOWN,  /* each prediction is there */
	NONE_KNOWN, /* no task has a model */
	MIXED,      /* some tasks have one, some need measurements until a few have run, some have none */
	PURGED,     /* all are known; none are while the middle third runs */
	NKNOWLEDGES
};

/* One run of a graph. */
struct trial {
	const struct graph *g;
	const struct graph_edges *edges;
	enum knowledge knowledge;
	struct xy_runtime *rt;
	uint64_t hash; /* of what ran where and when */
	unsigned nended;
	unsigned *runs;   /* by task */
	int *pins;        /* by task: a worker, or -1 */
	double *end_s;    /* by task */
	struct job *jobs; /* by task: their arguments */
};

struct job {
	struct trial *trial;
	unsigned task;
};

static const struct job *job_of(const struct xy_task *task)
{
	return xy_task_argument(task);
}

static enum xy_prediction_kind known_of(const struct job *job)
{
	const struct trial *t = job->trial;

	switch (t->knowledge) {
	case ALL_KNOWN:
		return XY_PREDICTION_VALUE;
	case NONE_KNOWN:
		return XY_PREDICTION_NONE;
	case PURGED:
		return t->nended * 3 / t->g->ntasks == 1 ? XY_PREDICTION_UNKNOWN : XY_PREDICTION_VALUE;
	default:
		if (job->task % 3 == 0)
			return XY_PREDICTION_NONE;
		return job->task % 3 == 1 && t->nended < t->g->ntasks / 2 ? XY_PREDICTION_UNKNOWN : XY_PREDICTION_VALUE;
	}
}

/* How long a task takes; before it runs, only as far as that is to be known. */
struct xy_prediction __wrap_xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation);
struct xy_prediction __real_xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation);
static struct xy_prediction job_length(const struct job *job, const struct xy_task *task, unsigned worker,
				       unsigned implementation)
{
	static const double speeds[KERNELS] = { 0.4, 1, 2, 4, 8, 16, 30, 30 };
	unsigned kernel = job->trial->g->tasks[job->task].kernel % KERNELS;
	const struct xy_worker_info *info = xy_machine_worker(xy_runtime_machine(job->trial->rt), worker);
	struct xy_prediction p = { .kind = XY_PREDICTION_VALUE };

	if (atomic_load(&task->state) != XY__TASK_RUNNING)
		p.kind = known_of(job);
	if (p.kind == XY_PREDICTION_VALUE)
		p.us = 1000.0 * (kernel + 1) / (info->arch == XY_CPU ? info->speed : speeds[kernel]) *
		       (implementation ? 1.3 : 1);
	return p;
}

/* Tasks of rehearsals are not jobs. */
struct xy_prediction __wrap_xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	return task->pool->runtime->rehearsal ? __real_xy_task_length(task, worker, implementation)
					      : job_length(job_of(task), task, worker, implementation);
}

/* --- what happens --- */

static void trial_ended(void *arg, const struct xy_report *report)
{
	struct trial *t = *(struct trial **)arg;
	const struct job *job = job_of(report->task);
	unsigned i = job->task;

	assert_ptr_equal(job->trial, t);
	assert_int_equal(report->status, 0);
	assert_true(t->pins[i] < 0 || report->worker == (unsigned)t->pins[i]);
	for (size_t k = t->edges->before_at[i]; k < t->edges->before_at[i + 1]; k++) {
		assert_int_equal(t->runs[t->edges->before[k]], 1);
		assert_true(t->end_s[t->edges->before[k]] <= report->start_s);
	}
	t->runs[i]++;
	t->end_s[i] = report->end_s;
	t->nended++;
	t->hash = (t->hash ^ i) * 0x100000001b3u;
	t->hash = (t->hash ^ report->worker) * 0x100000001b3u;
	t->hash = (t->hash ^ (uint64_t)(report->end_s * 1e9)) * 0x100000001b3u;
}

/* Tasks that rest although a worker below sleeps that could run them. */
struct audit {
	struct xy_runtime *rt;
	const struct xy_component *component;
	bool found;
	unsigned worker; /* the last of them */
};

static void audit_task(void *arg, const struct xy_task *task)
{
	struct audit *audit = arg;
	const struct xy_component *c = audit->component;

	for (unsigned i = 0; i < c->nworkers; i++)
		if (atomic_load(&audit->rt->workers[c->workers[i]].state) == XY__ASLEEP &&
		    xy_task_can_run(task, c->workers[i])) {
			audit->found = true;
			audit->worker = c->workers[i];
		}
}

/* Some keep tasks on purpose: for a faster worker, for their turn, or for room further down a pipeline. */
static bool keeps_on_purpose(const struct xy_component *c)
{
	static const char *const kinds[] = { "cambium", "heft", "heteroprio", "in-order", "pipeline" };

	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strcmp(c->ops->name, kinds[i]))
			return true;
	return false;
}

static void audit_tree(struct xy_runtime *rt)
{
	struct audit audit = { .rt = rt };

	if (rt->sim->queue_count || rt->sim->arrived)
		return; /* some have not looked yet */
	for (unsigned i = 0; i < xy_tree_ncomponents(rt->main.tree); i++) {
		struct xy_component *c = xy_tree_component(rt->main.tree, i);
		size_t peak;

		audit.component = c;
		if (c->ops->each_task && !keeps_on_purpose(c) && c->ops->depth(c, &peak))
			c->ops->each_task(c, audit_task, &audit);
		if (audit.found)
			fail_msg("at %g s, %s#%u keeps %zu tasks beside worker %u, which sleeps", xy_now(rt),
				 c->ops->name, c->id, c->ops->depth(c, &peak), audit.worker);
	}
}

/* Called after each thing that happens. */
static bool audit(void *arg)
{
	const struct trial *t = arg;

	audit_tree(t->rt);
	return t->nended == t->g->ntasks;
}

/* --- running --- */

static int nothing(struct xy_call *call)
{
	(void)call;
	return -1;
}

static const struct xy_codelet codelets[2] = {
	{ .name = "one", .cpu = { nothing }, .cuda = { nothing }, .opencl = { nothing }, .hip = { nothing } },
	{ .name = "two",
	  .cpu = { nothing, nothing },
	  .cuda = { nothing, nothing },
	  .opencl = { nothing },
	  .hip = { nothing } },
};

static void trial_submit(struct trial *t, struct xy_handle **handles)
{
	const struct graph *g = t->g;

	for (unsigned i = 0; i < g->ntasks; i++) {
		const struct graph_task *task = &g->tasks[i];
		struct xy_access accesses[65] = { 0 };
		unsigned worker = (unsigned)t->pins[i];

		assert_in_range(task->naccesses, 0, 64);
		for (unsigned k = 0; k < task->naccesses; k++)
			accesses[k] = (struct xy_access){ handles[g->accesses[task->first_access + k].data],
							  g->accesses[task->first_access + k].mode };
		t->jobs[i] = (struct job){ t, i };
		assert_int_equal(xy_submit(t->rt, &(struct xy_task_desc){ .codelet = &codelets[task->kernel % 2],
									  .arg = &t->jobs[i],
									  .accesses = accesses,
									  .priority = task->priority,
									  .choice = 1 + i % 2,
									  .workers = &worker,
									  .nworkers = t->pins[i] >= 0 }),
				 0);
	}
}

/* Nobody may touch the memory of the data. */
static void *data_register(const struct graph *g, struct xy_runtime *rt, struct xy_handle **handles, size_t *bytes)
{
	char *space, *at;

	*bytes = 1;
	for (unsigned i = 0; i < g->ndata; i++)
		*bytes += (size_t)g->data[i].bytes;
	space = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(space != MAP_FAILED);
	at = space;
	for (unsigned i = 0; i < g->ndata; i++) {
		assert_int_equal(g->data[i].bytes ? xy_variable_register(rt, &handles[i], at, (size_t)g->data[i].bytes)
						  : xy_void_register(rt, &handles[i]),
				 0);
		at += g->data[i].bytes;
	}
	return space;
}

/* Runs a graph in a runtime whose watch looks at *current; gives a hash of what happened. */
static uint64_t run_graph(struct xy_runtime *rt, struct trial **current, const struct graph *g,
			  const struct graph_edges *edges, uint64_t seed, enum knowledge knowledge)
{
	struct trial t = { .g = g, .edges = edges, .knowledge = knowledge, .rt = rt, .hash = 0xcbf29ce484222325u };
	struct xy_handle **handles = calloc(g->ndata + 1, sizeof *handles);
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(rt));
	size_t bytes;
	void *space;

	*current = &t;
	t.runs = calloc(g->ntasks, sizeof *t.runs);
	t.pins = calloc(g->ntasks, sizeof *t.pins);
	t.end_s = calloc(g->ntasks, sizeof *t.end_s);
	t.jobs = calloc(g->ntasks, sizeof *t.jobs);
	for (unsigned i = 0; i < g->ntasks; i++)
		t.pins[i] = (i + seed) % PIN_EVERY ? -1 : (int)((i * 31 + seed) % nworkers);
	space = data_register(g, rt, handles, &bytes);
	trial_submit(&t, handles);
	if (seed <= AUDITED)
		assert_true(rt->engine->wait_until(rt, &(struct xy__condition){ .holds = audit, .arg = &t }, -1));
	assert_int_equal(xy_wait(rt), 0);
	assert_int_equal(t.nended, g->ntasks);
	for (unsigned i = 0; i < g->ntasks; i++)
		assert_int_equal(t.runs[i], 1);
	for (unsigned i = 0; i < g->ndata; i++)
		assert_int_equal(xy_unregister(&handles[i]), 0);
	munmap(space, bytes);
	free(handles);
	free(t.runs);
	free(t.pins);
	free(t.end_s);
	free(t.jobs);
	return t.hash;
}

/* Runs some graphs, one after the other, each with other knowledge. */
static uint64_t run(const char *policy, const char *machine, const char *const *texts, unsigned n, uint64_t seed,
		    unsigned knowledge)
{
	struct trial *current;
	struct xy_watch watch = { .arg = &current, .ended = trial_ended };
	char path[512], error[256];
	struct xy_config config = { .ignore_environment = true,
				    .sim = path,
				    .sched = policy,
				    .sim_noise = 0.1,
				    .seed = seed,
				    .watch = &watch };
	struct xy_runtime *rt;
	uint64_t hash = 0;

	snprintf(path, sizeof path, "%s/%s.xym", MACHINES, machine);
	assert_int_equal(xy_start(&rt, &config), 0);
	for (unsigned i = 0; i < n; i++) {
		struct graph_edges edges;
		struct graph g;

		if (graph_open(&g, texts[i], error, sizeof error))
			fail_msg("%s", error);
		assert_int_equal(graph_edges_init(&edges, &g), 0);
		hash = hash * 31 + run_graph(rt, &current, &g, &edges, seed, (knowledge + i) % NKNOWLEDGES);
		graph_edges_fini(&edges);
		graph_fini(&g);
	}
	assert_int_equal(xy_stop(&rt), 0);
	return hash;
}

/* Calls each with each policy. */
static void for_each_policy(void (*each)(const char *policy))
{
	struct xy_registry *registry;
	const struct xy_policy *policy;
	unsigned n = 0;

	assert_int_equal(xy_registry_create(&registry, NULL, NULL, 0), 0);
	for (; (policy = xy_registry_policy_at(registry, n)); n++)
		each(policy->name);
	assert_true(n >= 20);
	xy_registry_destroy(registry);
}

/* With each seed other knowledge for each graph, so that all pairs come up. */
static void run_everywhere(const char *policy)
{
	print_message("# %s, seeds 1 to %u\n", policy, helper_scale(SEEDS));
	for (unsigned m = 0; m < sizeof machines / sizeof machines[0]; m++)
		for (unsigned seed = 1; seed <= helper_scale(SEEDS); seed++)
			run(policy, machines[m], graphs, NGRAPHS, seed, seed);
}

static void each_task_runs_once_and_in_order_everywhere(void **state)
{
	(void)state;
	for_each_policy(run_everywhere);
}

static void run_twice(const char *policy)
{
	uint64_t first = run(policy, "mirage", graphs, NKNOWLEDGES, 5, 0);

	if (run(policy, "mirage", graphs, NKNOWLEDGES, 5, 0) != first)
		fail_msg("%s: the same seed gives another run", policy);
	if (run(policy, "mirage", graphs, NKNOWLEDGES, 6, 0) == first)
		fail_msg("%s: another seed gives the same run", policy);
}

static void the_same_seed_gives_the_same_run(void **state)
{
	(void)state;
	for_each_policy(run_twice);
}

static void ten_thousand_workers_do_no_harm(void **state)
{
	static const char *const policies[] = { "tree-dmdas", "tree-heft-nodes", "tree-heteroprio", "tree-ws" };
	static const char *const wide = "forkjoin:30x2";

	(void)state;
	for (unsigned i = 0; i < sizeof policies / sizeof policies[0]; i++)
		run(policies[i], "huge", &wide, 1, SEEDS, MIXED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_task_runs_once_and_in_order_everywhere),
		cmocka_unit_test(the_same_seed_gives_the_same_run),
		cmocka_unit_test(ten_thousand_workers_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
