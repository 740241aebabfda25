/* SPDX-License-Identifier: MIT */
/*
 * Halting a runtime in real time, so that its trees can be exchanged: no agent is inside the runtime, only in functions
 * of the user. An agent that comes back from one looks whether the runtime is halted, which costs it one load; the
 * fence between its store and that load is on the halting side (membarrier).
 */
#ifndef XYLEM_CORE_RUNTIME_HALT_H
#define XYLEM_CORE_RUNTIME_HALT_H

#include "core/runtime/agent.h"

/*
 * Values of xy__agent.doing: 0, inside the runtime; a task, in its codelet; these two; and any of them with
 * XY__DOING_INSIDE, inside the runtime on behalf of it.
 */
#define XY__DOING_INSIDE ((uintptr_t)1)
#define XY__DOING_CALLBACK ((uintptr_t)2)
#define XY__DOING_WAITS ((uintptr_t)4) /* for the runtime to resume, or for members of its team */

static inline bool xy__doing_is_outside(uintptr_t doing)
{
	return doing && !(doing & XY__DOING_INSIDE);
}

/* As struct xy__engine_ops says, for agents with threads of their own. */
int xy__halt(struct xy_runtime *rt, struct xy__agent *by);
void xy__resume(struct xy_runtime *rt, struct xy__agent *by);

/* Whether the calling thread is inside the runtime, in a function of a component or of an observer. */
bool xy__halt_is_inside(struct xy_runtime *rt);

/* Waits until the runtime resumes; the agent is outside meanwhile, then does what is given. */
void xy__halt_wait(struct xy__agent *agent, uintptr_t doing);

/* The agent calls a function of the user, or waits for others. */
static inline void xy__halt_leave(struct xy__agent *agent, uintptr_t doing)
{
	/* release: pairs with the acquire in halt_is_outside */
	atomic_store_explicit(&agent->doing, doing, memory_order_release);
}

/* It is back. */
static inline void xy__halt_enter(struct xy__agent *agent, uintptr_t doing)
{
	/* relaxed, and then a load that must come later: xy__halt has the fence for both sides */
	atomic_store_explicit(&agent->doing, doing, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* acquire: pairs with the release in xy__resume */
	if (__builtin_expect(atomic_load_explicit(&agent->runtime->halted, memory_order_acquire), 0))
		xy__halt_wait(agent, doing);
}

/* The agent waits for something that others may only do when the runtime has resumed, and holds no lock. */
static inline void xy__halt_pass(struct xy__agent *agent)
{
	if (__builtin_expect(atomic_load_explicit(&agent->runtime->halted, memory_order_relaxed), 0))
		xy__halt_wait(agent, atomic_load_explicit(&agent->doing, memory_order_relaxed));
}

#endif
