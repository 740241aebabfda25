/* SPDX-License-Identifier: MIT */
/*
 * Starting and stopping. Everything a runtime has hangs on it; there is no other state.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/task/ahead.h"
#include "core/runtime/bus.h"
#include "core/data/memory.h"
#include "core/runtime/deps.h"
#include "core/machine/machine.h"
#include "core/runtime/record.h"
#include "core/runtime/team.h"
#include "core/util/message.h"

enum { MOST_SHARDS = 64, MESSAGE = 1024, ROOM_EVERY = 64 };

static int runtime_machine_here(struct xy_runtime *rt)
{
	int error = xy__drivers_machine(&rt->drivers, &rt->settings, &rt->machine);
	unsigned ncpus = 0;

	if (error)
		return error;
	rt->nworkers = xy_machine_nworkers(rt->machine);
	for (unsigned i = 0; i < rt->nworkers; i++)
		ncpus += xy_machine_worker(rt->machine, i)->arch == XY_CPU;
	if (!xy_machine_is_here(rt->machine)) {
		xy__log(&rt->settings.log,
			"the machine '%s' is not this computer: its trees can be shown, but nothing can run",
			rt->settings.machine);
		return -ENODEV;
	}
	if (ncpus > xy_machine_ncores(rt->machine))
		xy__log(&rt->settings.log, "%u workers share %u cores: expect them to slow each other down",
			ncpus, xy_machine_ncores(rt->machine));
	return 0;
}

static int runtime_machine(struct xy_runtime *rt)
{
	int error;

	if (!*rt->settings.sim)
		return runtime_machine_here(rt);
	error = xy__sim_create(rt);
	if (!error)
		rt->nworkers = xy_machine_nworkers(rt->machine);
	return error;
}

static void runtime_models(struct xy_runtime *rt)
{
	struct xy__store store = { .folder = rt->settings.models, .host = rt->settings.host,
				   .log = &rt->settings.log };

	/* What a simulation says is no measurement. */
	xy__perf_init(&rt->perf, &store, rt->machine, rt->sim ? 0 : rt->settings.calibrate, rt->settings.samples);
}

/* What is wrong with the tree as one line, without the lines that show where in the text. */
static void runtime_tree_wrong(const struct xy_runtime *rt, const char *lines)
{
	char text[MESSAGE];
	struct xy__message line;
	size_t length;

	xy__message_init(&line, text, sizeof text);
	for (; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		if (*lines != ' ')
			xy__message_add(&line, "%s%.*s", line.used ? "; " : "", (int)length, lines);
	}
	xy__log(&rt->settings.log, "%s", text);
}

static int runtime_tree(struct xy_runtime *rt)
{
	char message[MESSAGE];
	unsigned shards = rt->nworkers + 1 < MOST_SHARDS ? rt->nworkers + 1 : MOST_SHARDS;
	int error;

	if (rt->sim) /* one thread */
		shards = 1;
	error = xy_registry_create(&rt->registry, rt->settings.plugins, message, sizeof message);

	if (!error)
		error = xy__tree_parse(&rt->tree, xy__settings_policy(&rt->settings, rt->machine), rt->machine,
				       rt->registry, shards, message, sizeof message);
	if (error) {
		runtime_tree_wrong(rt, message);
		return error;
	}
	rt->root = xy_tree_root(rt->tree);
	for (unsigned i = 0; i < rt->tree->ncomponents; i++) {
		const struct xy_component *c = rt->tree->components[i];
		unsigned flags = c->ops->flags;

		rt->accounts |= (flags & XY_PREDICTS) != 0;
		rt->skips |= (flags & XY_AWAITS) && !rt->root->nteams;
		rt->branches |= ((flags & XY_LEAF) && c->nparents > 1) || !(~flags & (XY_STORES | XY_DECIDES));
	}
	return 0;
}

/* --- the reservoirs from which a leaf may get tasks by pulling --- */

/* A component is once in the list of a worker, though several teams may lead to it. */
static void above_add(struct xy__worker *worker, struct xy_component *c, bool fill)
{
	if (fill && worker->nabove && worker->above[worker->nabove - 1] == c)
		return;
	if (fill)
		worker->above[worker->nabove] = c;
	worker->nabove++;
}

/* Those that are above some worker or team member: so many for each. */
static void above_count(struct xy_runtime *rt, bool fill)
{
	for (unsigned i = 0; i < rt->tree->ncomponents; i++) {
		struct xy_component *c = rt->tree->components[i];

		if (!(c->ops->flags & XY_STORES) || !c->ops->depth)
			continue;
		for (unsigned j = 0; j < c->nworkers; j++)
			above_add(&rt->workers[c->workers[j]], c, fill);
		for (unsigned k = 0; k < c->nteams; k++)
			for (unsigned j = 0; j < c->teams[k]->nmembers; j++)
				above_add(&rt->workers[c->teams[k]->members[j]], c, fill);
	}
}

