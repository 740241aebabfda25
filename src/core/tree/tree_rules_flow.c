/* SPDX-License-Identifier: MIT */
/*
 * Rules about the flow of tasks: that the root takes every task, and that a task which rests
 * somewhere can go on from there to every worker below. doc/tree.md explains them with examples.
 */
#include "core/tree/tree_rules.h"

#include <errno.h>
#include <stdlib.h>

static bool is_reservoir(const struct xy_component *c)
{
	return (c->ops->flags & XY_STORES) && !(c->ops->flags & XY_LEAF);
}

static bool first_visit(struct xy__rules *rules, const struct xy_component *c)
{
	bool first = rules->marks[c->id] != rules->mark;

	rules->marks[c->id] = rules->mark;
	return first;
}

/* A team is separate from its members, which may be reached in other ways. */
static unsigned *team_mark(const struct xy__rules *rules, const struct xy_component *team)
{
	return &rules->worker_marks[xy_machine_nworkers(rules->tree->machine) + team->id];
}

/* All workers and teams below. */
static void mark_workers(struct xy__rules *rules, const struct xy_component *c)
{
	for (unsigned i = 0; xy__has_workers(c) && i < c->nworkers; i++)
		rules->worker_marks[c->workers[i]] = rules->mark;
	for (unsigned i = 0; i < c->nteams; i++)
		*team_mark(rules, c->teams[i]) = rules->mark;
}

static unsigned count_unmarked(const struct xy__rules *rules, const struct xy_component *c)
{
	unsigned count = 0;

	for (unsigned i = 0; xy__has_workers(c) && i < c->nworkers; i++)
		count += rules->worker_marks[c->workers[i]] != rules->mark;
	for (unsigned i = 0; i < c->nteams; i++)
		count += *team_mark(rules, c->teams[i]) != rules->mark;
	return count;
}

static void name_unmarked(struct xy__rules *rules, const struct xy_component *c)
{
	unsigned count = 0;

	for (unsigned i = 0; xy__has_workers(c) && i < c->nworkers; i++)
		if (rules->worker_marks[c->workers[i]] != rules->mark)
			xy__rules_name(rules, rules->tree->leaves[c->workers[i]], count++);
	for (unsigned i = 0; i < c->nteams; i++)
		if (*team_mark(rules, c->teams[i]) != rules->mark)
			xy__rules_name(rules, c->teams[i], count++);
	xy__rules_more(rules, count);
}

/* --- the root takes every task --- */

/* Whether a push may be refused, when `below` says whether some child may refuse. */
static bool may_refuse(const struct xy_component *c, bool below)
{
	if (c->ops->is_bounded)
		return c->ops->is_bounded(c);
	return (c->ops->flags & (XY_LEAF | XY_REFUSES)) || (below && !is_reservoir(c));
}

static bool child_may_refuse(const struct xy_component *c, const bool *refuses)
{
	for (unsigned i = 0; i < c->nchildren; i++)
		if (refuses[c->children[i]->id])
			return true;
	return false;
}

/* Names the components through which the root refuses: not those that only forward a refusal. */
static void name_refusing(struct xy__rules *rules, const struct xy_component *c, const bool *refuses, unsigned *count)
{
	if (!refuses[c->id] || !first_visit(rules, c))
		return;
	if (c->ops->is_bounded || (c->ops->flags & (XY_LEAF | XY_REFUSES)))
		xy__rules_name(rules, c, (*count)++);
	else
		for (unsigned i = 0; i < c->nchildren; i++)
			name_refusing(rules, c->children[i], refuses, count);
}

static int check_root(struct xy__rules *rules)
{
	const struct xy_component *root = rules->order[0];
	bool *refuses = calloc(rules->tree->ncomponents, sizeof(*refuses));
	unsigned count = 0;

	if (!refuses)
		return -ENOMEM;
	for (unsigned i = rules->norder; i-- > 0;) {
		const struct xy_component *c = rules->order[i];

		refuses[c->id] = may_refuse(c, child_may_refuse(c, refuses));
	}
	if (refuses[root->id]) {
		xy__rules_fault(rules);
		rules->mark++;
		name_refusing(rules, root, refuses, &count);
		xy__rules_more(rules, count);
		xy__message_add(rules->error, " can refuse a task, and nothing above could keep it: put a "
					      "reservoir without a limit (fifo, prio) above");
	}
	free(refuses);
	return 0;
}

/* --- a reservoir that does not pump --- */

/* Marks the workers whose pulls come through to c's parents. */
static void mark_pulling(struct xy__rules *rules, const struct xy_component *c)
{
	if (!first_visit(rules, c) || (c->ops->flags & XY_DECIDES))
		return;
	if (c->ops->flags & XY_LEAF)
		mark_workers(rules, c);
	for (unsigned i = 0; i < c->nchildren; i++)
		mark_pulling(rules, c->children[i]);
}

/* Its tasks leave by pulls alone, so each worker's pull must reach it. */
static void check_still(struct xy__rules *rules, const struct xy_component *c)
{
	char name[XY__COMPONENT_NAME];

	rules->mark++;
	for (unsigned i = 0; i < c->nchildren && !(c->ops->flags & XY_DECIDES); i++)
		mark_pulling(rules, c->children[i]);
	if (!count_unmarked(rules, c))
		return;
	xy__rules_fault(rules);
	xy__message_add(rules->error, "%s holds its tasks until they are pulled, but pulls of ",
			xy__component_name(c, name));
	name_unmarked(rules, c);
	xy__message_add(rules->error,
			" don't come through to it, as %s: use a reservoir that pumps "
			"(fifo, prio)",
			c->ops->flags & XY_DECIDES ? "it decides" : "a component in between decides");
}

/* --- below a decision --- */

/* Marks the workers for which c accepts a pushed task. */
static void mark_taking(struct xy__rules *rules, const struct xy_component *c)
{
	bool asks = c->ops->flags & XY_MAPS; /* pushes only at what takes pushes; the rest pulls */

	if (!first_visit(rules, c))
		return;
	if ((c->ops->flags & (XY_LEAF | XY_DECIDES)) || is_reservoir(c)) {
		mark_workers(rules, c);
		return;
	}
	for (unsigned i = 0; i < c->nchildren; i++)
		if (!asks || c->children[i]->takes_pushes)
			mark_taking(rules, c->children[i]);
}

/* Below a decision, tasks arrive by push only, so each child must accept them. */
static void check_decision(struct xy__rules *rules, const struct xy_component *c)
{
	char name[XY__COMPONENT_NAME], below[XY__COMPONENT_NAME];

	for (unsigned i = 0; i < c->nchildren; i++) {
		rules->mark++;
		mark_taking(rules, c->children[i]);
		if (!count_unmarked(rules, c->children[i]))
			continue;
		xy__rules_fault(rules);
		xy__message_add(rules->error, "%s decides and pushes tasks down to %s, but ",
				xy__component_name(c, name), xy__component_name(c->children[i], below));
		name_unmarked(rules, c->children[i]);
		xy__message_add(rules->error, " below would have to pull them: put a reservoir (fifo, prio) "
					      "between");
	}
}

int xy__rules_check_flow(struct xy__rules *rules)
{
	bool one_root = true;

	for (unsigned i = 0; i < rules->norder; i++) {
		const struct xy_component *c = rules->order[i];

		one_root = one_root && (i == 0 || c->nparents);
		if (is_reservoir(c) && !(c->ops->flags & XY_PUMPS))
			check_still(rules, c);
		if (c->ops->flags & XY_DECIDES)
			check_decision(rules, c);
	}
	return one_root ? check_root(rules) : 0;
}
