/* SPDX-License-Identifier: MIT */
/*
 * Grafts: installing trees that graft_prepare.c has made. Invariant: whatever can fail is done before anything changes.
 */
#include "core/runtime/graft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/engine.h"
#include "core/runtime/inbox.h"
#include "core/runtime/move.h"
#include "core/runtime/notes.h"
#include "core/runtime/probe.h"
#include "core/runtime/stuck.h"
#include "core/runtime/team.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"

/* --- taking: the runtime is halted --- */

/* Its state counts where it is. In real time only awake workers are moved. */
static void graft_move_worker(struct xy__worker *worker, struct xy_context *to)
{
	struct xy_context *from = worker->context;
	int state = atomic_load(&worker->state);

	if (from == to)
		return;
	if (state == XY__ASLEEP) {
		atomic_fetch_sub(&from->sleepers, 1);
		atomic_fetch_add(&to->sleepers, 1);
	} else if (state == XY__LOOKING) {
		atomic_fetch_sub(&from->searchers, 1);
		atomic_fetch_add(&to->searchers, 1);
	}
	worker->context = to;
}

/* The worker leaves its tree and takes its place in the new one. */
static void graft_worker(struct xy__graft *graft, struct xy__worker *worker)
{
	struct xy__graft_worker *leaf = &graft->leaves[worker->id];

	graft_move_worker(worker, graft->context);
	worker->leaf = graft->tree->leaves[worker->id];
	free(worker->above);
	worker->above = leaf->above;
	worker->nabove = leaf->nabove;
	leaf->above = NULL;
	leaf->teams = xy__team_enlist(worker, leaf->teams, leaf->nteams);
}

/* A worker that is in no context has an empty leaf. */
static void graft_away(struct xy_runtime *rt, struct xy__worker *worker)
{
	graft_move_worker(worker, &rt->away);
	worker->leaf = rt->nowhere;
	worker->nabove = 0;
	free(xy__team_enlist(worker, NULL, 0));
}

static void graft_take(struct xy__graft *graft)
{
	struct xy_context *context = graft->context;
	struct xy_runtime *rt = context->runtime;
	bool *before;

	if (context->tree) {
		context->tree->next_retired = rt->retired;
		rt->retired = context->tree;
	}
	context->epoch = ++rt->epochs;
	context->tree = graft->tree;
	context->root = graft->tree ? graft->tree->root : NULL;
	context->engine.archs = context->root ? context->root->archs & XY_ON_ALL : 0;
	before = context->has; /* which the graft frees */
	context->has = graft->workers;
	graft->workers = before;
	if (graft->text) {
		free(context->policy);
		context->policy = graft->text;
		graft->text = NULL;
	}
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (context->has[i])
			graft_worker(graft, &rt->workers[i]);
	graft->tree = NULL;
}

/* What the runtime knows of all its trees. */
static void graft_sum_up(struct xy_runtime *rt)
{
	unsigned present = 0;
	unsigned char orders = 0;

	rt->accounts = rt->awaits = rt->skips = rt->branches = false;
	rt->shares = true;
	rt->routed = rt->ncontexts > 1;
	for (unsigned k = 0; k < rt->ncontexts; k++) {
		const struct xy_tree *tree = rt->contexts[k]->tree;

		for (unsigned i = 0; tree && i < tree->ncomponents; i++) {
			const struct xy_component *c = tree->components[i];
			unsigned flags = c->ops->flags;

			if (flags & XY_ORDERS)
				orders = XY__INBOX_ORDERED;
			rt->accounts |= (flags & XY_PREDICTS) != 0;
			rt->shares &= (flags & XY_SHARES) != 0;
			rt->awaits |= (flags & XY_AWAITS) && !tree->root->nteams;
			rt->skips |= (flags & (XY_AWAITS | XY_CUTS)) && !tree->root->nteams;
			rt->branches |= ((flags & XY_LEAF) && c->nparents > 1) || !(~flags & (XY_STORES | XY_DECIDES));
		}
		if (tree && (tree->root->archs & (tree->root->archs - 1)))
			atomic_store(&rt->workers_differ, true);
		present += tree ? tree->nworkers : 0;
	}
	if (rt->branches)
		atomic_store(&rt->workers_differ, true);
	rt->routed |= present < rt->nworkers;
	atomic_fetch_and(&rt->inbox_state, (unsigned char)~XY__INBOX_ORDERED);
	atomic_fetch_or(&rt->inbox_state, orders);
	xy__notes_listen(rt);
}

/* The context has no tree and no workers any more. */
static void graft_bury(struct xy_runtime *rt, struct xy_context *context)
{
	unsigned k = 1;

	while (rt->contexts[k] != context)
		k++;
	rt->contexts[k] = rt->contexts[--rt->ncontexts];
	context->next = rt->destroyed;
	rt->destroyed = context;
	xy__moves_forget(rt, context);
}

static void graft_take_all(struct xy_runtime *rt, struct xy__graft *grafts, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		if (grafts[k].creates)
			rt->contexts[rt->ncontexts++] = grafts[k].context;
		graft_take(&grafts[k]);
	}
	for (unsigned i = 0; i < rt->nworkers; i++) {
		bool here = false;

		for (unsigned k = 0; k < rt->ncontexts && !here; k++)
			here = rt->contexts[k]->has[i];
		if (!here)
			graft_away(rt, &rt->workers[i]);
	}
	for (unsigned k = 0; k < n; k++)
		if (grafts[k].destroys)
			graft_bury(rt, grafts[k].context);
	graft_sum_up(rt);
}

