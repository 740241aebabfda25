/* SPDX-License-Identifier: MIT */
/*
 * Starting and stopping. Everything a runtime has hangs on it; there is no other state.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/probe.h"
#include "core/task/lookahead.h"
#include "core/data/memory.h"
#include "core/data/prefetch.h"
#include "core/data/transfer.h"
#include "core/runtime/batch_defaults.h"
#include "core/runtime/division.h"
#include "core/runtime/group.h"
#include "core/machine/machine.h"
#include "core/runtime/deps.h"
#include "core/runtime/record.h"
#include "core/runtime/team.h"
#include "core/runtime/bus_measure.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"
#include "core/runtime/worker_slots.h"
#include "core/tree/audit.h"
#include "core/tree/registry.h"
#include "core/util/message.h"

enum { MESSAGE = 1024, ROOM_EVERY = 64 };

static int runtime_machine(struct xy_runtime *rt, const struct xy__engine_ops *const engines[])
{
	int error;

	while (!(*engines)->serves(&rt->settings))
		engines++;
	rt->engine = *engines;
	error = rt->engine->open(rt);
	if (!error)
		rt->nworkers = xy_machine_nworkers(rt->machine);
	return error;
}

static void runtime_models(struct xy_runtime *rt)
{
	struct xy__store store = { .folder = rt->settings.models, .host = rt->settings.host, .log = &rt->settings.log };

	xy__perf_init(&rt->perf, &store, rt->machine, rt->settings.calibrate, rt->settings.calibrate_samples);
}

/* The tree's fault as one line, without the lines that point into the text; from: whose tree. */
static void runtime_tree_wrong(const struct xy_runtime *rt, const char *from, const char *lines)
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
	xy__log(&rt->settings.log, "%s%s%s", from, *from ? ": " : "", text);
}

const char *xy__runtime_policy(const struct xy_runtime *rt)
{
	if (rt->settings.tree)
		return "config.tree";
	return *rt->settings.sched ? rt->settings.sched : xy_policy_default(rt->machine);
}

/* The components and policies of the library, of plug-ins and of the program. */
static int runtime_registry(struct xy_runtime *rt, char *message, size_t size)
{
	int error = xy_registry_create(&rt->registry, rt->settings.plugins, message, size);
	struct xy__message text;

	xy__message_init(&text, message, error ? 0 : size);
	for (const struct xy_component_ops *const *ops = rt->settings.components; !error && ops && *ops; ops++)
		error = xy__registry_add_component(rt->registry, *ops, "config.components", &text);
	return error ? error : xy__batch_defaults_init(rt);
}

/* Builds the tree that the program or SCHED asks for. */
static int runtime_build(struct xy_runtime *rt, char *message, size_t size)
{
	struct xy_policy own = { .build = rt->settings.tree, .build_arg = rt->settings.tree_arg };

	const struct xy__tree_site site = { .machine = rt->machine, .registry = rt->registry, .nshards = rt->nshards };

	if (own.build)
		return xy__tree_make(&rt->tree, &own, &site, message, size);
	return xy__tree_parse(&rt->tree, xy__runtime_policy(rt), &site, message, size);
}

