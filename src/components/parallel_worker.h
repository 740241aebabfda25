/* SPDX-License-Identifier: MIT */
/*
 * A team of workers and its protocol. An arriving task gets a ticket, and each member is called. A free member joins
 * the calling team with the lowest ticket, and stays until the task has started. Tickets are given and members join
 * under one lock for all teams of a tree, so that the members of the lowest ticket wait only for running tasks.
 */
#ifndef XYLEM_COMPONENTS_PARALLEL_WORKER_H
#define XYLEM_COMPONENTS_PARALLEL_WORKER_H

#include "components/all.h"
#include "core/tree/tree.h"

/*
 * Locking key: (c) constant after seal, (l) the lock shared by the teams of a tree, (a) atomic, (r) of a round: the
 * first member writes it before it notifies the others.
 */
struct xy__team {
	struct xy_component base;
	unsigned id;                  /* (c) option: which of the machine's teams */
	struct xy_queue queue;        /* (l) its count (a); the first task is the one that calls */
	bool turned_away;             /* (l) a push was refused and can_push has not been said since */
	uint64_t ticket;              /* (l) of the first task; 0: none */
	unsigned narrived;            /* (l) members that have joined for it */
	bool *arrived;                /* (l) which ones, by rank */
	unsigned rounds;              /* (l) started tasks: the number of the next round */
	struct xy__team_round *round; /* (c) of core/runtime/team.c; NULL without a runtime */
};

/* The team a member has joined. */
struct xy__team_place {
	struct xy__team *team; /* NULL: none */
	struct xy_task *task;  /* only the first member, whose rank is 0, may touch it */
	unsigned rank;
	unsigned round;
	bool last; /* all others have come: the round begins */
};

/* Joins the team that called the agent's worker first, of these to which it belongs; false when none
 * calls. When the last member has come the task leaves the team. No lock is held. */
bool xy__team_join(struct xy__team *const *teams, unsigned nteams, struct xy__team_place *place, struct xy_agent *by);

/* Asks above for a task for the team, and calls the members for it. */
bool xy__team_fetch(struct xy__team *team, struct xy_agent *by);

/* Whether the worker is called, checked without the lock. */
static inline bool xy__team_calls(const struct xy__tree_teams *teams, unsigned worker)
{
	/* relaxed: a worker that misses the call looks again after a fence, before it sleeps */
	return atomic_load_explicit(&teams->calls[worker], memory_order_relaxed) != 0;
}

/* Whether a worker is a member of a parallel-worker. */
static inline bool xy__team_has(const struct xy_component *team, unsigned worker)
{
	unsigned i = 0;

	while (i < team->nmembers && team->members[i] != worker)
		i++;
	return i < team->nmembers;
}

/* The team of a parallel-worker. */
static inline struct xy__team *xy__team_of(struct xy_component *leaf)
{
	return xy_component_as(leaf, &xy__parallel_worker_ops);
}

/* Calls visit with the task for which the team is called, if any, and the members that have joined. Any thread. */
void xy__team_missing(struct xy__team *team, void (*visit)(void *arg, const struct xy_task *task, const bool *arrived),
		      void *arg);

#endif
