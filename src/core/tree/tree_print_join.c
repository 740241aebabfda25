/* SPDX-License-Identifier: MIT */
/*
 * Where branches meet again (`a { b, c } | d`): searches for lists of children that several branches end in.
 */
#include "core/tree/tree_print_join.h"

#include <stdlib.h>

enum { CANDIDATES = 256 }; /* places where branches could meet that are looked at, per component */

static struct xy__list children(const struct xy_component *c)
{
	return (struct xy__list){ c->children, c->nchildren };
}

static bool is_leaf(const struct xy_component *c)
{
	return c->ops->flags & XY_LEAF;
}

static bool in_list(struct xy__list list, const struct xy_component *c)
{
	for (unsigned i = 0; i < list.count; i++)
		if (list.at[i] == c)
			return true;
	return false;
}

/* Whether everything from c down stays in its branch or goes on to the join; counts the ways there.
 * Marks from `first` on are those of the branches before. */
static bool leads_to_join(struct xy__joins *joins, const struct xy_component *c, struct xy__list join,
			  struct xy__list stop, uint64_t first, unsigned *open)
{
	if (joins->marks[c->id] == joins->mark)
		return true;
	if (in_list(join, c) || joins->marks[c->id] >= first)
		return false;
	joins->marks[c->id] = joins->mark;
	if (xy__same_list(children(c), join)) {
		++*open;
		return true;
	}
	if (xy__same_list(children(c), stop))
		return false;
	for (unsigned i = 0; i < c->nchildren; i++)
		if (!is_leaf(c->children[i]) && !leads_to_join(joins, c->children[i], join, stop, first, open))
			return false;
	return true;
}

static bool splits_somehow(struct xy__list list, struct xy__scope scope)
{
	for (unsigned each = XY__EACH_WORKER; each < XY__EACH_END; each++)
		if (xy__print_splits(list, scope, each))
			return true;
	return false;
}

static bool is_join(struct xy__joins *joins, struct xy__list heads, struct xy__list join, struct xy__list stop,
		    struct xy__scope scope)
{
	uint64_t first = joins->mark + 1;
	unsigned branches = 0;

	if (xy__same_list(join, stop) || (joins->kinds == XY__JOINS_INNER && is_leaf(join.at[0])))
		return false;
	if ((join.count > 1 || is_leaf(join.at[0])) && !splits_somehow(join, scope))
		return false;
	for (unsigned i = 0; i < heads.count; i++) {
		unsigned open = 0;

		joins->mark++;
		if (!is_leaf(heads.at[i]) && !leads_to_join(joins, heads.at[i], join, stop, first, &open))
			return false;
		branches += open > 0;
	}
	return branches > 1;
}

/* Collects components below the heads whose children have other parents too, nearest first. */
static unsigned find_candidates(struct xy__joins *joins, struct xy__list heads, const struct xy_component **found)
{
	unsigned count = 0, nqueue = 0, limit = heads.at[0]->tree->ncomponents;
	const struct xy_component **queue = malloc(limit * sizeof(*queue));

	if (!queue) {
		joins->failed = true;
		return 0;
	}
	joins->mark++;
	for (unsigned i = 0; i < heads.count; i++) {
		joins->marks[heads.at[i]->id] = joins->mark;
		queue[nqueue++] = heads.at[i];
	}
	for (unsigned done = 0; done < nqueue && count < CANDIDATES; done++) {
		const struct xy_component *c = queue[done];

		if (c->nchildren && c->children[0]->nparents > 1)
			found[count++] = c;
		for (unsigned i = 0; i < c->nchildren; i++)
			if (joins->marks[c->children[i]->id] != joins->mark) {
				joins->marks[c->children[i]->id] = joins->mark;
				queue[nqueue++] = c->children[i];
			}
	}
	free(queue);
	return count;
}

struct xy__list xy__joins_find(struct xy__joins *joins, struct xy__list heads, struct xy__list stop,
			       struct xy__scope scope)
{
	const struct xy_component *found[CANDIDATES];
	unsigned count = joins->kinds == XY__JOINS_NONE ? 0 : find_candidates(joins, heads, found);

	for (unsigned i = 0; i < count; i++)
		if (is_join(joins, heads, children(found[i]), stop, scope))
			return children(found[i]);
	return (struct xy__list){ 0 };
}
