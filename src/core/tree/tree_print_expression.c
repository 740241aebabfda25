/* SPDX-License-Identifier: MIT */
/*
 * A tree as an expression: finds the folds (`each`) and joins (`a { b, c } | d`) that make it. What
 * comes out is read again and compared, so an expression that is printed is right; a shape that has
 * none is refused.
 */
#include "core/tree/tree_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/expression.h"
#include "core/tree/tree_print_fold.h"

enum { CANDIDATES = 256 };   /* places where branches could meet that are looked at, per component */

struct printer {
	struct xy__buffer *out;
	bool fold;                /* use `each` at all */
	bool *written;            /* by component */
	unsigned *history;        /* components in the order of writing, to take it back */
	unsigned nhistory;
	uint64_t *marks, mark;    /* by component, for searches: a mark is set if it equals `mark` */
};

/* Where to go back to. */
struct place {
	size_t length;
	unsigned nhistory;
};

static bool print_stage(struct printer *p, const struct xy_component *c, struct xy__scope scope,
			struct xy__list stop);

static struct xy__list children(const struct xy_component *c)
{
	return (struct xy__list){ c->children, c->nchildren };
}

static bool same_list(struct xy__list a, struct xy__list b)
{
	return a.count && a.count == b.count && !memcmp(a.at, b.at, a.count * sizeof(*a.at));
}

static bool is_leaf(const struct xy_component *c)
{
	return c->ops->flags & XY_LEAF;
}

static struct place here(const struct printer *p)
{
	return (struct place){ p->out->length, p->nhistory };
}

static void go_back(struct printer *p, struct place place)
{
	xy__buffer_cut(p->out, place.length);
	while (p->nhistory > place.nhistory)
		p->written[p->history[--p->nhistory]] = false;
}

/* The label of a branch, if its parent's kind knows it. */
static const char *label_below(const struct xy_component *parent, const struct xy_component *child)
{
	return child->label ? xy__label_find(parent->ops, child->label, strlen(child->label)) : NULL;
}

/* --- folds --- */

static bool print_body(struct printer *p, const struct xy_component *head, enum xy__each each)
{
	struct xy__scope scope = { head->workers, head->nworkers };
	struct xy__list stop = { 0 };

	if (is_leaf(head))
		return each <= XY__EACH_TEAM;
	if (each == XY__EACH_WORKER)
		stop = (struct xy__list){ &head->tree->leaves[head->workers[0]], 1 };
	if (each == XY__EACH_TEAM)
		stop = (struct xy__list){ &head->teams[0], 1 };
	xy__buffer_add(p->out, "%s", " ");
	return print_stage(p, head, scope, stop);
}

/* Writes one `each` for all heads if they are alike, else nothing. */
static bool print_each(struct printer *p, struct xy__list heads, struct xy__scope scope, enum xy__each each)
{
	struct place before = here(p);
	size_t begin, length;

	if (!p->fold || !xy__print_splits(heads, scope, each))
		return false;
	xy__buffer_add(p->out, "each %s {", xy__each_words[each]);
	begin = p->out->length;
	if (!print_body(p, heads.at[0], each))
		goto no;
	length = p->out->length - begin;
	for (unsigned i = 1; i < heads.count; i++) {
		size_t again = p->out->length;

		if (!print_body(p, heads.at[i], each) || p->out->failed ||
		    p->out->length - again != length ||
		    memcmp(p->out->at + begin, p->out->at + again, length))
			goto no;
		xy__buffer_cut(p->out, again);
	}
	xy__buffer_add(p->out, " }");
	return true;
no:
	go_back(p, before);
	return false;
}

static bool print_any_each(struct printer *p, struct xy__list heads, struct xy__scope scope)
{
	for (unsigned each = XY__EACH_WORKER; each <= XY__EACH_ARCH; each++)
		if (print_each(p, heads, scope, each))
			return true;
	return false;
}

/* --- joins --- */

static bool in_list(struct xy__list list, const struct xy_component *c)
{
	for (unsigned i = 0; i < list.count; i++)
		if (list.at[i] == c)
			return true;
	return false;
}

/* Whether everything from c down stays in its branch or goes on to the join; counts the ways there.
 * Marks from `first` on are those of the branches before. */
