/* SPDX-License-Identifier: MIT */
/*
 * Sealing: checks the rules, fills in what a component knows about its place, sets the components up
 * from the leaves to the root. Invariant: a tree is either sealed with every component set up, or
 * as it was before, and may be changed and sealed again.
 */
#include "core/tree/tree_rules.h"
#include "core/tree/audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tree/option.h"
#include "core/tree/registry.h"

static unsigned seal_max_level(const struct xy__rules *rules, unsigned *locks)
{
	unsigned deepest = 0, most = 0;

	for (unsigned i = 0; i < rules->norder; i++) {
		struct xy_component *c = rules->order[i];
		unsigned above = 0;

		c->level = 0;
		for (unsigned j = 0; j < c->nparents; j++) {
			if (c->parents[j]->level >= c->level)
				c->level = c->parents[j]->level + 1;
			if (rules->marks[c->parents[j]->id] > above)
				above = rules->marks[c->parents[j]->id];
		}
		rules->marks[c->id] = above + !!(c->ops->flags & (XY_STORES | XY_DECIDES | XY_LEAF));
		if (rules->marks[c->id] > most)
			most = rules->marks[c->id];
		if (c->level > deepest)
			deepest = c->level;
	}
	*locks = most;
	return deepest;
}

/*
 * A call recurses down the tree, and a trail has room for a limited number of locks. False if the tree is too deep to
 * continue.
 */
static bool seal_levels(struct xy__rules *rules)
{
	unsigned room = XY__MOST_LOCKS, locks;
	unsigned levels = seal_max_level(rules, &locks) + 1;

	if (levels > XY__MAX_LEVELS) {
		xy__rules_fault(rules);
		xy__message_add(rules->error, "the tree has %u levels; the limit is %d", levels, XY__MAX_LEVELS);
	}
	if (locks > room) {
		xy__rules_fault(rules);
		xy__message_add(rules->error,
				"%u components that store or decide are above one another, "
				"%u are the limit",
				locks, room);
	}
	return levels <= XY__MAX_LEVELS;
}

/* The workers of all children, in rising order. */
static int seal_workers(struct xy__rules *rules, struct xy_component *c)
{
	const struct xy_machine *machine = rules->tree->machine;
	unsigned nworkers = xy_machine_nworkers(machine), least = nworkers;
	long own = xy__leaf_worker(c);

	rules->mark++;
	c->nworkers = 0;
	c->archs = xy__is_team(c) ? XY_ON_TEAM : 0;
	if (own >= 0 && (unsigned long)own < nworkers) {
		rules->worker_marks[own] = rules->mark;
		c->nworkers = 1;
		least = (unsigned)own;
	}
	for (unsigned i = 0; i < c->nchildren; i++)
		for (unsigned j = 0; xy__has_workers(c->children[i]) && j < c->children[i]->nworkers; j++) {
			unsigned w = c->children[i]->workers[j];

			c->nworkers += rules->worker_marks[w] != rules->mark;
			rules->worker_marks[w] = rules->mark;
			least = w < least ? w : least;
		}
	free(c->workers);
	c->workers = malloc((c->nworkers ? c->nworkers : 1) * sizeof(*c->workers));
	if (!c->workers)
		return -ENOMEM;
	for (unsigned w = least, n = 0; n < c->nworkers; w++) /* not from 0: with many workers that takes long */
		if (rules->worker_marks[w] == rules->mark) {
			c->workers[n++] = w;
			c->archs |= 1u << xy_machine_worker(machine, w)->arch;
		}
	return 0;
}

