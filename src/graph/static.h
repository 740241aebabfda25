/* SPDX-License-Identifier: MIT */
/*
 * Static list schedulers, as references: they know the whole graph and all costs before the first task begins.
 * Times are in microseconds, or in whatever unit the costs have.
 */
#ifndef XYLEM_GRAPH_STATIC_H
#define XYLEM_GRAPH_STATIC_H

#include <math.h>

#include "graph/graph.h"

/* A scheduling problem. The caller owns all arrays. */
struct graph_problem {
	const struct graph_edges *edges;
	uint32_t nprocessors;
	const double *costs; /* of task t on processor p: [t * nprocessors + p]; INFINITY: it can't run there */
	/* Processors in one place share memory: nothing is sent between them. NULL: each is in its own place. */
	uint32_t nplaces;
	const uint32_t *place; /* by processor */
	/* Bytes take latency_us + bytes * us_per_byte from one place to another, [from * nplaces + to]; no bytes take
	 * no time. NULL: the uniform values. */
	const double *latencies_us, *us_per_bytes;
	double latency_us, us_per_byte;
};

/* Where and when tasks run, by task. */
struct graph_schedule {
	struct graph_place *places; /* worker is the processor; position counts the tasks of a processor from 0 */
	double *start, *end;
	double makespan;
};

/*
 * The three of them append a task to the list when all of its predecessors are in it. Of several tasks with the
 * highest rank the one that stands first in the graph goes first, and of several processors that are equally good
 * the one where it begins first, then the first. A task may begin in a gap between two others. 0, -ENOMEM, or
 * -EINVAL for a task that can't run anywhere; then the schedule is empty.
 */
int graph_heft(const struct graph_problem *problem, struct graph_schedule *schedule);
int graph_cpop(const struct graph_problem *problem, struct graph_schedule *schedule);
int graph_peft(const struct graph_problem *problem, struct graph_schedule *schedule);

void graph_schedule_fini(struct graph_schedule *schedule);

/*
 * Checks a schedule against its problem: each task once, with its duration, after its predecessors and their messages,
 * and without overlap. 0, or -EINVAL with a sentence.
 */
int graph_schedule_check(const struct graph_problem *problem, const struct graph_schedule *schedule, char *error,
			 size_t error_size);

/* The costs that tasks know, for graphs with processors: to be freed by the caller. NULL without memory or
 * processors. */
double *graph_costs(const struct graph *g);

/* --- what the schedulers share (static.c) --- */

/* How long bytes take between two processors. */
double graph__static_comm(const struct graph_problem *problem, uint32_t from, uint32_t to, uint64_t bytes);

/* Means as they go into ranks, times the number of processors: so sums of whole numbers stay whole, and equal
 * ranks equal. Over the processors that can run a task, and over all pairs of different processors. */
struct graph__means {
	double *costs; /* by task */
	double latency, per_byte;
};
int graph__means_init(struct graph__means *means, const struct graph_problem *problem);
void graph__means_fini(struct graph__means *means);
static inline double graph__mean_comm(const struct graph__means *means, uint64_t bytes)
{
	return bytes ? means->latency + means->per_byte * (double)bytes : 0;
}

/*
 * To compare: sums of the same numbers in another order differ in their last bits, so that ties would depend on
 * rounding. Keeps 40 bits.
 */
static inline double graph__rounded(double value)
{
	int exponent;
	double fraction = frexp(value, &exponent);

	return isfinite(value) ? ldexp(rint(ldexp(fraction, 40)), exponent - 40) : value;
}

/* The longest way from a task's beginning to the end, by means. */
void graph__upward_ranks(const struct graph_problem *problem, const struct graph__means *means, double *ranks);

/* The parameters of a list scheduler. */
struct graph__static {
	const double *ranks;   /* by task: highest first among those whose predecessors are placed */
	const double *bias;    /* added to the end on a processor to find the least, [t * n + p]; or NULL */
	const uint32_t *fixed; /* by task: its processor, or UINT32_MAX; or NULL */
};
int graph__static_schedule(const struct graph_problem *problem, const struct graph__static *rules,
			   struct graph_schedule *schedule);

#endif
