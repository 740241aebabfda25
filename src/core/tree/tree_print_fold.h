/* SPDX-License-Identifier: MIT */
/* Which components are one `each`: what the printer of expressions asks before it writes one. */
#ifndef XYLEM_CORE_TREE_TREE_PRINT_FOLD_H
#define XYLEM_CORE_TREE_TREE_PRINT_FOLD_H

#include "core/tree/expression.h"
#include "core/tree/tree_print.h"

/* An ordered list of components. */
struct xy__list {
	struct xy_component *const *at;
	unsigned count;
};

/* The workers that an expression is about, in their order. */
struct xy__scope {
	const unsigned *workers;
	unsigned count;
};

/* Whether the heads, at least one, are what this `each` makes of the scope: one per part, in order. */
bool xy__print_splits(struct xy__list heads, struct xy__scope scope, enum xy__each each);

/* How many teams are made up of workers of the scope. */
unsigned xy__print_count_teams(const struct xy_tree *tree, struct xy__scope scope);

#endif
