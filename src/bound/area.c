/* SPDX-License-Identifier: MIT */
/*
 * The area bound, exactly, with at most one path: columns are whole divisions of the groups among the classes,
 * made when they are needed, so that the basis has a row per class, one for the path and one for convexity.
 * Whatever the multipliers of the rows are, the cheapest division under them gives a valid bound.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/parts.h"

enum { AREA_STEPS = 20000 };
#define AREA_PRECISION 1e-12

struct area {
	const struct bound_graph *graph;
	const struct bound_group *groups;
	unsigned ngroups, nrows; /* classes, the path, convexity */
	double *basis;           /* [row * nrows + position]: the columns of the basis */
	double *inverse;         /* [position * nrows + row] */
	double *value;           /* by position */
	double *price;           /* by row but the last: what a unit of its load costs, at least 0 */
	double *column;          /* the one that enters */
	double *step;            /* how the basis changes with it */
	unsigned time;           /* the position of T */
	double unit_us;          /* unit of loads */
	double best;             /* the largest bound so far, in units */
};

static double area_capacity(const struct area *area, unsigned row)
{
	return row < area->graph->problem->nclasses ? area->graph->problem->workers[row] : 1;
}

/* The division that is cheapest under the prices, as a column; returns its cost, a bound if the prices of all
 * capacities are 1 in sum. */
static double area_divide(const struct area *area)
{
	unsigned nclasses = area->graph->problem->nclasses;
	double cost = 0, on_path = area->price[nclasses];

	memset(area->column, 0, area->nrows * sizeof(*area->column));
	area->column[area->nrows - 1] = 1;
	for (unsigned g = 0; g < area->ngroups; g++) {
		const struct bound_group *group = &area->groups[g];
		double least = INFINITY, least_length = INFINITY;
		unsigned class = 0;

		for (unsigned c = 0; c < nclasses; c++) {
			double length = bound_graph_duration(area->graph, group->type, c) / area->unit_us;
			double price = length * (area->price[c] + (group->on_path ? on_path : 0));

			if (isfinite(length) && (price < least || (price == least && length < least_length))) {
				least = price;
				least_length = length;
				class = c;
			}
		}
		cost += group->count * least;
		area->column[class] += group->count * least_length;
		if (group->on_path)
			area->column[nclasses] += group->count * least_length;
	}
	return cost;
}

/* The inverse of the basis by elimination with row pivots; false: it is singular. */
static bool area_invert(struct area *area, double *work)
{
	unsigned n = area->nrows;

	memcpy(work, area->basis, (size_t)n * n * sizeof(*work));
	for (unsigned i = 0; i < n * n; i++)
		area->inverse[i] = i / n == i % n;
	for (unsigned k = 0; k < n; k++) {
		unsigned pivot = k;
		double scale;

		for (unsigned i = k + 1; i < n; i++)
			if (fabs(work[i * n + k]) > fabs(work[pivot * n + k]))
				pivot = i;
		if (!(fabs(work[pivot * n + k]) > 1e-14))
			return false;
		scale = 1 / work[pivot * n + k];
		for (unsigned j = 0; j < n; j++) {
			double a = work[k * n + j], b = area->inverse[k * n + j];

			work[k * n + j] = work[pivot * n + j] * scale;
			area->inverse[k * n + j] = area->inverse[pivot * n + j] * scale;
			if (pivot != k) {
				work[pivot * n + j] = a;
				area->inverse[pivot * n + j] = b;
			}
		}
		for (unsigned i = 0; i < n; i++) {
			double factor = work[i * n + k];

			for (unsigned j = 0; j < n && i != k && factor != 0; j++) {
				work[i * n + j] -= factor * work[k * n + j];
				area->inverse[i * n + j] -= factor * area->inverse[k * n + j];
			}
		}
	}
	return true;
}

/*
 * The prices of the basis are the row of T in its inverse, negated, as only T has a cost. A negative one makes the
 * slack of its row enter. True: optimal.
 */
