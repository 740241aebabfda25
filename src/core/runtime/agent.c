/* SPDX-License-Identifier: MIT */
/* Agents: the slow paths. */
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"
#include "core/runtime/search.h"
#include "core/tree/audit.h"

#include <sched.h>

enum { NUMBERS = 64 };

_Thread_local struct xy__agent *xy__agent_current;

struct xy__agent *xy__agent_inside(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__agent_current;

	while (agent && agent->runtime != rt)
		agent = agent->outer;
	return agent;
}

/*
 * A thread returns to its previous agent unless that is busy. It never waits for a particular one: its holder may be
 * inside a callback that waits for this thread.
 */
struct xy__agent *xy__agent_enter_slowly(struct xy_runtime *rt, unsigned first)
{
	struct xy__agent *agent = xy__agent_inside(rt);

	if (agent) {
		agent->depth++;
		return agent;
	}
	for (unsigned i = 0;; i++) {
		agent = &rt->applications[(first + i) % XY__APPLICATION_AGENTS];
		if (xy__lock_try(&agent->lock))
			break;
		if (i >= XY__APPLICATION_AGENTS)
			sched_yield();
	}
	agent->outer = xy__agent_current;
	xy__agent_current = agent;
	return agent;
}

void xy__agent_become(struct xy__agent *agent)
{
	xy__agent_current = agent;
}

int xy__agent_init(struct xy__agent *agent, struct xy_runtime *rt, int worker)
{
	const struct xy_worker_info *info = worker < 0 ? NULL : xy_machine_worker(rt->machine, (unsigned)worker);

	agent->base.worker = worker;
	agent->base.archs = info ? 1u << info->arch : 0;
	agent->base.shard = worker >= 0 && (unsigned)worker + 1 < rt->tree->nshards ? (unsigned)worker + 1 : 0;
	agent->base.random = rt->settings.seed * 0x9e3779b97f4a7c15u + (uint64_t)(worker + 1);
	agent->runtime = rt;
	xy__pool_init(&agent->pool, rt, rt->machine);
	agent->pool.deaths = &rt->deaths;
	agent->pool.perf = &rt->perf;
	agent->pool.places = &rt->places;
	agent->pool.length = rt->engine->length;
	return xy__trail_begin(&agent->base, rt->tree);
}

void xy__agent_call_back(struct xy__agent *agent, struct xy__endings *endings, void (*callback)(void *arg, int status),
			 void *arg, int status)
{
	bool itself = xy_agent_offer_to_others(&agent->base);

	if (!itself && agent->base.worker >= 0)
		xy__search_offer_rest(&agent->runtime->workers[agent->base.worker]);
	agent->endings = endings;
	callback(arg, status);
	agent->endings = NULL;
	if (itself)
		xy_agent_offer_to_itself(&agent->base);
}

void xy__agent_numbers(struct xy__agent *agent)
{
	agent->number = atomic_fetch_add_explicit(&agent->runtime->next_number, NUMBERS, memory_order_relaxed);
	agent->number_end = agent->number + NUMBERS;
}

uint64_t xy__agent_live(struct xy_runtime *rt, unsigned nworkers)
{
	uint64_t ended = 0, submitted = 0;

	/* Ended before submitted: what ended was submitted before, so equal sums mean that there was a
	 * moment without tasks. acquire: pairs with the release in xy__agent_add. */
	for (unsigned i = 0; i < nworkers; i++)
		ended += atomic_load_explicit(&rt->workers[i].agent.ended, memory_order_acquire);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		ended += atomic_load_explicit(&rt->applications[i].ended, memory_order_acquire);
	for (unsigned i = 0; i < nworkers; i++)
		submitted += atomic_load_explicit(&rt->workers[i].agent.submitted, memory_order_acquire);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		submitted += atomic_load_explicit(&rt->applications[i].submitted, memory_order_acquire);
	return submitted - ended;
}
