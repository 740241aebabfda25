/* SPDX-License-Identifier: MIT */
/*
 * Shared by the bounds: a checked problem, its tasks in topological order, its types (tasks with equal durations), and
 * groups of tasks that a program need not distinguish.
 */
#ifndef XYLEM_BOUND_PARTS_H
#define XYLEM_BOUND_PARTS_H

#include "bound/bound.h"

/* Relative margin taken off a bound for the rounding of sums. */
#define BOUND_ROUNDING 1e-9

struct bound_graph {
	const struct bound_problem *problem;
	unsigned ntypes;
	unsigned *order;    /* all tasks, predecessors first */
	unsigned *type;     /* by task */
	unsigned *sample;   /* by type: a task of it, the first */
	unsigned *count;    /* by type: how many tasks */
	double *fastest_us; /* by type */
	double total_us;    /* of all tasks, at their fastest */
};

int bound_graph_init(struct bound_graph *graph, const struct bound_problem *problem, char *message);
void bound_graph_fini(struct bound_graph *graph);

/* Durations by class of a type. A class without workers is INFINITY. */
double bound_graph_duration(const struct bound_graph *graph, unsigned type, unsigned class);

/* The longest path for these lengths by task: up[i] is the longest one that ends with i, i included. */
double bound_graph_longest(const struct bound_graph *graph, const double *length_us, double *up_us);
/* The tasks of a longest path that ends with task, last first; returns how many. path has room for all. */
unsigned bound_graph_path(const struct bound_graph *graph, const double *up_us, unsigned task, unsigned *path);

/* Tasks of one type, all of them on the path of a program or none. */
struct bound_group {
	unsigned type, count;
	bool on_path;
};

/* min T: the groups, divided among classes, fit into each class's workers until T, and those on the path
 * one behind the other. Negative: -ENOMEM. */
double bound_area(const struct bound_graph *graph, const struct bound_group *groups, unsigned ngroups);

/* The linear program; set has the other bounds and gets this one. */
int bound_lp(const struct bound_graph *graph, double limit_s, struct bound_set *set);

/*
 * The whole linear program, with an end for each task, within limit_s seconds. Raises *bound_us, and lowers *upper_us
 * to an upper bound on the optimum. 0 or -ENOMEM.
 */
int bound_whole(const struct bound_graph *graph, double limit_s, double *bound_us, double *upper_us);

#endif
