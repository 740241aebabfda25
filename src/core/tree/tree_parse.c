/* SPDX-License-Identifier: MIT */
/*
 * From a policy's name, an expression or @file to a tree: repeats the stages of an expression for
 * the workers of the machine. Invariant: `ends` are the components below which the next stage goes;
 * they are none when every branch so far has ended in a worker.
 */
#include "core/tree/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/expression.h"
#include "core/tree/option.h"
#include "core/tree/registry.h"
#include "core/tree/tree_parts.h"

struct ends {
	struct xy_component **at;
	unsigned count, capacity;
	bool top; /* nothing has been added yet: what comes next is the root */
};

/* Workers that an `each` goes over. */
struct scope {
	unsigned *workers;
	unsigned count;
	unsigned team; /* with each team: which one the workers are */
};

/* What a name stands for: the components that get linked below what is above it, and its open ends. */
struct xy__built {
	struct xy__built *next;
	struct ends heads, ends;
};

struct builder {
	struct xy_tree *tree;
	struct xy__expression *x;
	unsigned nlinks;
	struct xy__built *built; /* all that were made */
	struct ends *heads;      /* those of the name that is being defined; NULL: none is */
};

static int build_chain(struct builder *b, const struct xy__stage *stage, const struct scope *scope, struct ends *ends,
		       const char *label);

/* --- errors --- */

static int builder_complain(struct builder *b, const struct xy__stage *stage, int rc, const char *sentence)
{
	if (rc == -ENOMEM) {
		xy__message_add(b->x->error, "no memory for the tree");
		return rc;
	}
	xy__expression_complain(b->x, stage->at);
	xy__message_add(b->x->error, "%s", sentence);
	return xy__expression_point(b->x, stage->at, rc);
}

static int complain_link(struct builder *b, const struct xy__stage *stage, int rc, const struct xy_component *parent,
			 const struct xy_component *child)
{
	char above[XY__COMPONENT_NAME], below[XY__COMPONENT_NAME];
	bool linked = false;

	if (rc != -EEXIST)
		return builder_complain(b, stage, rc, "this can't be linked to the component above it");
	for (unsigned i = 0; i < child->nparents; i++)
		linked |= child->parents[i] == parent;
	xy__component_name(parent, above);
	xy__expression_complain(b->x, stage->at);
	if (linked)
		xy__message_add(b->x->error, "%s is below %s already", xy__component_name(child, below), above);
	else
		xy__message_add(b->x->error, "%s has a branch with this label already", above);
	return xy__expression_point(b->x, stage->at, -EINVAL);
}

static int complain_value(struct builder *b, const struct xy__setting *s, int rc)
{
	char what[100];

	if (rc == -ENOMEM)
		return builder_complain(b, NULL, rc, NULL);
	xy__option_describe(s->option, what, sizeof(what));
	xy__expression_complain(b->x, s->at);
	xy__message_add(b->x->error, "%s is %s, not %.40s", s->option->name, what, s->value);
	return xy__expression_point(b->x, s->at, -EINVAL);
}

/* --- ends --- */

static int ends_add(struct ends *ends, struct xy_component *c)
{
	if (ends->count == ends->capacity) {
		unsigned capacity = ends->capacity ? 2 * ends->capacity : 4;
		struct xy_component **at = realloc(ends->at, capacity * sizeof(*at));

		if (!at)
			return -ENOMEM;
		ends->at = at;
		ends->capacity = capacity;
	}
	ends->at[ends->count++] = c;
	ends->top = false;
	return 0;
}

static int ends_add_all(struct ends *ends, const struct ends *more)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < more->count; i++)
		rc = ends_add(ends, more->at[i]);
	return rc;
}

/* Adds the ends of one branch to those of the branches before, which a name can have in common. */
static int ends_join(const struct builder *b, struct ends *ends, const struct ends *more)
{
	unsigned before = ends->count;
	int rc = 0;

	if (!b->built)
		return ends_add_all(ends, more);
	for (unsigned i = 0, j; !rc && i < more->count; i++) {
		for (j = 0; j < before && ends->at[j] != more->at[i];)
			j++;
		if (j == before)
			rc = ends_add(ends, more->at[i]);
	}
	return rc;
}

/* --- stages --- */

