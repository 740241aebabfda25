/* SPDX-License-Identifier: MIT */
/*
 * Giving contexts other trees while tasks run. A graft is prepared beforehand, with all that can fail; then the runtime
 * is halted, the tasks that rest in the old trees are noted in their order, the grafts take, and the tasks are pushed
 * into the new trees. doc/decisions/0018-change-trees-while-halted.md explains why.
 */
#ifndef XYLEM_CORE_RUNTIME_GRAFT_H
#define XYLEM_CORE_RUNTIME_GRAFT_H

#include "core/runtime/runtime.h"

/* What a worker gets of a tree. */
struct xy__graft_worker {
	struct xy_component **above; /* reservoirs on the way to the root */
	unsigned nabove;
	struct xy__team **teams; /* it belongs to them */
	unsigned nteams;
};

/* What a context gets. */
struct xy__graft {
	struct xy_context *context;
	const char *policy; /* its name or expression; NULL: as before */
	const bool *has;    /* by worker; NULL: as before */
	bool creates;       /* the context: it is in no list yet */
	bool destroys;      /* the context: `has` has no worker */

	/* By prepare. */
	struct xy_tree *tree;            /* NULL: no workers */
	char *text;                      /* a copy of policy */
	bool *workers;                   /* a copy of has */
	struct xy__graft_worker *leaves; /* by worker */
};

/* Builds and seals the tree. 0, -ENOMEM, or the error of the policy's text, which is logged; nothing has changed. */
int xy__graft_prepare(struct xy__graft *graft);
/* Frees what was prepared, unless it was taken. */
void xy__graft_free(struct xy__graft *graft);
/* Destroys a tree with the rounds of its teams. NULL is allowed. */
void xy__graft_free_tree(struct xy_tree *tree);
/* At the start of a runtime: nothing runs yet. 0, or why ticks can't be called. */
int xy__graft_first(struct xy__graft *graft);
/* Halts the runtime, moves the tasks and goes on. 0, -ENOMEM, or -ETIMEDOUT if it can't be halted or a component
 * of an old tree does not answer, which is logged: nothing has changed then. rt->change_lock is held. */
int xy__graft_all(struct xy_runtime *rt, struct xy__graft *grafts, unsigned n);

/* Frees the old trees in which no member of a team is any more, and destroyed contexts without trees; all of them when
 * `stopped`. */
void xy__graft_reap(struct xy_runtime *rt, bool stopped);

#endif
