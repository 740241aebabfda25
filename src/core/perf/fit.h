/* SPDX-License-Identifier: MIT */
/*
 * Curves through measurements: a·size^b, a·size^b + c, and sums of terms. What counts is the relative error, as
 * sizes and times go over orders of magnitude.
 */
#ifndef XYLEM_CORE_PERF_FIT_H
#define XYLEM_CORE_PERF_FIT_H

#include <stdbool.h>
#include <xylem/perf.h>

struct xy__point {
	double size, value, weight; /* all positive */
	const double *terms;        /* of a multiple regression */
};

struct xy__curve {
	double coefficients[XY_NTERMS + 1]; /* a, b, c; or the constant and one for each term */
	double error;                       /* relative: as a spread */
};

/* False when the points don't determine the curve; too few different sizes, or no solution. */
bool xy__fit_power(const struct xy__point *points, unsigned n, struct xy__curve *curve);
bool xy__fit_power_constant(const struct xy__point *points, unsigned n, struct xy__curve *curve);
bool xy__fit_terms(const struct xy__point *points, unsigned n, unsigned nterms, struct xy__curve *curve);

double xy__curve_power(const struct xy__curve *curve, double size);
double xy__curve_terms(const struct xy__curve *curve, unsigned nterms, const double *terms);

#endif