static int link_all(struct builder *b, const struct xy__stage *stage, const struct ends *ends,
		    struct xy_component *child, const char *label)
{
	if (ends->top && b->heads && ends_add(b->heads, child))
		return builder_complain(b, stage, -ENOMEM, NULL);
	for (unsigned i = 0; i < ends->count; i++) {
		int rc = xy_tree_link_labelled(ends->at[i], child, label);

		if (rc)
			return complain_link(b, stage, rc, ends->at[i], child);
		if (++b->nlinks > XY__MAX_LINKS)
			return builder_complain(b, stage, -EINVAL,
						"the tree gets more links than the "
						"1048576 that are the limit");
	}
	return 0;
}

static int apply_settings(struct builder *b, const struct xy__stage *stage, struct xy_component *c)
{
	for (const struct xy__setting *s = stage->settings; s; s = s->next) {
		int rc = xy__option_set(c, s->option, s->value ? s->value : "true");

		if (rc)
			return complain_value(b, s, rc);
	}
	return 0;
}

static int complain_leaf(struct builder *b, const struct xy__stage *stage, const char *what, unsigned count)
{
	char sentence[120];

	if (count)
		snprintf(sentence, sizeof(sentence), "no such %s: the machine has the %ss 0 to %u", what, what,
			 count - 1);
	else
		snprintf(sentence, sizeof(sentence), "no such %s: the machine has none", what);
	return builder_complain(b, stage, -EINVAL, sentence);
}

/* The leaf that `worker(id=3)` or `parallel-worker(id=3)` names. */
static int build_leaf(struct builder *b, const struct xy__stage *stage, struct xy_component **leaf)
{
	bool alone = !strcmp(stage->ops->name, XY__WORKER_NAME);
	const struct xy__tree_teams *teams = alone ? NULL : xy__tree_teams(b->tree);
	unsigned count = alone ? xy_machine_nworkers(b->tree->machine) : teams ? teams->count : 0;
	const struct xy__setting *s = stage->settings;
	double id = -1;

	if (!alone && !teams)
		return builder_complain(b, stage, -ENOMEM, NULL);
	while (s && strcmp(s->option->name, "id"))
		s = s->next;
	if (!s)
		return builder_complain(b, stage, -EINVAL,
					alone ? "a worker needs its number: worker(id=0)"
					      : "a parallel-worker needs its number: parallel-worker(id=0)");
	if (s->value)
		id = strtod(s->value, NULL);
	if (!(id >= 0 && id < count) || strspn(s->value, "0123456789") != strlen(s->value))
		return complain_leaf(b, stage, alone ? "worker" : "team", count);
	*leaf = alone ? xy_tree_worker(b->tree, (unsigned)id) : xy_tree_team(b->tree, (unsigned)id);
	if (!*leaf && alone && !xy__tree_has(b->tree, (unsigned)id))
		return builder_complain(b, stage, -ENODEV, "this worker is not present");
	return *leaf ? 0 : builder_complain(b, stage, -ENOMEM, NULL);
}

static int build_component(struct builder *b, const struct xy__stage *stage, struct xy_component **c)
{
	int rc = 0;

	if (!strcmp(stage->ops->name, XY__WORKER_NAME) || !strcmp(stage->ops->name, XY__TEAM_NAME)) {
		rc = build_leaf(b, stage, c);
	} else {
		*c = xy_tree_add(b->tree, stage->ops);
		if (!*c && b->tree->ncomponents == XY__MAX_COMPONENTS)
			rc = builder_complain(b, stage, -EINVAL,
					      "the tree gets more components than the "
					      "1048576 that are the limit");
		else if (!*c)
			rc = builder_complain(b, stage, -ENOMEM, NULL);
	}
	return rc ? rc : apply_settings(b, stage, *c);
}

/* The branches below what is above; ends become the open ends of all of them. */
static int build_branches(struct builder *b, const struct xy__stage *stage, const struct scope *scope,
			  const struct ends *above, struct ends *ends)
{
	int rc = 0;

	for (const struct xy__branch *branch = stage->branches; !rc && branch; branch = branch->next) {
		struct ends below = { 0 };

		if (ends_add_all(&below, above))
			rc = builder_complain(b, stage, -ENOMEM, NULL);
		if (!rc)
			rc = build_chain(b, branch->stages, scope, &below, branch->label);
		if (!rc && ends_join(b, ends, &below))
			rc = builder_complain(b, stage, -ENOMEM, NULL);
		free(below.at);
	}
	return rc;
}

