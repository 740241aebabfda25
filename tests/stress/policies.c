/* SPDX-License-Identifier: MIT */
/*
 * Every policy under load: each task runs once, after those it depends on, where it may; and no worker
 * sleeps while a task that it can run rests in a queue above it.
 */
#include "../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/runtime/inbox.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

/* Shapes of trees that no policy has: bounds of one, stealing between queues, decisions below a bound. */
static const char *const expressions[] = {
	"fifo | eager | each worker { fifo(ntasks=1) | prio(ntasks=1) | best-implementation }",
	"work-stealing | each worker { fifo(ntasks=2) | best-implementation }",
	"prio | random | each worker { fifo(ntasks=1) }",
	"fifo | work-stealing | each worker { prio(ntasks=3) }",
	"fifo | fifo(ntasks=3) | eager | each worker { }",
	"cambium | each worker { best-implementation }",
	"cambium(nodes=16) | each worker { }",
	"prio | mct | each worker { prio(ntasks=1) }",
	"heft(window=3) | each worker { fifo(ntasks=2) | best-implementation }",
	"heteroprio | each worker { prio(ntasks=2) | best-implementation }",
	"fifo | mct | each worker { }",
};

static const unsigned worker_counts[] = { 1, 2, 8 };

/* Calls run with the name of each policy, and with each expression. */
static void for_each_policy(void (*run)(const char *sched, unsigned nworkers))
{
	struct xy_registry *registry;
	const struct xy_policy *policy;
	char error[256];
	unsigned n = 0;

	assert_int_equal(xy_registry_create(&registry, NULL, error, sizeof error), 0);
	for (; (policy = xy_registry_policy_at(registry, n)); n++)
		for (unsigned i = 0; i < HELPER_COUNT(worker_counts); i++)
			run(policy->name, worker_counts[i]);
	assert_true(n >= 10);
	xy_registry_destroy(registry);
	for (n = 0; n < HELPER_COUNT(expressions); n++)
		for (unsigned i = 0; i < HELPER_COUNT(worker_counts); i++)
			run(expressions[n], worker_counts[i]);
}

/* --- graphs --- */

enum { CELLS = 12, MOST_ACCESSES = 4 };

struct job {
	unsigned naccesses;
	struct {
		unsigned cell;
		bool writes;
	} access[MOST_ACCESSES];
	unsigned long version[MOST_ACCESSES]; /* of the cells when it is its turn */
	int pinned;                           /* to this worker, -1: to none */
	unsigned codelet;                     /* of job_codelets */
	struct graph *graph;
	/* what happened */
	_Atomic int runs;
	int begin, end; /* moments of the graph's clock */
	unsigned worker;
	bool wrong; /* some data had not the version that it should have */
};

struct graph {
	struct job *jobs;
	unsigned njobs, capacity;
	_Atomic int clock;
	/* Without atomics or locks: only the dependencies keep tasks from racing for it. */
	unsigned long cells[CELLS];
	unsigned long versions[CELLS]; /* what cells will be after all jobs so far */
	struct xy_handle *handles[CELLS];
};

static int job_body(struct xy_call *call)
{
	struct job *job = call->arg;

	atomic_fetch_add(&job->runs, 1);
	job->begin = atomic_fetch_add(&job->graph->clock, 1);
	job->worker = call->worker;
	for (unsigned i = 0; i < job->naccesses; i++) {
		unsigned long *cell = xy_pointer(call, i);

		job->wrong |= *cell != job->version[i];
		if (job->access[i].writes)
			++*cell;
	}
	job->end = atomic_fetch_add(&job->graph->clock, 1);
	return 0;
}

static void graph_init(struct graph *g, struct helper *h, unsigned capacity)
{
	memset(g, 0, sizeof *g);
	g->jobs = calloc(capacity, sizeof *g->jobs);
	assert_non_null(g->jobs);
	g->capacity = capacity;
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_variable_register(h->rt, &g->handles[i], &g->cells[i], sizeof g->cells[i]), 0);
}

static struct job *graph_add(struct graph *g)
{
	struct job *job = &g->jobs[g->njobs++];

	assert_true(g->njobs <= g->capacity);
	job->graph = g;
	job->pinned = -1;
	return job;
}

static void job_use(struct job *job, unsigned cell, bool writes)
{
	for (unsigned i = 0; i < job->naccesses; i++)
		if (job->access[i].cell == cell)
			return;
	job->access[job->naccesses].cell = cell;
	job->access[job->naccesses++].writes = writes;
}

static double job_length(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	(void)task;
	(void)arch;
	return 10 + 5 * implementation;
}

