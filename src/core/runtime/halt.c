/* SPDX-License-Identifier: MIT */
/*
 * Halting. Invariant: while rt->halted is set and xy__halt has returned, every other agent is in a function of the
 * user or waits here, and each that comes back waits here. Threads of the application that are no agent yet find all
 * agents taken.
 */
#include "core/runtime/halt.h"

#include <limits.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/runtime/engine.h"
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

static void halt_worker(struct xy__worker *worker, bool fenced)
{
	struct xy_runtime *rt = worker->agent.runtime;
	unsigned rounds = 0;

	while (!halt_is_outside(&worker->agent, fenced)) {
		rt->engine->wake(&rt->main.engine, worker->id);
		rt->engine->pause(rt, &rounds);
	}
}

/* Takes the agent, so that no thread enters as it, unless its thread is in a callback. */
static void halt_application(struct xy__agent *agent, bool fenced)
{
	struct xy_runtime *rt = agent->runtime;
	unsigned rounds = 0;

	while (!(agent->halted = xy__lock_try(&agent->lock)) && !halt_is_outside(agent, fenced))
		rt->engine->pause(rt, &rounds);
}

void xy__halt(struct xy_runtime *rt, struct xy__agent *by)
{
	bool fenced;

	rt->halted_by = by;
	atomic_store(&rt->halted, 1);
	fenced = halt_fence_all(); /* pairs with the signal fence in xy__halt_enter */
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (&rt->workers[i].agent != by)
			halt_worker(&rt->workers[i], fenced);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		if (&rt->applications[i] != by)
			halt_application(&rt->applications[i], fenced);
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