static int build_component_stage(struct builder *b, const struct xy__stage *stage, const struct scope *scope,
				 struct ends *ends, const char *label)
{
	struct xy_component *c = NULL;
	int rc = build_component(b, stage, &c);

	if (!rc)
		rc = link_all(b, stage, ends, c, label);
	if (rc)
		return rc;
	ends->count = 0;
	ends->top = false;
	if (c->ops->flags & XY_LEAF)
		return stage->branches ? builder_complain(b, stage, -EINVAL, "a leaf has nothing below it") : 0;
	if (stage->branches)
		return build_branches(b, stage, scope, &(struct ends){ .at = &c, .count = 1 }, ends);
	return ends_add(ends, c) ? builder_complain(b, stage, -ENOMEM, NULL) : 0;
}

/* --- names and policies --- */

/* Builds the sub-tree of a name. */
static int build_let(struct builder *b, struct xy__let *let, const struct scope *scope)
{
	struct ends *outer = b->heads;
	struct xy__built *built = let->built;
	int rc;

	if (!built) {
		built = let->built = calloc(1, sizeof(*built));
		if (!built)
			return builder_complain(b, NULL, -ENOMEM, NULL);
		built->next = b->built;
		b->built = built;
	}
	/* inside an `each` it is built again for each round */
	built->heads.count = built->ends.count = 0;
	built->ends.top = true;
	b->heads = &built->heads;
	rc = build_chain(b, let->stages, scope, &built->ends, NULL);
	b->heads = outer;
	return rc;
}

static void free_built(struct builder *b)
{
	while (b->built) {
		struct xy__built *next = b->built->next;

		free(b->built->heads.at);
		free(b->built->ends.at);
		free(b->built);
		b->built = next;
	}
}

/* A name: what it stands for gets one parent more. */
static int build_reference(struct builder *b, const struct xy__stage *stage, const struct scope *scope,
			   struct ends *ends, const char *label)
{
	const struct xy__built *built = stage->named->built;
	int rc = 0;

	for (unsigned i = 0; !rc && i < built->heads.count; i++)
		rc = link_all(b, stage, ends, built->heads.at[i], label);
	ends->count = 0;
	ends->top = false;
	if (rc)
		return rc;
	if (stage->branches && !built->ends.count)
		return builder_complain(b, stage, -EINVAL, "nothing can be below this: it ends in a worker");
	if (stage->branches)
		return build_branches(b, stage, scope, &built->ends, ends);
	return ends_add_all(ends, &built->ends) ? builder_complain(b, stage, -ENOMEM, NULL) : 0;
}

static int build_policy(struct builder *b, const struct xy__stage *stage, const struct scope *scope, struct ends *ends,
			const char *label)
{
	struct xy__expression *outer = b->x;
	int rc;

	b->x = stage->policy;
	rc = build_chain(b, stage->policy->stages, scope, ends, label);
	b->x = outer;
	return rc;
}

/* --- each --- */

/* Whether worker w belongs to the group that begins with worker first. */
static bool same_group(const struct builder *b, enum xy__each each, unsigned first, unsigned w)
{
	const struct xy_machine *machine = b->tree->machine;

	return each == XY__EACH_WORKER ? first == w
				       : xy__each_group(machine, each, first) == xy__each_group(machine, each, w);
}

/* One round of an each: its tree for the workers of a group, with the leaf of a worker or a team below. */
static int build_round(struct builder *b, const struct xy__stage *stage, const struct scope *group,
		       const struct ends *above, struct ends *ends)
{
	struct ends below = { .top = above->top };
	struct xy_component *leaf;
	int rc = 0;

	if (ends_add_all(&below, above))
		rc = builder_complain(b, stage, -ENOMEM, NULL);
	if (!rc && stage->branches)
		rc = build_chain(b, stage->branches->stages, group, &below, NULL);
	if (!rc && stage->each <= XY__EACH_TEAM && (below.count || below.top)) {
		leaf = stage->each == XY__EACH_WORKER ? xy_tree_worker(b->tree, group->workers[0])
						      : xy_tree_team(b->tree, group->team);
		rc = leaf ? link_all(b, stage, &below, leaf, NULL) : builder_complain(b, stage, -ENOMEM, NULL);
	} else if (!rc && ends_join(b, ends, &below)) {
		rc = builder_complain(b, stage, -ENOMEM, NULL);
	}
	free(below.at);
	return rc;
}

