/* SPDX-License-Identifier: MIT */
/*
 * Rules about the shape of a tree: one root, no cycle, leaves where they belong, options in range.
 */
#include "core/tree/tree_rules.h"

#include <string.h>
#include "core/tree/option.h"

enum { NAMES = 3 }; /* that are written of a list */

void xy__rules_fault(struct xy__rules *rules)
{
	if (rules->nfaults++)
		xy__message_add(rules->error, "\n");
}

void xy__rules_name(struct xy__rules *rules, const struct xy_component *c, unsigned position)
{
	char name[XY__COMPONENT_NAME];

	if (position < NAMES)
		xy__message_add(rules->error, "%s%s", position ? ", " : "", xy__component_name(c, name));
}

void xy__rules_more(struct xy__rules *rules, unsigned count)
{
	if (count > NAMES)
		xy__message_add(rules->error, " and %u more", count - NAMES);
}

static void check_options(struct xy__rules *rules, const struct xy_component *c)
{
	char name[XY__COMPONENT_NAME], value[XY__OPTION_TEXT], what[100];

	for (const struct xy_option *o = c->ops->options; o && o->name; o++) {
		double v = xy__option_value(c, o);

		if (xy__option_in_range(o, v))
			continue;
		xy__rules_fault(rules);
		xy__option_print(o, v, value);
		xy__option_describe(o, what, sizeof(what));
		xy__message_add(rules->error, "%s has %s=%s, which must be %s", xy__component_name(c, name), o->name,
				value, what);
	}
}

static void check_team(struct xy__rules *rules, struct xy_component *c)
{
	const struct xy__team_set *set = xy__leaf_team(c);
	struct xy_component **leaf = set ? &c->tree->teams->leaves[set - c->tree->teams->sets] : NULL;
	char name[XY__COMPONENT_NAME], other[XY__COMPONENT_NAME];

	xy__component_name(c, name);
	if (!set) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s is a leaf for a team that the machine does not have", name);
	} else if (*leaf && *leaf != c) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s and %s are leaves of the same team", xy__component_name(*leaf, other),
				name);
	} else {
		*leaf = c;
	}
}

static void check_leaf(struct xy__rules *rules, struct xy_component *c)
{
	struct xy_tree *tree = rules->tree;
	char name[XY__COMPONENT_NAME], other[XY__COMPONENT_NAME];
	long worker = xy__leaf_worker(c);

	xy__component_name(c, name);
	if (c->nchildren) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s is a leaf, but %s is below it", name,
				xy__component_name(c->children[0], other));
	}
	if (xy__is_team(c))
		check_team(rules, c);
	else if (worker < 0 || !xy_machine_worker(tree->machine, (unsigned)worker)) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s is a leaf for a worker that the machine does not have", name);
	} else if (!xy__tree_has(tree, (unsigned)worker)) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s is a leaf for an absent worker", name);
	} else if (tree->leaves[worker] && tree->leaves[worker] != c) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s and %s are leaves of the same worker",
				xy__component_name(tree->leaves[worker], other), name);
	} else {
		tree->leaves[worker] = c;
	}
}

static void check_inner(struct xy__rules *rules, const struct xy_component *c)
{
	char name[XY__COMPONENT_NAME];

	xy__component_name(c, name);
	if (!c->nchildren) {
		xy__rules_fault(rules);
		xy__message_add(rules->error,
				"%s has nothing below it: every path must end in a worker "
				"(an expression ends with \"| each worker { }\")",
				name);
	}
	if (c->nchildren > 1 && !(c->ops->flags & XY_MAPS)) {
		xy__rules_fault(rules);
		xy__message_add(rules->error,
				"%s has %u components below it, but %s can't choose between "
				"them: put a mapper such as eager there",
				name, c->nchildren, c->ops->name);
	}
}

