/* SPDX-License-Identifier: MIT */
/* Creating trees and components by calls, and inspecting them. */
#include "core/tree/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/option.h"
#include "core/tree/registry.h"
#include "core/tree/audit.h"
#include "core/tree/tree_parts.h"

enum { LINE = 128 }; /* alignment of instances: nothing of two components shares a cache line pair */

struct xy_tree *xy_tree_create(const struct xy_machine *machine, const struct xy_registry *registry)
{
	struct xy_tree *tree;

	if (!machine)
		return NULL;
	tree = calloc(1, sizeof(*tree));
	if (!tree)
		return NULL;
	tree->machine = machine;
	tree->registry = registry;
	tree->nshards = 1;
	tree->nworkers = xy_machine_nworkers(machine);
	tree->leaves = calloc(xy_machine_nworkers(machine) + 1, sizeof(*tree->leaves));
	if (!tree->leaves) {
		free(tree);
		return NULL;
	}
	return tree;
}

void xy_tree_destroy(struct xy_tree *tree)
{
	if (!tree)
		return;
	for (unsigned i = 0; i < tree->ncomponents; i++)
		if (tree->sealed && tree->components[i]->ops->fini)
			tree->components[i]->ops->fini(tree->components[i]);
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];

		free(c->parents);
		free(c->children);
		free(c->workers);
		free(c->teams);
		free(c->shards);
		free(c);
	}
	xy__audit_end(tree);
	free(tree->components);
	free(tree->leaves);
	free(tree->absent);
	xy__hooks_fini(&tree->hooks);
	xy__ticks_fini(&tree->ticks);
	xy__tree_teams_destroy(tree->teams);
	free(tree);
}

static bool tree_reserve(struct xy_tree *tree)
{
	unsigned capacity = tree->capacity ? 2 * tree->capacity : 16;
	struct xy_component **components;

	if (tree->ncomponents < tree->capacity)
		return true;
	components = realloc(tree->components, capacity * sizeof(*components));
	if (!components)
		return false;
	tree->components = components;
	tree->capacity = capacity;
	return true;
}

/* Options that the environment gives other values than the component does. */
static void tree_set_defaults(struct xy_tree *tree, struct xy_component *c)
{
	for (const struct xy__default *d = xy__registry_defaults(tree->registry); d && d->component; d++) {
		const struct xy_option *option = strcmp(d->component, c->ops->name)
							 ? NULL
							 : xy__option_find(c->ops, d->option, strlen(d->option));
		int error = option ? xy__option_set(c, option, d->value) : 0;

		if (error)
			xy__tree_note(tree, error, "%s: \"%.80s\" can't be the value of %s", d->from, d->value,
				      d->option);
	}
}

struct xy_component *xy_tree_add(struct xy_tree *tree, const struct xy_component_ops *ops)
{
	struct xy_component *c;
	const char *fault;
	size_t size;

	if (!tree || !ops || tree->sealed || tree->ncomponents == XY__MAX_COMPONENTS)
		return NULL;
	fault = xy__component_fault(ops);
	if (fault) {
		xy__tree_note(tree, -EPROTO, "the component \"%s\" %s", ops->name ? ops->name : "", fault);
		return NULL;
	}
	size = (ops->size + LINE - 1) / LINE * LINE;
	c = tree_reserve(tree) ? aligned_alloc(LINE, size) : NULL;
	if (!c) {
		xy__tree_note(tree, -ENOMEM, "no memory for the tree");
		return NULL;
	}
	memset(c, 0, size);
	c->ops = c->verbs = ops;
	c->tree = tree;
	c->id = tree->ncomponents;
	xy__options_reset(c);
	tree_set_defaults(tree, c);
	tree->components[tree->ncomponents++] = c;
	return c;
}

/* Notes that there is no such component. */
static struct xy_component *tree_no_component(struct xy_tree *tree, const char *name)
{
	struct xy__nearest nearest;
	struct xy__message text;
	char suggestion[160];

