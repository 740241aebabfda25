/* SPDX-License-Identifier: MIT */
/* Agents: the slow paths. */
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/halt.h"
#include "core/runtime/runtime.h"
#include "core/runtime/search.h"

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

static void agent_enter_nested(struct xy__agent *agent)
{
	uintptr_t doing = atomic_load_explicit(&agent->doing, memory_order_relaxed);

	agent->depth++;
	if (!xy__doing_is_outside(doing))
		return;
	agent->back_out = agent->depth;
	xy__halt_enter(agent, doing | XY__DOING_INSIDE);
}

void xy__agent_leave_nested(struct xy__agent *agent)
{
	if (agent->depth == agent->back_out) {
		uintptr_t doing = atomic_load_explicit(&agent->doing, memory_order_relaxed);

		agent->back_out = 0;
		xy__halt_leave(agent, doing & ~XY__DOING_INSIDE);
	}
	agent->depth--;
}

/*
 * A thread returns to its previous agent unless that is busy. It never waits for a particular one: its holder may be
 * inside a callback that waits for this thread.
 */
struct xy__agent *xy__agent_enter_slowly(struct xy_runtime *rt, unsigned first)
{
	struct xy__agent *agent = xy__agent_inside(rt);

	if (agent) {
		agent_enter_nested(agent);
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

void xy__agent_init(struct xy__agent *agent, struct xy_runtime *rt, int worker)
{
	const struct xy_worker_info *info = worker < 0 ? NULL : xy_machine_worker(rt->machine, (unsigned)worker);

	agent->base.worker = worker;
	agent->base.archs = info ? 1u << info->arch : 0;
	agent->base.shard = worker >= 0 && (unsigned)worker + 1 < rt->nshards ? (unsigned)worker + 1 : 0;
	agent->base.random = rt->settings.seed * 0x9e3779b97f4a7c15u + (uint64_t)(worker + 1);
	agent->runtime = rt;
	xy__pool_init(&agent->pool, rt, rt->machine);
	agent->pool.deaths = &rt->deaths;
	agent->pool.perf = &rt->perf;
	agent->pool.places = &rt->places;
	agent->pool.length = rt->engine->length;
}

void xy__agent_call_back(struct xy__agent *agent, struct xy__endings *endings, void (*callback)(void *arg, int status),
			 void *arg, int status)
{
	uintptr_t doing = atomic_load_explicit(&agent->doing, memory_order_relaxed);
	bool itself = xy_agent_offer_to_others(&agent->base);
	unsigned back_out = agent->back_out;

	if (!itself && agent->base.worker >= 0)
		xy__search_offer_rest(&agent->runtime->workers[agent->base.worker]);
	agent->endings = endings;
	agent->back_out = 0;
	xy__halt_leave(agent, XY__DOING_CALLBACK);
	callback(arg, status);
	xy__halt_enter(agent, doing);
	agent->back_out = back_out;
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