static bool area_prices(struct area *area)
{
	double worst = -AREA_PRECISION;
	unsigned slack = area->nrows, nloads = area->nrows - 1;

	for (unsigned r = 0; r < nloads; r++) {
		area->price[r] = -area->inverse[area->time * area->nrows + r];
		if (area->price[r] * area_capacity(area, r) < worst) {
			worst = area->price[r] * area_capacity(area, r);
			slack = r;
		}
		area->price[r] = fmax(area->price[r], 0);
	}
	if (slack == area->nrows)
		return true;
	memset(area->column, 0, area->nrows * sizeof(*area->column));
	area->column[slack] = 1;
	return false;
}

/* Takes the column into the basis; false: no position has to leave, which rounding alone can bring about. */
static bool area_enter(struct area *area)
{
	unsigned n = area->nrows, leaves = n;
	double least = INFINITY;

	for (unsigned i = 0; i < n; i++) {
		double ratio;

		area->step[i] = 0;
		for (unsigned r = 0; r < n; r++)
			area->step[i] += area->inverse[i * n + r] * area->column[r];
		/* The convexity row is the only one with a right hand side. */
		area->value[i] = area->inverse[i * n + n - 1];
		ratio = fmax(area->value[i], 0) / area->step[i];
		if (i != area->time && area->step[i] > 1e-11 && ratio < least) {
			least = ratio;
			leaves = i;
		}
	}
	for (unsigned r = 0; r < n && leaves < n; r++)
		area->basis[r * n + leaves] = area->column[r];
	return leaves < n;
}

/* A basis that is feasible: everything where it is fastest, T by the fullest row, slacks in the others. */
static void area_begin(struct area *area)
{
	unsigned n = area->nrows, fullest = 0;

	for (unsigned r = 0; r + 1 < n; r++)
		area->price[r] = r + 2 < n;
	area_divide(area);
	for (unsigned r = 0; r + 1 < n; r++)
		if (area_capacity(area, r) &&
		    (!area_capacity(area, fullest) ||
		     area->column[r] * area_capacity(area, fullest) > area->column[fullest] * area_capacity(area, r)))
			fullest = r;
	for (unsigned r = 0; r < n; r++)
		for (unsigned i = 0; i < n; i++)
			area->basis[r * n + i] = i == n - 1     ? area->column[r]
						 : i != fullest ? r == i
						 : r + 1 < n    ? -area_capacity(area, r)
								: 0;
	area->time = fullest;
}

static void area_solve(struct area *area, double *work)
{
	area_begin(area);
	for (unsigned step = 0; step < AREA_STEPS && area_invert(area, work); step++) {
		double capacity = 0, cost, upper = area->inverse[area->time * area->nrows + area->nrows - 1];

		if (area_prices(area)) {
			for (unsigned r = 0; r + 1 < area->nrows; r++)
				capacity += area->price[r] * area_capacity(area, r);
			cost = area_divide(area) / capacity;
			area->best = fmax(area->best, cost);
			if (area->best >= upper * (1 - AREA_PRECISION))
				return;
		}
		if (!area_enter(area))
			return;
	}
}

double bound_area(const struct bound_graph *graph, const struct bound_group *groups, unsigned ngroups)
{
	unsigned n = graph->problem->nclasses + 2;
	double *memory = calloc((size_t)3 * n * n + 4 * n, sizeof(*memory));
	struct area area = {
		.graph = graph,
		.groups = groups,
		.ngroups = ngroups,
		.nrows = n,
		.basis = memory,
		.unit_us = graph->total_us,
	};

	if (!memory)
		return -ENOMEM;
	area.inverse = memory + n * n;
	area.value = area.inverse + n * n;
	area.price = area.value + n;
	area.column = area.price + n;
	area.step = area.column + n;
	if (graph->total_us > 0)
		area_solve(&area, area.step + n);
	free(memory);
	return area.best * area.unit_us * (1 - BOUND_ROUNDING);
}
