/* SPDX-License-Identifier: MIT */
/*
 * Contexts, and what programs change of them: their policies and their workers. A change says for each worker where it
 * is to be; contexts whose workers or policy differ from that get a graft.
 */
#include <xylem/context.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/prefetch.h"
#include "core/runtime/agent.h"
#include "core/runtime/change.h"
#include "core/runtime/division.h"
#include "core/runtime/engine.h"
#include "core/runtime/graft.h"
#include "core/runtime/inbox.h"
#include "core/runtime/team.h"
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

/* --- the policy --- */

static int context_set_policy(struct xy_context *context, const char *policy, const char *who)
{
	struct xy_runtime *rt = context->runtime;
	struct xy__change change;
	int error = xy__change_check(rt, who);

	if (error)
		return error;
	if (!policy)
		return xy__change_refuse(rt, who, -EINVAL, "no policy");
	error = xy__change_begin(&change, rt);
	change.context = context;
	change.policy = policy;
	return xy__change_end(&change, error);
}

int xy__context_replace(struct xy_context *context, const char *policy)
{
	struct xy__change change;
	int error = xy__change_init(&change, context->runtime);

	change.context = context;
	change.policy = policy;
	if (!error)
		error = xy__change_apply(&change);
	free(change.where);
	return error;
}

int xy_set_policy(struct xy_runtime *rt, const char *policy)
{
	int error = xy__change_check(rt, "xy_set_policy");

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
	struct xy__change change;
	int error = xy__change_check(rt, who);

	if (!error)
		error = xy__change_check_workers(rt, who, &worker, 1);
	if (error)
		return error;
	error = xy__change_begin(&change, rt);
	if (!error && adds != (change.where[worker] != NULL))
		change.where[worker] = adds ? &rt->main : NULL;
	return xy__change_end(&change, error);
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
	struct xy__change change;
	int error = xy__change_check(rt, "xy_set_workers");

	if (!error)
		error = xy__change_check_workers(rt, "xy_set_workers", workers, nworkers);
	if (error)
		return error;
	error = xy__change_begin(&change, rt);
	if (!error)
		xy__change_staff(&change, &rt->main, NULL, workers, nworkers);
	return xy__change_end(&change, error);
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
	struct xy__change change;
	int error = xy__change_check(rt, who);

	if (out)
		*out = NULL;
	if (!error && (!out || !desc))
		error = xy__change_refuse(rt, who, -EINVAL, out ? "no description" : "the output pointer is NULL");
	if (!error)
		error = xy__change_check_workers(rt, who, desc->workers, desc->nworkers);
	if (error)
		return error;
	error = xy__change_begin(&change, rt);
	if (!error && rt->ncontexts == XY__CONTEXTS)
		error = xy__change_refuse(rt, who, -ENOSPC, "there are 64 contexts already, with the main one");
	if (!error) {
		context = context_add(rt, desc->name);
		error = context ? 0 : -ENOMEM;
	}
	if (!error) {
		xy__change_staff(&change, context, &rt->main, desc->workers, desc->nworkers);
		change.context = context;
		change.policy = desc->policy;
		change.creates = true;
	}
	error = xy__change_end(&change, error);
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
		return xy__change_refuse(NULL, who, -EINVAL, "no context");
	return context_set_policy(context, policy, who);
}

int xy_context_set_workers(struct xy_context *context, const unsigned *workers, unsigned nworkers)
{
	const char *who = "xy_context_set_workers";
	struct xy_runtime *rt = context ? context->runtime : NULL;
	struct xy__change change;
	int error = context ? xy__change_check(rt, who) : xy__change_refuse(NULL, who, -EINVAL, "no context");

	if (!error)
		error = xy__change_check_workers(rt, who, workers, nworkers);
	if (error)
		return error;
	error = xy__change_begin(&change, rt);
	if (!error)
		xy__change_staff(&change, context, context == &rt->main ? NULL : &rt->main, workers, nworkers);
	return xy__change_end(&change, error);
}

int xy_context_destroy(struct xy_context **pointer)
{
	struct xy_context *context = pointer ? *pointer : NULL;
	struct xy__change change;
	int error;

	if (!context)
		return 0;
	error = xy__change_check(context->runtime, "xy_context_destroy");
	if (error)
		return error;
	error = xy__change_begin(&change, context->runtime);
	if (!error) {
		xy__change_staff(&change, context, &context->runtime->main, NULL, 0);
		change.context = context;
		change.destroys = true;
	}
	error = xy__change_end(&change, error);
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
