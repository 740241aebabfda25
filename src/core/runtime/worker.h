/* SPDX-License-Identifier: MIT */
/*
 * Workers: what the runtime keeps for each, and how one runs a task.
 *
 * Locking key: (c) constant after start, (a) atomic, (o) owner: the worker's thread, (h) written while the runtime is
 * halted, otherwise read by the owner.
 */
#ifndef XYLEM_CORE_RUNTIME_WORKER_H
#define XYLEM_CORE_RUNTIME_WORKER_H

#include <pthread.h>
#include "core/runtime/agent.h"

enum xy__worker_state { XY__AWAKE, XY__LOOKING, XY__ASLEEP };

/* Which thread is the worker: its own, nobody while that one rests, or a guest; then its own may be waiting for it. */
enum xy__worker_tenant { XY__TENANT_OWN, XY__TENANT_NONE, XY__TENANT_GUEST, XY__TENANT_AWAITED };

struct xy__worker {
	struct xy__agent agent;
	_Atomic int state;               /* (a) enum xy__worker_state, also the futex */
	_Atomic int tenant;              /* (a) enum xy__worker_tenant, also a futex: see engines/guest.h */
	_Atomic uint64_t sleeps;         /* (a) owner writes */
	_Atomic uint64_t busy_ns;        /* (a) owner writes */
	_Atomic double since_us;         /* (a) owner writes: when it began what it does now, ... */
	_Atomic double backlog_us;       /* (a) owner writes: ... which is expected to take so long, with the rest
					      * that it has taken; kept if rt->accounts */
	double started_s;                /* (o) when the codelet was called, if the call is timed */
	double ended_s;                  /* (o) when a measured codelet returned; 0: not yet */
	double opened_s;                 /* (o) a batch opened its device here; what is measured begins later */
	double away_s;                   /* (o) how much of the call it has waited for children, if timed */
	_Atomic(struct xy_task *) waits; /* (a) owner writes: the task that waits for its children on it, or NULL */
	struct xy_context *context;      /* (h) */
	struct xy_component *leaf;       /* (h) */
	struct xy_component **above;     /* (h) reservoirs on the way to the root */
	unsigned nabove;                 /* (h) */
	struct xy__slots *slots;         /* (o) of a device: its tasks in flight */
	unsigned id;                     /* (c) */
	unsigned node;                   /* (c) where its tasks' data must be */
	unsigned queue;                  /* (c) among the workers of its device */
	enum xy_arch arch;               /* (c) */
	struct xy__member *member;       /* (h) of teams; NULL: of none */
	struct xy__member *membership;   /* (h) its memory, once there was a team; kept until the runtime stops */
	_Atomic bool special;            /* (a) its calls are timed, or it is a member of teams */
	_Atomic bool choosy;             /* (a) it is a member of teams, or there are nested tasks: see search.c */
	pthread_t thread;                /* (c) */
};

/* What is remembered of a task that runs, where that is timed. */
struct xy__run {
	double begin_s, start_s, end_s; /* as in struct xy_report */
	unsigned epoch;                 /* of the tree that heard of its start */
};

/* Calls a function of the user's for a task: meanwhile the worker is outside the runtime. */
int xy__worker_call(struct xy__worker *worker, xy_function *function, struct xy_call *call);

/* The implementation to use, and the function of it. */
xy_function *xy__worker_choose(const struct xy__worker *worker, struct xy_task *task);
/* The task has run: it ends, or is tried again. */
void xy__worker_finish(struct xy__worker *worker, struct xy_task *task, int status);
/* Says why a task failed here, where more is known than a number. */
void xy__worker_explain(struct xy__worker *worker, const struct xy_task *task, int status, const char *reason);

/* The worker has something else to do that is expected to take so long; negative: it has done that. By its thread. */
void xy__worker_occupy(struct xy__worker *worker, double us);
/* The worker takes a task, or is done with one. */
void xy__worker_account(struct xy__worker *worker, const struct xy_task *task, bool done);
/* For the tree: when a worker will be free. */
double xy__worker_free_us(struct xy__tree_engine *engine, unsigned worker);
/* Runs a task that it took; for a task of a team, joins that. */
void xy__worker_do(struct xy__worker *worker, struct xy_task *task);
/* The life of a worker: until the engine has no more tasks for it. */
void xy__worker_run(struct xy__worker *worker);

#endif
