/* SPDX-License-Identifier: MIT */
/* Checks a schedule from the problem alone, sharing nothing with the schedulers but the time that bytes take. */
#include "graph/static.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/util/text.h"

/* Sums of the same numbers in another order differ by rounding. */
static bool check_is_before(double a, double b)
{
	return a <= b + 1e-9 * fmax(fabs(a), fabs(b));
}

/* The fault of a task by itself and its predecessors. */
static const char *check_task(const struct graph_problem *problem, const struct graph_schedule *schedule, uint32_t t,
			      uint32_t *other)
{
	const struct graph_edges *e = problem->edges;
	uint32_t p = schedule->places[t].worker;
	double cost;

	*other = t;
	if (p >= problem->nprocessors)
		return "is on a processor that does not exist";
	cost = problem->costs[(size_t)t * problem->nprocessors + p];
	if (!isfinite(cost) || !(schedule->start[t] >= 0))
		return "runs where or when it can't";
	if (!check_is_before(schedule->start[t] + cost, schedule->end[t]) ||
	    !check_is_before(schedule->end[t], schedule->start[t] + cost))
		return "has another duration than it should";
	if (!check_is_before(schedule->end[t], schedule->makespan))
		return "ends after the makespan";
	for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++) {
		*other = e->before[i];
		if (!check_is_before(schedule->end[*other] + graph__static_comm(problem,
										schedule->places[*other].worker, p,
										e->before_bytes[i]),
				     schedule->start[t]))
			return "starts too early after";
	}
	return NULL;
}

struct check_item {
	struct graph_place place;
	uint32_t task;
};

static int check_compare(const void *a, const void *b)
{
	const struct check_item *x = a, *y = b;

	if (x->place.worker != y->place.worker)
		return x->place.worker < y->place.worker ? -1 : 1;
	return (x->place.position > y->place.position) - (x->place.position < y->place.position);
}

/* Tasks of a processor in the order of their positions: these count from 0, and none overlaps. */
static const char *check_order(const struct graph_schedule *schedule, uint32_t n, struct check_item *items, uint32_t *t,
			       uint32_t *other)
{
	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct check_item){ schedule->places[i], i };
	qsort(items, n, sizeof(*items), check_compare);
	for (uint32_t i = 0; i < n; i++) {
		bool first = !i || items[i - 1].place.worker != items[i].place.worker;

		*t = items[i].task;
		*other = first ? *t : items[i - 1].task;
		if (items[i].place.position != (first ? 0 : items[i - 1].place.position + 1))
			return "does not have the next position after";
		if (!first && !check_is_before(schedule->end[*other], schedule->start[*t]))
			return "overlaps with";
	}
	return NULL;
}

int graph_schedule_check(const struct graph_problem *problem, const struct graph_schedule *schedule, char *error,
			 size_t error_size)
{
	uint32_t n = problem->edges->ntasks, t = 0, other = 0;
	struct check_item *items = malloc((n + (size_t)1) * sizeof(*items));
	const char *fault = items ? NULL : "exceeds the memory together with";

	for (; t < n && !fault; t += !fault)
		fault = check_task(problem, schedule, t, &other);
	if (!fault)
		fault = check_order(schedule, n, items, &t, &other);
	free(items);
	if (!fault)
		return 0;
	if (other == t)
		xy__text_print(error, error_size, "task %u %s", t, fault);
	else
		xy__text_print(error, error_size, "task %u %s task %u", t, fault, other);
	return -EINVAL;
}
