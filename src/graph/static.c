/* SPDX-License-Identifier: MIT */
/*
 * Shared by the static list schedulers: means, upward ranks, and placing tasks one by one at the earliest finish time,
 * including gaps. Each processor has a list of busy intervals.
 */
#include "graph/static.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- means and ranks --- */

static uint32_t static_place(const struct graph_problem *problem, uint32_t processor)
{
	return problem->place ? problem->place[processor] : processor;
}

static uint32_t static_nplaces(const struct graph_problem *problem)
{
	return problem->place ? problem->nplaces : problem->nprocessors;
}

/* Between places. */
static double static_send(const struct graph_problem *problem, uint32_t from, uint32_t to, uint64_t bytes)
{
	size_t at = (size_t)from * static_nplaces(problem) + to;
	double latency = problem->latencies_us ? problem->latencies_us[at] : problem->latency_us;
	double per_byte = problem->us_per_bytes ? problem->us_per_bytes[at] : problem->us_per_byte;

	return from == to || !bytes ? 0 : latency + per_byte * (double)bytes;
}

double graph__static_comm(const struct graph_problem *problem, uint32_t from, uint32_t to, uint64_t bytes)
{
	return static_send(problem, static_place(problem, from), static_place(problem, to), bytes);
}

/* The mean of a figure over all pairs of different processors, times their number. */
static double static_mean_link(const struct graph_problem *problem, const double *matrix, double uniform)
{
	uint32_t n = static_nplaces(problem), processors = problem->nprocessors;
	double *count = calloc(n, sizeof(*count)), sum = 0, pairs = 0;

	if (!count)
		return NAN;
	for (uint32_t p = 0; p < processors; p++)
		count[static_place(problem, p)]++;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++) {
			double ways = count[a] * (a == b ? count[a] - 1 : count[b]);

			pairs += ways;
			if (a != b)
				sum += ways * (matrix ? matrix[(size_t)a * n + b] : uniform);
		}
	free(count);
	return pairs > 0 ? sum * processors / pairs : 0;
}

int graph__means_init(struct graph__means *means, const struct graph_problem *problem)
{
	uint32_t n = problem->nprocessors, ntasks = problem->edges->ntasks;

	means->costs = malloc((ntasks + (size_t)1) * sizeof(*means->costs));
	means->latency = static_mean_link(problem, problem->latencies_us, problem->latency_us);
	means->per_byte = static_mean_link(problem, problem->us_per_bytes, problem->us_per_byte);
	if (!means->costs || isnan(means->latency) || isnan(means->per_byte)) {
		graph__means_fini(means);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < ntasks; t++) {
		const double *costs = &problem->costs[(size_t)t * n];
		uint32_t count = 0;
		double sum = 0;

		for (uint32_t p = 0; p < n; p++)
			if (isfinite(costs[p])) {
				sum += costs[p];
				count++;
			}
		means->costs[t] = count == n ? sum : sum * n / count;
		if (!count) {
			graph__means_fini(means);
			return -EINVAL;
		}
	}
	return 0;
}

void graph__means_fini(struct graph__means *means)
{
	free(means->costs);
	means->costs = NULL;
}

void graph__upward_ranks(const struct graph_problem *problem, const struct graph__means *means, double *ranks)
{
	const struct graph_edges *e = problem->edges;

	for (uint32_t t = e->ntasks; t-- > 0;) {
		double most = 0;

		for (size_t i = e->after_at[t]; i < e->after_at[t + 1]; i++)
			most = fmax(most, graph__mean_comm(means, e->after_bytes[i]) + ranks[e->after[i]]);
		ranks[t] = means->costs[t] + most;
	}
}

double *graph_costs(const struct graph *g)
{
	size_t n = g->nprocessors;
	double *costs = n ? calloc((g->ntasks + (size_t)1) * n, sizeof(*costs)) : NULL;

	for (uint32_t t = 0; costs && t < g->ntasks; t++)
		if (g->tasks[t].costs)
			memcpy(&costs[t * n], g->tasks[t].costs, n * sizeof(*costs));
	return costs;
}

/* --- when a processor is busy --- */

struct static_span {
	double start, end;
};

struct static_processor {
	struct static_span *spans; /* in the order of time, with gaps between them */
	uint32_t count, room;
};

