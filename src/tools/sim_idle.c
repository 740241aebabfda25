/* SPDX-License-Identifier: MIT */
/*
 * Why workers were idle. A task waits from when it is ready until it starts; while one waits that a worker could
 * run, the worker is idle by choice, else because of the critical path; from when it has taken its next task, it
 * waits for data.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/sim.h"

/* Times during which a task waits that a class can run: disjoint, rising. */
struct idle_spans {
	uint32_t n;
	double (*at)[2];
	double *before; /* by span: how long those before it are together */
};

static int idle_by_start(const void *a, const void *b)
{
	const double *first = a, *second = b;

	return first[0] != second[0] ? first[0] < second[0] ? -1 : 1 : first[1] < second[1] ? -1 : first[1] > second[1];
}

static bool idle_waits(const struct sim_case *c, const struct sim_run *run, uint32_t task, unsigned class)
{
	const struct sim_event *event = &run->events[task];

	return event->worker != UINT32_MAX && event->start_s > event->ready_s && isfinite(sim_case_us(c, task, class));
}

static int idle_spans_init(struct idle_spans *spans, const struct sim_case *c, const struct sim_run *run,
			   unsigned class)
{
	uint32_t n = 0;

	*spans = (struct idle_spans){
		.at = malloc((c->graph.ntasks + (size_t)1) * sizeof(*spans->at)),
		.before = malloc((c->graph.ntasks + (size_t)1) * sizeof(*spans->before)),
	};
	if (!spans->at || !spans->before)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->graph.ntasks; i++)
		if (idle_waits(c, run, i, class)) {
			spans->at[n][0] = run->events[i].ready_s;
			spans->at[n++][1] = run->events[i].start_s;
		}
	qsort(spans->at, n, sizeof(*spans->at), idle_by_start);
	for (uint32_t i = 0; i < n; i++) {
		double *last = spans->n ? spans->at[spans->n - 1] : NULL;

		if (last && spans->at[i][0] <= last[1]) {
			last[1] = fmax(last[1], spans->at[i][1]);
		} else {
			spans->at[spans->n][0] = spans->at[i][0];
			spans->at[spans->n++][1] = spans->at[i][1];
		}
	}
	for (uint32_t i = 0; i < spans->n; i++)
		spans->before[i] = i ? spans->before[i - 1] + spans->at[i - 1][1] - spans->at[i - 1][0] : 0;
	return 0;
}

static void idle_spans_fini(struct idle_spans *spans)
{
	free(spans->at);
	free(spans->before);
}

/* How much of the time before a moment lies in spans. */
static double idle_until(const struct idle_spans *spans, double moment)
{
	uint32_t low = 0, high = spans->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (spans->at[middle][0] < moment)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	return spans->before[low - 1] + fmin(moment, spans->at[low - 1][1]) - spans->at[low - 1][0];
}

/* --- workers --- */

struct idle_order {
	const struct sim_event *events;
	uint32_t *tasks; /* by worker, then by start */
	uint32_t n;
};

static int idle_compare(const void *a, const void *b, void *arg)
{
	const struct sim_event *events = arg;
	const struct sim_event *first = &events[*(const uint32_t *)a], *second = &events[*(const uint32_t *)b];

	if (first->worker != second->worker)
		return first->worker < second->worker ? -1 : 1;
	return first->start_s != second->start_s ? first->start_s < second->start_s ? -1 : 1
	       : first->end_s < second->end_s    ? -1
						 : first->end_s > second->end_s;
}

/* From one end of a task to the next start, of which the last part may be a wait for data. */
static void idle_gap(struct sim_idle *idle, const struct idle_spans *spans, double from, double taken, double to)
{
	double free_until = fmin(fmax(taken, from), to);
	double choice = idle_until(spans, free_until) - idle_until(spans, from);

	idle->data_s += to - free_until;
	idle->choice_s += choice;
	idle->path_s += fmax(0, free_until - from - choice);
}

static void idle_workers(struct sim_run *run, const struct sim_case *c, const struct idle_order *order,
			 const struct idle_spans *spans)
{
	uint32_t next = 0;

	for (unsigned w = 0; w < c->nworkers; w++) {
		double at = 0;

		for (; next < order->n && run->events[order->tasks[next]].worker == w; next++) {
			const struct sim_event *event = &run->events[order->tasks[next]];

			if (event->start_s > at)
				idle_gap(&run->idle, &spans[c->class[w]], at, event->begin_s, event->start_s);
			at = fmax(at, event->end_s);
		}
		if (run->makespan_s > at)
			idle_gap(&run->idle, &spans[c->class[w]], at, run->makespan_s, run->makespan_s);
	}
}

int sim_run_idle(struct sim_run *run, const struct sim_case *c)
{
	struct idle_spans *spans = calloc(c->nclasses, sizeof(*spans));
	struct idle_order order = { .events = run->events };
	int error = spans ? 0 : -ENOMEM;

	order.tasks = malloc((run->nevents + (size_t)1) * sizeof(*order.tasks));
	if (!order.tasks)
		error = -ENOMEM;
	for (unsigned k = 0; k < c->nclasses && !error; k++)
		error = idle_spans_init(&spans[k], c, run, k);
	if (!error) {
		for (uint32_t i = 0; i < run->nevents; i++)
			if (run->events[i].worker != UINT32_MAX)
				order.tasks[order.n++] = i;
		qsort_r(order.tasks, order.n, sizeof(*order.tasks), idle_compare, run->events);
		idle_workers(run, c, &order, spans);
	}
	for (unsigned k = 0; k < c->nclasses && spans; k++)
		idle_spans_fini(&spans[k]);
	free(spans);
	free(order.tasks);
	return error;
}
