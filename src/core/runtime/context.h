/* SPDX-License-Identifier: MIT */
/*
 * Contexts: the trees of a runtime, each with workers of its own. The main one is always there.
 *
 * Locking key: (c) constant after creation, (a) atomic, (h) written while the runtime is halted (see halt.h), read by
 * agents, which are not inside the runtime then.
 */
#ifndef XYLEM_CORE_RUNTIME_CONTEXT_H
#define XYLEM_CORE_RUNTIME_CONTEXT_H

#include <stdalign.h>
#include "core/tree/tree.h"

struct xy_runtime;

enum { XY__CONTEXTS = 64, XY__CONTEXT_NAME = 32 };

struct xy_context {
	struct xy__tree_engine engine; /* (c) what the tree asks of the runtime; the first field: see xy__context_of */
	struct xy_runtime *runtime;    /* (c) */
	struct xy_tree *tree;          /* (h) NULL without workers */
	struct xy_component *root;     /* (h) of the tree, or NULL */
	char *policy;                  /* (h) name or expression; NULL: that of the settings */
	bool *has;                     /* (h) by worker: whether it is in this context */
	bool *idle;                    /* rt->change_lock: by worker: it was idle when the guard last looked */
	unsigned epoch;                /* (h) of its tree: no two trees of the runtime have the same */
	bool changes;                  /* (h) gets another tree now */
	uint64_t guard_ended;          /* rt->change_lock, as the next two: tasks that its workers had ended, ... */
	unsigned guard_epoch;          /* ... in which tree, when the guard last saw it move ... */
	double guard_until_s;          /* ... and when its patience ends; 0: it has just moved */
	struct xy_context *next;       /* rt->change_lock: among those that were destroyed */
	char name[XY__CONTEXT_NAME];   /* (c) */

	alignas(128) _Atomic unsigned sleepers; /* (a) its workers that are asleep */
	_Atomic int searchers;                  /* (a) its workers that look for a task */
};

/* Builds the tree of the main context; workers are there. 0, -ENOMEM, or why there is no tree, which is logged. */
int xy__contexts_start(struct xy_runtime *rt);
/* Frees all trees. */
void xy__contexts_stop(struct xy_runtime *rt);
/* Gives a context another policy, as xy_context_set_policy does; rt->change_lock is held. */
int xy__context_replace(struct xy_context *context, const char *policy);
/* Frees a context and its tree. */
void xy__context_free(struct xy_context *context);

/* The context whose tree asks. */
static inline struct xy_context *xy__context_of(struct xy__tree_engine *engine)
{
	return (struct xy_context *)engine;
}

#endif
