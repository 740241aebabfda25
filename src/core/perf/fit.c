/* SPDX-License-Identifier: MIT */
/*
 * Least squares. The constant of a·size^b + c is found by golden-section search, since for a given c the rest is a
 * straight line in logarithms; sums of terms are normal equations with each point divided by its value.
 */
#include <float.h>
#include <math.h>

#include "core/perf/fit.h"

enum { FIT_SECTIONS = 60, FIT_GRID = 64 };

double xy__curve_power(const struct xy__curve *c, double size)
{
	return c->coefficients[0] * pow(size, c->coefficients[1]) + c->coefficients[2];
}

double xy__curve_terms(const struct xy__curve *c, unsigned nterms, const double *terms)
{
	double sum = c->coefficients[0];

	for (unsigned i = 0; i < nterms; i++)
		sum += c->coefficients[i + 1] * terms[i];
	return sum;
}

/* A line through the logarithms of sizes and of values above c. */
static bool fit_line(const struct xy__point *p, unsigned n, double c, struct xy__curve *curve)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (unsigned i = 0; i < n; i++) {
		double weight, lx = log(p[i].size), ly;

		if (p[i].value <= c)
			return false;
		/* An error of ln(value - c) is one of the value, times value / (value - c). */
		weight = p[i].weight * (1 - c / p[i].value) * (1 - c / p[i].value);
		ly = log(p[i].value - c);
		w += weight;
		x += weight * lx;
		y += weight * ly;
		xx += weight * lx * lx;
		xy += weight * lx * ly;
	}
	xx -= x * x / w;
	if (!(w > 0) || !(xx > 1e-9 * w))
		return false;
	curve->coefficients[1] = (xy - x * y / w) / xx;
	curve->coefficients[0] = exp((y - curve->coefficients[1] * x) / w);
	curve->coefficients[2] = c;
	return isfinite(curve->coefficients[0]) && isfinite(curve->coefficients[1]);
}

/* Mean square of the relative errors. */
static double fit_error(const struct xy__point *p, unsigned n, const struct xy__curve *curve)
{
	double w = 0, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		double error = xy__curve_power(curve, p[i].size) / p[i].value - 1;

		w += p[i].weight;
		sum += p[i].weight * error * error;
	}
	return sum / w;
}

bool xy__fit_power(const struct xy__point *p, unsigned n, struct xy__curve *curve)
{
	*curve = (struct xy__curve){ 0 };
	if (n < 2 || !fit_line(p, n, 0, curve))
		return false;
	curve->error = sqrt(fit_error(p, n, curve));
	return isfinite(curve->error);
}

static double fit_try(const struct xy__point *p, unsigned n, double c)
{
	struct xy__curve curve = { 0 };

	return fit_line(p, n, c, &curve) ? fit_error(p, n, &curve) : DBL_MAX;
}

/* Where between 0 and the least value, as a share of it, the error is least. */
static double fit_constant(const struct xy__point *p, unsigned n, double least)
{
	const double golden = 0.6180339887498949;
	unsigned best = 0;
	double error = DBL_MAX, low, high;

	for (unsigned i = 0; i < FIT_GRID; i++) {
		double here = fit_try(p, n, least * i / FIT_GRID);

		if (here < error) {
			error = here;
			best = i;
		}
	}
	low = least * (best ? best - 1 : 0) / FIT_GRID;
	high = least * (best + 1 < FIT_GRID ? best + 1 : FIT_GRID - 1e-6) / FIT_GRID;
	for (unsigned i = 0; i < FIT_SECTIONS; i++) {
		double a = high - golden * (high - low), b = low + golden * (high - low);

		if (fit_try(p, n, a) <= fit_try(p, n, b))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

bool xy__fit_power_constant(const struct xy__point *p, unsigned n, struct xy__curve *curve)
{
	double least = DBL_MAX;

	*curve = (struct xy__curve){ 0 };
	if (n < 3)
		return false;
	for (unsigned i = 0; i < n; i++)
		least = fmin(least, p[i].value);
	if (!fit_line(p, n, fit_constant(p, n, least), curve))
		return false;
	curve->error = sqrt(fit_error(p, n, curve));
	return isfinite(curve->error);
}

struct equations {
	unsigned n;
	double a[XY_NTERMS + 1][XY_NTERMS + 2]; /* the last column is the right side */
};

/* Gauss with the largest pivot, after the rows are scaled to a diagonal of 1. */
static bool equations_solve(struct equations *e, double *x)
{
	for (unsigned k = 0; k < e->n; k++) {
		unsigned pivot = k;

		for (unsigned i = k + 1; i < e->n; i++)
			if (fabs(e->a[i][k]) > fabs(e->a[pivot][k]))
				pivot = i;
		if (!(fabs(e->a[pivot][k]) > 1e-12))
			return false;
		for (unsigned j = k; j <= e->n; j++) {
			double swap = e->a[k][j];

			e->a[k][j] = e->a[pivot][j];
			e->a[pivot][j] = swap;
		}
		for (unsigned i = k + 1; i < e->n; i++)
			for (unsigned j = e->n + 1; j-- > k;)
				e->a[i][j] -= e->a[k][j] * e->a[i][k] / e->a[k][k];
	}
	for (unsigned k = e->n; k-- > 0;) {
		x[k] = e->a[k][e->n];
		for (unsigned j = k + 1; j < e->n; j++)
			x[k] -= e->a[k][j] * x[j];
		x[k] /= e->a[k][k];
		if (!isfinite(x[k]))
			return false;
	}
	return true;
}

bool xy__fit_terms(const struct xy__point *p, unsigned n, unsigned nterms, struct xy__curve *curve)
{
	struct equations e = { .n = nterms + 1 };
	double scale[XY_NTERMS + 1], w = 0, sum = 0;

	*curve = (struct xy__curve){ 0 };
	if (n < nterms + 1)
		return false;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j <= nterms; j++) {
			double tj = (j ? p[i].terms[j - 1] : 1) / p[i].value;

			for (unsigned k = 0; k <= nterms; k++)
				e.a[j][k] += p[i].weight * tj * (k ? p[i].terms[k - 1] : 1) / p[i].value;
			e.a[j][nterms + 1] += p[i].weight * tj;
		}
	for (unsigned j = 0; j <= nterms; j++)
		scale[j] = e.a[j][j] > 0 ? 1 / sqrt(e.a[j][j]) : 0;
	for (unsigned j = 0; j <= nterms; j++) {
		for (unsigned k = 0; k <= nterms; k++)
			e.a[j][k] *= scale[j] * scale[k];
		e.a[j][nterms + 1] *= scale[j];
	}
	if (!equations_solve(&e, curve->coefficients))
		return false;
	for (unsigned j = 0; j <= nterms; j++)
		curve->coefficients[j] *= scale[j];
	for (unsigned i = 0; i < n; i++) {
		double error = xy__curve_terms(curve, nterms, p[i].terms) / p[i].value - 1;

		w += p[i].weight;
		sum += p[i].weight * error * error;
	}
	curve->error = sqrt(sum / w);
	return isfinite(curve->error);
}
