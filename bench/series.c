/* SPDX-License-Identifier: MIT */
/*
 * The values of one cell of a table over the rounds.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void series_add(struct series *series, enum outcome outcome, double value)
{
	if (outcome != IMPOSSIBLE || series->outcome != MEASURED)
		series->outcome = outcome;
	if (outcome == MEASURED && series->n < MAX_ROUNDS)
		series->values[series->n++] = value;
}

double series_median(const struct series *series)
{
	double sorted[MAX_ROUNDS];
	unsigned n = series->n;

	memcpy(sorted, series->values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double series_min(const struct series *series)
{
	double min = series->values[0];

	for (unsigned i = 1; i < series->n; i++)
		min = series->values[i] < min ? series->values[i] : min;
	return min;
}

double series_max(const struct series *series)
{
	double max = series->values[0];

	for (unsigned i = 1; i < series->n; i++)
		max = series->values[i] > max ? series->values[i] : max;
	return max;
}

bool series_is_sound(const struct series *series, bool is_xylem)
{
	return series->outcome != BROKEN && !(is_xylem && series->outcome == TOO_SLOW);
}

bool series_goes_on(const struct series *series)
{
	return series->outcome != TOO_SLOW && series->outcome != BROKEN;
}

void series_print_number(const struct series *series, double value)
{
	static const char *const words[] = { "", "", "-", "too slow", "FAILED" };

	if (series->n && series->outcome == MEASURED)
		printf("%9.*f", value < 99.95 ? 1 : 0, value);
	else
		printf("%9s", words[series->outcome]);
}

void series_record(const char *bench, const char *row, const char *column, enum outcome outcome, double value)
{
	static const char *const words[] = { "", "", "impossible", "too slow", "failed" };

	if (settings.csv && outcome == MEASURED)
		fprintf(settings.csv, "%s,%s,%s,%.2f\n", bench, row, column, value);
	else if (settings.csv)
		fprintf(settings.csv, "%s,%s,%s,%s\n", bench, row, column, words[outcome]);
}
