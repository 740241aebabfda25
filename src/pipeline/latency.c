/* SPDX-License-Identifier: MIT */
/*
 * The least latency. Labels are partial schedules: how many layers, which hosts, at what cost. A label is dropped if
 * another one with equal layers and last group is no worse, or if it can't beat a known schedule (latency_price.c). A
 * run that keeps few labels finds a good one to beat.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/latency.h"

enum {
	LATENCY_NONE = UINT32_MAX,
	LATENCY_FEW = 32, /* labels for each layer and type in the first run */
};

static void latency_find_groups(struct latency *latency)
{
	for (unsigned t = 0; t < latency->ntypes; t++) {
		unsigned group = 0;

		while (group < t && !pipeline_type_is_same(latency->problem, group, t))
			group++;
		latency->group[t] = group;
		latency->nhosts[group] += latency->problem->types[t].nhosts;
	}
}

/* Orders two labels with equal numbers of stages: negative if a is first. */
static int latency_order(const struct latency *latency, uint32_t a, uint32_t b)
{
	int result = 0;

	while (a != b) {
		const struct latency_label *x = &latency->labels[a], *y = &latency->labels[b];

		if (x->type != y->type)
			result = x->type < y->type ? -1 : 1;
		else if (x->last != y->last)
			result = x->last < y->last ? -1 : 1;
		a = x->parent;
		b = y->parent;
	}
	return result;
}

/*
 * Whether every continuation of b is also one of a, and no worse. Hosts of a group are interchangeable: if all is
 * equal, the first in order stays first whatever follows.
 */
static bool latency_dominates(const struct latency *latency, uint32_t a, uint32_t b)
{
	const uint16_t *x = latency_used(latency, a) + latency->ntypes;
	const uint16_t *y = latency_used(latency, b) + latency->ntypes;
	bool same = latency->labels[a].cost == latency->labels[b].cost;

	if (latency->labels[a].cost > latency->labels[b].cost)
		return false;
	for (unsigned t = 0; t < latency->ntypes; t++) {
		if (x[t] > y[t])
			return false;
		same = same && x[t] == y[t];
	}
	return !same || latency_order(latency, a, b) <= 0;
}

/* Whether a list with n labels before this one has no room for it. */
static bool latency_is_over(struct latency *latency, unsigned n)
{
	bool over = latency->few && n >= latency->few;

	latency->cut |= over;
	return over;
}

/* Puts the newest label into its list, sorted by key, unless another dominates it; then it is gone. */
static void latency_insert(struct latency *latency, uint32_t label)
{
	struct latency_label *labels = latency->labels;
	uint32_t *link = &latency->lists[latency_at(latency, labels[label].last, latency->group[labels[label].type])];
	unsigned n = 0;

	for (; *link != LATENCY_NONE && labels[*link].key <= labels[label].key; link = &labels[*link].next, n++)
		if (latency_is_over(latency, n + 1) || latency_dominates(latency, *link, label)) {
			latency->nlabels--;
			return;
		}
	labels[label].next = *link;
	*link = label;
	/* A label of equal key before it may be dominated too; that costs time, not exactness. */
	for (link = &labels[label].next; *link != LATENCY_NONE;)
		if (latency_dominates(latency, label, *link) || latency_is_over(latency, ++n))
			*link = labels[*link].next;
		else
			link = &labels[*link].next;
}

/* Room for one more label. */
static int latency_grow(struct latency *latency)
{
	size_t row = 2 * latency->ntypes * sizeof(latency->used[0]), each = sizeof(latency->labels[0]) + row;
	uint32_t capacity = latency->capacity ? latency->capacity * 2 : 1024;
	void *labels, *used;

	if (latency->nlabels < latency->capacity)
		return 0;
	if (capacity > PIPELINE_MEMORY_MAX / 2 / each)
		return -E2BIG;
	labels = realloc(latency->labels, capacity * sizeof(latency->labels[0]));
	if (labels)
		latency->labels = labels;
	used = realloc(latency->used, capacity * row);
	if (used)
		latency->used = used;
	if (!labels || !used)
		return -ENOMEM;
	latency->capacity = capacity;
	return 0;
}

