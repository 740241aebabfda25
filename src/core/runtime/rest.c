/* SPDX-License-Identifier: MIT */
/*
 * What an audit can tell when nothing moves. A task that a worker finds although nobody offered it one was stored
 * without can_pull; one that no worker finds, and that the component that took it last does not list, is lost.
 */
#include "core/runtime/rest.h"

#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/inbox.h"
#include "core/tree/audit.h"

static void rest_see(void *arg, struct xy_task *task)
{
	const struct xy_tree *tree = xy__inbox_context(arg, task)->tree;

	if (tree && atomic_load(&task->state) == XY__TASK_READY)
		xy__audit_find_lost(tree, task);
}

static void rest_find_lost(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__pool_each(&rt->workers[i].agent.pool, rest_see, rt);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__pool_each(&rt->applications[i].pool, rest_see, rt);
}

/* The lock keeps the trees. True: nothing will move. False: all trees are being probed. */
static bool rest_probe(struct xy_runtime *rt)
{
	bool final = false, probing = false, any = false;

	xy__lock_take(&rt->change_lock);
	for (unsigned k = 0; k < rt->ncontexts; k++)
		if (rt->contexts[k]->tree) {
			any = true;
			probing |= atomic_load(&rt->contexts[k]->tree->audit->probing);
		}
	if (probing)
		rest_find_lost(rt);
	for (unsigned k = 0; k < rt->ncontexts && !probing && !final; k++)
		final = rt->contexts[k]->tree && !xy__audit_probe(rt->contexts[k]->tree);
	xy__lock_drop(&rt->change_lock);
	return final || probing || !any; /* without workers there is no tree */
}

static void rest_end_probe(struct xy_runtime *rt)
{
	xy__lock_take(&rt->change_lock);
	for (unsigned k = 0; k < rt->ncontexts; k++)
		if (rt->contexts[k]->tree)
			atomic_store(&rt->contexts[k]->tree->audit->probing, false);
	xy__lock_drop(&rt->change_lock);
}

bool xy__rest_is_final(struct xy_runtime *rt)
{
	struct xy__agent *agent;

	if (!atomic_load(&rt->audits) || rest_probe(rt))
		return true;
	if (!rt->engine->at_rest(rt)) { /* a worker was woken before the probe began: it may have been offered a task */
		rest_end_probe(rt);
		return false;
	}
	agent = xy__agent_enter(rt); /* only agents wake: no worker changes its context meanwhile */
	for (unsigned i = 0; i < rt->nworkers; i++)
		rt->engine->wake(&rt->main.engine, i);
	xy__agent_leave(agent);
	return false;
}