/* Whether all workers of a team are in the scope; both are in rising order. */
static bool scope_has_team(const struct scope *scope, const struct xy__team_set *set)
{
	unsigned at = 0, found = 0;

	while (at < scope->count && found < set->count)
		found += scope->workers[at++] == set->members[found];
	return found == set->count;
}

static int build_each_team(struct builder *b, const struct xy__stage *stage, const struct scope *scope,
			   struct ends *ends)
{
	const struct xy__tree_teams *teams = xy__tree_teams(b->tree);
	struct ends above = *ends;
	int rc = teams ? 0 : builder_complain(b, stage, -ENOMEM, NULL);

	*ends = (struct ends){ 0 };
	for (unsigned i = 0; !rc && i < teams->count; i++) {
		struct scope group = { teams->sets[i].members, teams->sets[i].count, i };

		if (scope_has_team(scope, &teams->sets[i]))
			rc = build_round(b, stage, &group, &above, ends);
	}
	free(above.at);
	return rc;
}

static int build_each(struct builder *b, const struct xy__stage *stage, const struct scope *scope, struct ends *ends)
{
	struct ends above = *ends;
	struct scope group = { 0 };
	bool *done = calloc(scope->count, sizeof(*done));
	int rc = 0;

	*ends = (struct ends){ 0 };
	group.workers = malloc(scope->count * sizeof(*group.workers));
	if (!done || !group.workers)
		rc = builder_complain(b, stage, -ENOMEM, NULL);
	for (unsigned i = 0; !rc && i < scope->count; i++) {
		if (done[i])
			continue;
		group.count = 0;
		for (unsigned j = i; j < scope->count; j++)
			if (same_group(b, stage->each, scope->workers[i], scope->workers[j])) {
				group.workers[group.count++] = scope->workers[j];
				done[j] = true;
			} else if (stage->each == XY__EACH_WORKER) {
				break;
			}
		rc = build_round(b, stage, &group, &above, ends);
	}
	free(group.workers);
	free(done);
	free(above.at);
	return rc;
}

/* The stages of a tree, each below the ends of the one before. */
static int build_chain(struct builder *b, const struct xy__stage *stage, const struct scope *scope, struct ends *ends,
		       const char *label)
{
	int rc = 0;

	for (struct xy__let *let = stage->lets; !rc && let; let = let->next)
		rc = build_let(b, let, scope);
	for (; !rc && stage; stage = stage->next, label = NULL) {
		if (!ends->count && !ends->top)
			return builder_complain(b, stage, -EINVAL,
						"nothing can be below this place: "
						"everything above it ends in a worker");
		if (stage->each == XY__EACH_TEAM)
			rc = build_each_team(b, stage, scope, ends);
		else if (stage->each)
			rc = build_each(b, stage, scope, ends);
		else if (stage->named)
			rc = build_reference(b, stage, scope, ends, label);
		else if (stage->policy)
			rc = build_policy(b, stage, scope, ends, label);
		else
			rc = build_component_stage(b, stage, scope, ends, label);
	}
	return rc;
}

int xy__tree_build(struct xy_tree *tree, const char *expression, size_t length, const char *origin,
		   struct xy__message *error)
{
	struct xy__expression x = {
		.text = expression, .length = length, .origin = origin, .registry = tree->registry, .error = error
	};
	struct builder b = { .tree = tree, .x = &x };
	struct ends ends = { .top = true };
	struct scope all = { .count = 0 };
	int rc = xy__expression_read(&x);

	if (rc)
		goto out;
	all.workers = malloc(tree->nworkers * sizeof(*all.workers));
	if (!all.workers) {
		rc = builder_complain(&b, NULL, -ENOMEM, NULL);
		goto out;
	}
	for (unsigned i = 0; all.count < tree->nworkers; i++)
		if (xy__tree_has(tree, i))
			all.workers[all.count++] = i;
	rc = build_chain(&b, x.stages, &all, &ends, NULL);
	free_built(&b);
	free(all.workers);
	free(ends.at);
out:
	xy__expression_fini(&x);
	return rc;
}