/* Without a model, with one that says it, and with one that has to be measured; the last two implementations. */
static const struct xy_model job_models[] = {
	{ .kind = XY_MODEL_ARCH, .per_arch = job_length },
	{ .name = "job", .kind = XY_MODEL_HISTORY },
};
static const struct xy_codelet job_codelets[] = {
	{ .name = "job", .cpu = { job_body } },
	{ .name = "known", .cpu = { job_body, job_body }, .model = &job_models[0] },
	{ .name = "measured", .cpu = { job_body, job_body }, .model = &job_models[1] },
};

static void job_submit(struct job *job, struct helper *h, int priority)
{
	struct graph *g = job->graph;
	struct xy_access accesses[MOST_ACCESSES + 1] = { 0 };
	unsigned worker = (unsigned)job->pinned;

	for (unsigned i = 0; i < job->naccesses; i++) {
		unsigned cell = job->access[i].cell;

		accesses[i] = (struct xy_access){ g->handles[cell], job->access[i].writes ? XY_RW : XY_R };
		job->version[i] = g->versions[cell];
		g->versions[cell] += job->access[i].writes;
	}
	HELPER_SUBMIT(h, .codelet = &job_codelets[job->codelet], .arg = job, .accesses = accesses, .priority = priority,
		      .workers = &worker, .nworkers = job->pinned >= 0, .length_us = priority > 0 ? priority : 0);
}

/* Each job after the last writer of what it reads, and after all readers since of what it writes. */
static void check_order(const struct graph *g)
{
	int written[CELLS], used[CELLS]; /* when the last writer, and the last user, ended */

	memset(written, -1, sizeof written);
	memset(used, -1, sizeof used);
	for (unsigned i = 0; i < g->njobs; i++) {
		const struct job *job = &g->jobs[i];

		for (unsigned j = 0; j < job->naccesses; j++) {
			unsigned cell = job->access[j].cell;

			if (job->begin < (job->access[j].writes ? used : written)[cell])
				fail_msg("job %u began before one that it depends on had ended", i);
		}
		for (unsigned j = 0; j < job->naccesses; j++) {
			unsigned cell = job->access[j].cell;

			if (used[cell] < job->end)
				used[cell] = job->end;
			if (job->access[j].writes)
				written[cell] = job->end;
		}
	}
}

/* Waits for the end, checks, and cleans up. */
static void graph_finish(struct graph *g, struct helper *h)
{
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < g->njobs; i++) {
		const struct job *job = &g->jobs[i];

		if (job->runs != 1 || job->wrong || (job->pinned >= 0 && job->worker != (unsigned)job->pinned))
			fail_msg("job %u ran %d times, on worker %u, pinned to %d%s", i, job->runs, job->worker,
				 job->pinned, job->wrong ? ", and saw data of another moment" : "");
	}
	check_order(g);
	for (unsigned i = 0; i < CELLS; i++) {
		assert_int_equal(xy_unregister(&g->handles[i]), 0);
		assert_int_equal(g->cells[i], g->versions[i]);
	}
	free(g->jobs);
}

/* --- shapes --- */

static void run_independent(struct helper *h, unsigned n)
{
	struct graph g;

	graph_init(&g, h, n);
	for (unsigned i = 0; i < n; i++) {
		struct job *job = graph_add(&g);

		job->codelet = i % 3;
		job_submit(job, h, 0);
	}
	graph_finish(&g, h);
}

static void run_chain(struct helper *h, unsigned n)
{
	struct graph g;

	graph_init(&g, h, n);
	for (unsigned i = 0; i < n; i++) {
		struct job *job = graph_add(&g);

		job_use(job, 0, true);
		job_submit(job, h, 0);
	}
	graph_finish(&g, h);
}

/* One task writes what many then read, again and again. */
static void run_fork_join(struct helper *h, unsigned rounds)
{
	struct graph g;

	graph_init(&g, h, rounds * CELLS);
	for (unsigned i = 0; i < rounds; i++) {
		struct job *job = graph_add(&g);

		job_use(job, 0, true);
		job_submit(job, h, 1);
		for (unsigned cell = 1; cell < CELLS; cell++) {
			job = graph_add(&g);
			job_use(job, 0, false);
			job_use(job, cell, true);
			job_submit(job, h, 0);
		}
	}
	graph_finish(&g, h);
}

static void run_random(struct helper *h, unsigned n, uint64_t seed)
{
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(h->rt));
	struct graph g;

	graph_init(&g, h, n);
	for (unsigned i = 0; i < n; i++) {
		struct job *job = graph_add(&g);

		for (unsigned accesses = helper_below(&seed, MOST_ACCESSES + 1); accesses; accesses--)
			job_use(job, helper_below(&seed, CELLS), helper_below(&seed, 3) == 0);
		if (helper_below(&seed, 8) == 0)
			job->pinned = (int)helper_below(&seed, nworkers);
		job->codelet = helper_below(&seed, 3);
		job_submit(job, h, (int)helper_below(&seed, 7) - 3);
	}
	graph_finish(&g, h);
}

