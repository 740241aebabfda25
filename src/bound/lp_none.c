/* SPDX-License-Identifier: MIT */
/* The linear program in a build without a solver: it falls back to the mixed bound. */
#include "bound/parts.h"

const char *bound_solver(void)
{
	return NULL;
}

int bound_lp(const struct bound_graph *graph, double limit_s, struct bound_set *set)
{
	(void)graph;
	(void)limit_s;
	set->end = BOUND_NO_SOLVER;
	return 0;
}