static bool leads_to_join(struct printer *p, const struct xy_component *c, struct xy__list join,
			  struct xy__list stop, uint64_t first, unsigned *open)
{
	if (p->marks[c->id] == p->mark)
		return true;
	if (in_list(join, c) || p->marks[c->id] >= first)
		return false;
	p->marks[c->id] = p->mark;
	if (same_list(children(c), join)) {
		++*open;
		return true;
	}
	if (same_list(children(c), stop))
		return false;
	for (unsigned i = 0; i < c->nchildren; i++)
		if (!is_leaf(c->children[i]) &&
		    !leads_to_join(p, c->children[i], join, stop, first, open))
			return false;
	return true;
}

static bool splits_somehow(struct xy__list list, struct xy__scope scope)
{
	for (unsigned each = XY__EACH_WORKER; each <= XY__EACH_ARCH; each++)
		if (xy__print_splits(list, scope, each))
			return true;
	return false;
}

static bool is_join(struct printer *p, struct xy__list heads, struct xy__list join, struct xy__list stop,
		    struct xy__scope scope)
{
	uint64_t first = p->mark + 1;
	unsigned branches = 0;

	if (same_list(join, stop))
		return false;
	if ((join.count > 1 || is_leaf(join.at[0])) && !splits_somehow(join, scope))
		return false;
	for (unsigned i = 0; i < heads.count; i++) {
		unsigned open = 0;

		p->mark++;
		if (!is_leaf(heads.at[i]) && !leads_to_join(p, heads.at[i], join, stop, first, &open))
			return false;
		branches += open > 0;
	}
	return branches > 1;
}

/* Collects components below the heads whose children have other parents too, nearest first. */
static unsigned find_candidates(struct printer *p, struct xy__list heads, const struct xy_component **found)
{
	unsigned count = 0, nqueue = 0, limit = heads.at[0]->tree->ncomponents;
	const struct xy_component **queue = malloc(limit * sizeof(*queue));

	if (!queue) {
		p->out->failed = true;
		return 0;
	}
	p->mark++;
	for (unsigned i = 0; i < heads.count; i++) {
		p->marks[heads.at[i]->id] = p->mark;
		queue[nqueue++] = heads.at[i];
	}
	for (unsigned done = 0; done < nqueue && count < CANDIDATES; done++) {
		const struct xy_component *c = queue[done];

		if (c->nchildren && c->children[0]->nparents > 1)
			found[count++] = c;
		for (unsigned i = 0; i < c->nchildren; i++)
			if (p->marks[c->children[i]->id] != p->mark) {
				p->marks[c->children[i]->id] = p->mark;
				queue[nqueue++] = c->children[i];
			}
	}
	free(queue);
	return count;
}

/* Where the branches that begin with heads meet again; none: an empty list. */
static struct xy__list find_join(struct printer *p, struct xy__list heads, struct xy__list stop, struct xy__scope scope)
{
	const struct xy_component *found[CANDIDATES];
	unsigned count = find_candidates(p, heads, found);

	for (unsigned i = 0; i < count; i++)
		if (is_join(p, heads, children(found[i]), stop, scope))
			return children(found[i]);
	return (struct xy__list){ 0 };
}

/* --- stages --- */

/* The stage below ends that have these children. */
static bool print_next(struct printer *p, struct xy__list list, struct xy__scope scope, struct xy__list stop)
{
	xy__buffer_add(p->out, " | ");
	if (list.count == 1 && !is_leaf(list.at[0]))
		return print_stage(p, list.at[0], scope, stop);
	return print_any_each(p, list, scope) ||
	       (list.count == 1 && print_stage(p, list.at[0], scope, stop));
}

/* The branches from the first on that one `each` stands for, written as that; 0 if there are none. */
static unsigned print_run(struct printer *p, const struct xy_component *c, unsigned first, struct xy__scope scope,
			  enum xy__each each)
{
	unsigned parts = each == XY__EACH_WORKER ? scope.count : xy__print_count_teams(c->tree, scope);
	struct xy__list run = { c->children + first, parts };

	if (run.count < 1 + (each == XY__EACH_WORKER) || first + run.count > c->nchildren)
		return 0;
	return print_each(p, run, scope, each) ? run.count : 0;
}

/* One branch, or a run of them that an `each` makes; says how many. 0: not possible. */
static unsigned print_branch(struct printer *p, const struct xy_component *c, unsigned first,
			     struct xy__scope scope, struct xy__list stop)
{
	const char *label = label_below(c, c->children[first]);
	unsigned run = label ? 0 : print_run(p, c, first, scope, XY__EACH_WORKER);

	if (label)
		xy__buffer_add(p->out, "%s: ", label);
	else if (!run)
		run = print_run(p, c, first, scope, XY__EACH_TEAM);
	return run ? run : print_stage(p, c->children[first], scope, stop);
}