static int runtime_tree(struct xy_runtime *rt)
{
	const char *from = rt->settings.tree ? "config.tree" : *rt->settings.sched ? rt->settings.sched_from : "";
	char message[MESSAGE] = "";
	int error = runtime_registry(rt, message, sizeof message);

	if (error) {
		runtime_tree_wrong(rt, "", message);
		return error;
	}
	error = runtime_build(rt, message, sizeof message);
	if (error) {
		runtime_tree_wrong(rt, from, message);
		return error;
	}
	if (rt->engine->audits && !rt->tree->audit)
		error = xy__audit_begin(rt->tree);
	if (error)
		return error;
	if (*rt->tree->warning)
		xy__log(&rt->settings.log, "%s", rt->tree->warning);
	rt->root = xy_tree_root(rt->tree);
	for (unsigned i = 0; i < rt->tree->ncomponents; i++) {
		const struct xy_component *c = rt->tree->components[i];
		unsigned flags = c->ops->flags;

		if (flags & XY_ORDERS)
			atomic_fetch_or(&rt->inbox_state, XY__INBOX_ORDERED);
		rt->accounts |= (flags & XY_PREDICTS) != 0;
		rt->awaits |= (flags & XY_AWAITS) && !rt->root->nteams;
		rt->skips |= (flags & (XY_AWAITS | XY_CUTS)) && !rt->root->nteams;
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

/* The reservoirs above each worker or team member: counts them, or fills them in. */
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
	rt->places = (struct xy__places){ .nworkers = rt->nworkers, .bus = &rt->bus };
	rt->places.nodes = calloc(rt->nworkers, sizeof *rt->places.nodes);
	if (!rt->workers || !rt->deaths.of || !rt->places.nodes)
		return -ENOMEM;
	memset(rt->workers, 0, rt->nworkers * sizeof *rt->workers);
	for (unsigned i = 0; i < rt->nworkers && !error; i++)
		error = xy__agent_init(&rt->workers[i].agent, rt, (int)i);
	for (unsigned i = 0; i < rt->nworkers && !error; i++) {
		rt->workers[i].id = i;
		rt->workers[i].arch = xy_machine_worker(rt->machine, i)->arch;
		rt->workers[i].leaf = xy_tree_worker(rt->tree, i);
		if (rt->workers[i].arch != XY_CPU || rt->engine->slots_for_all)
			error = xy__slots_init(&rt->workers[i]);
	}
	if (!error)
		error = runtime_above(rt);
	return error ? error : xy__memory_init(rt);
}

static int runtime_application(struct xy_runtime *rt)
{
	int error = 0;

	rt->applications = aligned_alloc(128, XY__APPLICATION_AGENTS * sizeof *rt->applications);
	rt->slots = calloc(XY__INBOX_SLOTS, sizeof *rt->slots);
	if (!rt->applications || !rt->slots)
		return -ENOMEM;
	memset(rt->applications, 0, XY__APPLICATION_AGENTS * sizeof *rt->applications);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS && !error; i++)
		error = xy__agent_init(&rt->applications[i], rt, -1);
	rt->room_every = rt->settings.window / 8 < ROOM_EVERY ? rt->settings.window / 8 : ROOM_EVERY;
	xy__ring_init(&rt->inbox, rt->slots, XY__INBOX_SLOTS);
	return error;
}

static void runtime_free(struct xy_runtime *rt)
{
	if (!rt)
		return;
	if (!xy__probe_settle(rt, 1)) {
		xy__log(&rt->settings.log,
			"stopping: a component keeps its lock, so the memory of the runtime is not freed");
		return;
	}
	for (unsigned i = 0; rt->workers && i < rt->nworkers; i++) {
		xy__pool_fini(&rt->workers[i].agent.pool);
		xy__trail_end(&rt->workers[i].agent.base);
		free(rt->workers[i].above);
		free(rt->workers[i].slots);
	}
	xy__tags_fini(rt);
	xy__teams_stop(rt);
	for (unsigned i = 0; rt->applications && i < XY__APPLICATION_AGENTS; i++) {
		xy__pool_fini(&rt->applications[i].pool);
		xy__trail_end(&rt->applications[i].base);
	}
	xy__memory_fini(rt);
	xy__perf_fini(&rt->perf);
	xy__bus_fini(&rt->bus);
	xy_tree_destroy(rt->tree);
	xy_registry_destroy(rt->registry);
	free(rt->batch);
	xy_machine_destroy(rt->machine);
	xy__drivers_close(&rt->drivers);
	if (rt->engine)
		rt->engine->close(rt);
	xy__record_free(rt);
	free(rt->workers);
	free(rt->deaths.of);
	free(rt->places.nodes);
	free(rt->applications);
	free(rt->slots);
	xy__settings_fini(&rt->settings);
	free(rt);
}

static double runtime_now_us(struct xy__tree_engine *engine)
{
	return xy_now(xy__runtime_of(engine)) * 1e6;
}

/* How many tasks have ever been submitted, and whether a thread waits to submit more. */
static uint64_t runtime_submitted(struct xy__tree_engine *engine, bool *more)
{
	struct xy_runtime *rt = xy__runtime_of(engine);
	uint64_t submitted = 0;

	/* all relaxed: hints */
	for (unsigned i = 0; i < rt->nworkers; i++)
		submitted += atomic_load_explicit(&rt->workers[i].agent.submitted, memory_order_relaxed);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		submitted += atomic_load_explicit(&rt->applications[i].submitted, memory_order_relaxed);
	*more = atomic_load_explicit(&rt->room_waiters, memory_order_relaxed) > 0;
	return submitted;
}

/* A component broke a rule: xy_wait fails, unless the machine may have been slow. */
static void runtime_broken(void *arg, enum xy__rule rule, const char *line)
{
	struct xy_runtime *rt = arg;

	xy__log(&rt->settings.log, "%s", line);
	if (rule != XY__RULE_SLOW)
		xy__wait_broken(rt, line);
}