static int runtime_above(struct xy_runtime *rt)
{
	above_count(rt, false);
	for (unsigned i = 0; i < rt->nworkers; i++) {
		struct xy__worker *worker = &rt->workers[i];

		worker->above = malloc((worker->nabove + 1) * sizeof *worker->above);
		worker->nabove = 0;
		if (!worker->above)
			return -ENOMEM;
		worker->above[0] = NULL;
	}
	above_count(rt, true);
	return 0;
}

static int runtime_workers(struct xy_runtime *rt)
{
	int error = 0;

	rt->workers = aligned_alloc(128, rt->nworkers * sizeof *rt->workers);
	rt->deaths.of = calloc(rt->nworkers, sizeof *rt->deaths.of);
	if (!rt->workers || !rt->deaths.of)
		return -ENOMEM;
	memset(rt->workers, 0, rt->nworkers * sizeof *rt->workers);
	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__agent_init(&rt->workers[i].agent, rt, (int)i);
	for (unsigned i = 0; i < rt->nworkers && !error; i++) {
		rt->workers[i].id = i;
		rt->workers[i].arch = xy_machine_worker(rt->machine, i)->arch;
		rt->workers[i].leaf = xy_tree_worker(rt->tree, i);
		if (rt->workers[i].arch != XY_CPU || rt->sim)
			error = xy__device_init(&rt->workers[i]);
	}
	if (!error)
		error = runtime_above(rt);
	return error ? error : xy__memory_init(rt);
}

static int runtime_application(struct xy_runtime *rt)
{
	rt->applications = aligned_alloc(128, XY__APPLICATION_AGENTS * sizeof *rt->applications);
	rt->slots = calloc(XY__INBOX_SLOTS, sizeof *rt->slots);
	if (!rt->applications || !rt->slots)
		return -ENOMEM;
	memset(rt->applications, 0, XY__APPLICATION_AGENTS * sizeof *rt->applications);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__agent_init(&rt->applications[i], rt, -1);
	rt->room_every = rt->settings.window / 8 < ROOM_EVERY ? rt->settings.window / 8 : ROOM_EVERY;
	xy__ring_init(&rt->inbox, rt->slots, XY__INBOX_SLOTS);
	return 0;
}

static void runtime_free(struct xy_runtime *rt)
{
	if (!rt)
		return;
	for (unsigned i = 0; rt->workers && i < rt->nworkers; i++) {
		xy__pool_fini(&rt->workers[i].agent.pool);
		free(rt->workers[i].above);
		free(rt->workers[i].slots);
	}
	xy__teams_stop(rt);
	for (unsigned i = 0; rt->applications && i < XY__APPLICATION_AGENTS; i++)
		xy__pool_fini(&rt->applications[i].pool);
	xy__memory_fini(rt);
	xy__perf_fini(&rt->perf);
	xy__bus_fini(&rt->bus);
	xy_tree_destroy(rt->tree);
	xy_registry_destroy(rt->registry);
	xy_machine_destroy(rt->machine);
	xy__drivers_close(&rt->drivers);
	xy__sim_destroy(rt);
	xy__record_free(rt);
	free(rt->workers);
	free(rt->deaths.of);
	free(rt->applications);
	free(rt->slots);
	xy__settings_fini(&rt->settings);
	free(rt);
}

/* What the tree asks of whoever runs it; how workers are woken is for the engine to say. */
static void runtime_engine(struct xy_runtime *rt)
{
	rt->engine.sleepers = &rt->sleepers;
	rt->engine.searchers = &rt->searchers;
	rt->engine.archs = rt->root->archs & XY_ON_ALL;
	rt->workers_differ = (rt->root->archs & (rt->root->archs - 1)) != 0 || rt->branches;
	rt->engine.now_us = xy__runtime_now_us;
	rt->engine.free_us = xy__runtime_free_us;
	rt->engine.submitted = xy__ahead_submitted;
	rt->engine.take_back = xy__inbox_take_back;
	rt->engine.one_memory = rt->memory.nnodes == 1;
	rt->engine.prefetch = rt->settings.prefetch && rt->memory.nnodes > 1 ? xy__task_prefetch : NULL;
	rt->tree->engine = &rt->engine;
}

/* The engine is the last to begin. */
static int runtime_run(struct xy_runtime *rt)
{
	runtime_engine(rt);
	return rt->sim ? xy__sim_start(rt) : xy__threads_start(rt);
}

int xy_start(struct xy_runtime **out, const struct xy_config *config)
{
	struct xy_runtime *rt;
	int error;

	if (!out) {
		xy__log(NULL, "xy_start: no place for the runtime");
		return -EINVAL;
	}
	*out = NULL;
	rt = aligned_alloc(128, sizeof *rt);
	if (!rt)
		return -ENOMEM;
	memset(rt, 0, sizeof *rt);
	error = xy__settings_init(&rt->settings, config);
	if (error) {
		free(rt);
		return error;
	}
	error = runtime_machine(rt);
	if (!error)
		error = xy__record_start(rt);
	if (!error)
		runtime_models(rt);
	if (!error)
		error = runtime_tree(rt);
	if (!error)
		error = runtime_workers(rt);
	if (!error)
		error = rt->sim ? xy__sim_bus(rt) : xy__bus_start(rt);
	if (!error)
		error = runtime_application(rt);
	if (!error)
		error = xy__teams_start(rt);
	if (!error)
		error = runtime_run(rt);
	if (!error && !rt->sim)
		error = xy__watchdog_start(rt);
	if (error) {
		xy__threads_stop(rt);
		runtime_free(rt);
		return error;
	}
	*out = rt;
	return 0;
}