static void check_roots(struct xy__rules *rules)
{
	const struct xy_tree *tree = rules->tree;
	unsigned count = 0;

	for (unsigned i = 0; i < tree->ncomponents; i++)
		count += !tree->components[i]->nparents;
	if (count == 1)
		return;
	xy__rules_fault(rules);
	if (!count) {
		xy__message_add(rules->error, "no root: every component has another one above it");
		return;
	}
	xy__message_add(rules->error, "there must be one root, but none of these has a parent: ");
	count = 0;
	for (unsigned i = 0; i < tree->ncomponents; i++)
		if (!tree->components[i]->nparents)
			xy__rules_name(rules, tree->components[i], count++);
	xy__rules_more(rules, count);
}

/* Parents before children; what is in a cycle or below one never gets its turn. */
static void sort(struct xy__rules *rules)
{
	const struct xy_tree *tree = rules->tree;
	unsigned *waiting = rules->marks; /* parents that are not in the order yet */

	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];

		waiting[i] = c->nparents;
		if (!c->nparents)
			rules->order[rules->norder++] = c;
	}
	for (unsigned done = 0; done < rules->norder; done++) {
		struct xy_component *c = rules->order[done];

		for (unsigned i = 0; i < c->nchildren; i++)
			if (!--waiting[c->children[i]->id])
				rules->order[rules->norder++] = c->children[i];
	}
}

/* Walks up through components that wait for a parent until it comes where it was before. */
static void report_cycle(struct xy__rules *rules)
{
	const struct xy_tree *tree = rules->tree;
	const unsigned *waiting = rules->marks;
	const struct xy_component *c = NULL, *start;
	char name[XY__COMPONENT_NAME];

	for (unsigned i = 0; i < tree->ncomponents && !c; i++)
		if (waiting[i])
			c = tree->components[i];
	for (unsigned steps = 0; steps <= tree->ncomponents; steps++)
		for (unsigned i = 0; i < c->nparents; i++)
			if (waiting[c->parents[i]->id]) {
				c = c->parents[i];
				break;
			}
	start = c;
	xy__rules_fault(rules);
	xy__message_add(rules->error, "there is a cycle: %s", xy__component_name(c, name));
	do {
		for (unsigned i = 0; i < c->nparents; i++)
			if (waiting[c->parents[i]->id]) {
				c = c->parents[i];
				break;
			}
		xy__message_add(rules->error, " is below %s", xy__component_name(c, name));
	} while (c != start && !rules->error->cut);
}

static void check_workers(struct xy__rules *rules)
{
	const struct xy_tree *tree = rules->tree;
	unsigned nworkers = xy_machine_nworkers(tree->machine), count = 0;

	for (unsigned w = 0; w < nworkers; w++) {
		if (tree->leaves[w] || !xy__tree_has(tree, w))
			continue;
		if (!count++)
			xy__rules_fault(rules);
		if (count <= NAMES)
			xy__message_add(rules->error, "%s%s", count > 1 ? ", " : "",
					xy_machine_worker(tree->machine, w)->name);
	}
	xy__rules_more(rules, count);
	if (count)
		xy__message_add(rules->error, " can't be reached: the tree has no leaf for %s",
				count > 1 ? "these workers" : "this worker");
}

void xy__rules_check_shape(struct xy__rules *rules)
{
	struct xy_tree *tree = rules->tree;

	if (!tree->ncomponents) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "the tree has no components");
		return;
	}
	memset(tree->leaves, 0, xy_machine_nworkers(tree->machine) * sizeof(*tree->leaves));
	if (tree->teams)
		memset(tree->teams->leaves, 0, tree->teams->count * sizeof(*tree->teams->leaves));
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		check_options(rules, tree->components[i]);
		if (tree->components[i]->ops->flags & XY_LEAF)
			check_leaf(rules, tree->components[i]);
		else
			check_inner(rules, tree->components[i]);
	}
	check_workers(rules);
	sort(rules);
	if (rules->norder < tree->ncomponents)
		report_cycle(rules);
	else
		check_roots(rules);
}
