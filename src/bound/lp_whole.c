/* SPDX-License-Identifier: MIT */
/*
 * The linear program over areas and paths in its whole form, with GLPK: an end for each task and a row for each edge.
 * For graphs in which too many paths matter to name them one by one. The slack basis is dual feasible and stays
 * so in the dual simplex, hence its multipliers mean something whenever the time is over: those of edges are made a
 * flow, and the flow and the prices of classes give the bound.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <glpk.h>
#include "bound/parts.h"

enum { WHOLE_TIME = 1, WHOLE_ENTRIES = 64 }; /* the column of T; of a row that is filled by hand */

/* Each task is on its base class but for the parts that its columns say. */
struct whole {
	const struct bound_graph *graph;
	glp_prob *program;
	unsigned n, nclasses;
	double unit_us;
	unsigned *base; /* by type: a class that can run it */
	int *part;      /* by task: its first column, for the other classes that can run it, in order */
	int *edge_row;  /* by edge */
	int *first_row; /* by task without predecessors: that it ends after its length; else 0 */
	int *last_row;  /* by task without successors: that T is after its end; else 0 */
	bool *followed; /* by task: it has successors */
	double *flow;   /* by task */
	double *shares; /* by task: the multipliers of what follows it */
	int *index;     /* room for rows */
	double *value;
};

static double whole_us(const struct whole *whole, unsigned task, unsigned class)
{
	return bound_graph_duration(whole->graph, whole->graph->type[task], class) / whole->unit_us;
}

static unsigned whole_base(const struct whole *whole, unsigned task)
{
	return whole->base[whole->graph->type[task]];
}

static int whole_end(unsigned task)
{
	return WHOLE_TIME + 1 + (int)task;
}

/* --- the program --- */

static void whole_columns(struct whole *whole)
{
	glp_add_cols(whole->program, (int)whole->n + 1);
	for (int i = 1; i <= (int)whole->n + 1; i++)
		glp_set_col_bnds(whole->program, i, GLP_LO, 0, 0);
	glp_set_obj_coef(whole->program, WHOLE_TIME, 1);
	for (unsigned i = 0; i < whole->n; i++) {
		int count = 0, at = 0;

		for (unsigned c = 0; c < whole->nclasses; c++)
			count += c != whole_base(whole, i) && isfinite(whole_us(whole, i, c));
		whole->part[i] = count ? glp_add_cols(whole->program, count) : 0;
		for (; at < count; at++)
			glp_set_col_bnds(whole->program, whole->part[i] + at, GLP_DB, 0, 1);
	}
}

/* Adds what a task's columns add to a row, by the difference between each class and the base. */
static int whole_add_length(struct whole *whole, int n, unsigned task, double sign)
{
	unsigned base = whole_base(whole, task);
	int column = whole->part[task];

	for (unsigned c = 0; c < whole->nclasses; c++) {
		if (c == base || !isfinite(whole_us(whole, task, c)))
			continue;
		whole->index[++n] = column++;
		whole->value[n] = sign * (whole_us(whole, task, c) - whole_us(whole, task, base));
	}
	return n;
}

static int whole_row(struct whole *whole, int n, int type, double side)
{
	int row = glp_add_rows(whole->program, 1);

	glp_set_row_bnds(whole->program, row, type, side, side);
	glp_set_mat_row(whole->program, row, n, whole->index, whole->value);
	return row;
}

/* A task's end is at least its length behind another's; before is 0 for the beginning. */
static int whole_after(struct whole *whole, unsigned task, int before)
{
	int n = 1;

	whole->index[1] = whole_end(task);
	whole->value[1] = 1;
	if (before) {
		whole->index[++n] = before;
		whole->value[n] = -1;
	}
	n = whole_add_length(whole, n, task, -1);
	return whole_row(whole, n, GLP_LO, whole_us(whole, task, whole_base(whole, task)));
}

static void whole_task(struct whole *whole, unsigned task)
{
	const struct bound_problem *problem = whole->graph->problem;
	int count = 0;

	whole->first_row[task] = whole->last_row[task] = 0;
	for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++)
		whole->edge_row[e] = whole_after(whole, task, whole_end(problem->predecessors[e]));
	if (problem->first[task] == problem->first[task + 1])
		whole->first_row[task] = whole_after(whole, task, 0);
	if (!whole->followed[task]) {
		whole->index[1] = WHOLE_TIME;
		whole->value[1] = 1;
		whole->index[2] = whole_end(task);
		whole->value[2] = -1;
		whole->last_row[task] = whole_row(whole, 2, GLP_LO, 0);
	}
	for (unsigned c = 0; c < whole->nclasses; c++)
		if (c != whole_base(whole, task) && isfinite(whole_us(whole, task, c))) {
			whole->index[1 + count] = whole->part[task] + count;
			whole->value[1 + count++] = 1;
		}
	if (count > 1)
		whole_row(whole, count, GLP_UP, 1);
}

/* W T is at least the load of a class: its default load, minus what moved away, plus what moved in. */
static void whole_area(struct whole *whole, unsigned class)
{
	double load = 0;
	int n = 1;

	whole->index[1] = WHOLE_TIME;
	whole->value[1] = whole->graph->problem->workers[class];
	for (unsigned i = 0; i < whole->n; i++) {
		bool here = whole_base(whole, i) == class;
		int column = whole->part[i];

		load += here ? whole_us(whole, i, class) : 0;
		for (unsigned c = 0; c < whole->nclasses; c++) {
			if (c == whole_base(whole, i) || !isfinite(whole_us(whole, i, c)))
				continue;
			if (here || c == class) {
				whole->index[++n] = column;
				whole->value[n] = whole_us(whole, i, class) * (here ? 1 : -1);
			}
			column++;
		}
	}
	whole_row(whole, n, GLP_LO, load);
}

