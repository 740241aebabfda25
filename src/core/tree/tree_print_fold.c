/* SPDX-License-Identifier: MIT */
/*
 * Whether branches divide the workers of a scope as an `each` would: by worker, team or group of workers. Only
 * compares the workers below each branch; whether the branches look alike is up to the printer.
 */
#include "core/tree/tree_print_fold.h"

enum { GROUPS = 4096 }; /* parts of a machine that are looked at: the search is quadratic */

static bool has_worker(struct xy__scope scope, unsigned worker)
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

static bool has_team(struct xy__scope scope, const struct xy__team_set *set)
{
	unsigned i = 0;

	while (i < set->count && has_worker(scope, set->members[i]))
		i++;
	return i == set->count;
}

/* Whether each head has exactly the workers of one group, in order of the groups' first workers. */
static bool splits_groups(struct xy__list heads, struct xy__scope scope, enum xy__each each)
{
	const struct xy_machine *machine = heads.at[0]->tree->machine;
	unsigned count = 0;

	for (unsigned i = 0; i < heads.count; i++) {
		const struct xy_component *head = heads.at[i];
		unsigned group;

		if (!xy__has_workers(head))
			return false;
		group = xy__each_group(machine, each, head->workers[0]);
		for (unsigned j = 0; j < i; j++)
			if (group == xy__each_group(machine, each, heads.at[j]->workers[0]))
				return false;
		if (i && heads.at[i - 1]->workers[0] >= head->workers[0])
			return false;
		for (unsigned j = 0; j < head->nworkers; j++)
			if (xy__each_group(machine, each, head->workers[j]) != group ||
			    !has_worker(scope, head->workers[j]))
				return false;
		count += head->nworkers;
	}
	return count == scope.count;
}

static bool splits_workers(struct xy__list heads, struct xy__scope scope)
{
	if (heads.count != scope.count)
		return false;
	for (unsigned i = 0; i < heads.count; i++)
		if (heads.at[i]->nworkers != 1 || heads.at[i]->workers[0] != scope.workers[i])
			return false;
	return true;
}

unsigned xy__print_count_teams(const struct xy_tree *tree, struct xy__scope scope)
{
	unsigned count = 0;

	for (unsigned i = 0; tree->teams && i < tree->teams->count; i++)
		count += has_team(scope, &tree->teams->sets[i]);
	return count;
}

/* Whether the heads lead to the teams of the scope, one each, in order. */
static bool splits_teams(struct xy__list heads, struct xy__scope scope)
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

bool xy__print_splits(struct xy__list heads, struct xy__scope scope, enum xy__each each)
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
	case XY__EACH_PACKAGE:
	case XY__EACH_NUMA:
	case XY__EACH_CACHE:
	case XY__EACH_CORE:
		return heads.count > 1 && heads.count <= GROUPS && splits_groups(heads, scope, each);
	case XY__EACH_NONE:
	case XY__EACH_END:
		break;
	}
	return false;
}