static void run_shapes(const char *sched, unsigned nworkers)
{
	struct helper *h = helper_start(sched, nworkers);

	print_message("# %s, %u workers, seeds 1 to 3\n", sched, nworkers);
	run_independent(h, helper_scale(2000));
	run_chain(h, helper_scale(500));
	run_fork_join(h, helper_scale(50));
	for (uint64_t seed = 1; seed <= 3; seed++)
		run_random(h, helper_scale(1000), seed);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0); /* models may drift, and say so */
}

static void runs_each_task_once_and_in_order(void **state)
{
	(void)state;
	for_each_policy(run_shapes);
}

/* --- no worker idle while a task that it can run waits --- */

/* Whether any task can reach any idle worker: no queue and no decision for some of the workers only. */
static bool is_shared(struct helper *h)
{
	struct xy_tree *tree = xy_runtime_tree(h->rt);
	unsigned n = xy_machine_nworkers(xy_runtime_machine(h->rt));

	for (unsigned i = 0; i < xy_tree_ncomponents(tree); i++) {
		const struct xy_component *c = xy_tree_component(tree, i);

		if ((c->ops->flags & XY_DECIDES) || ((c->ops->flags & XY_STORES) && c->nworkers < n))
			return false;
	}
	return true;
}

struct meeting {
	_Atomic int present;
	int expected;
};

static int meet_body(struct xy_call *call)
{
	struct meeting *meeting = call->arg;

	helper_add(&meeting->present);
	return helper_body_reach(&meeting->present, meeting->expected);
}

static const struct xy_codelet meet_codelet = { .name = "meet", .cpu = { meet_body } };

/* As many tasks as workers wait for each other; from the application, or all released by one task. */
static void run_meetings(const char *sched, unsigned nworkers)
{
	struct helper *h = helper_start(sched, nworkers);
	uint64_t seed = nworkers;

	for (unsigned round = 0; is_shared(h) && round < helper_scale(100); round++) {
		struct meeting meeting = { .expected = (int)nworkers };
		_Atomic int n = 0;
		struct xy_task *first = HELPER_CREATE(h, .name = "first", .codelet = &helper_count, .arg = &n);
		bool together = helper_below(&seed, 2);

		if (helper_below(&seed, 2))
			helper_rest(h);
		for (unsigned i = 0; i < nworkers; i++)
			HELPER_SUBMIT(h, .codelet = &meet_codelet, .arg = &meeting, .after = &first,
				      .nafter = together);
		assert_int_equal(xy_task_submit(first), 0);
		assert_int_equal(helper_wait(h), 0);
		xy_task_release(first);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void as_many_tasks_run_at_once_as_there_are_workers(void **state)
{
	(void)state;
	for_each_policy(run_meetings);
}

/* Counts tasks that rest in a queue although a worker below it that could run them is idle. */
struct audit {
	struct xy_component *component;
	unsigned busy; /* mask of workers */
	unsigned found, stored;
};

static void audit_task(void *arg, const struct xy_task *task)
{
	struct audit *audit = arg;

	audit->stored++;
	for (unsigned i = 0; i < audit->component->nworkers; i++) {
		unsigned worker = audit->component->workers[i];

		if (!(audit->busy & 1u << worker) && xy_task_can_run(task, worker)) {
			audit->found++;
			return;
		}
	}
}

static void audit_tree(struct helper *h, struct audit *audit)
{
	struct xy_tree *tree = xy_runtime_tree(h->rt);

	for (unsigned i = 0; i < xy_tree_ncomponents(tree); i++) {
		audit->component = xy_tree_component(tree, i);
		if (audit->component->ops->each_task)
			audit->component->ops->each_task(audit->component, audit_task, audit);
	}
}

/* How often the workers have fallen asleep so far; 0 if some of those that are not busy are awake. */
static uint64_t sleeps_of_idle(struct helper *h, unsigned busy)
{
	struct xy_runtime *rt = h->rt;
	uint64_t sleeps = 1;

	if (atomic_load(&rt->resting) + (unsigned)__builtin_popcount(busy) != rt->nworkers || xy__inbox_has(rt))
		return 0;
	for (unsigned i = 0; i < rt->nworkers; i++) {
		if (!(busy & 1u << i) && atomic_load(&rt->workers[i].state) != XY__ASLEEP)
			return 0;
		sleeps += atomic_load(&rt->workers[i].sleeps);
	}
	return sleeps;
}

/* Waits until those that are not busy sleep. The busy ones stand at a gate, so that nothing moves then. */
static void wait_for_quiet(struct helper *h, unsigned busy)
{
	double end = xy__now() + HELPER_WAIT_S;
	uint64_t sleeps = 0, before;

	do {
		before = sleeps;
		sleeps = sleeps_of_idle(h, busy);
		if (xy__now() > end) {
			xy_dump(h->rt, 2);
			fail_msg("the workers do not fall asleep");
		}
		sched_yield();
	} while (!sleeps || sleeps != before);
}

/* Submits one from within a codelet, so that workers' own queues are used as well. */
static int pass_on_body(struct xy_call *call)
{
	return xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &helper_count, .arg = call->arg });
}

