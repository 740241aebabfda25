/* SPDX-License-Identifier: MIT */
/*
 * The linear program over areas and dependency paths, with GLPK and lazy constraints. Tasks of one type on the same
 * named paths form one group, divided among the classes as a whole; a path that is longer than T under the current
 * division becomes a constraint, which splits the groups it cuts. The dual simplex continues from the previous basis.
 * The multipliers of the rows, not the objective, give the bound, so that it is valid after each step and whatever the
 * tolerances.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bound/lp.h"

enum {
	LP_PATHS = 24,  /* named at a time */
	LP_ROWS = 6000, /* paths in all, at most */
	LP_ROUNDS = 12, /* of naming paths before the whole program is tried, if it has few rows and columns; */
	LP_FEW = 15000,
	LP_MANY = 40000, /* with at most that many paths get half of the time; with more, all of it */
};
#define LP_GAP 1e-4   /* near enough to the optimum */
#define LP_HASTE 1e-5 /* weight of all work beside T where it matters, see haste */

static double lp_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Remembers a division if none was better. */
static void lp_keep(struct lp *lp, const double *length_us, const double *area_us)
{
	double value = bound_graph_longest(lp->graph, length_us, lp->up_us);

	for (unsigned c = 0; c < lp->nclasses; c++)
		value = fmax(value, area_us[c]);
	if (value >= lp->upper_us)
		return;
	lp->upper_us = value;
	memcpy(lp->best_us, length_us, lp->graph->problem->ntasks * sizeof(*length_us));
	memcpy(lp->best_area_us, area_us, lp->nclasses * sizeof(*area_us));
}

/* --- paths that are too long --- */

/* Fills down_us and next. */
static void lp_look_down(struct lp *lp, const double *length_us)
{
	const struct bound_problem *problem = lp->graph->problem;

	for (unsigned i = 0; i < problem->ntasks; i++) {
		lp->down_us[i] = 0;
		lp->next[i] = problem->ntasks;
	}
	for (unsigned k = problem->ntasks; k-- > 0;) {
		unsigned task = lp->graph->order[k];

		lp->down_us[task] += length_us[task];
		for (size_t e = problem->first[task]; e < problem->first[task + 1]; e++) {
			unsigned before = problem->predecessors[e];

			if (lp->down_us[task] > lp->down_us[before] || lp->next[before] == problem->ntasks) {
				lp->down_us[before] = lp->down_us[task];
				lp->next[before] = task;
			}
		}
	}
}

static int lp_compare(const void *a, const void *b, void *arg)
{
	const double *through = arg;
	unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;

	return through[first] != through[second] ? through[first] < through[second] ? 1 : -1
	       : first < second                  ? -1
						 : first > second;
}

/* Adds the longest paths through tasks that no path added before it contains; returns how many. */
static unsigned lp_separate(struct lp *lp, const double *length_us, double limit_us)
{
	unsigned n = lp->graph->problem->ntasks, nranked = 0, nadded = 0;
	double *through_us = lp->value; /* until rows are made: nothing else needs it before */

	bound_graph_longest(lp->graph, length_us, lp->up_us);
	lp_look_down(lp, length_us);
	for (unsigned i = 0; i < n; i++) {
		through_us[i] = lp->up_us[i] + lp->down_us[i] - length_us[i];
		lp->covered[i] = 0;
		if (through_us[i] > limit_us)
			lp->ranked[nranked++] = i;
	}
	qsort_r(lp->ranked, nranked, sizeof(*lp->ranked), lp_compare, through_us);
	for (unsigned k = 0; k < nranked && nadded < LP_PATHS; k++) {
		unsigned length;

		if (lp->covered[lp->ranked[k]])
			continue;
		length = bound_graph_path(lp->graph, lp->up_us, lp->ranked[k], lp->path);
		for (unsigned task = lp->next[lp->ranked[k]]; task < n; task = lp->next[task])
			lp->path[length++] = task;
		for (unsigned l = 0; l < length; l++)
			lp->covered[lp->path[l]] = 1;
		bound_lp_add_path(lp, length);
		nadded++;
	}
	return nadded;
}

/* --- the loop --- */

/* One solution; false: the time is over, or the solver gave up. */
static bool lp_solve(struct lp *lp, bool first)
{
	double left_s = lp->end_s - lp_now();
	glp_smcp settings;
	int error;

	if (!first && left_s <= 0)
		return false;
	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.meth = first ? GLP_PRIMAL : GLP_DUALP;
	settings.tm_lim = (int)fmin(1e9, fmax(1, left_s * 1000));
	error = glp_simplex(lp->program, &settings);
	if (error && error != GLP_ETMLIM) {
		glp_std_basis(lp->program);
		settings.meth = GLP_PRIMAL;
		error = glp_simplex(lp->program, &settings);
	}
	lp->bound_us = fmax(lp->bound_us, bound_lp_evaluate(lp));
	return !error && glp_get_status(lp->program) == GLP_OPT;
}

static bool lp_is_near(const struct lp *lp)
{
	return lp->upper_us <= lp->bound_us * (1 + LP_GAP);
}

