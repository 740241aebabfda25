/* SPDX-License-Identifier: MIT */
/*
 * Contexts, and what changes them: their policies and their workers. A change says for each worker where it is to be;
 * contexts whose workers or policy differ from that get a graft.
 */
#include <xylem/context.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/prefetch.h"
#include "core/runtime/agent.h"
#include "core/runtime/division.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/graft.h"
#include "core/runtime/halt.h"
#include "core/runtime/inbox.h"
#include "core/runtime/team.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"

/* A function of a component that takes longer is stuck; calling a kernel for the first time may compile it. */
#define HALT_LIMIT_S 20

/* --- what trees ask of the runtime --- */

static double context_now_us(struct xy__tree_engine *engine)
{
	return xy_now(xy__runtime_of(engine)) * 1e6;
}

/* How many tasks have ever been submitted, and whether a thread waits to submit more. */
static uint64_t context_submitted(struct xy__tree_engine *engine, bool *more)
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

static void context_engine(struct xy_context *context)
{
	struct xy_runtime *rt = context->runtime;
	struct xy__tree_engine *engine = &context->engine;

	engine->wake = rt->engine->wake;
	engine->neighbour = rt->engine->neighbour;
	engine->sleepers = &context->sleepers;
	engine->searchers = &context->searchers;
	engine->asleep = rt->asleep;
	engine->now_us = context_now_us;
	engine->free_us = xy__worker_free_us;
	engine->submitted = context_submitted;
	engine->take_back = xy__inbox_take_back;
	engine->cut = xy__division_take;
	engine->uncut = xy__division_give;
	engine->alarm = rt->engine->alarm;
	engine->rehearse = rt->engine->rehearse;
	engine->abandoned = rt->engine->abandoned;
	engine->one_memory = rt->memory.nnodes == 1;
	engine->prefetch = rt->settings.prefetch && rt->memory.nnodes > 1 ? xy__task_prefetch : NULL;
}

/* --- a runtime's start and end --- */

static int context_init(struct xy_context *context, struct xy_runtime *rt, const char *name)
{
	context->runtime = rt;
	context->has = calloc(rt->nworkers, sizeof *context->has);
	context->idle = calloc(rt->nworkers, sizeof *context->idle);
	snprintf(context->name, sizeof context->name, "%s", name);
	context_engine(context);
	return context->has && context->idle ? 0 : -ENOMEM;
}

static void context_fini(struct xy_context *context)
{
	if (context->tree)
		xy__team_release(context->tree);
	xy_tree_destroy(context->tree);
	free(context->has);
	free(context->idle);
	free(context->policy);
}

void xy__context_free(struct xy_context *context)
{
	context_fini(context);
	free(context);
}

/* A leaf without parents. */
static int contexts_nowhere(struct xy_runtime *rt)
{
	struct xy_tree *tree = xy_tree_create(rt->machine, rt->registry);

	rt->nowhere = xy_tree_worker(tree, 0);
	if (rt->nowhere)
		rt->nowhere->shards = calloc(rt->nshards, sizeof *rt->nowhere->shards);
	if (rt->nowhere && rt->nowhere->shards)
		return 0;
	rt->nowhere = NULL;
	xy_tree_destroy(tree);
	return -ENOMEM;
}

int xy__contexts_start(struct xy_runtime *rt)
{
	struct xy__graft graft = { .context = &rt->main };
	int error = context_init(&rt->main, rt, "main");

	rt->contexts[0] = &rt->main;
	rt->ncontexts = 1;
	rt->halt_limit_s = HALT_LIMIT_S;
	if (!error)
		error = context_init(&rt->away, rt, "away");
	if (!error)
		error = contexts_nowhere(rt);
	for (unsigned i = 0; i < rt->nworkers && !error; i++) {
		rt->main.has[i] = true;
		rt->workers[i].context = &rt->main;
		rt->archs |= 1u << rt->workers[i].arch;
	}
	if (!error)
		error = xy__graft_prepare(&graft);
	if (!error)
		error = xy__graft_first(&graft);
	xy__graft_free(&graft);
	return error;
}

void xy__contexts_stop(struct xy_runtime *rt)
{
	xy__graft_reap(rt, true);
	context_fini(&rt->main);
	for (unsigned i = 1; i < rt->ncontexts; i++)
		xy__context_free(rt->contexts[i]);
	free(rt->away.has);
	free(rt->away.idle);
	if (rt->nowhere)
		xy_tree_destroy(rt->nowhere->tree);
}

/* --- changing --- */

/* The state after a change: the context of each worker, NULL for an absent one; and for one context its new policy, or
 * that it is created or destroyed. */
struct change {
	struct xy_runtime *rt;
	struct xy_context **where;
	struct xy_context *context;
	const char *policy;
	bool creates, destroys;
};

static int context_refuse(struct xy_runtime *rt, const char *who, int error, const char *why)
{
	xy__log(rt ? &rt->settings.log : NULL, "%s: %s", who, why);
	return error;
}

