/* SPDX-License-Identifier: MIT */
/*
 * Threads that run a simulation: waiting threads, one at a time, in turn. Each continues until something has ended, so
 * that its waiter continues before time does.
 */
#include <math.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "engines/sim.h"
#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/guard.h"
#include "core/runtime/inbox.h"
#include "core/runtime/stuck.h"
#include "core/tree/lock.h"
#include "core/util/message.h"

enum { PAUSE_NS = 1000000, STUCK_PAUSES = 1000 };

static uintptr_t sim_self(void)
{
	return (uintptr_t)&xy__agent_current; /* as good as the thread's name */
}

static bool sim_is_mine(const struct xy_runtime *rt)
{
	return atomic_load_explicit(&rt->sim->pumping, memory_order_relaxed) == sim_self();
}

/* One thread at a time, in the order in which they came. */
static void sim_begin(struct xy__sim *sim)
{
	unsigned turn = atomic_fetch_add(&sim->turns, 1);

	while (atomic_load(&sim->turn) != turn)
		sched_yield();
	atomic_store_explicit(&sim->pumping, sim_self(), memory_order_relaxed);
	sim->news = false;
	sim->retried = false;
}

static void sim_end(struct xy__sim *sim)
{
	atomic_store_explicit(&sim->pumping, 0, memory_order_relaxed);
	atomic_fetch_add(&sim->turn, 1);
}

static bool sim_name_holders_in(const struct xy_context *context, bool any, struct xy__message *message)
{
	for (unsigned i = 0; context->tree && i < context->tree->ncomponents; i++) {
		struct xy_component *c = context->tree->components[i];
		size_t peak, depth = c->ops->depth ? c->ops->depth(c, &peak) : 0;

		if (!depth)
			continue;
		xy__message_add(message, "%s%s#%u holds %zu ready task%s", any ? ", " : "", c->ops->name, c->id, depth,
				depth == 1 ? "" : "s");
		any = true;
	}
	return any;
}

/* Whether a component holds tasks although nothing can happen; then adds which, and how many. */
static bool sim_name_holders(struct xy_runtime *rt, struct xy__message *message)
{
	bool any = false;

	for (unsigned k = 0; k < rt->ncontexts; k++)
		any |= sim_name_holders_in(rt->contexts[k], any, message);
	return any;
}

static void sim_say_stuck(struct xy_runtime *rt)
{
	struct xy__message message;
	char text[512];

	if (atomic_exchange(&rt->sim->stuck, true))
		return;
	xy__message_init(&message, text, sizeof text);
	if (sim_name_holders(rt, &message))
		xy__message_add(&message, ", which no worker takes");
	else if (atomic_load(&rt->nunserved))
		xy__message_add(&message, "%llu of them wait for workers that are not present",
				(unsigned long long)atomic_load(&rt->nunserved));
	else
		xy__message_add(&message,
				"they wait for data that the application holds, or for a task that is not submitted");
	xy__log(&rt->settings.log, "the simulation is stalled with %llu tasks left: %s",
		(unsigned long long)rt->engine->live(rt), text);
}

/* Only another thread of the application can help. */
static void sim_pause(struct xy_runtime *rt, unsigned *pauses)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (++*pauses == STUCK_PAUSES)
		sim_say_stuck(rt);
	nanosleep(&pause, NULL);
}

/* Nothing else happens until then. */
static void sim_pass(struct xy__sim *sim, double until_us)
{
	if (xy__sim_time(sim) < until_us && until_us < INFINITY)
		atomic_store_explicit(&sim->now_us, until_us, memory_order_relaxed);
}

void xy__sim_pause(struct xy_runtime *rt, unsigned *rounds)
{
	struct xy__sim *sim = rt->sim;
	bool any;

	if (sim_is_mine(rt)) { /* in the middle of what happens: only time can go on */
		xy__sim_go_on(sim, INFINITY);
		return;
	}
	sim_begin(sim);
	do
		any = xy__sim_happen(sim, INFINITY);
	while (any && !sim->news);
	sim_end(sim);
	if (any)
		*rounds = 0;
	else
		sim_pause(rt, rounds);
}

enum sim_state { SIM_HOLDS, SIM_GOES_ON, SIM_LATER, SIM_NEVER };

/* Until there is news, or nothing more to happen before a time. */
static enum sim_state sim_run(struct xy__sim *sim, const struct xy__condition *condition, double until_us)
{
	enum sim_state state = SIM_HOLDS;
	bool any = true;

