/* SPDX-License-Identifier: MIT */
/*
 * The interface of engines. One engine runs workers as threads in real time (src/engines/threads.c), another
 * simulates them in virtual time (src/engines/sim.c), a third explores how they can interleave
 * (src/engines/explore.c). The runtime knows no more of an engine than this table.
 */
#ifndef XYLEM_CORE_RUNTIME_ENGINE_H
#define XYLEM_CORE_RUNTIME_ENGINE_H

#include "core/runtime/worker.h"

/* The condition an application thread waits for. */
struct xy__condition {
	bool (*holds)(void *arg);
	void *arg;
	_Atomic int *word; /* a futex: has changed, and is woken, when the condition may have come to hold */
	unsigned runs;     /* how many tasks the thread may run meanwhile in place of an idle worker */
	bool helps;        /* the thread looks after transfers meanwhile: all workers may be busy, or wait for it */
};

/* All functions are there unless the comment says otherwise. Those that return int return 0 or -errno. */
struct xy__engine_ops {
	const char *name;
	/* The user's functions are not called, and nothing moves except in a thread that waits; see xy_is_simulated. */
	bool is_simulated;
	bool slots_for_all; /* no worker waits inside a call: those of CPUs have slots, too; see worker_slots.h */
	bool audits;        /* the rules of component.h are checked in every build */

	/* Whether this engine serves a runtime with these settings. */
	bool (*serves)(const struct xy__settings *settings);

	/* --- starting and stopping, in this order --- */

	/* Sets rt->machine, rt->nshards, rt->shared_memory, rt->repeatable; may change settings that the engine can't
	 * keep. */
	int (*open)(struct xy_runtime *rt);
	/* Gives memory nodes their drivers and devices. */
	void (*place)(struct xy_runtime *rt);
	/* Fills rt->bus with what is known about transfers between nodes. */
	int (*bus)(struct xy_runtime *rt);
	/* Lets the workers begin. */
	int (*start)(struct xy_runtime *rt);
	/* Ends them; start may have failed, or not have been called. */
	void (*stop)(struct xy_runtime *rt);
	/* Frees what open made. */
	void (*close)(struct xy_runtime *rt);

	/* --- exchanging trees --- */

	/* Returns 0 when no other agent is inside the runtime, and keeps them out until resume; both with
	 * rt->change_lock held, by an agent that is in no component. -ETIMEDOUT, which is logged, if one does not come
	 * out: nothing is halted. NULL: trees can't be exchanged. */
	int (*halt)(struct xy_runtime *rt, struct xy__agent *by);
	void (*resume)(struct xy_runtime *rt, struct xy__agent *by);

	/* --- time --- */

	/* Seconds since some moment in the past. */
	double (*now)(const struct xy_runtime *rt);
	/* How long a task takes on a worker, if the engine knows; NULL: only models know. */
	struct xy_prediction (*length)(struct xy_runtime *rt, const struct xy_task *task, unsigned worker);

	/* A context has, or gets, a tree with ticks: they are called from now on, or from the start on, if that is
	 * still to come. 0, or -errno with a line in the log. */
	int (*ticks)(struct xy_runtime *rt);

	/* --- threads of the application --- */

	/* Waits until the condition holds; false after a timeout in seconds (negative: none). */
	bool (*wait_until)(struct xy_runtime *rt, const struct xy__condition *condition, double seconds);
	/* Waits for a moment, longer with each of the rounds, which begin at 0: for a caller that looks again. Workers
	 * may call it, too. */
	void (*pause)(struct xy_runtime *rt, unsigned *rounds);
	/* A thread has put a task into the inbox while workers sleep and none looks, or finds the inbox full. */
	void (*drain)(struct xy_runtime *rt, struct xy__agent *agent);
	/* A thread has submitted a task; NULL: that takes no more time than it takes. */
	void (*submitted)(struct xy_runtime *rt);
	/* Tasks submitted and not ended. Exact when it is 0. */
	uint64_t (*live)(struct xy_runtime *rt);
	/* Nothing moves: every worker sleeps and nothing is in the inbox. Not while others submit. */
	bool (*at_rest)(struct xy_runtime *rt);

	/* --- workers --- */

	/* The next task of a worker that has found none at once; NULL when the runtime stops, and now and then for a
	 * worker inside a task that waits for its children. NULL: the engine does not use xy__worker_run. */
	struct xy_task *(*idle)(struct xy__worker *worker);
	/* Wakes a worker if it sleeps. Any thread, from within the tree. */
	enum xy__wake (*wake)(struct xy__tree_engine *engine, unsigned worker);
	/* The CPU worker on the calling thread's processor; -1: none. NULL: no thread shares a processor. */
	int (*neighbour)(struct xy__tree_engine *engine);
	/* The next tick is earlier than it was: for struct xy__tree_engine, which see. */
	void (*alarm)(struct xy__tree_engine *engine);
	/* A worker with a task in flight may be able to continue. */
	void (*call)(struct xy_runtime *rt, unsigned worker);

	/* --- rehearsals --- */

	/* See struct xy__tree_engine. NULL: none. */
	int (*rehearse)(struct xy__tree_engine *engine, struct xy_component *component, unsigned branch,
			struct xy_agent *by);

	/* --- locks of components --- */

	/* See struct xy__tree_engine. NULL: several threads are in the tree. */
	bool (*abandoned)(struct xy__tree_engine *engine, struct xy_component *component, int word);

	/* --- transfers --- */

	/*
	 * Sleeping workers had nothing to poll; now a transfer has started, or the thread that polled it has other
	 * work.
	 */
	void (*entrust)(struct xy_runtime *rt);
	/* A transfer had nothing to move and has ended without a driver. */
	void (*arrived)(struct xy_runtime *rt);
};

#endif