static int context_check(struct xy_runtime *rt, const char *who)
{
	if (!rt)
		return context_refuse(NULL, who, -EINVAL, "no runtime (stopped, or never started)");
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, who);
	if (atomic_load(&rt->stopping))
		return context_refuse(rt, who, -ESHUTDOWN, "the runtime is stopping");
	if (!rt->engine->halt)
		return context_refuse(rt, who, -ENOTSUP, "the engine can't replace trees");
	if (xy__halt_is_inside(rt))
		return context_refuse(rt, who, -EDEADLK, "a component's function can't replace its own tree");
	return 0;
}

static int context_check_workers(struct xy_runtime *rt, const char *who, const unsigned *workers, unsigned nworkers)
{
	if (nworkers && !workers)
		return context_refuse(rt, who, -EINVAL, "a number of workers, but no array");
	for (unsigned i = 0; i < nworkers; i++)
		if (workers[i] >= rt->nworkers)
			return context_refuse(rt, who, -EINVAL, "no such worker");
	return 0;
}

/* Whether a context gets other workers; fills in which. */
static bool change_differs(const struct change *change, const struct xy_context *context, bool *has)
{
	bool differs = false;

	for (unsigned i = 0; i < change->rt->nworkers; i++) {
		has[i] = change->where[i] == context;
		differs |= has[i] != context->has[i];
	}
	return differs;
}

/* What the change means for a context, if anything. */
static int change_prepare(const struct change *change, struct xy_context *context, bool *has, struct xy__graft *graft)
{
	bool differs = change_differs(change, context, has);

	*graft = (struct xy__graft){ 0 };
	if (!differs && context != change->context)
		return 0;
	*graft = (struct xy__graft){ .context = context, .has = has };
	if (context == change->context) {
		graft->policy = change->policy;
		graft->creates = change->creates;
		graft->destroys = change->destroys;
	}
	return xy__graft_prepare(graft);
}

/* Makes it so. */
static int change_apply(struct change *change)
{
	struct xy_runtime *rt = change->rt;
	struct xy__graft grafts[XY__CONTEXTS];
	bool *has = calloc((size_t)(rt->ncontexts + 1) * rt->nworkers, sizeof *has);
	unsigned n = 0;
	int error = has ? 0 : -ENOMEM;

	for (unsigned k = 0; k < rt->ncontexts + change->creates && !error; k++) {
		error = change_prepare(change, k < rt->ncontexts ? rt->contexts[k] : change->context,
				       &has[(size_t)k * rt->nworkers], &grafts[n]);
		n += grafts[n].context != NULL;
	}
	if (!error && n)
		error = xy__graft_all(rt, grafts, n);
	while (n)
		xy__graft_free(&grafts[--n]);
	xy__graft_reap(rt, false);
	free(has);
	if (!error)
		xy__wait_news(rt);
	return error;
}

/* Begins with the present state. The lock is held. */
static int change_init(struct change *change, struct xy_runtime *rt)
{
	*change = (struct change){ .rt = rt };
	change->where = calloc(rt->nworkers, sizeof(struct xy_context *));
	for (unsigned i = 0; change->where && i < rt->nworkers; i++)
		for (unsigned k = 0; k < rt->ncontexts; k++)
			if (rt->contexts[k]->has[i])
				change->where[i] = rt->contexts[k];
	return change->where ? 0 : -ENOMEM;
}

/* Takes the lock, which change_end drops. */
static int change_begin(struct change *change, struct xy_runtime *rt)
{
	xy__lock_take(&rt->change_lock);
	return change_init(change, rt);
}

static int change_end(struct change *change, int error)
{
	if (!error)
		error = change_apply(change);
	free(change->where);
	xy__lock_drop(&change->rt->change_lock);
	return error;
}

/* The context has these workers only; its others go to `rest`. */
static void change_staff(struct change *change, struct xy_context *context, struct xy_context *rest,
			 const unsigned *workers, unsigned nworkers)
{
	for (unsigned i = 0; i < change->rt->nworkers; i++)
		if (change->where[i] == context)
			change->where[i] = rest;
	for (unsigned i = 0; i < nworkers; i++)
		change->where[workers[i]] = context;
}

/* --- the policy --- */

static int context_set_policy(struct xy_context *context, const char *policy, const char *who)
{
	struct xy_runtime *rt = context->runtime;
	struct change change;
	int error = context_check(rt, who);

	if (error)
		return error;
	if (!policy)
		return context_refuse(rt, who, -EINVAL, "no policy");
	error = change_begin(&change, rt);
	change.context = context;
	change.policy = policy;
	return change_end(&change, error);
}

int xy__context_replace(struct xy_context *context, const char *policy)
{
	struct change change;
	int error = change_init(&change, context->runtime);

	change.context = context;
	change.policy = policy;
	if (!error)
		error = change_apply(&change);
	free(change.where);
	return error;
}

int xy_set_policy(struct xy_runtime *rt, const char *policy)
{
	int error = context_check(rt, "xy_set_policy");

	return error ? error : context_set_policy(&rt->main, policy, "xy_set_policy");
}

const char *xy_runtime_policy(const struct xy_runtime *rt)
{
	return rt ? xy__runtime_policy(&rt->main) : "";
}

