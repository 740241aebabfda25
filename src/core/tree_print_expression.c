/* SPDX-License-Identifier: MIT */
/*
 * A tree as an expression: finds the folds (`each`) and joins (`a { b, c } | d`) that make it. What
 * comes out is read again and compared, so an expression that is printed is right; a shape that has
 * none is refused.
 */
#include "core/tree_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/expression.h"

enum { CANDIDATES = 256 };   /* places where branches could meet that are looked at, per component */

/* An ordered list of components. */
struct list {
	struct xy_component *const *at;
	unsigned count;
};

struct scope {
	const unsigned *workers;
	unsigned count;
};

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

static bool print_stage(struct printer *p, const struct xy_component *c, struct scope scope,
			struct list stop);

static struct list children(const struct xy_component *c)
{
	return (struct list){ c->children, c->nchildren };
}

static bool same_list(struct list a, struct list b)
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

static bool has_worker(struct scope scope, unsigned worker)
{
	unsigned low = 0, high = scope.count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (scope.workers[middle] < worker)
			low = middle + 1;
		else
			high = middle;
	}
	return low < scope.count && scope.workers[low] == worker;
}

static bool has_team(struct scope scope, const struct xy__team_set *set)
{
	unsigned i = 0;

	while (i < set->count && has_worker(scope, set->members[i]))
		i++;
	return i == set->count;
}

/* The node or architecture of a worker. */
static unsigned group_of(const struct xy_component *c, unsigned worker, enum xy__each each)
{
	const struct xy_worker_info *info = xy_machine_worker(c->tree->machine, worker);

	return each == XY__EACH_NODE ? info->node : (unsigned)info->arch;
}

/* Whether each head has exactly the workers of one group, in order of the groups' first workers. */
static bool splits_groups(struct list heads, struct scope scope, enum xy__each each)
{
	unsigned count = 0;

	for (unsigned i = 0; i < heads.count; i++) {
		const struct xy_component *head = heads.at[i];
		unsigned group;

		if (!xy__has_workers(head))
			return false;
		group = group_of(head, head->workers[0], each);
		for (unsigned j = 0; j < i; j++)
			if (group == group_of(head, heads.at[j]->workers[0], each))
				return false;
		if (i && heads.at[i - 1]->workers[0] >= head->workers[0])
			return false;
		for (unsigned j = 0; j < head->nworkers; j++)
			if (group_of(head, head->workers[j], each) != group ||
			    !has_worker(scope, head->workers[j]))
				return false;
		count += head->nworkers;
	}
	return count == scope.count;
}

static bool splits_workers(struct list heads, struct scope scope)
{
	if (heads.count != scope.count)
		return false;
	for (unsigned i = 0; i < heads.count; i++)
		if (heads.at[i]->nworkers != 1 || heads.at[i]->workers[0] != scope.workers[i])
			return false;
	return true;
}

/* How many teams are made up of workers of the scope. */
static unsigned count_teams(const struct xy_tree *tree, struct scope scope)
{
	unsigned count = 0;

	for (unsigned i = 0; tree->teams && i < tree->teams->count; i++)
		count += has_team(scope, &tree->teams->sets[i]);
	return count;
}

/* Whether the heads lead to the teams of the scope, one each, in order. */
static bool splits_teams(struct list heads, struct scope scope)
{
	const struct xy__tree_teams *teams = heads.at[0]->tree->teams;
	unsigned done = 0;

	for (unsigned i = 0; teams && i < teams->count && done <= heads.count; i++) {
		if (!has_team(scope, &teams->sets[i]))
			continue;
		if (done == heads.count || xy__has_workers(heads.at[done]) || heads.at[done]->nteams != 1 ||
		    heads.at[done]->teams[0] != teams->leaves[i])
			return false;
		done++;
	}
	return done == heads.count;
}

static bool splits(struct list heads, struct scope scope, enum xy__each each)
{
	const struct xy_machine *machine = heads.at[0]->tree->machine;

	switch (each) {
	case XY__EACH_WORKER:
		return splits_workers(heads, scope);
	case XY__EACH_TEAM:
		return splits_teams(heads, scope);
	case XY__EACH_NODE:
		return heads.count > 1 && heads.count <= xy_machine_nnodes(machine) &&
		       splits_groups(heads, scope, each);
	case XY__EACH_ARCH:
		return heads.count > 1 && heads.count <= XY_NARCH && splits_groups(heads, scope, each);
	case XY__EACH_NONE:
		break;
	}
	return false;
}

