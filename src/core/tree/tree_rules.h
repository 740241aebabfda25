/* SPDX-License-Identifier: MIT */
/*
 * The rules of a tree, as doc/tree.md lists them: what seal asks of a shape before it freezes it.
 */
#ifndef XYLEM_CORE_TREE_TREE_RULES_H
#define XYLEM_CORE_TREE_TREE_RULES_H

#include "core/tree/tree_parts.h"

enum { XY__MAX_LEVELS = 64 };

/* The state of one check. */
struct xy__rules {
	struct xy_tree *tree;
	struct xy__message *error;
	unsigned nfaults;
	struct xy_component **order; /* every component after all of its parents; shorter with a cycle */
	unsigned norder;
	unsigned *marks;        /* by component, and by worker, for searches: a mark is set if */
	unsigned *worker_marks; /* it equals `mark`; after the workers, teams by component */
	unsigned mark;
};

/* Begins a line of the message; the caller adds the sentence. */
void xy__rules_fault(struct xy__rules *rules);

/* A list of names in a sentence, of which the first few are written. */
void xy__rules_name(struct xy__rules *rules, const struct xy_component *c, unsigned position);
void xy__rules_more(struct xy__rules *rules, unsigned count);

/* Rules about each component and about the shape (tree_rules_shape.c). Fills order. */
void xy__rules_check_shape(struct xy__rules *rules);

/* Rules about the flow of tasks (tree_rules_flow.c). The order is complete, and levels, workers and
 * takes_pushes are filled in. 0 or -ENOMEM. */
int xy__rules_check_flow(struct xy__rules *rules);

#endif
