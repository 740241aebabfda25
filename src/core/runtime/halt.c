/* SPDX-License-Identifier: MIT */
/*
 * Halting. Invariant: while rt->halted is set and xy__halt has returned, every other agent is in a function of the
 * user or waits here, and each that comes back waits here. Threads of the application that are no agent yet find all
 * agents taken.
 */
#include "core/runtime/halt.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/runtime/engine.h"
#include "core/runtime/stuck.h"
#include "core/runtime/wait.h"

/* A fence in every thread of the process that runs; false if the system has none. */
static bool halt_fence_all(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) &&
	       !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Whether the agent will look at rt->halted before it is inside again. Without the fence only one that waits is sure
 * to: the others are waited for. */
static bool halt_is_outside(struct xy__agent *agent, bool fenced)
{
	/* acquire: pairs with the release in xy__halt_leave */
	uintptr_t doing = atomic_load_explicit(&agent->doing, memory_order_acquire);

	return fenced ? xy__doing_is_outside(doing) : doing == XY__DOING_WAITS;
}

/* The attempt to halt a runtime. */
struct halt {
	struct xy_runtime *rt;
	bool fenced;
	double until_s; /* then it is given up */
	struct xy__agent *stuck;
};

/* Waits a little for an agent; false: too long. */
static bool halt_wait_for(struct halt *halt, struct xy__agent *agent, unsigned *rounds)
{
	if (xy__now() > halt->until_s) {
		halt->stuck = agent;
		return false;
	}
	halt->rt->engine->pause(halt->rt, rounds);
	return true;
}

static bool halt_worker(struct halt *halt, struct xy__worker *worker)
{
	struct xy_runtime *rt = halt->rt;
	unsigned rounds = 0;

	while (!halt_is_outside(&worker->agent, halt->fenced)) {
		rt->engine->wake(&rt->main.engine, worker->id);
		if (!halt_wait_for(halt, &worker->agent, &rounds))
			return false;
	}
	return true;
}

/* Takes the agent, so that no thread enters as it, unless its thread is in a callback. */
static bool halt_application(struct halt *halt, struct xy__agent *agent)
{
	unsigned rounds = 0;

	while (!(agent->halted = xy__lock_try(&agent->lock)) && !halt_is_outside(agent, halt->fenced))
		if (!halt_wait_for(halt, agent, &rounds))
			return false;
	return true;
}

int xy__halt(struct xy_runtime *rt, struct xy__agent *by)
{
	struct halt halt = { .rt = rt, .until_s = xy__now() + rt->halt_limit_s };
	bool halts = true;

	rt->halted_by = by;
	atomic_store(&rt->halted, 1);
	halt.fenced = halt_fence_all(); /* pairs with the signal fence in xy__halt_enter */
	for (unsigned i = 0; i < rt->nworkers && halts; i++)
		if (&rt->workers[i].agent != by)
			halts = halt_worker(&halt, &rt->workers[i]);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS && halts; i++)
		if (&rt->applications[i] != by)
			halts = halt_application(&halt, &rt->applications[i]);
	if (halts)
		return 0;
	xy__stuck_complain(rt, halt.stuck);
	xy__resume(rt, by);
	return -ETIMEDOUT;
}

bool xy__halt_is_inside(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__agent_inside(rt);

	return agent && !xy__doing_is_outside(atomic_load_explicit(&agent->doing, memory_order_relaxed));
}

void xy__resume(struct xy_runtime *rt, struct xy__agent *by)
{
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		if (&rt->applications[i] != by && rt->applications[i].halted) {
			rt->applications[i].halted = false;
			xy__lock_drop(&rt->applications[i].lock);
		}
	rt->halted_by = NULL;
	atomic_store(&rt->halted, 0);
	xy__futex_wake(&rt->halted, INT_MAX);
}

void xy__halt_wait(struct xy__agent *agent, uintptr_t doing)
{
	struct xy_runtime *rt = agent->runtime;

	if (rt->halted_by == agent)
		return;
	do {
		xy__halt_leave(agent, XY__DOING_WAITS);
		while (atomic_load(&rt->halted))
			xy__futex_wait(&rt->halted, 1, -1);
		atomic_store(&agent->doing, doing);
	} while (atomic_load(&rt->halted));
}