/* The functions that the tree calls. */
static void runtime_engine(struct xy_runtime *rt)
{
	rt->tree_engine.wake = rt->engine->wake;
	rt->tree_engine.sleepers = &rt->sleepers;
	rt->tree_engine.searchers = &rt->searchers;
	rt->tree_engine.archs = rt->root->archs & XY_ON_ALL;
	rt->workers_differ = (rt->root->archs & (rt->root->archs - 1)) != 0 || rt->branches;
	rt->tree_engine.now_us = runtime_now_us;
	rt->tree_engine.free_us = xy__worker_free_us;
	rt->tree_engine.submitted = runtime_submitted;
	rt->tree_engine.take_back = xy__inbox_take_back;
	rt->tree_engine.one_memory = rt->memory.nnodes == 1;
	rt->tree_engine.prefetch = rt->settings.prefetch && rt->memory.nnodes > 1 ? xy__task_prefetch : NULL;
	rt->tree_engine.alarm = rt->engine->alarm;
	if (rt->tree->audit) {
		rt->tree->audit->tell_arg = rt;
		rt->tree->audit->tell = runtime_broken;
	}
	rt->tree_engine.cut = xy__division_take;
	rt->tree_engine.uncut = xy__division_give;
	rt->tree->engine = &rt->tree_engine;
}

int xy__runtime_start(struct xy_runtime **out, const struct xy_config *config,
		      const struct xy__engine_ops *const engines[])
{
	struct xy_runtime *rt;
	int error;

	if (!out) {
		xy__log(NULL, "xy_start: the output pointer is NULL");
		return -EINVAL;
	}
	*out = NULL;
	rt = aligned_alloc(128, sizeof *rt);
	if (!rt)
		return -ENOMEM;
	memset(rt, 0, sizeof *rt);
	xy__fork_ignore(rt);
	error = xy__settings_init(&rt->settings, config);
	if (error) {
		free(rt);
		return error;
	}
	error = runtime_machine(rt, engines);
	if (!error)
		error = xy__record_start(rt);
	if (!error)
		runtime_models(rt);
	if (!error)
		error = runtime_tree(rt);
	if (!error)
		error = runtime_workers(rt);
	if (!error)
		error = rt->engine->bus(rt);
	if (!error)
		error = runtime_application(rt);
	if (!error)
		error = xy__teams_start(rt);
	if (!error) {
		runtime_engine(rt);
		error = xy__notes_attach(rt);
	}
	if (!error)
		error = rt->engine->start(rt);
	if (error) {
		rt->engine->stop(rt);
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

/* A task in this state, NULL without one. */
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
	struct xy__agent *agent = xy__agent_enter(rt);
	struct xy_task *task;
	bool any = false;

	xy__log(&rt->settings.log, "stopping: %llu tasks can never run and are cancelled",
		(unsigned long long)rt->engine->live(rt));
	for (; (task = runtime_find(rt, XY__TASK_CREATED)); any = true)
		xy__task_abandon(task, agent);
	for (; (task = runtime_find(rt, XY__TASK_HELD)); any = true) {
		xy__access_handle(task->accesses[0])->held = NULL;
		xy__deps_end(task, -ECANCELED, agent);
	}
	xy__agent_leave(agent);
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
	struct xy__agent *agent = xy__agent_enter(rt);
	struct xy_task *task;
	unsigned count = 0;

	for (; (task = runtime_find(rt, XY__TASK_CREATED)); count++)
		xy__task_abandon(task, agent);
	for (enum xy__task_state state = XY__TASK_WAITING; state <= XY__TASK_ENDED; state++)
		for (; (task = runtime_find(rt, state)); count++) {
			atomic_store(&task->references, 1);
			xy__task_unref(task, agent);
		}
	xy__agent_leave(agent);
	if (count)
		xy__log(&rt->settings.log, "stopping: %u tasks were not released", count);
}

/* The result of xy_stop. Tasks left over rest in a component that does not release them. */
static int runtime_end_error(struct xy_runtime *rt)
{
	int error;

	if (rt->engine->live(rt)) {
		xy__log(&rt->settings.log, "stopping: tasks are stuck in the tree and are lost; this is its state:");
		xy__dump_log(rt);
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
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, "xy_stop");
	if (xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "xy_stop: a codelet or callback can't stop its own runtime");
		return -EDEADLK;
	}
	do {
		xy__wait_settle(rt);
		xy__transfers_drain(rt); /* which may call back, and so lead to more tasks */
	} while (rt->engine->live(rt) && (!rt->engine->at_rest(rt) || runtime_unblock(rt)));
	error = runtime_end_error(rt);
	rt->engine->stop(rt);
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
			!rt      ? "runtime"
			: !stats ? "output pointer"
				 : "such worker");
		return -EINVAL;
	}
	w = &rt->workers[worker];
	stats->tasks = atomic_load(&w->agent.ended);
	stats->sleeps = atomic_load(&w->sleeps);
	stats->busy_s = (double)atomic_load(&w->busy_ns) * 1e-9;
	return 0;
}
