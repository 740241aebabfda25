/* SPDX-License-Identifier: MIT */
/*
 * A tree as a drawing for people. Neighbours that are alike down to their workers are drawn once: a line represents a
 * set of components ("copies") at the same place in such subtrees, and its counters are their sums.
 */
#include "core/tree/tree_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct drawing {
	const struct xy_tree *tree;
	struct xy__buffer *out;
	unsigned flags;
	bool *drawn;                         /* by component */
	uint64_t *marks, mark;               /* by component, for describe: set if it equals `mark` */
	const struct xy_component **visited; /* what describe has visited, in order */
	unsigned nvisited;
	bool *named;              /* by worker */
	struct xy__buffer prefix; /* prefix of the lines below */
	bool failed;
};

/* Components represented by one line. */
struct copies {
	struct xy_component **at;
	unsigned count;
};

static bool is_leaf(const struct xy_component *c)
{
	return c->ops->flags & XY_LEAF;
}

/* --- what is alike --- */

/* Which of the head's workers, or of its teams, a leaf is. */
static unsigned rank_of(const struct xy_component *leaf, const struct xy_component *head)
{
	unsigned rank = 0;

	if (leaf->nmembers)
		while (rank < head->nteams && leaf != head->teams[rank])
			rank++;
	else
		while (rank < head->nworkers && leaf->workers[0] != head->workers[rank])
			rank++;
	return rank;
}

static void describe_below(struct drawing *d, const struct xy_component *c, const struct xy_component *head,
			   struct xy__buffer *out)
{
	if (is_leaf(c)) {
		xy__buffer_add(out, "%s@%u/%u", c->ops->name, rank_of(c, head), c->nmembers);
		return;
	}
	if (d->marks[c->id] == d->mark) {
		unsigned i = 0;

		while (d->visited[i] != c)
			i++;
		xy__buffer_add(out, "^%u", i);
		return;
	}
	d->marks[c->id] = d->mark;
	d->visited[d->nvisited++] = c;
	xy__buffer_add(out, "%s:%s", c->label ? c->label : "", c->ops->name);
	xy__print_options(c, out, false);
	for (unsigned i = 0; i < c->nchildren; i++) {
		xy__buffer_add(out, i ? "," : "{");
		describe_below(d, c->children[i], head, out);
	}
	xy__buffer_add(out, "}");
}

/* Writes what makes subtrees alike: all about them, with workers by their rank. Nothing for one of
 * which an inner part hangs below something outside. */
static void describe(struct drawing *d, const struct xy_component *head, struct xy__buffer *out)
{
	d->mark++;
	d->nvisited = 0;
	xy__buffer_cut(out, 0);
	describe_below(d, head, head, out);
	for (unsigned i = 1; i < d->nvisited; i++)
		for (unsigned j = 0; j < d->visited[i]->nparents; j++)
			if (d->marks[d->visited[i]->parents[j]->id] != d->mark) {
				xy__buffer_cut(out, 0);
				return;
			}
}

/* How many children from the first on are alike. */
static unsigned count_alike(struct drawing *d, const struct xy_component *c, unsigned first)
{
	struct xy__buffer one = { 0 }, other = { 0 };
	unsigned end = first + 1;

	describe(d, c->children[first], &one);
	while (end < c->nchildren && one.length && d->drawn[c->children[end]->id] == d->drawn[c->children[first]->id]) {
		describe(d, c->children[end], &other);
		if (one.failed || other.failed || one.length != other.length || memcmp(one.at, other.at, one.length))
			break;
		end++;
	}
	d->failed |= one.failed || other.failed;
	xy__buffer_fini(&one);
	xy__buffer_fini(&other);
	return end - first;
}

/* --- a line --- */

static void colour(struct drawing *d, const char *code)
{
	if (d->flags & XY_PRINT_COLOUR)
		xy__buffer_add(d->out, "\033[%sm", code);
}

static const char *colour_of(const struct xy_component *c)
{
	return is_leaf(c) ? "32" : c->ops->flags & XY_STORES ? "1;36" : c->ops->flags & XY_MAPS ? "33" : "0";
}

/* "cpu0…cpu3, cuda0": the workers below any of the copies. */
static void draw_workers(struct drawing *d, struct copies copies)
{
	unsigned nworkers = xy_machine_nworkers(d->tree->machine);
	const char *before = " ";

	memset(d->named, 0, nworkers * sizeof(*d->named));
	for (unsigned i = 0; i < copies.count; i++) {
		for (unsigned j = 0; j < copies.at[i]->nworkers; j++)
			d->named[copies.at[i]->workers[j]] = true;
		for (unsigned j = 0; j < copies.at[i]->nteams; j++)
			for (unsigned k = 0; k < copies.at[i]->teams[j]->nmembers; k++)
				d->named[copies.at[i]->teams[j]->members[k]] = true;
	}
	for (unsigned w = 0, end; w < nworkers; w = end) {
		const struct xy_worker_info *info = xy_machine_worker(d->tree->machine, w);

		end = w + 1;
		if (!d->named[w])
			continue;
		while (end < nworkers && d->named[end] && xy_machine_worker(d->tree->machine, end)->arch == info->arch)
			end++;
		xy__buffer_add(d->out, "%s%s", before, info->name);
		if (end - w > 1)
			xy__buffer_add(d->out, "%s%s", end - w > 2 ? "…" : ", ",
				       xy_machine_worker(d->tree->machine, end - 1)->name);
		before = ", ";
	}
}

static void draw_count(struct xy__buffer *out, const char *name, unsigned long long value)
{
	if (value)
		xy__buffer_add(out, " %s %llu", name, value);
}