/* Cuts between the best division and the new one first: the new one alone is a corner that says little. */
static void lp_loop(struct lp *lp, unsigned rounds)
{
	unsigned n = lp->graph->problem->ntasks;

	for (unsigned round = 0; round < rounds && lp_solve(lp, !round); round++) {
		double limit_us = lp->bound_us * (1 + LP_GAP / 2);

		bound_lp_read(lp);
		lp_keep(lp, lp->length_us, lp->area_us);
		for (unsigned i = 0; i < n; i++)
			lp->between_us[i] = (lp->length_us[i] + lp->best_us[i]) / 2;
		for (unsigned c = 0; c < lp->nclasses; c++)
			lp->area_us[c] = (lp->area_us[c] + lp->best_area_us[c]) / 2;
		lp_keep(lp, lp->between_us, lp->area_us);
		if (lp_is_near(lp) || lp->npaths + 2 * LP_PATHS > LP_ROWS)
			return;
		if (!lp_separate(lp, lp->between_us, limit_us) && !lp_separate(lp, lp->length_us, limit_us))
			return;
	}
}

static bool lp_init(struct lp *lp, const struct bound_graph *graph)
{
	size_t n = graph->problem->ntasks, nclasses = graph->problem->nclasses;
	size_t nentries = n * (nclasses + 1) + nclasses + LP_ROWS + 2;

	*lp = (struct lp){
		.graph = graph,
		.nclasses = (unsigned)nclasses,
		.unit_us = graph->total_us / (double)n,
		.upper_us = INFINITY,
		.groups = malloc(n * sizeof(*lp->groups)),
		.group = malloc(n * sizeof(*lp->group)),
		.path_rows = malloc(LP_ROWS * sizeof(*lp->path_rows)),
		.length_us = malloc(n * sizeof(double)),
		.best_us = malloc(n * sizeof(double)),
		.between_us = malloc(n * sizeof(double)),
		.area_us = malloc(nclasses * sizeof(double)),
		.best_area_us = malloc(nclasses * sizeof(double)),
		.up_us = malloc(n * sizeof(double)),
		.down_us = malloc(n * sizeof(double)),
		.next = malloc(n * sizeof(*lp->next)),
		.path = malloc(n * sizeof(*lp->path)),
		.covered = malloc(n),
		.ranked = malloc(n * sizeof(*lp->ranked)),
		.index = malloc(nentries * sizeof(*lp->index)),
		.value = malloc(nentries * sizeof(*lp->value)),
	};
	return lp->groups && lp->group && lp->path_rows && lp->length_us && lp->best_us && lp->between_us &&
	       lp->area_us && lp->best_area_us && lp->up_us && lp->down_us && lp->next && lp->path && lp->covered &&
	       lp->ranked && lp->index && lp->value;
}

static void lp_fini(struct lp *lp)
{
	free(lp->groups);
	free(lp->group);
	free(lp->path_rows);
	free(lp->length_us);
	free(lp->best_us);
	free(lp->between_us);
	free(lp->area_us);
	free(lp->best_area_us);
	free(lp->up_us);
	free(lp->down_us);
	free(lp->next);
	free(lp->path);
	free(lp->covered);
	free(lp->ranked);
	free(lp->index);
	free(lp->value);
}

const char *bound_solver(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "GLPK %s", glp_version());
	return text;
}

/* Work costs nothing any more: with the paths that are there, the bound is what it should be. */
static void lp_forget_haste(struct lp *lp)
{
	for (unsigned g = 0; g < lp->ngroups; g++)
		for (unsigned c = 0; c < lp->nclasses; c++)
			glp_set_obj_coef(lp->program, lp_column(lp, g, c), 0);
	lp_solve(lp, true);
}

/* Many paths that matter a little: all at once, if that is not too much. */
static int lp_try_whole(struct lp *lp)
{
	double left_s = lp->end_s - lp_now();

	if (lp_is_near(lp) || left_s <= 0)
		return 0;
	return bound_whole(lp->graph, left_s, &lp->bound_us, &lp->upper_us);
}

/* Rows and columns of the whole program. */
static double lp_whole_size(const struct bound_graph *graph)
{
	const struct bound_problem *problem = graph->problem;

	return (double)problem->ntasks * (problem->nclasses + 1) + (double)problem->first[problem->ntasks];
}

static int lp_search(struct lp *lp, double limit_s)
{
	double size = lp_whole_size(lp->graph);

	lp->end_s = lp_now() + (size > LP_FEW && size <= LP_MANY ? limit_s / 2 : limit_s);
	lp_loop(lp, size <= LP_FEW ? LP_ROUNDS : UINT_MAX);
	if (lp->haste > 0)
		lp_forget_haste(lp);
	lp->end_s += size > LP_FEW && size <= LP_MANY ? limit_s / 2 : 0;
	return size <= LP_MANY ? lp_try_whole(lp) : 0;
}

int bound_lp(const struct bound_graph *graph, double limit_s, struct bound_set *set)
{
	struct lp lp;
	int error;

	set->end = BOUND_OPTIMAL;
	if (!(graph->total_us > 0))
		return 0;
	if (!lp_init(&lp, graph)) {
		lp_fini(&lp);
		return -ENOMEM;
	}
	glp_term_out(GLP_OFF);
	lp.program = glp_create_prob();
	lp.bound_us = set->us[BOUND_LP];
	if (set->us[BOUND_PATH] >= set->us[BOUND_AREA])
		lp.haste = LP_HASTE * lp.bound_us / graph->total_us / lp.unit_us;
	bound_lp_begin(&lp);
	error = lp_search(&lp, limit_s);
	glp_delete_prob(lp.program);
	set->us[BOUND_LP] = lp.bound_us;
	set->gap = fmax(0, lp.upper_us / lp.bound_us - 1);
	set->end = lp_is_near(&lp) ? BOUND_OPTIMAL : BOUND_STOPPED;
	set->npaths = lp.npaths;
	lp_fini(&lp);
	return error;
}
