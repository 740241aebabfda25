/* SPDX-License-Identifier: MIT */
/*
 * A bed to test a component in: a machine that is only text, a tree without threads, agents for each
 * worker and for the application, and two kinds that record what reaches them.
 */
#ifndef TESTS_COMPONENTS_RECORDING_H
#define TESTS_COMPONENTS_RECORDING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "components/all.h"
#include "core/model/model.h"
#include "core/task/division.h"
#include "core/task/pool.h"
#include "core/task/task.h"
#include "core/tree/audit.h"

enum { BED_WORKERS = 300, BED_RECORDS = 4096 };

struct bed {
	struct xy_machine *machine;
	struct xy_registry *registry; /* if an expression was parsed */
	struct xy_tree *tree;
	struct xy__pool pool;                /* only tells the tasks their machine and models */
	struct xy__perf perf;                /* knows the machine, and no measurements */
	double now_us, free_us[BED_WORKERS]; /* the clock, and when workers are free if that is later */
	struct xy_agent application;
	struct xy_agent workers[BED_WORKERS];
	/* The engine: workers sleep unless told otherwise, and a wake-up is written down. */
	struct xy__tree_engine engine;
	_Atomic unsigned sleepers;
	_Atomic int searchers;
	bool awake[BED_WORKERS];
	unsigned nwoken, woken[BED_RECORDS];
	/* Tasks whose data was to be moved, and to where which worker computes; what a test wants to happen then. */
	unsigned nprefetched, prefetched_for[BED_RECORDS];
	struct xy_task *prefetched[BED_RECORDS];
	void (*meanwhile)(struct bed *bed);
	unsigned ntasks;
	struct xy_task *tasks[BED_RECORDS];
	bool wrong; /* components break rules on purpose; else bed_close fails if an audited tree had one that did */
};

/* A bed with an empty tree for the machine; the test fails if that can't be made. */
struct bed *bed_open(const char *machine);
void bed_close(struct bed *bed);
/* A bed with the tree of an expression, sealed. */
struct bed *bed_parse(const char *machine, const char *expression);

/* A component below `parent` (NULL: the root). */
struct xy_component *bed_add(struct bed *bed, struct xy_component *parent, const struct xy_component_ops *ops);
/* bed_add with one option set. */
struct xy_component *bed_add_with(struct bed *bed, struct xy_component *parent, const struct xy_component_ops *ops,
				  const char *option, const char *value);
/* Hangs the leaf of a worker below `parent`. */
struct xy_component *bed_add_worker(struct bed *bed, struct xy_component *parent, unsigned worker);
/* Seals; the tree's engine is the bed's from now on. */
void bed_seal(struct bed *bed);
/* Checks the rules in every build, not only in the debug build; after bed_seal. */
void bed_audit(struct bed *bed);

/* A task that can run on these architectures. It belongs to the bed. */
struct xy_task *bed_task(struct bed *bed, unsigned archs);
struct xy_task *bed_task_with_priority(struct bed *bed, unsigned archs, int priority);
struct xy_task *bed_task_pinned(struct bed *bed, unsigned archs, unsigned worker);

/* A divisible task of so many items from 0 on; and the end of a piece of it, which its cutter hears of. */
struct xy_task *bed_task_divisible(struct bed *bed, unsigned archs, uint64_t items);
void bed_end(struct bed *bed, struct xy_task *piece, unsigned worker, int status);
/* The piece leaves its place and is pushed at the root. */
void bed_return(struct bed *bed, struct xy_task *piece, unsigned worker);

/* A task that takes lengths_us[worker] on each worker, where 0 means that this has to be measured; with two
 * implementations lengths_us[2 * worker + implementation]. They may change while the task is there. */
struct xy_task *bed_task_lasting(struct bed *bed, unsigned archs, const double *lengths_us);
struct xy_task *bed_task_of_two(struct bed *bed, unsigned archs, const double *lengths_us);

/* Pushes at the root as the application; the root must take it. */
void bed_submit(struct bed *bed, struct xy_task *task);
/* What the worker gets when it asks its leaf. */
struct xy_task *bed_pull(struct bed *bed, unsigned worker);
/* Forgets the wake-ups so far, and that agents were offered something. */
void bed_forget(struct bed *bed);
void bed_wake(struct bed *bed, unsigned worker);

/* --- recorders --- */

struct recorder {
	struct xy_component base;
	unsigned room; /* basin: tasks that it holds at most */
	bool refuses;  /* recorder: lets no push through */
	unsigned npushed, nrefused, noffers, npulls;
	struct xy_task *pushed[BED_RECORDS]; /* taken, in order */
	struct xy_offer offers[BED_RECORDS]; /* their tasks may be gone */
	unsigned nheld;
	struct xy_task *held[BED_RECORDS];
};

/* Passes everything on, and writes it down. */
extern const struct xy_component_ops recorder_ops;
/* A bounded reservoir: takes pushes while there is room, gives them to who pulls, and says nothing to
 * anybody. room is 0 at first. */
extern const struct xy_component_ops basin_ops;

struct recorder *recorder(struct xy_component *c);
/* Throws away what a basin holds, as if a worker had run it. */
void basin_empty(struct xy_component *c);

#endif
