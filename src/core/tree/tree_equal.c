/* SPDX-License-Identifier: MIT */
/*
 * Whether two trees are the same. Invariant of the search: `to` and `from` are inverse to each
 * other on the components met so far, so that sharing is compared too.
 */
#include "core/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/option.h"
#include "core/tree/tree_parts.h"

struct pairing {
	const struct xy_component **to, **from; /* partner by id, NULL: none yet */
	const struct xy_component **todo;       /* of a, each once */
	unsigned ntodo;
};

static bool same_worker(const struct xy_component *a, const struct xy_component *b, unsigned worker)
{
	const struct xy_worker_info *x = xy_machine_worker(a->tree->machine, worker);
	const struct xy_worker_info *y = xy_machine_worker(b->tree->machine, worker);

	return x && y && !strcmp(x->name, y->name) && x->arch == y->arch && x->node == y->node;
}

/* Whether two components of one type and with equal options are leaves for the same workers, or none. */
static bool same_leaf(const struct xy_component *a, const struct xy_component *b)
{
	const struct xy__team_set *x = xy__leaf_team(a), *y = xy__leaf_team(b);
	long worker = xy__leaf_worker(a);

	if (!x != !y || (x && x->count != y->count))
		return false;
	for (unsigned i = 0; x && i < x->count; i++)
		if (x->members[i] != y->members[i] || !same_worker(a, b, x->members[i]))
			return false;
	return worker < 0 || same_worker(a, b, (unsigned)worker);
}

/* Everything about the two that is not a link. */
static bool same_itself(const struct xy_component *a, const struct xy_component *b)
{
	if (a->ops != b->ops || a->nchildren != b->nchildren || a->nparents != b->nparents)
		return false;
	if (!a->label != !b->label || (a->label && strcmp(a->label, b->label)))
		return false;
	for (const struct xy_option *o = a->ops->options; o && o->name; o++)
		if (!xy__option_is_same(a, b, o))
			return false;
	return same_leaf(a, b);
}

/* Makes the two partners; false if one has another partner already. */
static bool pair(struct pairing *p, const struct xy_component *a, const struct xy_component *b)
{
	if (p->to[a->id] || p->from[b->id])
		return p->to[a->id] == b;
	p->to[a->id] = b;
	p->from[b->id] = a;
	p->todo[p->ntodo++] = a;
	return true;
}

static bool pair_all(struct pairing *p, const struct xy_component *a, const struct xy_component *b)
{
	if (!pair(p, a, b))
		return false;
	for (unsigned done = 0; done < p->ntodo; done++) {
		a = p->todo[done];
		b = p->to[a->id];
		if (!same_itself(a, b))
			return false;
		for (unsigned i = 0; i < a->nchildren; i++)
			if (!pair(p, a->children[i], b->children[i]))
				return false;
	}
	return true;
}

static bool same_parents(const struct pairing *p)
{
	for (unsigned i = 0; i < p->ntodo; i++) {
		const struct xy_component *a = p->todo[i], *b = p->to[a->id];

		for (unsigned j = 0; j < a->nparents; j++)
			if (p->to[a->parents[j]->id] != b->parents[j])
				return false;
	}
	return true;
}

int xy__tree_same(const struct xy_component *a, const struct xy_component *b, unsigned n)
{
	struct pairing p = { 0 };
	int rc = -ENOMEM;

	p.to = calloc(3 * (size_t)n, sizeof(*p.to));
	if (p.to) {
		p.from = p.to + n;
		p.todo = p.from + n;
		rc = pair_all(&p, a, b) && same_parents(&p) && p.ntodo == n;
	}
	free(p.to);
	return rc;
}

bool xy_tree_equal(const struct xy_tree *a, const struct xy_tree *b)
{
	if (!a || !b || !a->sealed || !b->sealed || a->ncomponents != b->ncomponents)
		return false;
	return xy__tree_same(a->root, b->root, a->ncomponents) == 1;
}
