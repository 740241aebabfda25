/* SPDX-License-Identifier: MIT */
/*
 * Inside of a tree: its components in order of addition, and the engine that runs it.
 * Locking key: (b) builder's thread until seal, constant afterwards; (a) atomic.
 */
#ifndef XYLEM_CORE_TREE_H
#define XYLEM_CORE_TREE_H

#include <xylem/tree.h>
#include "core/tree/tree_teams.h"

enum xy__wake {
	XY__WAKE_BUSY,       /* it is running a task, and will look when that has ended */
	XY__WAKE_LOOKING,    /* it is awake and looking for a task */
	XY__WAKE_WOKEN       /* it slept, and now looks */
};

/* What a tree needs of whoever runs it. A tree without one (show, tests) always delivers offers. */
struct xy__tree_engine {
	_Atomic unsigned *sleepers;        /* workers asleep; offers travel only while it is not 0 */
	_Atomic int *searchers;            /* workers that look for a task; see xy__somebody_looks */
	_Atomic uint64_t *asleep;          /* a bit for each worker, set while it sleeps; NULL: nobody keeps account */
	unsigned archs;                    /* (b) of all its workers */
	bool one_memory;                   /* (b) no task ever misses data, whatever nodes the machine has */
	/* Wakes a worker if it sleeps. */
	enum xy__wake (*wake)(struct xy__tree_engine *engine, unsigned worker);
	/* Microseconds; and when a worker is expected to have done what it has begun, which is past if it has, or is
	 * late. NULL: there is no time. */
	double (*now_us)(struct xy__tree_engine *engine);
	double (*free_us)(struct xy__tree_engine *engine, unsigned worker);
	/* How many tasks have been submitted ever, and whether more wait to be. NULL: nobody counts. */
	uint64_t (*submitted)(struct xy__tree_engine *engine, bool *more);
	/* Gives a task to the root again. NULL: it is pushed, and must not be refused. */
	void (*take_back)(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);
	/* Begins to move a task's data to where a worker computes. NULL: it is all in one place, or stays. */
	void (*prefetch)(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker, struct xy_agent *by);
};

/* Whether some worker looks for a task and will offer what it leaves. The count may be too low for a moment,
 * even negative: a worker that finds a task may leave before whoever woke it has counted it. */
static inline bool xy__somebody_looks(const struct xy__tree_engine *engine)
{
	return atomic_load_explicit(engine->searchers, memory_order_relaxed) > 0;
}

struct xy_tree {
	const struct xy_machine *machine;          /* (b) outlives the tree */
	const struct xy_registry *registry;        /* (b) outlives the tree */
	struct xy_component **components;          /* (b) by id */
	unsigned ncomponents, capacity;            /* (b) */
	struct xy_component *root;                 /* (b) set by seal */
	struct xy_component **leaves;              /* (b) by worker, NULL where not made yet */
	struct xy__tree_teams *teams;              /* (b) NULL until one is asked for */
	bool sealed;                               /* (b) */
	char why[256];                             /* (b) what an init says is wrong, or empty */
	unsigned nshards;                          /* (b) of each component; 1 unless set before seal */
	struct xy__tree_engine *engine;            /* (b) set after seal, before anything runs */
};

/* When a worker is expected to have done what it has begun; past, or 0, if it is free. Does not read the clock, which
 * takes longer than all the rest. */
static inline double xy__tree_free_us(const struct xy_tree *tree, unsigned worker)
{
	struct xy__tree_engine *engine = tree->engine;

	return engine && engine->free_us ? engine->free_us(engine, worker) : 0;
}

/* The kinds and policies of the library, sorted by name, NULL-terminated: src/components/all.c and
 * src/policies/all.c. */
extern const struct xy_component_ops *const xy__components[];
extern const struct xy_policy *const xy__policies[];

/* The leaf kind and which worker a leaf is for. */
extern const struct xy_component_ops xy__worker_ops;
unsigned xy__worker_of(const struct xy_component *leaf);
/* What a pull at the leaf gives to its worker. */
struct xy_task *xy__worker_pull(struct xy_component *leaf, struct xy_agent *by);

/* The leaf kind of teams. */
extern const struct xy_component_ops xy__parallel_worker_ops;
/* The teams of the tree's machine, found at the first call; NULL without memory. */
struct xy__tree_teams *xy__tree_teams(struct xy_tree *tree);

/* As xy_tree_parse, but with nshards counters per component. */
int xy__tree_parse(struct xy_tree **tree, const char *text, const struct xy_machine *machine,
		   const struct xy_registry *registry, unsigned nshards, char *error, size_t error_size);

#endif
