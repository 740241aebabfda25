/* SPDX-License-Identifier: MIT */
/*
 * A tree as an expression: finds the folds (`each`) and joins (`a { b, c } | d`) that make it, or binds names to what
 * has several parents, or writes link by link. What comes out is read again and compared, so an expression that is
 * printed is right.
 */
#include "core/tree/tree_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/expression.h"
#include "core/tree/registry.h"
#include "core/tree/tree_print_fold.h"
#include "core/tree/tree_print_join.h"
#include "core/tree/tree_print_links.h"

struct printer {
	struct xy__buffer *out;
	bool fold;                      /* use `each` at all */
	unsigned *names;                /* by component: 0, or which name it is written as */
	const struct xy_component *let; /* written out, as the meaning of its name */
	bool *written;                  /* by component */
	unsigned *history;              /* components in the order of writing, to take it back */
	unsigned nhistory;
	struct xy__joins joins;
};

/* Where to go back to. */
struct place {
	size_t length;
	unsigned nhistory;
};

static bool print_stage(struct printer *p, const struct xy_component *c, struct xy__scope scope, struct xy__list stop);

static struct xy__list children(const struct xy_component *c)
{
	return (struct xy__list){ c->children, c->nchildren };
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

/* The label of a branch, if its parent knows it. */
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

