/* SPDX-License-Identifier: MIT */
/*
 * The dynamic program of PipeEdge's scheduler: the least bottleneck for each number of layers, set of used hosts and
 * type of the next device, visited in its order and replaced only by a strictly better one, so that it finds PipeEdge's
 * choice among equal schedules. It also uses PipeEdge's wrong figures on request. Slow: it looks at every pair of
 * states, times the square of the number of types.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "pipeline/pipeline.h"

struct plain {
	const struct pipeline_table *table;
	const unsigned *figures;
	unsigned nlayers, ntypes;
	size_t nstates;
	unsigned radix[PIPELINE_TYPES_MAX];
	size_t stride[PIPELINE_TYPES_MAX];
	double *best;                 /* by layers done, state, next type */
	struct plain_parent *parents; /* likewise */
	double least;                 /* with all layers done */
	unsigned end_layers, end_type;
	size_t end_state;
};

struct plain_parent {
	uint16_t layers, type;
};

static size_t plain_index(const struct plain *plain, unsigned layers, size_t state, unsigned next)
{
	return (layers * plain->nstates + state) * plain->ntypes + next;
}

static bool plain_has_room(const struct plain *plain, size_t state, unsigned type)
{
	return state / plain->stride[type] % plain->radix[type] + 1 < plain->radix[type];
}

static double plain_comm(const struct plain *plain, unsigned layer, unsigned a, unsigned b)
{
	double x = pipeline_table_link(plain->table, a, layer), y = pipeline_table_link(plain->table, b, layer);

	return x > y ? x : y;
}

/* The stage behind..last on a type, in a state in which this type comes next. */
static void plain_stage(struct plain *plain, unsigned behind, unsigned last, size_t state, unsigned type)
{
	double cost = plain->best[plain_index(plain, behind, state, type)];
	double compute = pipeline_table_compute(plain->table, plain->figures[type], behind, last);

	if (compute == INFINITY)
		return;
	cost = compute > cost ? compute : cost;
	if (last == plain->nlayers) {
		if (cost < plain->least) {
			plain->least = cost;
			plain->end_layers = behind;
			plain->end_state = state;
			plain->end_type = type;
		}
		return;
	}
	for (unsigned next = 0; next < plain->ntypes; next++) {
		size_t to = plain_index(plain, last, state + plain->stride[type], next);
		double comm, worst;

		if (!plain_has_room(plain, state, next) || plain->figures[next] == plain->ntypes)
			continue;
		comm = plain_comm(plain, last, plain->figures[type], plain->figures[next]);
		worst = comm > cost ? comm : cost;
		if (worst < plain->best[to]) {
			plain->best[to] = worst;
			plain->parents[to] = (struct plain_parent){ (uint16_t)behind, (uint16_t)type };
		}
	}
}

static void plain_run(struct plain *plain)
{
	for (unsigned behind = 0; behind < plain->nlayers; behind++)
		for (size_t state = 0; state < plain->nstates; state++)
			for (unsigned type = 0; type < plain->ntypes; type++) {
				if (plain->best[plain_index(plain, behind, state, type)] == INFINITY ||
				    !plain_has_room(plain, state, type) || plain->figures[type] == plain->ntypes)
					continue;
				for (unsigned last = behind + 1; last <= plain->nlayers; last++)
					plain_stage(plain, behind, last, state, type);
			}
}

/* Writes the stages from the last one to the first one, then turns them round. */
static void plain_collect(const struct plain *plain, struct pipeline_schedule *schedule)
{
	unsigned layers = plain->end_layers, type = plain->end_type, last = plain->nlayers, n = 0;
	struct pipeline_stage *stages = schedule->stages;
	size_t state = plain->end_state;

	for (;;) {
		struct plain_parent parent;

		stages[n++] = (struct pipeline_stage){ .type = type, .first = layers + 1, .last = last };
		if (!layers)
			break;
		parent = plain->parents[plain_index(plain, layers, state, type)];
		last = layers;
		layers = parent.layers;
		type = parent.type;
		state -= plain->stride[type];
	}
	for (unsigned i = 0; i < n / 2; i++) {
		struct pipeline_stage stage = stages[i];

		stages[i] = stages[n - 1 - i];
		stages[n - 1 - i] = stage;
	}
	schedule->nstages = n;
}

static int plain_init(struct plain *plain, const struct pipeline_problem *problem)
{
	size_t each = sizeof(double) + sizeof(struct plain_parent), n;

	plain->nstates = 1;
	for (unsigned t = 0; t < plain->ntypes; t++) {
		plain->stride[t] = plain->nstates;
		plain->radix[t] = problem->types[t].nhosts + 1;
		if (plain->nstates > PIPELINE_MEMORY_MAX / plain->radix[t])
			return -E2BIG;
		plain->nstates *= plain->radix[t];
	}
	if (plain->nstates > PIPELINE_MEMORY_MAX / each / (plain->nlayers + 1) / (plain->ntypes + !plain->ntypes))
		return -E2BIG;
	n = (plain->nlayers + 1) * plain->nstates * plain->ntypes;
	plain->best = malloc((n + 1) * sizeof(double));
	plain->parents = malloc((n + 1) * sizeof(struct plain_parent));
	if (!plain->best || !plain->parents)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		plain->best[i] = i < plain->ntypes ? 0 : INFINITY;
	return 0;
}

int pipeline_plain(const struct pipeline_problem *problem, const struct pipeline_table *table, const unsigned *figures,
		   struct pipeline_schedule *schedule)
{
	struct plain plain = {
		.table = table,
		.figures = figures,
		.nlayers = table->nlayers,
		.ntypes = table->ntypes,
		.least = INFINITY,
	};
	int error = plain_init(&plain, problem);

	schedule->nstages = 0;
	if (!error) {
		plain_run(&plain);
		if (plain.least < INFINITY)
			plain_collect(&plain, schedule);
		pipeline_schedule_name_hosts(schedule);
	}
	free(plain.best);
	free(plain.parents);
	return error;
}

void pipeline_plain_figures(const struct pipeline_problem *problem, unsigned *figures)
{
	for (unsigned t = 0; t < problem->ntypes; t++) {
		unsigned device = t;

		figures[t] = problem->ntypes;
		for (unsigned owner = 0; owner < problem->ntypes; owner++) {
			if (device < problem->types[owner].nhosts) {
				figures[t] = owner;
				break;
			}
			device -= problem->types[owner].nhosts;
		}
	}
}