	sim_begin(sim);
	if (!condition->holds(condition->arg)) {
		while (any && !sim->news)
			any = xy__sim_happen(sim, until_us);
		if (any)
			state = SIM_GOES_ON;
		else if (!condition->holds(condition->arg))
			state = xy__sim_has_future(sim) ? SIM_LATER : SIM_NEVER;
	}
	if (state == SIM_LATER)
		sim_pass(sim, until_us);
	sim_end(sim);
	return state;
}

/*
 * Nothing will happen unless another application thread does something, in real time: the waiting thread has no other
 * clock then.
 */
static bool sim_is_over(struct xy_runtime *rt, double seconds, double end_s)
{
	if (seconds < 0 || (!__libc_single_threaded && xy__now() < end_s))
		return false;
	if (seconds >= XY__FOREVER_S)
		sim_say_stuck(rt);
	return true;
}

/* Whether the guard has made something happen. Another thread of the application gets some time to do so first. */
static bool sim_guard(struct xy_runtime *rt, double seconds, unsigned pauses)
{
	return (seconds < 0 || seconds >= rt->settings.guard_s) &&
	       (__libc_single_threaded || pauses + 1 >= STUCK_PAUSES) && xy__guard_end_stall(rt);
}

bool xy__sim_wait_until(struct xy_runtime *rt, const struct xy__condition *condition, double seconds)
{
	double until_us = seconds < 0 || seconds >= XY__FOREVER_S ? INFINITY : xy__sim_time(rt->sim) + seconds * 1e6;
	double end_s = seconds < 0 ? INFINITY : xy__now() + seconds;
	unsigned pauses = 0;

	for (;;)
		switch (sim_run(rt->sim, condition, until_us)) {
		case SIM_HOLDS:
			return true;
		case SIM_GOES_ON:
			pauses = 0;
			break;
		case SIM_LATER:
			return false;
		case SIM_NEVER:
			if (sim_guard(rt, seconds, pauses)) {
				pauses = 0;
				break;
			}
			if (sim_is_over(rt, seconds, end_s)) {
				sim_pass(rt->sim, until_us);
				return false;
			}
			sim_pause(rt, &pauses);
			break;
		}
}

/* A waiting thread empties the inbox, unless it is full before. */
void xy__sim_drain(struct xy_runtime *rt, struct xy__agent *agent)
{
	if (xy__ring_is_free(&rt->inbox, atomic_load_explicit(&rt->inbox.tail, memory_order_relaxed)))
		return;
	if (sim_is_mine(rt)) {
		xy__inbox_drain(rt, agent);
		return;
	}
	sim_begin(rt->sim);
	xy__sim_drain_now(rt->sim);
	sim_end(rt->sim);
}

/* They are found when they are due. */
int xy__sim_ticks(struct xy_runtime *rt)
{
	rt->sim->ticks_in_vain = 0;
	return 0;
}

void xy__sim_submitted(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;
	double until_us;

	if (!(rt->settings.sim_submit_us > 0) || xy__agent_inside(rt))
		return;
	sim_begin(sim);
	until_us = xy__sim_time(sim) + rt->settings.sim_submit_us;
	while (xy__sim_happen(sim, until_us))
		;
	sim_pass(sim, until_us);
	sim_end(sim);
}

/* The thread that pumps is alone. */
int xy__sim_halt(struct xy_runtime *rt, struct xy__agent *by)
{
	bool inside = sim_is_mine(rt);

	(void)by;
	if (!inside)
		sim_begin(rt->sim);
	rt->sim->halted_inside = inside;
	return 0;
}

void xy__sim_resume(struct xy_runtime *rt, struct xy__agent *by)
{
	(void)by;
	atomic_store(&rt->sim->stuck, false);
	if (!rt->sim->halted_inside)
		sim_end(rt->sim);
}

/*
 * Workers, and a thread that empties the inbox, are in the tree in turn; other threads are only in hooks about
 * submissions, and in dumps.
 */
bool xy__sim_abandoned(struct xy__tree_engine *engine, struct xy_component *component, int word)
{
	struct xy_runtime *rt = xy__runtime_of(engine);
	int verb = word & ~((1 << XY__VERB_SHIFT) - 1);
	bool in_turn = xy__lock_worker(word) >= 0 || (verb && verb != XY__VERB_SUBMITTED && verb != XY__VERB_ITERATION);

	if (!in_turn || !sim_is_mine(rt))
		return false;
	if (!rt->sim->abandoned)
		xy__stuck_abandoned(rt, component, word);
	rt->sim->abandoned = true;
	return true;
}