static bool print_branches(struct printer *p, const struct xy_component *c, struct xy__scope scope,
			   struct xy__list stop)
{
	struct xy__list join = find_join(p, children(c), stop, scope);
	unsigned done = 0, run;

	xy__buffer_add(p->out, " { ");
	while (done < c->nchildren) {
		if (done)
			xy__buffer_add(p->out, ", ");
		run = print_branch(p, c, done, scope, join.count ? join : stop);
		if (!run)
			return false;
		done += run;
	}
	xy__buffer_add(p->out, " }");
	return !join.count || print_next(p, join, scope, stop);
}

/* Whether an `each` may follow: there is something to choose from, or the leaves come next. A single
 * chain above one worker is written without, except below a mapper. */
static bool may_fold(const struct xy_component *c, struct xy__list stop)
{
	if (stop.count == 1 && is_leaf(stop.at[0]))
		return false;   /* in an `each worker` already */
	for (unsigned i = 0; i < c->nchildren; i++)
		if (label_below(c, c->children[i]))
			return false;
	return c->nchildren > 1 || (c->ops->flags & XY_MAPS) || is_leaf(c->children[0]);
}

static bool print_below(struct printer *p, const struct xy_component *c, struct xy__scope scope,
			struct xy__list stop)
{
	struct place before = here(p);

	if (!c->nchildren || same_list(children(c), stop))
		return true;
	if (may_fold(c, stop)) {
		xy__buffer_add(p->out, " | ");
		if (print_any_each(p, children(c), scope))
			return true;
		go_back(p, before);
	}
	if (c->nchildren == 1 && !label_below(c, c->children[0])) {
		xy__buffer_add(p->out, " | ");
		return print_stage(p, c->children[0], scope, stop);
	}
	return print_branches(p, c, scope, stop);
}

/* Writes a component and what is below it, up to ends whose children are `stop`. False when it has
 * been written before: no expression says so. */
static bool print_stage(struct printer *p, const struct xy_component *c, struct xy__scope scope,
			struct xy__list stop)
{
	if (p->written[c->id] && !is_leaf(c))
		return false;
	if (!is_leaf(c)) {
		p->written[c->id] = true;
		p->history[p->nhistory++] = c->id;
	}
	xy__buffer_add(p->out, "%s", c->ops->name);
	xy__print_options(c, p->out, true);
	return print_below(p, c, scope, stop);
}

/* --- the whole --- */

/* Whether the text reads as the same tree: 1, 0 or -errno. */
static int reads_back(const struct xy_tree *tree, const struct xy__buffer *out)
{
	struct xy__message nobody;
	struct xy_tree *again = xy_tree_create(tree->machine, tree->registry);
	int rc;

	if (!again)
		return -ENOMEM;
	xy__message_init(&nobody, NULL, 0);
	rc = xy__tree_build(again, out->at, out->length, NULL, &nobody);
	if (rc && rc != -ENOMEM)
		rc = 0;
	else if (!rc && again->ncomponents == tree->ncomponents)
		rc = xy__tree_same(tree->root, again->components[0], tree->ncomponents);
	xy_tree_destroy(again);
	return rc;
}

/* 1 if an expression was written, 0 if there is none in this way, -errno. */
static int try_expression(struct printer *p, const struct xy_tree *tree)
{
	struct xy__scope all = { tree->root->workers, tree->root->nworkers };
	struct place start = { 0 };
	int rc = 0;

	if (print_stage(p, tree->root, all, (struct xy__list){ 0 }) && !p->out->failed)
		rc = reads_back(tree, p->out);
	if (rc != 1)
		go_back(p, start);
	return p->out->failed ? -ENOMEM : rc;
}

int xy__print_expression(const struct xy_tree *tree, struct xy__buffer *out)
{
	struct printer p = { .out = out, .fold = true };
	unsigned n = tree->ncomponents;
	int rc = -ENOMEM;

	if (!tree->registry)
		return -ENOTSUP;
	p.written = calloc(n, sizeof(*p.written));
	p.history = calloc(n, sizeof(*p.history));
	p.marks = calloc(n, sizeof(*p.marks));
	if (p.written && p.history && p.marks) {
		rc = try_expression(&p, tree);
		p.fold = false;
		if (!rc)
			rc = try_expression(&p, tree);
	}
	free(p.written);
	free(p.history);
	free(p.marks);
	if (rc == 1)
		xy__buffer_add(out, "\n");
	return rc == 1 ? 0 : rc ? rc : -ENOTSUP;
}
