/* SPDX-License-Identifier: MIT */
/* Agents, for authors of components: who makes a call, and for whom its offers are. */
#ifndef XYLEM_AGENT_H
#define XYLEM_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_component;
struct xy_trail;

/* The thread that carries a call through the tree: a worker's, or the application's. Owner only. */
struct xy_agent {
	int worker;                /* its worker, -1 for the application */
	unsigned archs;            /* mask with the architecture of its worker, 0 for the application */
	struct xy_component *team; /* the parallel-worker it pulls for, else NULL; archs is then XY_ON_TEAM */
	unsigned shard;            /* index of its counters */
	int verb;                  /* the verb or hook it is in, for xy_lock_holder; 0: not known */
	uint64_t random;           /* state of xy_agent_random */
	bool for_others;           /* its offers are for other workers; set by the functions below */
	unsigned offered;          /* the architectures of the task it kept for itself, 0 if constrained */
	bool gave_back;            /* xy_give_back was called: there may be a task where it has already looked */
	int mark;                  /* who it is, for xy_lock_holder */
	struct xy_trail *trail;    /* where it is and which locks it holds, while the rules are checked; else NULL */
};

/*
 * The recipient of an agent's offers. A worker about to look for a task needs no wake-up: it keeps the first offer it
 * could take for itself, and only further ones wake others. A worker that has its task keeps none.
 */

/* The worker looks for a task next: the first offer of a task it can run is for itself. */
static inline void xy_agent_offer_to_itself(struct xy_agent *by)
{
	by->for_others = false;
}

/*
 * The worker has a task: all offers are for others. Call it before you offer tasks that you store while you also
 * return one. Returns whether the next offer was for itself, for callers that restore it.
 */
static inline bool xy_agent_offer_to_others(struct xy_agent *by)
{
	bool itself = !by->for_others;

	by->for_others = true;
	return itself;
}

/*
 * Keeps an offer for the agent's own worker, which can run it; false if the offer is for others. archs are those of
 * the task, 0 if it is constrained.
 */
static inline bool xy_agent_keep_offer(struct xy_agent *by, unsigned archs)
{
	if (by->for_others)
		return false;
	by->for_others = true;
	by->offered = archs;
	return true;
}

/* The next number of the agent's own sequence, uniform in [0, 2^32). */
uint32_t xy_agent_random(struct xy_agent *by);

#ifdef __cplusplus
}
#endif
#endif
