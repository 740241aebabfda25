/* SPDX-License-Identifier: MIT */
/*
 * Parallel tasks as workers see them. The first member of a team leads: it runs the task like any other
 * one, from fetching its data to telling its successors. The others help: they run their rank of an SPMD
 * codelet, or lend their cores to the threads of a fork-join codelet and sleep meanwhile.
 */
#ifndef XYLEM_CORE_RUNTIME_TEAM_H
#define XYLEM_CORE_RUNTIME_TEAM_H

#include <sched.h>
#include <stdio.h>
#include "components/parallel_worker.h"
#include "core/runtime/runtime.h"

/* The state of a worker that belongs to teams. Owner only, except (c) constant after start, (a) atomic. */
struct xy__member {
	unsigned nteams;                   /* (h) as for struct xy__worker */
	struct xy__team **teams;           /* (h) */
	struct xy__team_place place;       /* the team that it has joined; its team is NULL without one */
	_Atomic(struct xy__team *) joined; /* (a) the team it has joined, for the dump */
	bool own_first;                    /* it ran a team's task: one of its own comes next */
};

/* One round after the other of a team: its part in core/runtime/team.c. Locking key as for struct xy__team. */
struct xy__team_round {
	_Atomic int begun;          /* (a) rounds for which all have come: the leader's futex */
	_Atomic int told;           /* (a) 2 * round + 1: there is a call, + 2: it is over; a futex */
	_Atomic int returned;       /* (a) ranks that have, in all rounds: the leader's futex */
	_Atomic int barrier;        /* (a) 2 * barriers passed, + 1: a rank has returned; a futex */
	_Atomic unsigned waiting;   /* (a) ranks that are at the barrier */
	const struct xy_call *call; /* (r) of an SPMD task */
	xy_function *function;      /* (r) */
	unsigned all_returned;      /* (r) `returned` when all ranks of the round have */
	int *statuses;              /* (r) by rank, each written by its member */
	double begin;               /* (r) of the call, when time is measured */
	bool launched;              /* (r) in a simulation: there has been a call */
	_Atomic bool aborted;       /* (a) the tree was replaced before all members came for a round */
	_Atomic unsigned let_go;    /* (a) members that slept and have seen it */
	cpu_set_t *cpus, *own;      /* (c) of all members, and of the first; NULL: not bound */
	size_t cpus_size;           /* (c) of both sets */
	bool whole;                 /* (c) no other CPU worker is left */
};

/* Makes and frees what the teams of a sealed tree need to run; and the memory of a worker that is to be a member. 0 or
 * -ENOMEM. */
int xy__team_prepare(struct xy_runtime *rt, struct xy_tree *tree);
void xy__team_release(struct xy_tree *tree);
int xy__team_member(struct xy__worker *worker);
void xy__team_free(struct xy__worker *worker);
/* The runtime is halted. Makes a worker a member of these teams, which it owns then; returns those before. */
struct xy__team **xy__team_enlist(struct xy__worker *worker, struct xy__team **teams, unsigned nteams);
/* The runtime is halted, and this tree is replaced: members that wait for others let go, and their task moves. */
void xy__team_abort(struct xy_runtime *rt, struct xy_tree *tree);
/* Whether a worker is in a round of a team of this tree. */
bool xy__team_is_of(struct xy__worker *worker, const struct xy_tree *tree);

/* The next task of a worker that belongs to teams: its own, or one that it runs or helps to run with a team. */
struct xy_task *xy__team_take(struct xy__worker *worker);

/* Of a worker that has taken a task: waits for the others if it is a team's. False when it has helped, and is done. */
bool xy__team_leads(struct xy__worker *worker);

/* Calls the function of a task, in all members if it is a team's. */
int xy__team_call(struct xy__worker *worker, xy_function *function, struct xy_call *call);

/* The function has returned, or will not be called: lets the other members go. */
void xy__team_end(struct xy__worker *worker);

/* --- without blocking: in a simulation --- */

/* Whether the worker has joined a team, and so takes part in a task without leading it, or waits for others. */
bool xy__team_is_joined(const struct xy__worker *worker);
bool xy__team_is_led_by(const struct xy__worker *worker);
/* Whether all members have joined. The leader may then start. */
bool xy__team_is_complete(const struct xy__worker *worker);
/* The task that the leader begins, now that all have come. */
struct xy_task *xy__team_begin(struct xy__worker *worker);
/* Its function is called; how many members take part. */
unsigned xy__team_launch(struct xy__worker *worker);
/* A worker that helps asks whether it is over; then it has left. */
bool xy__team_has_left(struct xy__worker *worker);
/* Whether the tree was replaced before all members came; then it has left. */
bool xy__team_let_go(struct xy__worker *worker);
/* The first or the other members are to look: the last one has come, or the leader is done. */
void xy__team_tell(struct xy__worker *worker);

/* Prints which teams wait for which members. */
void xy__team_dump(struct xy_runtime *rt, const struct xy_component *root, FILE *out);

#endif
