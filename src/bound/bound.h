/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds on the makespan of a graph of tasks on classes of workers, without transfers. Every bound is
 * valid: no schedule, preemptive or not, is shorter. Each is the value of a dual solution that is evaluated
 * here, less a rounding allowance, so that nothing depends on the tolerances of a solver.
 */
#ifndef XYLEM_BOUND_BOUND_H
#define XYLEM_BOUND_BOUND_H

#include <stdbool.h>
#include <stddef.h>

/* A graph on a machine. Nothing is copied; all of it belongs to the caller. */
struct bound_problem {
	unsigned ntasks, nclasses;
	const unsigned *workers;      /* by class, how many; 0 is allowed */
	const double *duration_us;    /* [task * nclasses + class]; INFINITY where it can't run */
	const size_t *first;          /* [ntasks + 1]: where a task's predecessors begin */
	const unsigned *predecessors; /* in any order, tasks in any order */
};

enum bound_kind { BOUND_AREA, BOUND_PATH, BOUND_MIXED, BOUND_LP, BOUND_NKINDS };

/* How the linear program over areas and paths ended. */
enum bound_end {
	BOUND_OPTIMAL,   /* its optimum, to within gap */
	BOUND_STOPPED,   /* the time was over: a valid bound, the optimum is at most 1 + gap times as large */
	BOUND_NO_SOLVER, /* built without a solver: the mixed bound stands in for it */
};

struct bound_set {
	double us[BOUND_NKINDS]; /* area <= mixed <= lp, path <= mixed */
	enum bound_end end;
	double gap;      /* relative; 0 without a solver, INFINITY: nothing is known */
	unsigned npaths; /* constraints of paths in the linear program */
	unsigned ntypes; /* different rows of durations */
};

enum { BOUND_MESSAGE = 160 };

/* All bounds; the linear program gets at most limit_s seconds (0: only its first, type by type, steps). Returns
 * 0, -EINVAL with what is wrong in message[BOUND_MESSAGE] (a task that can run nowhere, a cycle, ...) or -ENOMEM. */
int bound_compute(const struct bound_problem *problem, double limit_s, struct bound_set *set, char *message);

/* The solver of the linear program ("GLPK 5.0"); NULL: none. */
const char *bound_solver(void);

/* "area", "path", "mixed", "lp". */
const char *bound_name(enum bound_kind kind);
/* False: unknown name. */
bool bound_kind_of(const char *name, enum bound_kind *kind);

#endif