/* The workers of a component with nothing but teams below it: all their members. */
static int seal_members(struct xy__rules *rules, struct xy_component *c)
{
	unsigned nworkers = xy_machine_nworkers(rules->tree->machine);

	rules->mark++;
	for (unsigned i = 0; i < c->nteams; i++)
		for (unsigned j = 0; j < c->teams[i]->nmembers; j++) {
			unsigned w = c->teams[i]->members[j];

			c->nworkers += rules->worker_marks[w] != rules->mark;
			rules->worker_marks[w] = rules->mark;
		}
	free(c->workers);
	c->workers = malloc(c->nworkers * sizeof(*c->workers));
	if (!c->workers)
		return -ENOMEM;
	for (unsigned w = 0, n = 0; w < nworkers && n < c->nworkers; w++)
		if (rules->worker_marks[w] == rules->mark)
			c->workers[n++] = w;
	return 0;
}

/* The teams of all children, each once. */
static int seal_teams(struct xy__rules *rules, struct xy_component *c)
{
	const struct xy__team_set *set = xy__leaf_team(c);
	unsigned most = set ? 1 : 0;

	c->nmembers = set ? set->count : 0;
	c->members = set ? set->members : NULL;
	c->nteams = 0;
	for (unsigned i = 0; i < c->nchildren; i++)
		most += c->children[i]->nteams;
	free(c->teams);
	c->teams = most ? malloc(most * sizeof(*c->teams)) : NULL;
	if (!most || !c->teams)
		return most ? -ENOMEM : 0;
	if (set)
		c->teams[c->nteams++] = c;
	rules->mark++;
	for (unsigned i = 0; i < c->nchildren; i++)
		for (unsigned j = 0; j < c->children[i]->nteams; j++) {
			struct xy_component *team = c->children[i]->teams[j];

			if (rules->marks[team->id] != rules->mark)
				c->teams[c->nteams++] = team;
			rules->marks[team->id] = rules->mark;
		}
	c->archs |= XY_ON_TEAM;
	return xy__has_workers(c) ? 0 : seal_members(rules, c);
}

/* Parents come before children. */
static void seal_from_above(struct xy_component *c)
{
	bool answers = c->ops->pull && !(c->ops->passes_pulls && c->ops->passes_pulls(c));
	bool ends = answers || c->nparents != 1;

	c->predicted = false;
	for (unsigned i = 0; i < c->nparents; i++)
		c->predicted |= c->parents[i]->predicted || (c->parents[i]->ops->flags & XY_PREDICTS);
	c->source = ends ? c : c->parents[0]->source;
	c->looker = c->ops->passed ? c : ends ? NULL : c->parents[0]->looker;
	c->looks_at_all = (c->ops->passed && !(c->ops->flags & XY_CHOOSES)) || (!ends && c->parents[0]->looks_at_all);
}

static void seal_takes_pushes(struct xy_component *c)
{
	unsigned flags = c->ops->flags;

	c->takes_pushes = ((flags & XY_STORES) && !(flags & XY_LEAF)) || (flags & XY_DECIDES) || xy__is_team(c);
	for (unsigned i = 0; i < c->nchildren; i++)
		c->takes_pushes |= c->children[i]->takes_pushes;
}

/* Checks everything; 0, -EINVAL with the message written, or -ENOMEM. */
static int seal_check(struct xy__rules *rules)
{
	int rc = 0;

	xy__rules_check_shape(rules);
	if (!rules->norder || rules->norder < rules->tree->ncomponents)
		return -EINVAL;
	if (!seal_levels(rules))
		return -EINVAL;
	memset(rules->marks, 0, rules->tree->ncomponents * sizeof(*rules->marks));
	for (unsigned i = rules->norder; !rc && i-- > 0;) {
		rc = seal_workers(rules, rules->order[i]);
		if (!rc)
			rc = seal_teams(rules, rules->order[i]);
		seal_takes_pushes(rules->order[i]);
	}
	for (unsigned i = 0; i < rules->norder; i++)
		seal_from_above(rules->order[i]);
	if (!rc)
		rc = xy__rules_check_flow(rules);
	return rc ? rc : rules->nfaults ? -EINVAL : 0;
}

static int seal_shards(struct xy_component *c)
{
	size_t size = c->tree->nshards * sizeof(*c->shards);

	free(c->shards);
	c->shards = aligned_alloc(64, size);
	if (!c->shards)
		return -ENOMEM;
	memset(c->shards, 0, size);
	return 0;
}

