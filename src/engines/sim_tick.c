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

double xy__sim_tick_us(struct xy__sim *sim)
{
	struct xy_tree *tree = sim->ticking;

	if (!tree || sim->ticks_in_vain >= MOST_IN_VAIN)
		return INFINITY;
	return xy__ticks_next_us(tree);
}

bool xy__sim_tick_may_move(struct xy__sim *sim)
{
	return xy__sim_tick_us(sim) < INFINITY && xy__ticks_may_move(sim->ticking);
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
	double due_us = xy__sim_tick_us(sim), next_us;
	struct xy__agent *agent;

	if (isinf(due_us) || due_us > until_us)
		return false;
	next_us = xy__sim_next_us(sim);
	if (next_us <= due_us || (isinf(next_us) && !xy__ticks_may_move(sim->ticking)))
		return false;
	sim_reach(sim, due_us);
	atomic_fetch_add(&sim->ticks_in_vain, 1);
	agent = xy__agent_enter(sim->runtime);
	xy__ticks_run(sim->ticking, &agent->base);
	xy__agent_leave(agent);
	return true;
}