/* The engine calls the ticks of the new trees; 0 or -errno. */
static int graft_ticks(struct xy_runtime *rt, const struct xy__graft *grafts, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (grafts[k].tree && grafts[k].tree->hooks.have & XY__HOOK_TICK) {
			atomic_store(&rt->ticks, true);
			return rt->engine->ticks(rt);
		}
	return 0;
}

/* Tells components which workers have come to their tree, or left it. */
static void graft_tell(const struct xy_context *context, const bool *before, struct xy__agent *agent)
{
	if (!context->tree || !(context->tree->hooks.have & XY__HOOK_WORKERS))
		return;
	for (unsigned i = 0; i < context->runtime->nworkers; i++)
		if (before[i] != context->has[i])
			xy__hooks_workers_changed(context->tree, i, context->has[i], &agent->base);
}

int xy__graft_first(struct xy__graft *graft)
{
	int error = graft_ticks(graft->context->runtime, graft, 1);

	if (!error)
		graft_take_all(graft->context->runtime, graft, 1);
	return error;
}

/* A component of the new tree continues the one of its kind for the same workers. */
static void graft_ask_old(struct xy_runtime *rt, void *subject, FILE *out)
{
	const struct xy_tree *new = subject, *old = new->before;

	(void)rt;
	(void)out;
	for (unsigned i = 0; i < new->ncomponents; i++) {
		struct xy_component *c = new->components[i];

		for (unsigned j = 0; c->ops->inherit && j < old->ncomponents; j++) {
			struct xy_component *o = old->components[j];

			if (o->ops == c->ops && o->nworkers == c->nworkers &&
			    !memcmp(o->workers, c->workers, o->nworkers * sizeof *o->workers)) {
				c->ops->inherit(c, o);
				break;
			}
		}
	}
}

static bool graft_has_heirs(const struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->ncomponents; i++)
		if (tree->components[i]->ops->inherit)
			return true;
	return false;
}

/* By a probe, as xy__shown_list. A tree whose components wait for old ones for good can't be freed. */
static int graft_inherit(struct xy_runtime *rt, struct xy__graft *graft)
{
	struct xy_tree *tree = graft->tree;
	int error;

	if (!tree || !graft->context->tree || !graft_has_heirs(tree))
		return 0;
	tree->before = graft->context->tree;
	error = xy__probe(rt, graft_ask_old, tree, rt->halt_limit_s, NULL);
	if (error)
		xy__stuck_unanswered(rt, error);
	if (error != -ETIMEDOUT)
		return error;
	tree->next_retired = rt->retired;
	rt->retired = tree;
	graft->tree = NULL;
	return error;
}

/* What must be known of the old trees; nothing has changed after an error. */
static int graft_note(struct xy_runtime *rt, struct xy__graft *grafts, unsigned n, struct xy__moves *moves)
{
	int error = 0;

	for (unsigned k = 0; k < n && !error; k++)
		error = graft_inherit(rt, &grafts[k]);
	for (unsigned k = 0; k < n; k++)
		grafts[k].context->changes = true;
	if (!error)
		error = xy__moves_note(moves);
	for (unsigned k = 0; k < n; k++)
		grafts[k].context->changes = false;
	return error;
}

int xy__graft_all(struct xy_runtime *rt, struct xy__graft *grafts, unsigned n)
{
	struct xy__agent *agent = xy__agent_enter(rt);
	struct xy__moves moves = { .rt = rt };
	int error = graft_ticks(rt, grafts, n);

	if (!error)
		error = rt->engine->halt(rt, agent);
	if (error) {
		xy__agent_leave(agent);
		return error;
	}
	error = graft_note(rt, grafts, n, &moves);
	if (!error) {
		for (unsigned k = 0; k < n; k++)
			if (grafts[k].context->tree)
				xy__team_abort(rt, grafts[k].context->tree);
		graft_take_all(rt, grafts, n);
		for (unsigned k = 0; k < n; k++)
			graft_tell(grafts[k].context, grafts[k].workers, agent);
		xy__moves_make(&moves, agent);
	}
	rt->engine->resume(rt, agent);
	xy__moves_end(&moves, agent);
	if (atomic_load(&rt->ticks) && !error)
		rt->engine->ticks(rt); /* what init asked for was before */
	xy__agent_leave(agent);
	return error;
}

/* --- old trees --- */

/* Whether a member of a team is still in a round of the tree. */
static bool graft_is_used(const struct xy_runtime *rt, const struct xy_tree *tree)
{
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (xy__team_is_of(&rt->workers[i], tree))
			return true;
	return false;
}

static bool graft_has_retired(const struct xy_runtime *rt, const struct xy_context *context)
{
	for (const struct xy_tree *tree = rt->retired; tree; tree = tree->next_retired)
		if (tree->engine == &context->engine)
			return true;
	return false;
}

void xy__graft_reap(struct xy_runtime *rt, bool stopped)
{
	if (!stopped && atomic_load(&rt->probes))
		return;
	for (struct xy_tree **at = &rt->retired, *tree; (tree = *at);) {
		if (!stopped && graft_is_used(rt, tree)) {
			at = &tree->next_retired;
			continue;
		}
		*at = tree->next_retired;
		xy__graft_free_tree(tree);
	}
	for (struct xy_context **at = &rt->destroyed, *context; (context = *at);) {
		if (graft_has_retired(rt, context)) {
			at = &context->next;
			continue;
		}
		*at = context->next;
		xy__context_free(context);
	}
}
