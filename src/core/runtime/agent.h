/* SPDX-License-Identifier: MIT */
/*
 * Agents: the callers of the runtime. Each worker is one; application threads share a few.
 *
 * Locking key: (c) constant after start, (a) atomic, (o) owner: the worker's thread, or for an agent of the application
 * the thread that holds its lock.
 */
#ifndef XYLEM_CORE_RUNTIME_AGENT_H
#define XYLEM_CORE_RUNTIME_AGENT_H

#include "core/runtime/runtime.h"

/* Tasks that are to end without running, each with its status, linked by next. */
struct xy__endings {
	struct xy_task *first, *last;
};

/* An agent with what the runtime keeps for it. */
struct xy__agent {
	alignas(128) struct xy_agent base;
	struct xy_runtime *runtime;              /* (c) */
	_Atomic int lock;                        /* held by the thread of the application that uses it */
	struct xy__agent *outer;                 /* (o) what the thread was before it entered */
	struct xy__endings *endings;             /* (o) inside a callback: what ends meanwhile, else NULL */
	struct xy_task *closings;                /* (o) of reductions, to be submitted when no lock is held */
	struct xy_task *parent;                  /* (o) of the tasks it submits now; NULL: none */
	bool moves;                              /* (o) tasks into a tree that orders them: see inbox.c */
	unsigned depth;                          /* (o) nested calls, not yet left */
	unsigned back_out;                       /* (o) depth of the call that a function of the user's made, or 0 */
	bool halted;                             /* of the application: locked by xy__halt */
	uint64_t number, number_end;             /* (o) task numbers left to give */
	unsigned room;                           /* (o) submissions until it looks whether there is room */
	struct xy__pool pool;                    /* (o) */
	alignas(128) _Atomic uint64_t submitted; /* (a) written by the owner only, summed by others */
	_Atomic uint64_t ended;                  /* (a) likewise */
	_Atomic uintptr_t doing;                 /* (a) owner writes: see halt.h */
};

/*
 * The agent of the calling thread: a worker, or inside a call of the application; else NULL. The only thread-local of
 * the library: it lets a codelet or callback that calls the runtime act as the agent that runs it. Components never
 * see it; they get the agent as an argument.
 */
extern _Thread_local struct xy__agent *xy__agent_current
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

struct xy__agent *xy__agent_enter_slowly(struct xy_runtime *rt, unsigned first);

/* Leaves a call that was made inside another, or in a function of the user's. */
void xy__agent_leave_nested(struct xy__agent *agent);

/* The index of the application's agent that the calling thread tries first. */
static inline unsigned xy__agent_first(void)
{
	uintptr_t self = (uintptr_t)&xy__agent_current; /* as good as the thread's name */

	return (unsigned)(self >> 12 ^ self >> 20) % XY__APPLICATION_AGENTS;
}

/* Makes the calling thread, which is no agent yet, this agent of the application; false if another thread is. */
static inline bool xy__agent_try(struct xy__agent *agent)
{
	if (!xy__lock_try(&agent->lock))
		return false;
	xy__agent_current = agent;
	return true;
}

/* The agent that the calling thread is for this runtime: its own if it is one of the runtime's
 * workers or inside a call already, else one of the application's, locked until xy__agent_leave. */
static inline struct xy__agent *xy__agent_enter(struct xy_runtime *rt)
{
	unsigned first = xy__agent_first();
	struct xy__agent *agent = &rt->applications[first];

	return !xy__agent_current && xy__agent_try(agent) ? agent : xy__agent_enter_slowly(rt, first);
}

/* Leaves a call of the application in which the thread was no agent before. */
static inline void xy__agent_leave_outermost(struct xy__agent *agent)
{
	xy__agent_current = NULL;
	xy__lock_drop(&agent->lock);
}

static inline void xy__agent_leave(struct xy__agent *agent)
{
	if (agent->depth) {
		xy__agent_leave_nested(agent);
		return;
	}
	xy__agent_current = agent->outer;
	agent->outer = NULL;
	xy__lock_drop(&agent->lock);
}

/* A name for the calling thread: an address of its own. */
static inline void *xy__agent_thread(void)
{
	return &xy__agent_current;
}

/* The agent if the thread is inside a codelet or callback of this runtime, else NULL. */
struct xy__agent *xy__agent_inside(struct xy_runtime *rt);
/* Makes the calling thread a worker's for good. */
void xy__agent_become(struct xy__agent *agent);
void xy__agent_init(struct xy__agent *agent, struct xy_runtime *rt, int worker);
/* Calls a function of the user's, which may take long: what it submits is not for this worker to take.
 * What ends meanwhile without running goes into endings, for the caller to deal with. */
void xy__agent_call_back(struct xy__agent *agent, struct xy__endings *endings, void (*callback)(void *arg, int status),
			 void *arg, int status);
/* Tasks submitted by the application and nworkers workers, minus those they have ended. Exact when it is 0. */
uint64_t xy__agent_live(struct xy_runtime *rt, unsigned nworkers);
/* Takes new numbers for tasks. */
void xy__agent_numbers(struct xy__agent *agent);

static inline uint64_t xy__agent_number(struct xy__agent *agent)
{
	if (agent->number == agent->number_end)
		xy__agent_numbers(agent);
	return ++agent->number;
}

/* Counts in a shard; shard 0 is shared by all agents that have none of their own. */
static inline void xy__agent_count(_Atomic uint64_t *counter, const struct xy__agent *agent)
{
	if (agent->base.shard)
		atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
				      memory_order_relaxed);
	else
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static inline void xy__agent_add(_Atomic uint64_t *counter)
{
	/* release: pairs with the acquire in xy__agent_live; only the owner writes */
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_release);
}

#endif
