/* SPDX-License-Identifier: MIT */
/*
 * The teams of a machine. Invariant: CPU workers are sorted by place, so that each place, and each half
 * of its parts, is a range of them; two teams are disjoint or one holds the other.
 */
#include "core/tree/tree_teams.h"

#include <stdlib.h>
#include <string.h>
#include "core/machine/machine.h"

struct range {
	unsigned begin, end;
};

struct finder {
	const struct xy_machine *machine;
	unsigned count;   /* of CPU workers */
	unsigned *sorted; /* them, by place */
	struct range *found;
	unsigned nfound; /* at most one less than workers, as each team splits one in two */
	size_t nmembers; /* of all that were found */
};

static int by_place(const void *left, const void *right, void *arg)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
	unsigned x = xy__machine_place(arg, a), y = xy__machine_place(arg, b);

	return x != y ? (x < y ? -1 : 1) : a < b ? -1 : a > b;
}

static int by_worker(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	return a < b ? -1 : a > b;
}

/* Where the part of the worker at `begin` ends: those nearer to it than `distance`. */
static unsigned part_end(const struct finder *f, struct range range, unsigned begin, unsigned distance)
{
	unsigned end = begin + 1;

	while (end < range.end && xy_machine_distance(f->machine, f->sorted[begin], f->sorted[end]) < distance)
		end++;
	return end;
}

/* The teams that these parts make up: all of them, and halves; parts[i] is where the i-th begins. */
static void find_halves(struct finder *f, const unsigned *parts, unsigned count)
{
	if (count < 2)
		return;
	f->found[f->nfound++] = (struct range){ parts[0], parts[count] };
	f->nmembers += parts[count] - parts[0];
	find_halves(f, parts, (count + 1) / 2);
	find_halves(f, parts + (count + 1) / 2, count / 2);
}

/* The teams of a place, and of the places in it. The first and the last worker of a range are the farthest apart. */
static bool find_below(struct finder *f, struct range range)
{
	unsigned distance, count = 0;
	unsigned *parts;
	bool done = true;

	if (range.end - range.begin < 2)
		return true;
	distance = xy_machine_distance(f->machine, f->sorted[range.begin], f->sorted[range.end - 1]);
	parts = malloc((range.end - range.begin + 1) * sizeof(*parts));
	if (!parts)
		return false;
	for (unsigned at = range.begin; at < range.end; at = part_end(f, range, at, distance))
		parts[count++] = at;
	parts[count] = range.end;
	find_halves(f, parts, count);
	for (unsigned i = 0; i < count && done; i++)
		done = find_below(f, (struct range){ parts[i], parts[i + 1] });
	free(parts);
	return done;
}

static int by_size(const void *left, const void *right)
{
	const struct xy__team_set *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return by_worker(a->members, b->members);
}

/* Makes sets of the ranges. */
static bool fill_sets(struct xy__tree_teams *teams, const struct finder *f)
{
	unsigned *at;

	teams->sets = calloc(f->nfound + 1, sizeof(*teams->sets));
	teams->memory = at = calloc(f->nmembers + 1, sizeof(*at));
	teams->leaves = calloc(f->nfound + 1, sizeof(*teams->leaves));
	teams->calls = calloc(xy_machine_nworkers(f->machine), sizeof(*teams->calls));
	if (!teams->sets || !at || !teams->leaves || !teams->calls)
		return false;
	for (unsigned i = 0; i < f->nfound; i++) {
		unsigned count = f->found[i].end - f->found[i].begin;

		teams->sets[i] = (struct xy__team_set){ count, at };
		memcpy(at, f->sorted + f->found[i].begin, count * sizeof(*at));
		qsort(at, count, sizeof(*at), by_worker);
		at += count;
	}
	teams->count = f->nfound;
	qsort(teams->sets, teams->count, sizeof(*teams->sets), by_size);
	return true;
}

struct xy__tree_teams *xy__tree_teams_create(const struct xy_machine *machine, const bool *absent)
{
	unsigned nworkers = xy_machine_nworkers(machine);
	struct xy__tree_teams *teams = calloc(1, sizeof(*teams));
	struct finder f = { .machine = machine };
	bool done = false;

	f.sorted = calloc(nworkers, sizeof(*f.sorted));
	f.found = calloc(nworkers, sizeof(*f.found));
	if (teams && f.sorted && f.found) {
		for (unsigned w = 0; w < nworkers; w++)
			if (xy_machine_worker(machine, w)->arch == XY_CPU && !(absent && absent[w]))
				f.sorted[f.count++] = w;
		qsort_r(f.sorted, f.count, sizeof(*f.sorted), by_place, (void *)machine);
		done = find_below(&f, (struct range){ 0, f.count }) && fill_sets(teams, &f);
	}
	free(f.sorted);
	free(f.found);
	if (done)
		return teams;
	xy__tree_teams_destroy(teams);
	return NULL;
}

void xy__tree_teams_destroy(struct xy__tree_teams *teams)
{
	if (!teams)
		return;
	free(teams->sets);
	free(teams->memory);
	free(teams->leaves);
	free(teams->calls);
	free(teams);
}