/* Adds a stage behind a label. */
static int latency_extend(struct latency *latency, uint32_t from, unsigned type, unsigned last)
{
	unsigned behind = latency->labels[from].last, group = latency->group[type];
	double cost = latency->labels[from].cost, key, total;
	uint16_t *used;
	int error;

	if (behind)
		cost += latency_comm(latency, behind, latency->labels[from].type, type);
	cost += pipeline_table_compute(latency->table, type, behind, last);
	key = cost + pipeline_latency_prices(latency, from, group);
	total = key + latency->rest[latency_at(latency, last, group)] - latency->all_prices;
	if (!(total < INFINITY) || total > latency->reached * (1 + 1e-9))
		return 0;
	error = latency_grow(latency);
	if (error)
		return error;
	used = latency_used(latency, latency->nlabels);
	memcpy(used, latency_used(latency, from), 2 * latency->ntypes * sizeof(*used));
	used[type]++;
	used[latency->ntypes + group]++;
	latency->labels[latency->nlabels] = (struct latency_label){
		.cost = cost,
		.key = key,
		.parent = from,
		.type = (uint16_t)type,
		.last = (uint16_t)last,
		.stages = (uint16_t)(latency->labels[from].stages + 1),
	};
	latency_insert(latency, latency->nlabels++);
	return 0;
}

/* Whether a host of a type is left, and none of an earlier one of its group. */
static bool latency_is_first(const struct latency *latency, uint32_t label, unsigned type)
{
	const uint16_t *used = latency_used(latency, label);

	for (unsigned t = latency->group[type]; t < type; t++)
		if (latency->group[t] == latency->group[type] && used[t] < latency->problem->types[t].nhosts)
			return false;
	return used[type] < latency->problem->types[type].nhosts;
}

static int latency_extend_all(struct latency *latency, uint32_t from)
{
	for (unsigned t = 0; t < latency->ntypes; t++) {
		if (!latency_is_first(latency, from, t))
			continue;
		for (unsigned last = latency->labels[from].last + 1u; last <= latency->nlayers; last++) {
			int error = latency_extend(latency, from, t, last);

			if (error)
				return error;
		}
	}
	return 0;
}

/* Makes all labels worth having. */
static int latency_run(struct latency *latency, unsigned few)
{
	int error;

	latency->few = few;
	latency->cut = false;
	latency->nlabels = 0;
	for (size_t i = 0; i < latency_at(latency, latency->nlayers + 1, 0); i++)
		latency->lists[i] = LATENCY_NONE;
	error = latency_grow(latency);
	if (error)
		return error;
	latency->labels[latency->nlabels++] = (struct latency_label){ .parent = LATENCY_NONE };
	memset(latency->used, 0, 2 * latency->ntypes * sizeof(latency->used[0]));
	error = latency_extend_all(latency, 0);
	for (size_t i = latency_at(latency, 1, 0); i < latency_at(latency, latency->nlayers, 0); i++)
		for (uint32_t at = latency->lists[i]; !error && at != LATENCY_NONE; at = latency->labels[at].next)
			error = latency_extend_all(latency, at);
	return error;
}

/* The best label with all layers done, or LATENCY_NONE. */
static uint32_t latency_best(const struct latency *latency)
{
	uint32_t best = LATENCY_NONE;

	for (unsigned t = 0; t < latency->ntypes; t++)
		for (uint32_t at = latency->lists[latency_at(latency, latency->nlayers, t)]; at != LATENCY_NONE;
		     at = latency->labels[at].next) {
			const struct latency_label *a = &latency->labels[at], *b = &latency->labels[best];

			if (best == LATENCY_NONE || a->cost < b->cost ||
			    (a->cost == b->cost && (a->stages < b->stages ||
						    (a->stages == b->stages && latency_order(latency, at, best) < 0))))
				best = at;
		}
	return best;
}