		if (!print_body(p, heads.at[i], each) || p->out->failed || p->out->length - again != length ||
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
	for (unsigned each = XY__EACH_WORKER; each < XY__EACH_END; each++)
		if (print_each(p, heads, scope, each))
			return true;
	return false;
}

/* --- stages --- */

/* The stage below ends that have these children. */
static bool print_next(struct printer *p, struct xy__list list, struct xy__scope scope, struct xy__list stop)
{
	xy__buffer_add(p->out, " | ");
	if (list.count == 1 && !is_leaf(list.at[0]))
		return print_stage(p, list.at[0], scope, stop);
	return print_any_each(p, list, scope) || (list.count == 1 && print_stage(p, list.at[0], scope, stop));
}

/* Prints the branches from the first on that fold into one `each`; returns their number, 0 for none. */
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
static unsigned print_branch(struct printer *p, const struct xy_component *c, unsigned first, struct xy__scope scope,
			     struct xy__list stop)
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
	struct xy__list join = xy__joins_find(&p->joins, children(c), stop, scope);
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

/*
 * Whether an `each` may follow: there is a choice, or the leaves come next. A single chain above one worker is written
 * without, except below a mapper.
 */
static bool may_fold(const struct xy_component *c, struct xy__list stop)
{
	if (stop.count == 1 && is_leaf(stop.at[0]))
		return false; /* in an `each worker` already */
	for (unsigned i = 0; i < c->nchildren; i++)
		if (label_below(c, c->children[i]))
			return false;
	return c->nchildren > 1 || (c->ops->flags & XY_MAPS) || is_leaf(c->children[0]);
}

static bool print_below(struct printer *p, const struct xy_component *c, struct xy__scope scope, struct xy__list stop)
{
	struct place before = here(p);

	if (!c->nchildren || xy__same_list(children(c), stop))
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

/* Writes a component and what is below it, up to ends whose children are `stop`, or its name. False when it has been
 * written before. */
static bool print_stage(struct printer *p, const struct xy_component *c, struct xy__scope scope, struct xy__list stop)
{
	if (p->names[c->id] && p->let != c) {
		xy__buffer_add(p->out, "n%u", p->names[c->id]);
		return true;
	}
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

/* --- names --- */

bool xy__print_name(const struct xy_tree *tree, unsigned *last)
{
	char name[16];

	do {
		if (++*last > XY__MAX_COMPONENTS)
			return false;
		snprintf(name, sizeof(name), "n%u", *last);
	} while (xy_registry_component(tree->registry, name) || xy_registry_policy(tree->registry, name));
	return true;
}

/* Binds names to the components below c that have several parents, those below first, and then to c. */
static bool print_lets(struct printer *p, const struct xy_component *c, unsigned *last)
{
	const struct xy_component *root = c->tree->root;
	struct xy__scope all = { root->workers, root->nworkers };

	if (is_leaf(c) || p->names[c->id] || p->joins.marks[c->id] == p->joins.mark)
		return true;
	p->joins.marks[c->id] = p->joins.mark;
	for (unsigned i = 0; i < c->nchildren; i++)
		if (!print_lets(p, c->children[i], last))
			return false;
	if (c->nparents < 2)
		return true;
	if (!xy__print_name(c->tree, last))
		return false;
	p->names[c->id] = *last;
	p->let = c;
	xy__buffer_add(p->out, "let n%u = ", *last);
	if (!print_stage(p, c, all, (struct xy__list){ 0 }))
		return false;
	xy__buffer_add(p->out, " in ");
	p->let = NULL;
	return true;
}

/* --- the whole --- */

/* The only component without a parent, NULL if there are several. */
static const struct xy_component *sole_root(const struct xy_tree *tree)
{
	const struct xy_component *root = NULL;

	for (unsigned i = 0; i < tree->ncomponents; i++)
		if (!tree->components[i]->nparents) {
			if (root)
				return NULL;
			root = tree->components[i];
		}
	return root;
}

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
	else if (!rc && again->ncomponents == tree->ncomponents && sole_root(again))
		rc = xy__tree_same(tree->root, sole_root(again), tree->ncomponents);
	xy_tree_destroy(again);
	return rc;
}

/* A way to write a tree. The first that succeeds is the shortest. */
enum way { ALL_JOINS, INNER_JOINS, NO_JOINS, NAMES, ALL_JOINS_NO_EACH, LINKS, NWAYS };

static bool print_in_way(struct printer *p, const struct xy_tree *tree, enum way way)
{
	struct xy__scope all = { tree->root->workers, tree->root->nworkers };
	unsigned last = 0;

	if (way == LINKS)
		return xy__print_links(tree, p->out);
	p->fold = way != ALL_JOINS_NO_EACH;
	p->joins.kinds = way == INNER_JOINS                ? XY__JOINS_INNER
			 : way == NO_JOINS || way == NAMES ? XY__JOINS_NONE
							   : XY__JOINS_ALL;
	p->let = NULL;
	memset(p->names, 0, tree->ncomponents * sizeof(*p->names));
	p->joins.mark++;
	return (way != NAMES || print_lets(p, tree->root, &last)) &&
	       print_stage(p, tree->root, all, (struct xy__list){ 0 });
}

/* 1 if an expression was written, 0 if there is none in this way, -errno. */
static int try_expression(struct printer *p, const struct xy_tree *tree, enum way way)
{
	struct place start = { 0 };
	int rc = 0;

	bool printed = print_in_way(p, tree, way);

	p->out->failed |= p->joins.failed;
	if (printed && !p->out->failed)
		rc = reads_back(tree, p->out);
	if (rc != 1)
		go_back(p, start);
	return p->out->failed ? -ENOMEM : rc;
}

/* Whether an expression can name all components. */
static bool knows_all(const struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->ncomponents; i++)
		if (xy_registry_component(tree->registry, tree->components[i]->ops->name) != tree->components[i]->ops)
			return false;
	return true;
}

int xy__print_expression(const struct xy_tree *tree, struct xy__buffer *out)
{
	struct printer p = { .out = out };
	unsigned n = tree->ncomponents;
	int rc = -ENOMEM;

	if (!knows_all(tree))
		return -ENOTSUP;
	p.names = calloc(n, sizeof(*p.names));
	p.written = calloc(n, sizeof(*p.written));
	p.history = calloc(n, sizeof(*p.history));
	p.joins.marks = calloc(n, sizeof(*p.joins.marks));
	if (p.names && p.written && p.history && p.joins.marks) {
		rc = 0;
		for (enum way way = ALL_JOINS; !rc && way < NWAYS; way++)
			rc = try_expression(&p, tree, way);
	}
	free(p.names);
	free(p.written);
	free(p.history);
	free(p.joins.marks);
	if (rc == 1)
		xy__buffer_add(out, "\n");
	return rc == 1 ? 0 : rc ? rc : -ENOTSUP;
}
