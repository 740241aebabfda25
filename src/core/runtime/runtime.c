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
#include "core/runtime/dump.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/probe.h"
#include "core/data/memory.h"
#include "core/data/transfer.h"
#include "core/runtime/batch_defaults.h"
#include "core/runtime/division.h"
#include "core/runtime/group.h"
#include "core/machine/machine.h"
#include "core/runtime/deps.h"
#include "core/runtime/record.h"
#include "core/runtime/submit.h"
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

const char *xy__runtime_policy(const struct xy_context *context)
{
	const struct xy_runtime *rt = context->runtime;

	if (context->policy)
		return context->policy;
	if (rt->settings.tree)
		return "config.tree";
	return *rt->settings.sched ? rt->settings.sched : xy_policy_default(rt->machine);
}

/* The components and policies of the library, of plug-ins and of the program. */
static int runtime_registry(struct xy_runtime *rt)
{
	char message[MESSAGE] = "";
	int error = xy_registry_create(&rt->registry, rt->settings.plugins, message, sizeof message);
	struct xy__message text;

	xy__message_init(&text, message, error ? 0 : sizeof message);
	for (const struct xy_component_ops *const *ops = rt->settings.components; !error && ops && *ops; ops++)
		error = xy__registry_add_component(rt->registry, *ops, "config.components", &text);
	if (error)
		xy__log(&rt->settings.log, "%s", message);
	return error ? error : xy__batch_defaults_init(rt);
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
	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__agent_init(&rt->workers[i].agent, rt, (int)i);
	for (unsigned i = 0; i < rt->nworkers && !error; i++) {
		rt->workers[i].id = i;
		rt->workers[i].arch = xy_machine_worker(rt->machine, i)->arch;
		if (rt->workers[i].arch != XY_CPU || rt->engine->slots_for_all)
			error = xy__slots_init(&rt->workers[i]);
	}
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
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__agent_init(&rt->applications[i], rt, -1);
	rt->room_every = rt->settings.window / 8 < ROOM_EVERY ? rt->settings.window / 8 : ROOM_EVERY;
	xy__ring_init(&rt->inbox, rt->slots, XY__INBOX_SLOTS);
	return error;
}

/* Agents leave trails where the rules of components are checked. */
static int runtime_trails(struct xy_runtime *rt)
{
	int error = 0;

	for (unsigned i = 0; i < rt->nworkers && !error; i++)
		error = xy__trail_begin(&rt->workers[i].agent.base, rt->main.tree);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS && !error; i++)
		error = xy__trail_begin(&rt->applications[i].base, rt->main.tree);
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
		xy__team_free(&rt->workers[i]);
	}
	xy__tags_fini(rt);
	for (unsigned i = 0; rt->applications && i < XY__APPLICATION_AGENTS; i++) {
		xy__pool_fini(&rt->applications[i].pool);
		xy__trail_end(&rt->applications[i].base);
	}
	xy__memory_fini(rt);
	xy__perf_fini(&rt->perf);
	xy__bus_fini(&rt->bus);
	xy__contexts_stop(rt);
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
		error = runtime_registry(rt);
	if (!error)
		error = runtime_workers(rt);
	if (!error)
		error = xy__contexts_start(rt);
	if (!error)
		error = rt->engine->bus(rt);
	if (!error)
		error = runtime_application(rt);
	if (!error)
		error = runtime_trails(rt);
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
	struct xy_task *task, *unserved;
	bool any = false;

	xy__log(&rt->settings.log, "stopping: %llu tasks can never run and are cancelled",
		(unsigned long long)rt->engine->live(rt));
	for (; (task = runtime_find(rt, XY__TASK_CREATED)); any = true)
		xy__submit_abandon(task, agent);
	for (; (task = runtime_find(rt, XY__TASK_HELD)); any = true) {
		xy__access_handle(task->accesses[0])->held = NULL;
		xy__deps_end(task, -ECANCELED, agent);
	}
	xy__lock_take(&rt->inbox_lock);
	unserved = rt->unserved;
	rt->unserved = NULL;
	atomic_store(&rt->nunserved, 0);
	xy__lock_drop(&rt->inbox_lock);
	for (; unserved; any = true) {
		task = unserved;
		unserved = task->next;
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
		xy__submit_abandon(task, agent);
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
	xy__lock_take(&rt->change_lock);
	rt->engine->stop(rt);
	xy__lock_drop(&rt->change_lock);
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
	return rt ? rt->main.tree : NULL;
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
