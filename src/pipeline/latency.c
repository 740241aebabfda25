/* SPDX-License-Identifier: MIT */
/*
 * The least latency. Labels are partial schedules: how many layers, which hosts, at what cost; one that is
 * no better than another with the same layers and the same last type is dropped. A bound from a first run
 * that keeps only a few labels, and what is left at least when hosts are plenty, keep their number small.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"

enum {
	LATENCY_NONE = UINT32_MAX,
	LATENCY_FEW = 16,               /* labels for each layer and type in the first run */
};

struct latency_label {
	double cost;
	uint32_t parent, next;          /* next: in the list of its layer and type */
	uint16_t type, last, stages;
};

struct latency {
	const struct pipeline_problem *problem;
	const struct pipeline_table *table;
	unsigned nlayers, ntypes;
	double *rest;                   /* by last layer and type: what is left at least */
	double bound;                   /* a cost that is known to be possible */
	unsigned few;                   /* how many labels a list may have, 0: all */
	uint32_t *lists;                /* by last layer and type */
	struct latency_label *labels;
	uint16_t *used;                 /* by label and type: hosts */
	uint32_t nlabels, capacity;
};

static size_t latency_at(const struct latency *latency, unsigned layer, unsigned type)
{
	return (size_t) layer * latency->ntypes + type;
}

static double latency_comm(const struct latency *latency, unsigned layer, unsigned a, unsigned b)
{
	return fmax(pipeline_table_link(latency->table, a, layer), pipeline_table_link(latency->table, b, layer));
}

/* What is left at least, as if there were hosts without end. */
static void latency_fill_rest(struct latency *latency)
{
	unsigned n = latency->nlayers;

	for (unsigned layer = n + 1; layer-- > 1;)
		for (unsigned t = 0; t < latency->ntypes; t++) {
			double least = layer < n ? INFINITY : 0;

			for (unsigned next = 0; next < latency->ntypes; next++)
				for (unsigned last = layer + 1; last <= n; last++)
					least = fmin(least, latency_comm(latency, layer, t, next) +
						pipeline_table_compute(latency->table, next, layer, last) +
						latency->rest[latency_at(latency, last, next)]);
			latency->rest[latency_at(latency, layer, t)] = least;
		}
}

/* Which of two labels with the same number of stages is first in order: negative for a. */
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