/* After a tab, which align_counters replaces. */
static void draw_counters(struct drawing *d, struct copies copies)
{
	struct xy_counters sum = { 0 }, one;
	size_t begin;

	for (unsigned i = 0; i < copies.count; i++) {
		xy_component_counters(copies.at[i], &one);
		sum.pushed += one.pushed;
		sum.pulled += one.pulled;
		sum.refused += one.refused;
		sum.woken += one.woken;
		sum.depth += one.depth;
		sum.peak = one.peak > sum.peak ? one.peak : sum.peak;
	}
	xy__buffer_add(d->out, "\t");
	begin = d->out->length;
	draw_count(d->out, "pushed", sum.pushed);
	draw_count(d->out, "pulled", sum.pulled);
	draw_count(d->out, "refused", sum.refused);
	draw_count(d->out, "woken", sum.woken);
	draw_count(d->out, "holds", sum.depth);
	draw_count(d->out, "peak", sum.peak);
	if (d->out->length == begin)
		xy__buffer_add(d->out, " -");
}

static void draw_line(struct drawing *d, struct copies copies, bool multiplied, bool again)
{
	const struct xy_component *c = copies.at[0];

	if (c->label)
		xy__buffer_add(d->out, "%s: ", c->label);
	colour(d, colour_of(c));
	xy__buffer_add(d->out, "%s", c->ops->name);
	colour(d, "0");
	if (copies.count == 1)
		xy__buffer_add(d->out, "#%u", c->id);
	xy__print_options(c, d->out, false);
	if (multiplied && !xy__has_workers(c) && c->nteams == 1)
		xy__buffer_add(d->out, "  × %u teams of %u,", copies.count, c->teams[0]->nmembers);
	else if (multiplied)
		xy__buffer_add(d->out, c->nworkers == 1 && !c->nteams ? "  × %u workers" : "  × %u, workers",
			       copies.count);
	if (multiplied || (is_leaf(c) && copies.count == 1))
		draw_workers(d, copies);
	if (again)
		xy__buffer_add(d->out, "  (drawn above)");
	if ((d->flags & XY_PRINT_COUNTERS) && !again)
		draw_counters(d, copies);
	xy__buffer_add(d->out, "\n");
}

/* --- the tree --- */

static void draw(struct drawing *d, struct copies copies, bool multiplied);

/* Draws the children from `first` on that are alike, of all copies. */
static void draw_children(struct drawing *d, struct copies copies, unsigned first, unsigned count)
{
	bool last = first + count == copies.at[0]->nchildren;
	size_t length = d->prefix.length;
	struct copies below = { .count = copies.count * count };

	below.at = malloc(below.count * sizeof(*below.at));
	if (!below.at) {
		d->failed = true;
		return;
	}
	for (unsigned i = 0, n = 0; i < copies.count; i++)
		for (unsigned j = first; j < first + count; j++)
			below.at[n++] = copies.at[i]->children[j];
	xy__buffer_add(d->out, "%s%s", length ? d->prefix.at : "", last ? "└─ " : "├─ ");
	xy__buffer_add(&d->prefix, last ? "   " : "│  ");
	draw(d, below, count > 1);
	xy__buffer_cut(&d->prefix, length);
	free(below.at);
}

static void draw(struct drawing *d, struct copies copies, bool multiplied)
{
	const struct xy_component *c = copies.at[0];
	bool again = d->drawn[c->id] && !is_leaf(c);

	draw_line(d, copies, multiplied, again);
	for (unsigned i = 0; i < copies.count; i++)
		d->drawn[copies.at[i]->id] = true;
	for (unsigned first = 0, count; !again && first < c->nchildren && !d->failed; first += count) {
		count = count_alike(d, c, first);
		draw_children(d, copies, first, count);
	}
}

/* Columns that a piece of a line takes on a terminal. */
static size_t width(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\033')
			while (text[i] != 'm')
				i++;
		else
			columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	return columns;
}

/* Puts what follows a tab into one column. */
static void align_counters(const char *text, struct xy__buffer *out)
{
	size_t widest = 0, left;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		left = width(line, strcspn(line, "\t\n"));
		if (left > widest)
			widest = left;
	}
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t end = strcspn(line, "\n"), tab = strcspn(line, "\t\n");

		xy__buffer_add(out, "%.*s", (int)tab, line);
		if (tab < end)
			xy__buffer_add(out, "%*s%.*s", (int)(widest - width(line, tab) + 1), "", (int)(end - tab - 1),
				       line + tab + 1);
		xy__buffer_add(out, "\n");
	}
}

int xy__print_drawing(const struct xy_tree *tree, struct xy__buffer *out, unsigned flags)
{
	struct xy__buffer text = { 0 };
	struct drawing d = { .tree = tree, .out = &text, .flags = flags };
	struct xy_component *root = tree->root;

	d.drawn = calloc(tree->ncomponents, sizeof(*d.drawn));
	d.marks = calloc(tree->ncomponents, sizeof(*d.marks));
	d.visited = calloc(tree->ncomponents, sizeof(*d.visited));
	d.named = calloc(xy_machine_nworkers(tree->machine), sizeof(*d.named)); /* a tree may leave some out */
	d.failed = !d.drawn || !d.marks || !d.visited || !d.named;
	if (!d.failed)
		draw(&d, (struct copies){ &root, 1 }, false);
	d.failed |= text.failed || d.prefix.failed;
	if (!d.failed)
		align_counters(text.at, out);
	free(d.drawn);
	free(d.marks);
	free(d.visited);
	free(d.named);
	xy__buffer_fini(&d.prefix);
	xy__buffer_fini(&text);
	return d.failed ? -ENOMEM : 0;
}
