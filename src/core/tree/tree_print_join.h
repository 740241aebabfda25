/* SPDX-License-Identifier: MIT */
/* Joins of branches: what the printer of expressions asks before it writes one. */
#ifndef XYLEM_CORE_TREE_TREE_PRINT_JOIN_H
#define XYLEM_CORE_TREE_TREE_PRINT_JOIN_H

#include <string.h>
#include "core/tree/tree_print_fold.h"

/* Which joins are looked for. Those in leaves change the order of a leaf's parents where others have it too. */
enum xy__joins_kinds { XY__JOINS_ALL, XY__JOINS_INNER, XY__JOINS_NONE };

struct xy__joins {
	enum xy__joins_kinds kinds;
	bool failed;           /* there was no memory */
	uint64_t *marks, mark; /* by component, for searches: a mark is set if it equals `mark` */
};

static inline bool xy__same_list(struct xy__list a, struct xy__list b)
{
	return a.count && a.count == b.count && !memcmp(a.at, b.at, a.count * sizeof(*a.at));
}

/* Where the branches that begin with heads meet again, above `stop`; none: an empty list. */
struct xy__list xy__joins_find(struct xy__joins *joins, struct xy__list heads, struct xy__list stop,
			       struct xy__scope scope);

#endif