/* --- stopping --- */

struct sweep {
	struct xy__agent *agent;
	unsigned count;
	enum xy__task_state state;
	struct xy_task *found;
};

static void sweep_find(void *arg, struct xy_task *task)
{
	struct sweep *sweep = arg;

	if (atomic_load(&task->state) == sweep->state && !sweep->found)
		sweep->found = task;
}

/* Some task in this state, NULL if there is none. */
static struct xy_task *runtime_find(struct xy_runtime *rt, enum xy__task_state state)
{
	struct sweep sweep = { .state = state };

	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__pool_each(&rt->workers[i].agent.pool, sweep_find, &sweep);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__pool_each(&rt->applications[i].pool, sweep_find, &sweep);
	return sweep.found;
}

/* Nothing moves, and tasks are left: they wait for tasks that were not submitted or for data that the
 * application holds. Gives those up, which cancels the others. */
static bool runtime_unblock(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__enter(rt);
	struct xy_task *task;
	bool any = false;

	xy__log(&rt->settings.log, "stopping: %llu tasks can never run and are cancelled",
		(unsigned long long)xy__runtime_live(rt));
	for (; (task = runtime_find(rt, XY__TASK_CREATED)); any = true)
		xy__task_abandon(task, agent);
	for (; (task = runtime_find(rt, XY__TASK_HELD)); any = true) {
		xy__access_handle(task->accesses[0])->held = NULL;
		xy__deps_end(task, -ECANCELED, agent);
	}
	xy__leave(agent);
	return any;
}

static void runtime_forget_handles(struct xy_runtime *rt)
{
	while (rt->handles) {
		struct xy_handle *h = rt->handles;

		if (!h->child_of) /* those are the parent's business */
			xy__log(&rt->settings.log, "stopping: '%s' was not unregistered", xy_handle_name(h));
		rt->handles = h->next;
		xy__handle_free(h);
	}
	xy__departed_fini(rt);
}

static void runtime_forget_tasks(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__enter(rt);
	struct xy_task *task;
	unsigned count = 0;

	for (; (task = runtime_find(rt, XY__TASK_CREATED)); count++)
		xy__task_abandon(task, agent);
	for (enum xy__task_state state = XY__TASK_WAITING; state <= XY__TASK_ENDED; state++)
		for (; (task = runtime_find(rt, state)); count++) {
			atomic_store(&task->references, 1);
			xy__task_unref(task, agent);
		}
	xy__leave(agent);
	if (count)
		xy__log(&rt->settings.log, "stopping: %u tasks were not released", count);
}

/* What xy_stop returns. Tasks that are still there rest in a component that does not let them go. */
static int runtime_end_error(struct xy_runtime *rt)
{
	int error;

	if (xy__runtime_live(rt)) {
		xy__log(&rt->settings.log, "stopping: tasks are stuck in the tree and are lost; this is its state:");
		xy_dump(rt, STDERR_FILENO);
		return -EDEADLK;
	}
	error = xy_wait(rt);
	if (error)
		xy__log(&rt->settings.log, "stopping: %s", xy_error(rt));
	return error;
}

int xy_stop(struct xy_runtime **pointer)
{
	struct xy_runtime *rt = pointer ? *pointer : NULL;
	int error;

	if (!rt)
		return 0;
	if (xy__inside(rt)) {
		xy__log(&rt->settings.log, "xy_stop: a codelet or callback can't stop its own runtime");
		return -EDEADLK;
	}
	do {
		xy__runtime_settle(rt);
		xy__transfers_drain(rt); /* which may call back, and so lead to more tasks */
	} while (xy__runtime_live(rt) && (!xy__runtime_at_rest(rt) || runtime_unblock(rt)));
	error = runtime_end_error(rt);
	xy__watchdog_stop(rt);
	xy__threads_stop(rt);
	xy__record_stop(rt);
	runtime_forget_handles(rt);
	runtime_forget_tasks(rt);
	*pointer = NULL;
	runtime_free(rt);
	return error;
}

const struct xy_machine *xy_runtime_machine(const struct xy_runtime *rt)
{
	return rt ? rt->machine : NULL;
}

struct xy_tree *xy_runtime_tree(const struct xy_runtime *rt)
{
	return rt ? rt->tree : NULL;
}

int xy_worker_stats(const struct xy_runtime *rt, unsigned worker, struct xy_worker_stats *stats)
{
	struct xy__worker *w;

	if (!rt || !stats || worker >= rt->nworkers) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_worker_stats: no %s",
			!rt ? "runtime" : !stats ? "place for the answer" : "such worker");
		return -EINVAL;
	}
	w = &rt->workers[worker];
	stats->tasks = atomic_load(&w->agent.ended);
	stats->sleeps = atomic_load(&w->sleeps);
	stats->busy_s = (double)atomic_load(&w->busy_ns) * 1e-9;
	return 0;
}
