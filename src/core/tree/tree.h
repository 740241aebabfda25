/* SPDX-License-Identifier: MIT */
/*
 * Private parts of a tree: its components in order of addition, and the engine that runs it. Locking key: (b)
 * builder's thread until seal, constant afterwards; (a) atomic.
 */
#ifndef XYLEM_CORE_TREE_TREE_H
#define XYLEM_CORE_TREE_TREE_H

#include <xylem/tree.h>
#include "core/tree/hooks.h"
#include "core/tree/ticks.h"
#include "core/tree/tree_teams.h"

enum xy__wake {
	XY__WAKE_BUSY,    /* it is running a task, and will look when that has ended */
	XY__WAKE_LOOKING, /* it is awake and looking for a task */
	XY__WAKE_WOKEN    /* it slept, and now looks */
};

/* What a tree requires of its engine. A tree without one (show, tests) always delivers offers. */
struct xy__tree_engine {
	_Atomic unsigned *sleepers; /* workers asleep; offers travel only while it is not 0 */
	_Atomic int *searchers;     /* workers that look for a task; see xy__any_worker_looks */
	_Atomic uint64_t *asleep;   /* a bit for each worker, set while it sleeps; NULL: not tracked */
	unsigned archs;             /* (b) of all its workers */
	bool one_memory;            /* (b) no task ever misses data, whatever nodes the machine has */
	/* Wakes a worker if it sleeps. */
	enum xy__wake (*wake)(struct xy__tree_engine *engine, unsigned worker);
	/* The CPU worker that shares its processor with the calling thread; -1: none. NULL: not known. */
	int (*neighbour)(struct xy__tree_engine *engine);
	/*
	 * Microseconds; and when a worker is expected to finish what it has started, which is past if it has, or is
	 * late. NULL: no clock.
	 */
	double (*now_us)(struct xy__tree_engine *engine);
	double (*free_us)(struct xy__tree_engine *engine, unsigned worker);
	/* How many tasks have ever been submitted, and whether more wait to be. NULL: not counted. */
	uint64_t (*submitted)(struct xy__tree_engine *engine, bool *more);
	/* Gives a task to the root again. NULL: it is pushed, and must not be refused. */
	void (*take_back)(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);
	/* Begins to move a task's data to where a worker computes. NULL: it is all in one place, or stays. */
	void (*prefetch)(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker, struct xy_agent *by);
	/* The next tick is earlier than it was. Any thread, with locks held. NULL: the engine looks by itself. */
	void (*alarm)(struct xy__tree_engine *engine);
	/* Memory for a piece of the task, which counts as submitted, and its return; see core/task/division.h. */
	struct xy_task *(*cut)(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);
	void (*uncut)(struct xy__tree_engine *engine, struct xy_task *piece, struct xy_agent *by);
	/*
	 * Simulates the tasks that rest in a component and below it, and what follows them, with each of its branches
	 * in place of `branch`; returns the number of the best. No lock is held. NULL: the engine can't.
	 */
	int (*rehearse)(struct xy__tree_engine *engine, struct xy_component *component, unsigned branch,
			struct xy_agent *by);
	/*
	 * Whether a lock with this word will never be dropped, because the calling thread is alone in the tree: that
	 * has been reported, and the caller takes the lock. NULL: other threads are in the tree.
	 */
	bool (*abandoned)(struct xy__tree_engine *engine, struct xy_component *component, int word);
};

/*
 * Whether a searcher exists, which will offer what it leaves. The count may be too low for a moment, even negative: a
 * worker that finds a task may leave before its waker has counted it.
 */
static inline bool xy__any_worker_looks(const struct xy__tree_engine *engine)
{
	return atomic_load_explicit(engine->searchers, memory_order_relaxed) > 0;
}

struct xy_tree {
	const struct xy_machine *machine;   /* (b) outlives the tree */
	const struct xy_registry *registry; /* (b) outlives the tree */
	struct xy_component **components;   /* (b) by id */
	unsigned ncomponents, capacity;     /* (b) */
	struct xy_component *root;          /* (b) set by seal */
	struct xy_component **leaves;       /* (b) by worker, NULL where not made yet */
	struct xy__tree_teams *teams;       /* (b) NULL until one is asked for */
	bool sealed;                        /* (b) */
	char warning[256];                  /* (b) what the user should know although it is no error, or empty */
	char why[256];                      /* (b) why building or an init failed, or empty */
	int fault;                          /* (b) and its error */
	unsigned nshards;                   /* (b) of each component; 1 unless set before seal */
	unsigned nworkers;                  /* (b) that it is for: those of the machine, less the absent ones */
	bool *absent;                       /* (b) by worker; NULL: all of the machine are there */
	struct xy__tree_engine *engine;     /* (b) set after seal, before anything runs */
	struct xy__hooks hooks;             /* (b) */
	struct xy__ticks ticks;             /* its own key */
	struct xy__audit *audit;            /* (b) NULL: the rules of component.h are not checked */
	struct xy_tree *next_retired;       /* of the runtime that it was replaced in */
	struct xy_tree *before;             /* that it replaces, while components take over what that one knows */
};

/*
 * When a worker is expected to finish what it has started; past, or 0, if it is idle. Does not read the clock, which
 * takes longer than all the rest.
 */
static inline double xy__tree_free_us(const struct xy_tree *tree, unsigned worker)
{
	struct xy__tree_engine *engine = tree->engine;

	return engine && engine->free_us ? engine->free_us(engine, worker) : 0;
}

/* The teams of the tree's machine, found at the first call; NULL without memory. */
struct xy__tree_teams *xy__tree_teams(struct xy_tree *tree);

/* Whether a worker is one of those that the tree is for. */
static inline bool xy__tree_has(const struct xy_tree *tree, unsigned worker)
{
	return !tree->absent || !tree->absent[worker];
}

/* What a tree is built for. */
struct xy__tree_site {
	const struct xy_machine *machine;
	const struct xy_registry *registry;
	unsigned nshards;    /* counters of each component */
	const bool *present; /* by worker: those that it is for; NULL: all */
};

/* As xy_tree_parse, for a site. */
int xy__tree_parse(struct xy_tree **tree, const char *text, const struct xy__tree_site *site, char *error,
		   size_t error_size);

/* As xy__tree_parse, by the build function of a policy, whose name, if it has one, messages begin with. */
int xy__tree_make(struct xy_tree **tree, const struct xy_policy *policy, const struct xy__tree_site *site, char *error,
		  size_t error_size);

#endif