static bool print_body(struct printer *p, const struct xy_component *head, enum xy__each each)
{
	struct scope scope = { head->workers, head->nworkers };
	struct list stop = { 0 };

	if (is_leaf(head))
		return each <= XY__EACH_TEAM;
	if (each == XY__EACH_WORKER)
		stop = (struct list){ &head->tree->leaves[head->workers[0]], 1 };
	if (each == XY__EACH_TEAM)
		stop = (struct list){ &head->teams[0], 1 };
	xy__buffer_add(p->out, "%s", " ");
	return print_stage(p, head, scope, stop);
}

/* Writes one `each` for all heads if they are alike, else nothing. */
static bool print_each(struct printer *p, struct list heads, struct scope scope, enum xy__each each)
{
	struct place before = here(p);
	size_t begin, length;

	if (!p->fold || !splits(heads, scope, each))
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

static bool print_any_each(struct printer *p, struct list heads, struct scope scope)
{
	for (unsigned each = XY__EACH_WORKER; each <= XY__EACH_ARCH; each++)
		if (print_each(p, heads, scope, each))
			return true;
	return false;
}

/* --- joins --- */

static bool in_list(struct list list, const struct xy_component *c)
{
	for (unsigned i = 0; i < list.count; i++)
		if (list.at[i] == c)
			return true;
	return false;
}

/* Whether everything from c down stays in its branch or goes on to the join; counts the ways there.
 * Marks from `first` on are those of the branches before. */
static bool leads_to_join(struct printer *p, const struct xy_component *c, struct list join,
			  struct list stop, uint64_t first, unsigned *open)
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

static bool splits_somehow(struct list list, struct scope scope)
{
	for (unsigned each = XY__EACH_WORKER; each <= XY__EACH_ARCH; each++)
		if (splits(list, scope, each))
			return true;
	return false;
}

static bool is_join(struct printer *p, struct list heads, struct list join, struct list stop,
		    struct scope scope)
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
static unsigned find_candidates(struct printer *p, struct list heads, const struct xy_component **found)
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
static struct list find_join(struct printer *p, struct list heads, struct list stop, struct scope scope)
{
	const struct xy_component *found[CANDIDATES];
	unsigned count = find_candidates(p, heads, found);

	for (unsigned i = 0; i < count; i++)
		if (is_join(p, heads, children(found[i]), stop, scope))
			return children(found[i]);
	return (struct list){ 0 };
}

/* --- stages --- */

/* The stage below ends that have these children. */
static bool print_next(struct printer *p, struct list list, struct scope scope, struct list stop)
{
	xy__buffer_add(p->out, " | ");
	if (list.count == 1 && !is_leaf(list.at[0]))
		return print_stage(p, list.at[0], scope, stop);
	return print_any_each(p, list, scope) ||
	       (list.count == 1 && print_stage(p, list.at[0], scope, stop));
}

/* The branches from the first on that one `each` stands for, written as that; 0 if there are none. */
static unsigned print_run(struct printer *p, const struct xy_component *c, unsigned first, struct scope scope,
			  enum xy__each each)
{
	struct list run = { c->children + first, each == XY__EACH_WORKER ? scope.count : count_teams(c->tree, scope) };

	if (run.count < 1 + (each == XY__EACH_WORKER) || first + run.count > c->nchildren)
		return 0;
	return print_each(p, run, scope, each) ? run.count : 0;
}

/* One branch, or a run of them that an `each` makes; says how many. 0: not possible. */
static unsigned print_branch(struct printer *p, const struct xy_component *c, unsigned first,
			     struct scope scope, struct list stop)
{
	const char *label = label_below(c, c->children[first]);
	unsigned run = label ? 0 : print_run(p, c, first, scope, XY__EACH_WORKER);

	if (label)
		xy__buffer_add(p->out, "%s: ", label);
	else if (!run)
		run = print_run(p, c, first, scope, XY__EACH_TEAM);
	return run ? run : print_stage(p, c->children[first], scope, stop);
}

static bool print_branches(struct printer *p, const struct xy_component *c, struct scope scope,
			   struct list stop)
{
	struct list join = find_join(p, children(c), stop, scope);
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
static bool may_fold(const struct xy_component *c, struct list stop)
{
	if (stop.count == 1 && is_leaf(stop.at[0]))
		return false;   /* in an `each worker` already */
	for (unsigned i = 0; i < c->nchildren; i++)
		if (label_below(c, c->children[i]))
			return false;
	return c->nchildren > 1 || (c->ops->flags & XY_MAPS) || is_leaf(c->children[0]);
}

static bool print_below(struct printer *p, const struct xy_component *c, struct scope scope,
			struct list stop)
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
static bool print_stage(struct printer *p, const struct xy_component *c, struct scope scope,
			struct list stop)
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
	struct scope all = { tree->root->workers, tree->root->nworkers };
	struct place start = { 0 };
	int rc = 0;

	if (print_stage(p, tree->root, all, (struct list){ 0 }) && !p->out->failed)
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
