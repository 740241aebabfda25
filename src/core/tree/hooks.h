/* SPDX-License-Identifier: MIT */
/*
 * Which components of a tree have which hooks, found by seal, and the only callers of the hooks. Locking key: (b)
 * builder's thread until seal, constant afterwards.
 */
#ifndef XYLEM_CORE_TREE_HOOKS_H
#define XYLEM_CORE_TREE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct xy_agent;
struct xy_component;
struct xy_report;
struct xy_task;
struct xy_tree;

enum xy__hook {
	XY__HOOK_TICK = 1,
	XY__HOOK_STARTED = 2,
	XY__HOOK_ENDED = 4,
	XY__HOOK_SUBMITTED = 8,
	XY__HOOK_ITERATION = 16,
	XY__HOOK_WORKERS = 32
};

struct xy__hooks {
	unsigned have;                 /* (b) mask of the hooks that some component has */
	unsigned count;                /* (b) components with a hook, ... */
	struct xy_component **with;    /* (b) ... in the order of their numbers */
	struct xy_component **tellers; /* (b) those with started or ended, for each worker those above it: ... */
	unsigned *first;               /* (b) ... from first[worker] to first[worker + 1]; NULL: there are none */
};

/* Finds the hooks of a tree whose shape is final. 0 or -ENOMEM. */
int xy__hooks_seal(struct xy_tree *tree);
void xy__hooks_fini(struct xy__hooks *hooks);

/*
 * Each calls the hook of those that have it. No component lock is held. As for the verbs, the tree must not be
 * destroyed meanwhile. report->worker is below those that are told; XY_NONE: see xy__hooks_gave_back.
 */
void xy__hooks_started(struct xy_tree *tree, const struct xy_task *task, unsigned worker, struct xy_agent *by);
void xy__hooks_ended(struct xy_tree *tree, const struct xy_report *report, struct xy_agent *by);
void xy__hooks_submitted(struct xy_tree *tree, const struct xy_task *task, struct xy_agent *by);
/* One thread at a time, like the next. */
void xy__hooks_iteration(struct xy_tree *tree, uint64_t number, struct xy_agent *by);
/*
 * A worker has come, and may ask for tasks already; or it has gone, asks for none any more, and what it held is back
 * in the tree. Called after that holds, so that a component that looks sees it. A change that replaces the tree is told
 * to the new one, once it runs.
 */
void xy__hooks_workers_changed(struct xy_tree *tree, unsigned worker, bool present, struct xy_agent *by);
/* A component gives a task back: for those above it, it has ended, and comes again. */
void xy__hooks_gave_back(struct xy_component *self, const struct xy_task *task, struct xy_agent *by);

#endif