static void latency_collect(const struct latency *latency, uint32_t label, struct pipeline_schedule *schedule)
{
	unsigned n = latency->labels[label].stages;

	for (unsigned s = n; s-- > 0; label = latency->labels[label].parent)
		schedule->stages[s] = (struct pipeline_stage){
			.type = latency->labels[label].type,
			.first = latency->labels[latency->labels[label].parent].last + 1u,
			.last = latency->labels[label].last,
		};
	schedule->nstages = n;
	pipeline_schedule_name_hosts(schedule);
}

/* Runs with few labels, and notes the cost of the best schedule found if none has cost less. */
static int latency_improve(struct latency *latency)
{
	int error = latency_run(latency, LATENCY_FEW);
	uint32_t best = error ? LATENCY_NONE : latency_best(latency);

	if (best != LATENCY_NONE)
		latency->reached = fmin(latency->reached, latency->labels[best].cost);
	return error;
}

/*
 * The cost of a first schedule; stays infinite if no schedule exists. Where few labels lead to none although some were
 * cut, the search for the least bottleneck tells whether there is one.
 */
static int latency_find_first(struct latency *latency, struct pipeline_schedule *schedule)
{
	int error = latency_improve(latency);

	if (error || latency->reached < INFINITY || !latency->cut)
		return error;
	error = pipeline_search(latency->problem, latency->table, schedule);
	if (!error && schedule->nstages)
		latency->reached = pipeline_cost(latency->problem, schedule).latency;
	schedule->nstages = 0;
	return error;
}

/* Finds a first schedule, from its cost prices, with these a better schedule, then all labels that could beat it. */
static int latency_solve(struct latency *latency, struct pipeline_schedule *schedule, uint32_t *best)
{
	double best_price[PIPELINE_TYPES_MAX];
	unsigned used[PIPELINE_TYPES_MAX];
	int error;

	pipeline_latency_find_prices(latency, best_price, used); /* without a schedule: none */
	error = latency_find_first(latency, schedule);
	if (error || !(latency->reached < INFINITY))
		return error;
	pipeline_latency_find_prices(latency, best_price, used);
	error = latency_improve(latency);
	if (!error)
		error = latency_run(latency, 0);
	*best = error ? LATENCY_NONE : latency_best(latency);
	return error;
}

int pipeline_latency(const struct pipeline_problem *problem, const struct pipeline_table *table,
		     struct pipeline_schedule *schedule)
{
	struct latency latency = {
		.problem = problem,
		.table = table,
		.nlayers = table->nlayers,
		.ntypes = table->ntypes,
		.reached = INFINITY,
	};
	size_t n = latency_at(&latency, table->nlayers + 1, 0);
	uint32_t best = LATENCY_NONE;
	int error = 0;

	schedule->nstages = 0;
	if (!table->ntypes)
		return 0;
	latency.price = calloc(table->ntypes, sizeof(latency.price[0]));
	latency.begin = malloc(table->ntypes * sizeof(latency.begin[0]));
	latency.rest = malloc((n + 1) * sizeof(latency.rest[0]));
	latency.lists = malloc((n + 1) * sizeof(latency.lists[0]));
	if (!latency.price || !latency.begin || !latency.rest || !latency.lists)
		error = -ENOMEM;
	if (!error) {
		latency_find_groups(&latency);
		error = latency_solve(&latency, schedule, &best);
	}
	if (best != LATENCY_NONE)
		latency_collect(&latency, best, schedule);
	free(latency.price);
	free(latency.begin);
	free(latency.rest);
	free(latency.lists);
	free(latency.labels);
	free(latency.used);
	return error;
}