	xy__message_init(&text, suggestion, sizeof(suggestion));
	xy__nearest_init(&nearest, name, strlen(name));
	xy__registry_look_components(tree->registry, &nearest);
	xy__nearest_say(&nearest, &text);
	xy__tree_note(tree, -ENOENT, "there is no component \"%.80s\"%s", name, suggestion);
	return NULL;
}

struct xy_component *xy_tree_add_named(struct xy_tree *tree, const char *name)
{
	const struct xy_component_ops *ops = tree ? xy_registry_component(tree->registry, name) : NULL;

	if (!ops)
		return tree && tree->registry && name ? tree_no_component(tree, name) : NULL;
	return xy_tree_add(tree, ops);
}

const struct xy_machine *xy_tree_machine(const struct xy_tree *tree)
{
	return tree ? tree->machine : NULL;
}

bool xy_tree_has_worker(const struct xy_tree *tree, unsigned worker)
{
	return tree && xy_machine_worker(tree->machine, worker) && xy__tree_has(tree, worker);
}

/* A leaf with its number. */
static struct xy_component *tree_add_leaf(struct xy_tree *tree, const char *name, unsigned id)
{
	char text[16];
	struct xy_component *leaf = xy_tree_add_named(tree, name);

	if (!leaf)
		return NULL;
	snprintf(text, sizeof(text), "%u", id);
	if (xy_component_set(leaf, "id", text)) {
		tree->ncomponents--;
		free(leaf);
		return NULL;
	}
	return leaf;
}

struct xy_component *xy_tree_worker(struct xy_tree *tree, unsigned worker)
{
	if (!tree)
		return NULL;
	if (!xy_machine_worker(tree->machine, worker)) {
		xy__tree_note(tree, -EINVAL, "there is no worker %u: the machine has %u", worker,
			      xy_machine_nworkers(tree->machine));
		return NULL;
	}
	if (!xy__tree_has(tree, worker)) {
		xy__tree_note(tree, -ENODEV, "the tree is not for the worker %s (xy_tree_has_worker tells)",
			      xy_machine_worker(tree->machine, worker)->name);
		return NULL;
	}
	if (!tree->leaves[worker])
		tree->leaves[worker] = tree_add_leaf(tree, XY__WORKER_NAME, worker);
	return tree->leaves[worker];
}

struct xy__tree_teams *xy__tree_teams(struct xy_tree *tree)
{
	if (!tree->teams)
		tree->teams = xy__tree_teams_create(tree->machine, tree->absent);
	return tree->teams;
}

struct xy_component *xy_tree_team(struct xy_tree *tree, unsigned team)
{
	struct xy__tree_teams *teams = tree ? xy__tree_teams(tree) : NULL;

	if (!teams) {
		if (tree)
			xy__tree_note(tree, -ENOMEM, "no memory for the tree");
		return NULL;
	}
	if (team >= teams->count) {
		xy__tree_note(tree, -EINVAL, "there is no team %u: the machine has %u", team, teams->count);
		return NULL;
	}
	if (!teams->leaves[team])
		teams->leaves[team] = tree_add_leaf(tree, XY__TEAM_NAME, team);
	return teams->leaves[team];
}

struct xy_component *xy_tree_root(const struct xy_tree *tree)
{
	return tree ? tree->root : NULL;
}

unsigned xy_tree_ncomponents(const struct xy_tree *tree)
{
	return tree ? tree->ncomponents : 0;
}

struct xy_component *xy_tree_component(const struct xy_tree *tree, unsigned id)
{
	return tree && id < tree->ncomponents ? tree->components[id] : NULL;
}

const struct xy_machine *xy_component_machine(const struct xy_component *c)
{
	return c ? c->tree->machine : NULL;
}

