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

#include <glpk.h>
#include "bound/parts.h"

enum {
	LP_PATHS = 24,  /* named at a time */
	LP_ROWS = 6000, /* paths in all, at most */
	LP_TIME = 1,    /* the column of T */
	LP_ROUNDS = 12, /* of naming paths before the whole program is tried, if it has few rows and columns; */
	LP_FEW = 15000,
	LP_MANY = 40000, /* with at most that many paths get half of the time; with more, all of it */
};
#define LP_GAP 1e-4   /* near enough to the optimum */
#define LP_HASTE 1e-5 /* weight of all work beside T where it matters, see haste */

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

static double lp_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int lp_column(const struct lp *lp, unsigned group, unsigned class)
{
	return LP_TIME + 1 + (int)(group * lp->nclasses + class);
}

/* --- groups and rows --- */

static void lp_add_group(struct lp *lp, unsigned type, unsigned count)
{
	struct lp_group *group = &lp->groups[lp->ngroups];
	unsigned g = lp->ngroups++;

	*group = (struct lp_group){ .type = type, .count = count, .row = glp_add_rows(lp->program, 1) };
	glp_set_row_bnds(lp->program, group->row, GLP_FX, count, count);
	glp_add_cols(lp->program, (int)lp->nclasses);
	for (unsigned c = 0; c < lp->nclasses; c++) {
		bool runs = isfinite(bound_graph_duration(lp->graph, type, c));

		glp_set_col_bnds(lp->program, lp_column(lp, g, c), runs ? GLP_LO : GLP_FX, 0, 0);
		if (runs)
			glp_set_obj_coef(lp->program, lp_column(lp, g, c),
					 lp->haste * bound_graph_duration(lp->graph, type, c));
	}
}

/* The program of the area bound: a group for each type. */
static void lp_begin(struct lp *lp)
{
	const struct bound_graph *graph = lp->graph;

	glp_add_cols(lp->program, 1);
	glp_set_col_bnds(lp->program, LP_TIME, GLP_LO, 0, 0);
	glp_set_obj_coef(lp->program, LP_TIME, 1);
	glp_add_rows(lp->program, (int)lp->nclasses);
	for (unsigned c = 0; c < lp->nclasses; c++) {
		glp_set_row_bnds(lp->program, (int)c + 1, GLP_UP, 0, 0);
		lp->index[1] = LP_TIME;
		lp->value[1] = -(double)graph->problem->workers[c];
		glp_set_mat_row(lp->program, (int)c + 1, 1, lp->index, lp->value);
	}
	for (unsigned t = 0; t < graph->ntypes; t++) {
		lp_add_group(lp, t, graph->count[t]);
		for (unsigned c = 0; c < lp->nclasses; c++) {
			double length = bound_graph_duration(graph, t, c);

			lp->index[1] = lp->groups[t].row;
			lp->value[1] = 1;
			lp->index[2] = (int)c + 1;
			lp->value[2] = length / lp->unit_us;
			if (isfinite(length))
				glp_set_mat_col(lp->program, lp_column(lp, t, c), 2, lp->index, lp->value);
		}
	}
	for (unsigned i = 0; i < graph->problem->ntasks; i++)
		lp->group[i] = graph->type[i];
}

/* Makes a group of those tasks of a group that are on a path: copies of its columns. Its basic column is where
 * the group has one, so that the basis stays dual feasible. */
static unsigned lp_split(struct lp *lp, unsigned from, unsigned count)
{
	unsigned to = lp->ngroups, basic = lp->nclasses;
	double most = -1;
	struct lp_group *old = &lp->groups[from];

	lp_add_group(lp, old->type, count);
	old->count -= count;
	glp_set_row_bnds(lp->program, old->row, GLP_FX, old->count, old->count);
	for (unsigned c = 0; c < lp->nclasses; c++) {
		int column = lp_column(lp, from, c);
		int length = glp_get_mat_col(lp->program, column, lp->index, lp->value);

		for (int k = 1; k <= length; k++)
			if (lp->index[k] == old->row)
				lp->index[k] = lp->groups[to].row;
		glp_set_mat_col(lp->program, lp_column(lp, to, c), length, lp->index, lp->value);
		if (glp_get_col_stat(lp->program, column) == GLP_BS && glp_get_col_prim(lp->program, column) > most) {
			most = glp_get_col_prim(lp->program, column);
			basic = c;
		}
	}
	if (basic < lp->nclasses) {
		glp_set_row_stat(lp->program, lp->groups[to].row, GLP_NS);
		glp_set_col_stat(lp->program, lp_column(lp, to, basic), GLP_BS);
	}
	return to;
}

