/* SPDX-License-Identifier: MIT */
/*
 * Changes of policies, workers and contexts: the new trees are built first, then exchanged while the runtime is
 * halted. A change that fails leaves everything as it was.
 */
#include "core/runtime/change.h"

#include <errno.h>
#include <stdlib.h>

#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/graft.h"
#include "core/runtime/halt.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"

int xy__change_refuse(struct xy_runtime *rt, const char *who, int error, const char *why)
{
	xy__log(rt ? &rt->settings.log : NULL, "%s: %s", who, why);
	return error;
}

int xy__change_check(struct xy_runtime *rt, const char *who)
{
	if (!rt)
		return xy__change_refuse(NULL, who, -EINVAL, "no runtime (stopped, or never started)");
	if (xy__fork_is_child(rt))
		return xy__fork_refuse(rt, who);
	if (atomic_load(&rt->stopping))
		return xy__change_refuse(rt, who, -ESHUTDOWN, "the runtime is stopping");
	if (!rt->engine->halt)
		return xy__change_refuse(rt, who, -ENOTSUP, "the engine can't replace trees");
	if (xy__halt_is_inside(rt))
		return xy__change_refuse(rt, who, -EDEADLK, "a component's function can't replace its own tree");
	return 0;
}

int xy__change_check_workers(struct xy_runtime *rt, const char *who, const unsigned *workers, unsigned nworkers)
{
	if (nworkers && !workers)
		return xy__change_refuse(rt, who, -EINVAL, "a number of workers, but no array");
	for (unsigned i = 0; i < nworkers; i++)
		if (workers[i] >= rt->nworkers)
			return xy__change_refuse(rt, who, -EINVAL, "no such worker");
	return 0;
}

/* Whether a context gets other workers; fills in which. */
static bool change_differs(const struct xy__change *change, const struct xy_context *context, bool *has)
{
	bool differs = false;

	for (unsigned i = 0; i < change->rt->nworkers; i++) {
		has[i] = change->where[i] == context;
		differs |= has[i] != context->has[i];
	}
	return differs;
}

/* What the change means for a context, if anything. */
static int change_prepare(const struct xy__change *change, struct xy_context *context, bool *has,
			  struct xy__graft *graft)
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

int xy__change_apply(struct xy__change *change)
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

int xy__change_init(struct xy__change *change, struct xy_runtime *rt)
{
	*change = (struct xy__change){ .rt = rt };
	change->where = calloc(rt->nworkers, sizeof(struct xy_context *));
	for (unsigned i = 0; change->where && i < rt->nworkers; i++)
		for (unsigned k = 0; k < rt->ncontexts; k++)
			if (rt->contexts[k]->has[i])
				change->where[i] = rt->contexts[k];
	return change->where ? 0 : -ENOMEM;
}

int xy__change_begin(struct xy__change *change, struct xy_runtime *rt)
{
	xy__lock_take(&rt->change_lock);
	return xy__change_init(change, rt);
}

int xy__change_end(struct xy__change *change, int error)
{
	if (!error)
		error = xy__change_apply(change);
	free(change->where);
	xy__lock_drop(&change->rt->change_lock);
	return error;
}

void xy__change_staff(struct xy__change *change, struct xy_context *context, struct xy_context *rest,
		      const unsigned *workers, unsigned nworkers)
{
	for (unsigned i = 0; i < change->rt->nworkers; i++)
		if (change->where[i] == context)
			change->where[i] = rest;
	for (unsigned i = 0; i < nworkers; i++)
		change->where[workers[i]] = context;
}
