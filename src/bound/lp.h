/* SPDX-License-Identifier: MIT */
/*
 * The linear program over areas and dependency paths as lp_glpk.c and lp_program.c share it: a column for T, and one
 * for each group of tasks and class of workers; a row for each class, each group and each named path.
 */
#ifndef XYLEM_BOUND_LP_H
#define XYLEM_BOUND_LP_H

#include <glpk.h>
#include "bound/parts.h"

enum {
	LP_TIME = 1, /* the column of T */
};

struct lp_group {
	unsigned type, count;
	int row;           /* that all of it is done somewhere */
	unsigned on;       /* while a path is named: how many of its tasks are on it, then its other half */
	double path_price; /* of all paths that it is on */
};

struct lp {
	const struct bound_graph *graph;
	glp_prob *program;
	unsigned nclasses, ngroups;
	struct lp_group *groups;
	unsigned *group; /* by task */
	unsigned npaths;
	int *path_rows; /* by path */
	double unit_us; /* unit of lengths in the program */
	double end_s;   /* when to stop */
	/*
	 * The cost of a microsecond of work. If a path is the bound, many divisions are optimal; with short tasks all
	 * other paths are likely to be short enough too.
	 */
	double haste;
	double bound_us, upper_us; /* the largest bound, the smallest value of a division */
	/* By task, at the division found last, at the best one, and at a point between: how long it takes. */
	double *length_us, *best_us, *between_us;
	double *area_us, *best_area_us; /* by class: load by workers */
	double *up_us, *down_us;
	unsigned *next; /* by task: the one after it on the longest path down */
	unsigned *path;
	unsigned char *covered;
	unsigned *ranked; /* tasks by what is the longest path through them */
	int *index;       /* room for rows of the program */
	double *value;
};

/* The column of a group and a class. */
static inline int lp_column(const struct lp *lp, unsigned group, unsigned class)
{
	return LP_TIME + 1 + (int)(group * lp->nclasses + class);
}

/* The program of the area bound: a group for each type. */
void bound_lp_begin(struct lp *lp);
/* Adds the constraint that the first `length` tasks of lp->path take at most T one behind the other. */
void bound_lp_add_path(struct lp *lp, unsigned length);
/* The bound that the multipliers of the rows give: each group where it is cheapest. */
double bound_lp_evaluate(struct lp *lp);
/* How long each task takes under the division of its group, and how full the classes are. */
void bound_lp_read(struct lp *lp);

#endif
