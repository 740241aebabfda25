/* SPDX-License-Identifier: MIT */
/*
 * Ticks in virtual time: the pumping thread calls them when nothing else happens before. They are called only while
 * something else is to happen, or while a component stores tasks, so that a simulation in which nothing can happen any
 * more ends.
 */
#include <math.h>

#include "core/runtime/agent.h"
#include "engines/sim.h"

enum { MOST_IN_VAIN = 100000 }; /* ticks in a row after which no worker did anything */

/* The tree with the next tick, the first of equals; NULL without one. */
static struct xy_tree *sim_ticking(struct xy__sim *sim)
{
	struct xy_runtime *rt = sim->runtime;
	struct xy_tree *first = NULL;

	for (unsigned k = 0; k < rt->ncontexts && sim->ticks_in_vain < MOST_IN_VAIN; k++) {
		struct xy_tree *tree = rt->contexts[k]->tree;

		if (tree && xy__ticks_next_us(tree) < (first ? xy__ticks_next_us(first) : INFINITY))
			first = tree;
	}
	return first;
}

static bool sim_ticks_may_move(struct xy__sim *sim)
{
	struct xy_runtime *rt = sim->runtime;

	for (unsigned k = 0; k < rt->ncontexts; k++)
		if (rt->contexts[k]->tree && xy__ticks_may_move(rt->contexts[k]->tree))
			return true;
	return false;
}

double xy__sim_tick_us(struct xy__sim *sim)
{
	struct xy_tree *tree = sim_ticking(sim);

	return tree ? xy__ticks_next_us(tree) : INFINITY;
}

bool xy__sim_tick_may_move(struct xy__sim *sim)
{
	return xy__sim_tick_us(sim) < INFINITY && sim_ticks_may_move(sim);
}

/* The clock as components see it has reached the time, whatever the conversion to seconds loses. */
static void sim_reach(struct xy__sim *sim, double due_us)
{
	double at_us = fmax(xy__sim_time(sim), due_us);

	while (at_us * 1e-6 * 1e6 < due_us)
		at_us = nextafter(at_us, INFINITY);
	atomic_store_explicit(&sim->now_us, at_us, memory_order_relaxed);
}

bool xy__sim_tick(struct xy__sim *sim, double until_us)
{
	struct xy_tree *tree = sim_ticking(sim);
	double due_us = tree ? xy__ticks_next_us(tree) : INFINITY, next_us;
	struct xy__agent *agent;

	if (isinf(due_us) || due_us > until_us)
		return false;
	next_us = xy__sim_next_us(sim);
	if (next_us <= due_us || (isinf(next_us) && !sim_ticks_may_move(sim)))
		return false;
	sim_reach(sim, due_us);
	atomic_fetch_add(&sim->ticks_in_vain, 1);
	agent = xy__agent_enter(sim->runtime);
	xy__ticks_run(tree, &agent->base);
	xy__agent_leave(agent);
	return true;
}
