/* SPDX-License-Identifier: MIT */
/*
 * Who is calling. The only thread-local of the library: it lets a codelet or callback that calls the
 * runtime again act as the agent that runs it. Components never see it; they get the agent.
 */
#include "core/runtime.h"

#include <sched.h>

enum { NUMBERS = 64 };

static _Thread_local struct xy__agent *agent_current __attribute__((tls_model("initial-exec")));

struct xy__agent *xy__inside(struct xy_runtime *rt)
{
	struct xy__agent *agent = agent_current;

	while (agent && agent->runtime != rt)
		agent = agent->outer;
	return agent;
}

/* A thread comes back to the same agent unless that is busy. It never waits for one in particular: its
 * holder may be inside a callback that waits for this thread. */
static struct xy__agent *agent_lock_any(struct xy_runtime *rt)
{
	uintptr_t self = (uintptr_t)&agent_current; /* as good as the thread's name */
	unsigned first = (unsigned)(self >> 12 ^ self >> 20);

	for (unsigned i = 0;; i++) {
		struct xy__agent *agent = &rt->applications[(first + i) % XY__APPLICATION_AGENTS];

		if (xy__lock_try(&agent->lock))
			return agent;
		if (i >= XY__APPLICATION_AGENTS)
			sched_yield();
	}
}

struct xy__agent *xy__enter(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__inside(rt);

	if (agent) {
		agent->depth++;
		return agent;
	}
	agent = agent_lock_any(rt);
	agent->outer = agent_current;
	agent_current = agent;
	return agent;
}

void xy__leave(struct xy__agent *agent)
{
	if (agent->depth) {
		agent->depth--;
		return;
	}
	agent_current = agent->outer;
	agent->outer = NULL;
	xy__lock_drop(&agent->lock);
}

void xy__become(struct xy__agent *agent)
{
	agent_current = agent;
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
}

void xy__call_back(struct xy__agent *agent, void (*callback)(void *arg, int status), void *arg, int status)
{
	unsigned offers = agent->base.offers;

	agent->base.offers = 1;
	callback(arg, status);
	agent->base.offers = offers;
}

void xy__agent_numbers(struct xy__agent *agent)
{
	agent->number = atomic_fetch_add_explicit(&agent->runtime->next_number, NUMBERS, memory_order_relaxed);
	agent->number_end = agent->number + NUMBERS;
}