/* The constraint that the tasks of lp->path take at most T one behind the other. */
static void lp_add_path(struct lp *lp, unsigned length)
{
	int row, n = 1;

	for (unsigned k = 0; k < length; k++)
		lp->groups[lp->group[lp->path[k]]].on++;
	for (unsigned k = 0; k < length; k++) {
		unsigned g = lp->group[lp->path[k]], count = lp->groups[g].on;

		/* The first task of a group decides for all; those of a group made here are on the path. */
		if (!count || count == lp->groups[g].count)
			continue;
		unsigned to = lp_split(lp, g, count);

		for (unsigned l = k; l < length; l++)
			if (lp->group[lp->path[l]] == g)
				lp->group[lp->path[l]] = to;
		lp->groups[g].on = 0;
		lp->groups[to].on = count;
	}
	row = glp_add_rows(lp->program, 1);
	glp_set_row_bnds(lp->program, row, GLP_UP, 0, 0);
	lp->index[1] = LP_TIME;
	lp->value[1] = -1;
	for (unsigned k = 0; k < length; k++) {
		unsigned g = lp->group[lp->path[k]];

		if (!lp->groups[g].on)
			continue;
		lp->groups[g].on = 0;
		for (unsigned c = 0; c < lp->nclasses; c++) {
			double us = bound_graph_duration(lp->graph, lp->groups[g].type, c);

			if (!isfinite(us))
				continue;
			lp->index[++n] = lp_column(lp, g, c);
			lp->value[n] = us / lp->unit_us;
		}
	}
	glp_set_mat_row(lp->program, row, n, lp->index, lp->value);
	lp->path_rows[lp->npaths++] = row;
}

/* --- what a solution says --- */

/* The bound that the multipliers of the rows give: each group where it is cheapest. */
static double lp_evaluate(struct lp *lp)
{
	const struct bound_problem *problem = lp->graph->problem;
	double capacity = 0, cost = 0;

	for (unsigned g = 0; g < lp->ngroups; g++)
		lp->groups[g].path_price = 0;
	for (unsigned c = 0; c < lp->nclasses; c++)
		capacity += problem->workers[c] * fmax(0, -glp_get_row_dual(lp->program, (int)c + 1));
	for (unsigned p = 0; p < lp->npaths; p++) {
		double price = fmax(0, -glp_get_row_dual(lp->program, lp->path_rows[p]));
		int n = price > 0 ? glp_get_mat_row(lp->program, lp->path_rows[p], lp->index, NULL) : 0;
		unsigned seen = lp->ngroups;

		capacity += price;
		for (int k = 1; k <= n; k++) {
			int column = lp->index[k] - LP_TIME - 1;
			unsigned g = column < 0 ? seen : (unsigned)column / lp->nclasses;

			/* The columns of a group follow each other. */
			if (g != seen)
				lp->groups[g].path_price += price;
			seen = g;
		}
	}
	for (unsigned g = 0; g < lp->ngroups; g++) {
		double least = INFINITY;

		for (unsigned c = 0; c < lp->nclasses; c++) {
			double us = bound_graph_duration(lp->graph, lp->groups[g].type, c);
			double price = fmax(0, -glp_get_row_dual(lp->program, (int)c + 1)) + lp->groups[g].path_price;

			if (isfinite(us))
				least = fmin(least, us * price);
		}
		cost += lp->groups[g].count * least;
	}
	return capacity > 0 ? cost / capacity * (1 - BOUND_ROUNDING) : 0;
}

/* How long each task takes under the division of its group, and how full the classes are. */
static void lp_read(struct lp *lp)
{
	const struct bound_problem *problem = lp->graph->problem;

	for (unsigned c = 0; c < lp->nclasses; c++)
		lp->area_us[c] = 0;
	for (unsigned g = 0; g < lp->ngroups; g++) {
		double sum = 0, length = 0;

		for (unsigned c = 0; c < lp->nclasses; c++)
			sum += fmax(0, glp_get_col_prim(lp->program, lp_column(lp, g, c)));
		for (unsigned c = 0; c < lp->nclasses && sum > 0; c++) {
			double part = fmax(0, glp_get_col_prim(lp->program, lp_column(lp, g, c))) / sum;

			if (part == 0)
				continue;
			length += part * bound_graph_duration(lp->graph, lp->groups[g].type, c);
			lp->area_us[c] += part * lp->groups[g].count *
					  bound_graph_duration(lp->graph, lp->groups[g].type, c) / problem->workers[c];
		}
		lp->groups[g].path_price = sum > 0 ? length : lp->graph->fastest_us[lp->groups[g].type];
	}
	for (unsigned i = 0; i < problem->ntasks; i++)
		lp->length_us[i] = lp->groups[lp->group[i]].path_price;
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
		lp_add_path(lp, length);
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
	lp->bound_us = fmax(lp->bound_us, lp_evaluate(lp));
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

		lp_read(lp);
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
	lp_begin(&lp);
	error = lp_search(&lp, limit_s);
	glp_delete_prob(lp.program);
	set->us[BOUND_LP] = lp.bound_us;
	set->gap = fmax(0, lp.upper_us / lp.bound_us - 1);
	set->end = lp_is_near(&lp) ? BOUND_OPTIMAL : BOUND_STOPPED;
	set->npaths = lp.npaths;
	lp_fini(&lp);
	return error;
}