static bool leads_to(const struct xy_component *c, unsigned worker)
{
	unsigned low = 0, high = xy__has_workers(c) ? c->nworkers : 0;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (c->workers[middle] < worker)
			low = middle + 1;
		else
			high = middle;
	}
	return xy__has_workers(c) && low < c->nworkers && c->workers[low] == worker;
}

int xy_component_child_of(const struct xy_component *c, unsigned worker)
{
	for (unsigned i = 0; c && i < c->nchildren; i++)
		if (leads_to(c->children[i], worker))
			return (int)i;
	return -1;
}

void xy_component_counters(struct xy_component *c, struct xy_counters *counters)
{
	if (!counters)
		return;
	*counters = (struct xy_counters){ 0 };
	if (!c || !c->tree->sealed)
		return;
	/* relaxed: each number is right for itself, together they are a snapshot in motion */
	for (unsigned i = 0; i < c->tree->nshards; i++) {
		struct xy_shard *s = &c->shards[i];

		counters->pushed += atomic_load_explicit(&s->pushed, memory_order_relaxed);
		counters->pulled += atomic_load_explicit(&s->pulled, memory_order_relaxed);
		counters->refused += atomic_load_explicit(&s->refused, memory_order_relaxed);
		counters->woken += atomic_load_explicit(&s->woken, memory_order_relaxed);
	}
	/* Tasks pulled through a child that only forwards pulls were counted there. */
	for (unsigned i = 0; i < c->nchildren; i++)
		if (c->children[i]->source != c->children[i]) {
			struct xy_counters through;

			xy_component_counters(c->children[i], &through);
			counters->pulled += through.pulled;
		}
	if (c->ops->depth)
		counters->depth = c->ops->depth(c, &counters->peak);
}

/* The value of a leaf's option `id`, -1 when it has none. */
static long leaf_id(const struct xy_component *leaf)
{
	const struct xy_option *id = xy__option_find(leaf->ops, "id", 2);
	double value;

	if (!(leaf->ops->flags & XY_LEAF) || !id || id->type != XY_OPTION_UNSIGNED)
		return -1;
	value = xy__option_value(leaf, id);
	return value < UINT_MAX ? (long)value : -1;
}

long xy__leaf_worker(const struct xy_component *leaf)
{
	return xy__is_team(leaf) ? -1 : leaf_id(leaf);
}

const struct xy__team_set *xy__leaf_team(const struct xy_component *leaf)
{
	const struct xy__tree_teams *teams = xy__is_team(leaf) ? xy__tree_teams(leaf->tree) : NULL;
	long id = teams ? leaf_id(leaf) : -1;

	return id >= 0 && (unsigned long)id < teams->count ? &teams->sets[id] : NULL;
}

/* "cpu0, cpu2" or "cpu0…cpu3": the first and the last tell enough of a team. */
static const char *name_team(const struct xy_component *c, const struct xy__team_set *set, char *name)
{
	snprintf(name, XY__COMPONENT_NAME, "%.40s#%u (%s%s%s)", c->ops->name, c->id,
		 xy_machine_worker(c->tree->machine, set->members[0])->name, set->count == 2 ? ", " : "…",
		 xy_machine_worker(c->tree->machine, set->members[set->count - 1])->name);
	return name;
}

const char *xy__component_name(const struct xy_component *c, char name[static XY__COMPONENT_NAME])
{
	const struct xy_worker_info *info = NULL;
	long worker = xy__leaf_worker(c);

	if (xy__leaf_team(c))
		return name_team(c, xy__leaf_team(c), name);
	if (worker >= 0)
		info = xy_machine_worker(c->tree->machine, (unsigned)worker);
	if (info)
		snprintf(name, XY__COMPONENT_NAME, "%.40s#%u (%s)", c->ops->name, c->id, info->name);
	else
		snprintf(name, XY__COMPONENT_NAME, "%.40s#%u", c->ops->name, c->id);
	return name;
}