/* The first span that ends after a moment. */
static uint32_t static_search(const struct static_processor *processor, double moment)
{
	uint32_t low = 0, high = processor->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (processor->spans[middle].end > moment)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* When a task that is ready can begin, and before which span. */
static double static_gap(const struct static_processor *processor, double ready, double cost, uint32_t *at)
{
	double start = ready;

	for (*at = static_search(processor, ready); *at < processor->count; ++*at) {
		const struct static_span *span = &processor->spans[*at];

		if (graph__rounded(start + cost) <= graph__rounded(span->start))
			break;
		start = fmax(start, span->end);
	}
	return start;
}

/* Adds a span before another; spans that touch become one. */
static int static_insert(struct static_processor *processor, uint32_t at, struct static_span span)
{
	struct static_span *spans = processor->spans;
	bool left = at && spans[at - 1].end == span.start, right = at < processor->count && spans[at].start == span.end;

	if (span.start == span.end)
		return 0;
	if (left || right) {
		if (left)
			spans[at - 1].end = right ? spans[at].end : span.end;
		else
			spans[at].start = span.start;
		if (left && right)
			memmove(&spans[at], &spans[at + 1], (--processor->count - at) * sizeof(span));
		return 0;
	}
	if (processor->count == processor->room) {
		uint32_t room = processor->room + processor->room / 2 + 8;

		spans = realloc(spans, room * sizeof(*spans));
		if (!spans)
			return -ENOMEM;
		processor->spans = spans;
		processor->room = room;
	}
	memmove(&spans[at + 1], &spans[at], (processor->count - at) * sizeof(span));
	spans[at] = span;
	processor->count++;
	return 0;
}

/* --- positions --- */

struct static_item {
	double start, end;
	uint32_t processor, task;
};

/* By processor, then by time; tasks that take no time come before what begins then. */
static int static_compare(const void *a, const void *b)
{
	const struct static_item *x = a, *y = b;

	if (x->processor != y->processor)
		return x->processor < y->processor ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

static int static_number(struct graph_schedule *schedule, uint32_t n)
{
	struct static_item *items = malloc((n + (size_t)1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (uint32_t t = 0; t < n; t++)
		items[t] = (struct static_item){ schedule->start[t], schedule->end[t], schedule->places[t].worker, t };
	qsort(items, n, sizeof(*items), static_compare);
	for (uint32_t i = 0; i < n; i++)
		schedule->places[items[i].task].position = i && items[i].processor == items[i - 1].processor
								   ? schedule->places[items[i - 1].task].position + 1
								   : 0;
	free(items);
	return 0;
}

/* --- the list --- */

struct static_list {
	const struct graph_problem *problem;
	const struct graph__static *rules;
	struct graph_schedule *schedule;
	struct static_processor *processors;
	double *ready;         /* by place: when all that a task needs can be there */
	uint32_t *missing;     /* by task: predecessors that are not placed */
	uint32_t *heap, nheap; /* tasks of which none is missing, first in rank at the top */
};

static bool static_goes_before(const struct static_list *list, uint32_t a, uint32_t b)
{
	double x = list->rules->ranks[a], y = list->rules->ranks[b];

	return x > y || (x == y && a < b);
}

static void static_heap_add(struct static_list *list, uint32_t task)
{
	uint32_t at = list->nheap++;

	for (; at && static_goes_before(list, task, list->heap[(at - 1) / 2]); at = (at - 1) / 2)
		list->heap[at] = list->heap[(at - 1) / 2];
	list->heap[at] = task;
}

static uint32_t static_heap_take(struct static_list *list)
{
	uint32_t first = list->heap[0], last = list->heap[--list->nheap], at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= list->nheap)
			break;
		if (child + 1 < list->nheap && static_goes_before(list, list->heap[child + 1], list->heap[child]))
			child++;
		if (!static_goes_before(list, list->heap[child], last))
			break;
		list->heap[at] = list->heap[child];
		at = child;
	}
	list->heap[at] = last;
	return first;
}

static void static_ready_times(struct static_list *list, uint32_t t)
{
	const struct graph_problem *problem = list->problem;
	const struct graph_edges *e = problem->edges;
	uint32_t n = static_nplaces(problem);

	for (uint32_t place = 0; place < n; place++)
		list->ready[place] = 0;
	for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++) {
		uint32_t from = static_place(problem, list->schedule->places[e->before[i]].worker);
		double end = list->schedule->end[e->before[i]];

		for (uint32_t place = 0; place < n; place++)
			list->ready[place] = fmax(list->ready[place],
						  end + static_send(problem, from, place, e->before_bytes[i]));
	}
}

/* Puts a task where it ends first by the rules. */
static int static_put(struct static_list *list, uint32_t t)
{
	uint32_t n = list->problem->nprocessors, fixed = list->rules->fixed ? list->rules->fixed[t] : UINT32_MAX;
	const double *costs = &list->problem->costs[(size_t)t * n];
	const double *bias = list->rules->bias ? &list->rules->bias[(size_t)t * n] : NULL;
	double best = INFINITY, best_start = 0;
	uint32_t best_at = 0, chosen = UINT32_MAX;

	static_ready_times(list, t);
	for (uint32_t p = 0; p < n; p++) {
		uint32_t at;
		double start, value;

		if (!isfinite(costs[p]) || (fixed != UINT32_MAX && p != fixed))
			continue;
		start = static_gap(&list->processors[p], list->ready[static_place(list->problem, p)], costs[p], &at);
		value = graph__rounded(start + costs[p] + (bias ? bias[p] : 0));
		if (chosen == UINT32_MAX || value < best ||
		    (value == best && graph__rounded(start) < graph__rounded(best_start))) {
			best = value;
			best_start = start;
			best_at = at;
			chosen = p;
		}
	}
	if (chosen == UINT32_MAX)
		return -EINVAL;
	list->schedule->places[t].worker = chosen;
	list->schedule->start[t] = best_start;
	list->schedule->end[t] = best_start + costs[chosen];
	list->schedule->makespan = fmax(list->schedule->makespan, list->schedule->end[t]);
	return static_insert(&list->processors[chosen], best_at,
			     (struct static_span){ best_start, best_start + costs[chosen] });
}

static int static_run(struct static_list *list)
{
	const struct graph_edges *e = list->problem->edges;
	int error = 0;

	for (uint32_t t = 0; t < e->ntasks; t++) {
		list->missing[t] = (uint32_t)(e->before_at[t + 1] - e->before_at[t]);
		if (!list->missing[t])
			static_heap_add(list, t);
	}
	while (list->nheap && !error) {
		uint32_t t = static_heap_take(list);

		error = static_put(list, t);
		for (size_t i = e->after_at[t]; i < e->after_at[t + 1]; i++)
			if (!--list->missing[e->after[i]])
				static_heap_add(list, e->after[i]);
	}
	return error ? error : static_number(list->schedule, e->ntasks);
}

int graph__static_schedule(const struct graph_problem *problem, const struct graph__static *rules,
			   struct graph_schedule *schedule)
{
	struct static_list list = { .problem = problem, .rules = rules, .schedule = schedule };
	size_t n = problem->edges->ntasks + (size_t)1;
	int error = -ENOMEM;

	*schedule = (struct graph_schedule){ .places = calloc(n, sizeof(*schedule->places)),
					     .start = calloc(n, sizeof(double)),
					     .end = calloc(n, sizeof(double)) };
	list.processors = calloc(problem->nprocessors, sizeof(*list.processors));
	list.ready = calloc(static_nplaces(problem), sizeof(*list.ready));
	list.missing = calloc(n, sizeof(*list.missing));
	list.heap = calloc(n, sizeof(*list.heap));
	if (schedule->places && schedule->start && schedule->end && list.processors && list.ready && list.missing &&
	    list.heap)
		error = static_run(&list);
	for (uint32_t p = 0; list.processors && p < problem->nprocessors; p++)
		free(list.processors[p].spans);
	free(list.processors);
	free(list.ready);
	free(list.missing);
	free(list.heap);
	if (error)
		graph_schedule_fini(schedule);
	return error;
}

void graph_schedule_fini(struct graph_schedule *schedule)
{
	free(schedule->places);
	free(schedule->start);
	free(schedule->end);
	*schedule = (struct graph_schedule){ 0 };
}
