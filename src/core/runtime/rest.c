/* SPDX-License-Identifier: MIT */
/*
 * What an audit can tell when nothing moves. A task that a worker finds although nobody offered it one was stored
 * without can_pull; one that no worker finds, and that the component that took it last does not list, is lost.
 */
#include "core/runtime/rest.h"

#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/tree/audit.h"

static void rest_see(void *arg, struct xy_task *task)
{
	if (atomic_load(&task->state) == XY__TASK_READY)
		xy__audit_find_lost(arg, task);
}

static void rest_find_lost(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__pool_each(&rt->workers[i].agent.pool, rest_see, rt->tree);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__pool_each(&rt->applications[i].pool, rest_see, rt->tree);
}

bool xy__rest_is_final(struct xy_runtime *rt)
{
	struct xy__audit *audit = rt->tree->audit;

	if (!audit)
		return true;
	if (atomic_load(&audit->probing)) {
		rest_find_lost(rt);
		return true;
	}
	if (!xy__audit_probe(rt->tree))
		return true;
	if (!rt->engine->at_rest(rt)) { /* a worker was woken before the probe began: it may have been offered a task */
		atomic_store(&audit->probing, false);
		return false;
	}
	for (unsigned i = 0; i < rt->nworkers; i++)
		rt->engine->wake(&rt->tree_engine, i);
	return false;
}