/* Makes some workers stand at the gate; returns which. */
static unsigned block_some(struct helper *h, struct gate *gate, uint64_t *seed)
{
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(h->rt)), busy = 0;

	for (unsigned i = 0; i < nworkers; i++) {
		if (helper_below(seed, 2))
			continue;
		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = gate, .workers = &i, .nworkers = 1);
		busy |= 1u << i;
		helper_reach(h, &gate->inside, __builtin_popcount(busy));
	}
	return busy;
}

static int submit_some(struct helper *h, _Atomic int *n, uint64_t *seed)
{
	static const struct xy_codelet pass_on = { .name = "pass on", .cpu = { pass_on_body } };
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(h->rt));
	int tasks = (int)helper_below(seed, 30);

	for (int i = 0; i < tasks; i++) {
		unsigned worker = helper_below(seed, nworkers);

		HELPER_SUBMIT(h, .codelet = helper_below(seed, 3) ? &helper_count : &pass_on, .arg = n,
			      .priority = (int)helper_below(seed, 3) - 1, .workers = &worker,
			      .nworkers = helper_below(seed, 4) == 0);
	}
	return tasks;
}

static void run_audits(const char *sched, unsigned nworkers)
{
	struct helper *h = helper_start(sched, nworkers);
	uint64_t seed = 1;

	print_message("# %s, %u workers, seed 1\n", sched, nworkers);
	for (unsigned round = 0; round < helper_scale(24); round++) {
		struct gate gate = { 0 };
		_Atomic int n = 0;
		struct audit audit = { .busy = block_some(h, &gate, &seed) };
		unsigned idle = nworkers - (unsigned)__builtin_popcount(audit.busy);
		int tasks = submit_some(h, &n, &seed);

		if (idle) {
			wait_for_quiet(h, audit.busy);
			audit_tree(h, &audit);
		}
		if (audit.found || (idle && n + (int)audit.stored != tasks)) {
			xy_dump(h->rt, 2);
			fail_msg("round %u: %d tasks, %d ran, %u rest, %u of them beside an idle worker", round, tasks,
				 n, audit.stored, audit.found);
		}
		helper_open(&gate);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(n, tasks);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void no_worker_sleeps_beside_a_task_that_it_can_run(void **state)
{
	(void)state;
	for_each_policy(run_audits);
}

/* --- calibration --- */

static _Atomic int chosen[2]; /* how often each implementation ran */

static int quick_body(struct xy_call *call)
{
	(void)call;
	helper_add(&chosen[0]);
	return 0;
}

static int slow_body(struct xy_call *call)
{
	(void)call;
	helper_add(&chosen[1]);
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return 0;
}

/* Both implementations are measured; then the quick one is taken, but for tasks that were mapped before. */
static void run_calibration(const char *sched, unsigned nworkers)
{
	static const struct xy_model model = { .name = "calibrated", .kind = XY_MODEL_HISTORY };
	static const struct xy_codelet codelet = { .name = "calibrated",
						   .cpu = { slow_body, quick_body },
						   .model = &model };
	struct helper *h = helper_start(sched, nworkers);

	print_message("# %s, %u workers\n", sched, nworkers);
	for (unsigned round = 0; round < 2; round++) {
		chosen[0] = chosen[1] = 0;
		for (unsigned i = 0; i < 60; i++) {
			HELPER_SUBMIT(h, .codelet = &codelet);
			if (i % 10 == 9)
				assert_int_equal(helper_wait(h), 0);
		}
		assert_int_equal(chosen[0] + chosen[1], 60);
		if (round == 0)
			assert_true(chosen[0] >= 10 && chosen[1] >= 10);
		else
			assert_int_equal(chosen[1], 0);
	}
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void each_implementation_is_measured_and_then_the_quicker_one_taken(void **state)
{
	static const char *const policies[] = { "tree-dmda",      "tree-dmdas",      "tree-heft",  "tree-heft2",
						"tree-heft-prio", "tree-heteroprio", "tree-eager", "tree-ws" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++)
		run_calibration(policies[i], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_each_task_once_and_in_order),
		cmocka_unit_test(as_many_tasks_run_at_once_as_there_are_workers),
		cmocka_unit_test(no_worker_sleeps_beside_a_task_that_it_can_run),
		cmocka_unit_test(each_implementation_is_measured_and_then_the_quicker_one_taken),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