/* --- workers --- */

/* Puts an absent worker into a context, or takes a present one out of its. */
static int worker_change(struct xy_runtime *rt, unsigned worker, bool adds, const char *who)
{
	struct change change;
	int error = context_check(rt, who);

	if (!error)
		error = context_check_workers(rt, who, &worker, 1);
	if (error)
		return error;
	error = change_begin(&change, rt);
	if (!error && adds != (change.where[worker] != NULL))
		change.where[worker] = adds ? &rt->main : NULL;
	return change_end(&change, error);
}

int xy_worker_remove(struct xy_runtime *rt, unsigned worker)
{
	return worker_change(rt, worker, false, "xy_worker_remove");
}

int xy_worker_add(struct xy_runtime *rt, unsigned worker)
{
	return worker_change(rt, worker, true, "xy_worker_add");
}

int xy_set_workers(struct xy_runtime *rt, const unsigned *workers, unsigned nworkers)
{
	struct change change;
	int error = context_check(rt, "xy_set_workers");

	if (!error)
		error = context_check_workers(rt, "xy_set_workers", workers, nworkers);
	if (error)
		return error;
	error = change_begin(&change, rt);
	if (!error)
		change_staff(&change, &rt->main, NULL, workers, nworkers);
	return change_end(&change, error);
}

bool xy_worker_is_present(struct xy_runtime *rt, unsigned worker)
{
	bool present = false;

	if (!rt || worker >= rt->nworkers)
		return false;
	xy__lock_take(&rt->change_lock);
	for (unsigned k = 0; k < rt->ncontexts; k++)
		present |= rt->contexts[k]->has[worker];
	xy__lock_drop(&rt->change_lock);
	return present;
}

/* --- contexts --- */

/* A context without workers; NULL without memory. The lock is held. */
static struct xy_context *context_add(struct xy_runtime *rt, const char *name)
{
	struct xy_context *context = aligned_alloc(128, sizeof *context);
	char number[XY__CONTEXT_NAME];

	if (!context)
		return NULL;
	memset(context, 0, sizeof *context);
	snprintf(number, sizeof number, "context %u", rt->ncontexts);
	if (context_init(context, rt, name ? name : number)) {
		xy__context_free(context);
		return NULL;
	}
	return context;
}

int xy_context_create(struct xy_runtime *rt, const struct xy_context_desc *desc, struct xy_context **out)
{
	const char *who = "xy_context_create";
	struct xy_context *context = NULL;
	struct change change;
	int error = context_check(rt, who);

	if (out)
		*out = NULL;
	if (!error && (!out || !desc))
		error = context_refuse(rt, who, -EINVAL, out ? "no description" : "the output pointer is NULL");
	if (!error)
		error = context_check_workers(rt, who, desc->workers, desc->nworkers);
	if (error)
		return error;
	error = change_begin(&change, rt);
	if (!error && rt->ncontexts == XY__CONTEXTS)
		error = context_refuse(rt, who, -ENOSPC, "there are 64 contexts already, with the main one");
	if (!error) {
		context = context_add(rt, desc->name);
		error = context ? 0 : -ENOMEM;
	}
	if (!error) {
		change_staff(&change, context, &rt->main, desc->workers, desc->nworkers);
		change.context = context;
		change.policy = desc->policy;
		change.creates = true;
	}
	error = change_end(&change, error);
	if (error && context)
		xy__context_free(context);
	else if (!error)
		*out = context;
	return error;
}

int xy_context_set_policy(struct xy_context *context, const char *policy)
{
	const char *who = "xy_context_set_policy";

	if (!context)
		return context_refuse(NULL, who, -EINVAL, "no context");
	return context_set_policy(context, policy, who);
}

int xy_context_set_workers(struct xy_context *context, const unsigned *workers, unsigned nworkers)
{
	const char *who = "xy_context_set_workers";
	struct xy_runtime *rt = context ? context->runtime : NULL;
	struct change change;
	int error = context ? context_check(rt, who) : context_refuse(NULL, who, -EINVAL, "no context");

	if (!error)
		error = context_check_workers(rt, who, workers, nworkers);
	if (error)
		return error;
	error = change_begin(&change, rt);
	if (!error)
		change_staff(&change, context, context == &rt->main ? NULL : &rt->main, workers, nworkers);
	return change_end(&change, error);
}

int xy_context_destroy(struct xy_context **pointer)
{
	struct xy_context *context = pointer ? *pointer : NULL;
	struct change change;
	int error;

	if (!context)
		return 0;
	error = context_check(context->runtime, "xy_context_destroy");
	if (error)
		return error;
	error = change_begin(&change, context->runtime);
	if (!error) {
		change_staff(&change, context, &context->runtime->main, NULL, 0);
		change.context = context;
		change.destroys = true;
	}
	error = change_end(&change, error);
	if (!error)
		*pointer = NULL;
	return error;
}

struct xy_tree *xy_context_tree(const struct xy_context *context)
{
	return context ? context->tree : NULL;
}

const char *xy_context_name(const struct xy_context *context)
{
	return context ? context->name : "";
}
