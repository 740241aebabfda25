/* SPDX-License-Identifier: MIT */
/*
 * Who is calling: the slow sides.
 */
#include "core/runtime/runtime.h"

#include <sched.h>

enum { NUMBERS = 64 };

_Thread_local struct xy__agent *xy__current;

struct xy__agent *xy__inside(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__current;

	while (agent && agent->runtime != rt)
		agent = agent->outer;
	return agent;
}

/* A thread comes back to the same agent unless that is busy. It never waits for one in particular: its
 * holder may be inside a callback that waits for this thread. */
struct xy__agent *xy__enter_slowly(struct xy_runtime *rt, unsigned first)
{
	struct xy__agent *agent = xy__inside(rt);

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
	agent->outer = xy__current;
	xy__current = agent;
	return agent;
}

void xy__become(struct xy__agent *agent)
{
	xy__current = agent;
}

void xy__agent_init(struct xy__agent *agent, struct xy_runtime *rt, int worker)
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
	agent->pool.sim = rt->sim ? xy__sim_length : NULL;
}

void xy__call_back(struct xy__agent *agent, struct xy__endings *endings,
		   void (*callback)(void *arg, int status), void *arg, int status)
{
	unsigned offers = agent->base.offers;

	agent->base.offers = 1;
	if (offers && agent->base.worker >= 0)
		xy__threads_offer_rest(&agent->runtime->workers[agent->base.worker]);
	agent->endings = endings;
	callback(arg, status);
	agent->endings = NULL;
	agent->base.offers = offers;
}

void xy__agent_numbers(struct xy__agent *agent)
{
	agent->number = atomic_fetch_add_explicit(&agent->runtime->next_number, NUMBERS, memory_order_relaxed);
	agent->number_end = agent->number + NUMBERS;
}