static void whole_build(struct whole *whole)
{
	const struct bound_problem *problem = whole->graph->problem;

	for (unsigned t = 0; t < whole->graph->ntypes; t++)
		for (whole->base[t] = 0; !isfinite(bound_graph_duration(whole->graph, t, whole->base[t]));)
			whole->base[t]++;
	for (size_t e = 0; e < problem->first[whole->n]; e++)
		whole->followed[problem->predecessors[e]] = true;
	whole_columns(whole);
	for (unsigned c = 0; c < whole->nclasses; c++)
		whole_area(whole, c);
	for (unsigned i = 0; i < whole->n; i++)
		whole_task(whole, i);
}

/* --- its multipliers --- */

static double whole_price(const struct whole *whole, int row)
{
	return row ? fmax(0, glp_get_row_dual(whole->program, row)) : 0;
}

/* A flow in the proportions of the multipliers. What no multiplier leads on is given up, and does not count as
 * capacity either, as a path may end anywhere. */
static double whole_flow(struct whole *whole)
{
	const struct bound_problem *problem = whole->graph->problem;
	double sum = 0;

	for (unsigned i = 0; i < whole->n; i++)
		whole->shares[i] = whole_price(whole, whole->last_row[i]);
	for (size_t e = 0; e < problem->first[whole->n]; e++)
		whole->shares[problem->predecessors[e]] += whole_price(whole, whole->edge_row[e]);
	for (unsigned k = 0; k < whole->n; k++) {
		unsigned task = whole->graph->order[k];

		whole->flow[task] = whole_price(whole, whole->first_row[task]);
		sum += whole->flow[task];
		for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++) {
			unsigned before = problem->predecessors[e];

			if (whole->shares[before] > 0)
				whole->flow[task] += whole->flow[before] *
						     (whole_price(whole, whole->edge_row[e]) / whole->shares[before]);
		}
	}
	return sum;
}

static double whole_bound_us(struct whole *whole)
{
	double capacity = whole_flow(whole), cost = 0;

	for (unsigned c = 0; c < whole->nclasses; c++)
		capacity += whole->graph->problem->workers[c] * whole_price(whole, (int)c + 1);
	for (unsigned i = 0; i < whole->n; i++) {
		double least = INFINITY;

		for (unsigned c = 0; c < whole->nclasses; c++)
			if (isfinite(whole_us(whole, i, c)))
				least = fmin(least,
					     whole_us(whole, i, c) * (whole_price(whole, (int)c + 1) + whole->flow[i]));
		cost += least;
	}
	return capacity > 0 ? cost / capacity * whole->unit_us * (1 - BOUND_ROUNDING) : 0;
}

/* --- all of it --- */

static bool whole_init(struct whole *whole, const struct bound_graph *graph)
{
	size_t n = graph->problem->ntasks, nclasses = graph->problem->nclasses, nedges = graph->problem->first[n];
	size_t longest = n * nclasses + nclasses + WHOLE_ENTRIES;

	*whole = (struct whole){
		.graph = graph,
		.n = (unsigned)n,
		.nclasses = (unsigned)nclasses,
		.unit_us = graph->total_us / (double)n,
		.base = malloc(graph->ntypes * sizeof(*whole->base)),
		.part = malloc(n * sizeof(*whole->part)),
		.edge_row = malloc((nedges + 1) * sizeof(*whole->edge_row)),
		.first_row = malloc(n * sizeof(*whole->first_row)),
		.last_row = malloc(n * sizeof(*whole->last_row)),
		.followed = calloc(n, sizeof(*whole->followed)),
		.flow = malloc(n * sizeof(*whole->flow)),
		.shares = malloc(n * sizeof(*whole->shares)),
		.index = malloc(longest * sizeof(*whole->index)),
		.value = malloc(longest * sizeof(*whole->value)),
	};
	return whole->base && whole->part && whole->edge_row && whole->first_row && whole->last_row &&
	       whole->followed && whole->flow && whole->shares && whole->index && whole->value;
}

static void whole_fini(struct whole *whole)
{
	free(whole->base);
	free(whole->part);
	free(whole->edge_row);
	free(whole->first_row);
	free(whole->last_row);
	free(whole->followed);
	free(whole->flow);
	free(whole->shares);
	free(whole->index);
	free(whole->value);
}

int bound_whole(const struct bound_graph *graph, double limit_s, double *bound_us, double *upper_us)
{
	struct whole whole;
	glp_smcp settings;
	int error = whole_init(&whole, graph) ? 0 : -ENOMEM;

	if (!error) {
		whole.program = glp_create_prob();
		whole_build(&whole);
		glp_init_smcp(&settings);
		settings.msg_lev = GLP_MSG_OFF;
		settings.meth = GLP_DUAL;
		settings.tm_lim = (int)fmin(1e9, fmax(1, limit_s * 1000));
		/* The bound does not rest on how this ended; that it is the optimum does. */
		if (!glp_simplex(whole.program, &settings) && glp_get_status(whole.program) == GLP_OPT)
			*upper_us = fmin(*upper_us, glp_get_obj_val(whole.program) * whole.unit_us);
		*bound_us = fmax(*bound_us, whole_bound_us(&whole));
		glp_delete_prob(whole.program);
	}
	whole_fini(&whole);
	return error;
}
