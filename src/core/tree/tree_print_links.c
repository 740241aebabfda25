/* SPDX-License-Identifier: MIT */
/*
 * The expression of a tree of any shape: a name for each component, then its links, one after the other, in an order
 * that gives each component its children and its parents in their order. There is one, as links are made one by one.
 */
#include "core/tree/tree_print_links.h"

#include <stdlib.h>

struct links {
	const struct xy_tree *tree;
	struct xy__buffer *out;
	unsigned *names;              /* by component, 0: none yet */
	unsigned *children, *parents; /* by component: how many of them are linked */
	const struct xy_component **todo;
	unsigned ntodo;
	unsigned last;                   /* number of a name */
	const struct xy_component *open; /* whose links are being written */
};

/* The leaves that an expression names by their number. */
static bool is_known_leaf(const struct xy_component *c)
{
	return xy__is_team(c) || !strcmp(c->ops->name, XY__WORKER_NAME);
}

/* Binds a name to each component below c, parents first. */
static bool links_bind(struct links *l, const struct xy_component *c)
{
	if (l->names[c->id] || is_known_leaf(c))
		return true;
	if (!xy__print_name(l->tree, &l->last))
		return false;
	l->names[c->id] = l->last;
	xy__buffer_add(l->out, "let n%u = %s", l->last, c->ops->name);
	xy__print_options(c, l->out, true);
	xy__buffer_add(l->out, " in ");
	l->todo[l->ntodo++] = c;
	for (unsigned i = 0; i < c->nchildren; i++)
		if (!links_bind(l, c->children[i]))
			return false;
	return true;
}

/* Whether this link is the one that gives the child its label: the first that can. */
static bool gives_label(const struct xy_component *parent, const struct xy_component *child)
{
	if (!child->label)
		return false;
	for (unsigned i = 0; i < child->nparents; i++) {
		const struct xy_component *p = child->parents[i];
		unsigned same = 0;

		for (unsigned j = 0; j < p->nchildren; j++)
			same += p->children[j]->label && !strcmp(p->children[j]->label, child->label);
		if (same == 1 && xy__label_find(p->ops, child->label, strlen(child->label)))
			return p == parent;
	}
	return false;
}

static bool links_write(struct links *l, const struct xy_component *parent, const struct xy_component *child)
{
	if (l->open == parent) {
		xy__buffer_add(l->out, ", ");
	} else {
		if (l->open)
			xy__buffer_add(l->out, " } in ");
		if (!xy__print_name(l->tree, &l->last))
			return false;
		xy__buffer_add(l->out, "let n%u = n%u { ", l->last, l->names[parent->id]);
		l->open = parent;
	}
	if (gives_label(parent, child))
		xy__buffer_add(l->out, "%s: ", child->label);
	if (l->names[child->id]) {
		xy__buffer_add(l->out, "n%u", l->names[child->id]);
	} else {
		xy__buffer_add(l->out, "%s", child->ops->name);
		xy__print_options(child, l->out, true);
	}
	return true;
}

/* Writes the links to the children of c, up to one that has to wait for a link of another parent. A link that lets
 * another parent continue puts that one on the list. */
static bool links_continue(struct links *l, const struct xy_component *c)
{
	while (l->children[c->id] < c->nchildren) {
		const struct xy_component *child = c->children[l->children[c->id]];
		unsigned next = l->parents[child->id];

		if (child->parents[next] != c)
			return true;
		if (!links_write(l, c, child))
			return false;
		l->children[c->id]++;
		l->parents[child->id] = ++next;
		if (next < child->nparents)
			l->todo[l->ntodo++] = child->parents[next];
	}
	return true;
}

static unsigned links_count(const struct xy_tree *tree)
{
	unsigned count = 0;

	for (unsigned i = 0; i < tree->ncomponents; i++)
		count += tree->components[i]->nchildren;
	return count;
}

bool xy__print_links(const struct xy_tree *tree, struct xy__buffer *out)
{
	struct links l = { .tree = tree, .out = out };
	unsigned n = tree->ncomponents;
	bool done = false;

	l.names = calloc(3 * (size_t)n, sizeof(*l.names));
	l.todo = calloc(n + (size_t)links_count(tree), sizeof(*l.todo));
	if (l.names && l.todo) {
		l.children = l.names + n;
		l.parents = l.children + n;
		done = links_bind(&l, tree->root);
		for (unsigned i = 0; done && i < l.ntodo; i++)
			done = links_continue(&l, l.todo[i]);
		xy__buffer_add(out, "%sn%u", l.open ? " } in " : "", l.names[tree->root->id]);
	} else {
		out->failed = true;
	}
	free(l.names);
	free(l.todo);
	return done;
}