static bool latency_dominates(const struct latency *latency, uint32_t a, uint32_t b)
{
	const uint16_t *x = &latency->used[(size_t) a * latency->ntypes];
	const uint16_t *y = &latency->used[(size_t) b * latency->ntypes];
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

/* Puts the newest label into its list, sorted by cost, unless another dominates it; then it is gone. */
static void latency_insert(struct latency *latency, uint32_t label)
{
	struct latency_label *labels = latency->labels;
	uint32_t *link = &latency->lists[latency_at(latency, labels[label].last, labels[label].type)];
	unsigned n = 0;

	for (; *link != LATENCY_NONE && labels[*link].cost <= labels[label].cost; link = &labels[*link].next, n++)
		if (latency_dominates(latency, *link, label) || (latency->few && n + 1 >= latency->few)) {
			latency->nlabels--;
			return;
		}
	labels[label].next = *link;
	*link = label;
	/* A label of equal cost before it may be dominated too; that costs time, not exactness. */
	for (link = &labels[label].next; *link != LATENCY_NONE;)
		if (latency_dominates(latency, label, *link) || (latency->few && ++n >= latency->few))
			*link = labels[*link].next;
		else
			link = &labels[*link].next;
}

/* Room for one more label. */
static int latency_grow(struct latency *latency)
{
	size_t each = sizeof(latency->labels[0]) + latency->ntypes * sizeof(latency->used[0]);
	uint32_t capacity = latency->capacity ? latency->capacity * 2 : 1024;
	void *labels, *used;

	if (latency->nlabels < latency->capacity)
		return 0;
	if (capacity > PIPELINE_MEMORY_MAX / 2 / each)
		return -E2BIG;
	labels = realloc(latency->labels, capacity * sizeof(latency->labels[0]));
	if (labels)
		latency->labels = labels;
	used = realloc(latency->used, (size_t) capacity * latency->ntypes * sizeof(latency->used[0]));
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
	unsigned behind = latency->labels[from].last;
	double cost = latency->labels[from].cost, total;
	uint16_t *used;
	int error;

	if (behind)
		cost += latency_comm(latency, behind, latency->labels[from].type, type);
	cost += pipeline_table_compute(latency->table, type, behind, last);
	total = cost + latency->rest[latency_at(latency, last, type)];
	if (!(total < INFINITY) || total > latency->bound * (1 + 1e-9))
		return 0;
	error = latency_grow(latency);
	if (error)
		return error;
	used = &latency->used[(size_t) latency->nlabels * latency->ntypes];
	memcpy(used, &latency->used[(size_t) from * latency->ntypes], latency->ntypes * sizeof(*used));
	used[type]++;
	latency->labels[latency->nlabels] = (struct latency_label) {
		.cost = cost, .parent = from, .type = (uint16_t) type, .last = (uint16_t) last,
		.stages = (uint16_t) (latency->labels[from].stages + 1),
	};
	latency_insert(latency, latency->nlabels++);
	return 0;
}

static int latency_extend_all(struct latency *latency, uint32_t from)
{
	for (unsigned t = 0; t < latency->ntypes; t++) {
		if (latency->used[(size_t) from * latency->ntypes + t] >= latency->problem->types[t].nhosts)
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
	latency->nlabels = 0;
	for (size_t i = 0; i < latency_at(latency, latency->nlayers + 1, 0); i++)
		latency->lists[i] = LATENCY_NONE;
	error = latency_grow(latency);
	if (error)
		return error;
	latency->labels[latency->nlabels++] = (struct latency_label) { .parent = LATENCY_NONE };
	memset(latency->used, 0, latency->ntypes * sizeof(latency->used[0]));
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
			    (a->cost == b->cost && (a->stages < b->stages || (a->stages == b->stages &&
			     latency_order(latency, at, best) < 0))))
				best = at;
		}
	return best;
}

static void latency_collect(const struct latency *latency, uint32_t label, struct pipeline_schedule *schedule)
{
	unsigned n = latency->labels[label].stages;

	for (unsigned s = n; s-- > 0; label = latency->labels[label].parent)
		schedule->stages[s] = (struct pipeline_stage) {
			.type = latency->labels[label].type,
			.first = latency->labels[latency->labels[label].parent].last + 1u,
			.last = latency->labels[label].last,
		};
	schedule->nstages = n;
	pipeline_schedule_name_hosts(schedule);
}

int pipeline_latency(const struct pipeline_problem *problem, const struct pipeline_table *table,
		     struct pipeline_schedule *schedule)
{
	struct latency latency = {
		.problem = problem, .table = table, .nlayers = table->nlayers, .ntypes = table->ntypes,
		.bound = INFINITY,
	};
	size_t n = latency_at(&latency, table->nlayers + 1, 0);
	uint32_t best = LATENCY_NONE;
	int error = -ENOMEM;

	schedule->nstages = 0;
	latency.rest = malloc((n + 1) * sizeof(latency.rest[0]));
	latency.lists = malloc((n + 1) * sizeof(latency.lists[0]));
	if (!latency.rest || !latency.lists || !table->ntypes)
		goto out;
	latency_fill_rest(&latency);
	error = latency_run(&latency, LATENCY_FEW);
	if (error)
		goto out;
	best = latency_best(&latency);
	if (best != LATENCY_NONE)
		latency.bound = latency.labels[best].cost;
	error = latency_run(&latency, 0);
	if (error)
		goto out;
	best = latency_best(&latency);
	if (best != LATENCY_NONE)
		latency_collect(&latency, best, schedule);
out:
	free(latency.rest);
	free(latency.lists);
	free(latency.labels);
	free(latency.used);
	return table->ntypes ? error : 0;
}
