/* SPDX-License-Identifier: MIT */
/* The linear program in GLPK: its rows and columns, and what a solution says. */
#include "bound/lp.h"

#include <math.h>

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

void bound_lp_begin(struct lp *lp)
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

void bound_lp_add_path(struct lp *lp, unsigned length)
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

double bound_lp_evaluate(struct lp *lp)
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

void bound_lp_read(struct lp *lp)
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