static void seal_undo(const struct xy__rules *rules, unsigned done)
{
	while (done < rules->norder) {
		struct xy_component *c = rules->order[done++];

		if (c->ops->fini)
			c->ops->fini(c);
	}
}

/* Names the settings from which a component has its options: one of them may be what is wrong. */
static void seal_say_settings(struct xy__rules *rules, const struct xy_component *c)
{
	const char *before = " (set by ";

	for (const struct xy__default *d = xy__registry_defaults(rules->tree->registry); d && d->component; d++) {
		const struct xy_option *option = strcmp(d->component, c->ops->name)
							 ? NULL
							 : xy__option_find(c->ops, d->option, strlen(d->option));

		if (!option || option->type != XY_OPTION_TEXT || strcmp(xy__option_text(c, option), d->value))
			continue;
		xy__message_add(rules->error, "%s%s", before, d->from);
		before = ", ";
	}
	if (*before == ',')
		xy__message_add(rules->error, ")");
}

static int seal_init(struct xy__rules *rules)
{
	char name[XY__COMPONENT_NAME];
	unsigned i;
	int rc = 0;

	for (i = 0; !rc && i < rules->norder; i++)
		rc = seal_shards(rules->order[i]);
	if (!rc)
		rc = xy__hooks_seal(rules->tree);
	if (rc)
		return rc;
	for (i = rules->norder; i-- > 0;) {
		struct xy_component *c = rules->order[i];

		rc = c->ops->init ? c->ops->init(c) : 0;
		if (!rc)
			continue;
		if (rc != -ENOMEM) {
			xy__message_add(rules->error, "%s can't be set up: %s", xy__component_name(c, name),
					*rules->tree->why ? rules->tree->why : strerror(-rc));
			seal_say_settings(rules, c);
		}
		*rules->tree->why = '\0';
		seal_undo(rules, i + 1);
		return rc;
	}
	return 0;
}

/* Whether the teams are known, if there are parallel-workers. */
static bool seal_knows_teams(struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->ncomponents; i++)
		if (xy__is_team(tree->components[i]))
			return xy__tree_teams(tree);
	return true;
}

static int seal(struct xy__rules *rules)
{
	struct xy_tree *tree = rules->tree;
	unsigned n = tree->ncomponents;
	int rc = -ENOMEM;

	rules->order = malloc((n + 1) * sizeof(*rules->order));
	rules->marks = calloc(n + 1, sizeof(*rules->marks));
	rules->worker_marks = calloc(xy_machine_nworkers(tree->machine) + n + 1, sizeof(*rules->worker_marks));
	if (rules->order && rules->marks && rules->worker_marks && seal_knows_teams(tree))
		rc = seal_check(rules);
	if (!rc) {
		tree->root = rules->order[0];
		rc = seal_init(rules);
	}
	if (!rc && xy__audit_always) {
		rc = xy__audit_begin(tree);
		if (rc)
			seal_undo(rules, 0);
	}
	if (rc)
		tree->root = NULL;
	else
		tree->sealed = true;
	free(rules->order);
	free(rules->marks);
	free(rules->worker_marks);
	return rc;
}

int xy_tree_seal(struct xy_tree *tree, char *error, size_t error_size)
{
	struct xy__message message;
	struct xy__rules rules = { .tree = tree, .error = &message };
	int rc;

	xy__message_init(&message, error, error_size);
	if (!tree) {
		xy__message_add(&message, "the tree is NULL");
		return -EINVAL;
	}
	if (tree->sealed) {
		xy__message_add(&message, "the tree is sealed already");
		return -EBUSY;
	}
	*tree->why = '\0';
	tree->fault = 0;
	rc = seal(&rules);
	if (rc == -ENOMEM)
		xy__message_add(&message, "%sno memory to seal the tree", rules.nfaults ? "\n" : "");
	return rc;
}
