/* SPDX-License-Identifier: MIT */
/* Statistics that outliers don't move, and curves whose coefficients are known. */
#include "../../helper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/perf/fit.h"
#include "core/perf/map.h"
#include "core/perf/stats.h"

static double uniform(uint64_t *seed)
{
	return (double)(helper_random(seed) >> 11) / (double)(1ull << 53);
}

/* About normal, around 1. */
static double noise(uint64_t *seed, double deviation)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(seed);
	return 1 + deviation * sum;
}

static void assert_near(double value, double expected, double share)
{
	if (!(fabs(value - expected) <= share * fabs(expected)))
		fail_msg("%g instead of %g", value, expected);
}

static void feed(struct xy__stats *s, uint64_t *seed, double center, unsigned n)
{
	while (n--)
		xy__stats_add(s, center * noise(seed, 0.03));
}

/* --- statistics --- */

static void gives_median_and_spread_of_noise(void **state)
{
	struct xy__stats s = { 0 };
	uint64_t seed = 7;

	(void)state;
	feed(&s, &seed, 190, 1000);
	assert_near(s.median, 190, 0.03);
	assert_true(s.spread > 190 * 0.015 && s.spread < 190 * 0.06);
	assert_int_equal(s.samples, 1000);
	assert_near(s.gained.mean, 190, 0.01);
	assert_near(xy__moments_deviation(&s.gained), 190 * 0.03, 0.1);
	assert_int_equal(s.outliers, 0);
	assert_int_equal(s.drifts, 0);
}

static int compare(const void *a, const void *b)
{
	return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* The middle of n values by sorting them; of two, the lower. */
static double middle(float *values, unsigned n)
{
	qsort(values, n, sizeof *values, compare);
	return (double)values[(n - 1) / 2];
}

/* Values from few levels, so that many are equal and distances below and above often are. */
static void window_is_that_of_the_last_values(void **state)
{
	float all[400], window[XY__STATS_WINDOW];
	uint64_t seed = 7;
	struct xy__stats s = { 0 };

	(void)state;
	for (unsigned n = 1; n <= 400; n++) {
		unsigned count = n < XY__STATS_WINDOW ? n : XY__STATS_WINDOW;
		double median;

		all[n - 1] = (float)(100 + (double)(helper_random(&seed) % (n % 40 + 1)));
		assert_int_equal(xy__stats_add(&s, (double)all[n - 1]), XY__BELIEVED);
		memcpy(window, all + n - count, count * sizeof *window);
		median = middle(window, count);
		assert_true(atomic_load(&s.median) == median);
		for (unsigned i = 0; i < count; i++)
			window[i] = (float)fabs((double)window[i] - median);
		assert_near(atomic_load(&s.spread), 1.4826 * middle(window, count), 1e-12);
	}
}

static void does_not_believe_a_kernel_that_once_took_long(void **state)
{
	struct xy__stats s = { 0 };
	uint64_t seed = 7;
	double median, mean;

	(void)state;
	feed(&s, &seed, 190, 50);
	median = s.median;
	mean = s.gained.mean;
	assert_int_equal(xy__stats_add(&s, 80000), XY__OUTLIER);
	assert_true(s.median == median && s.gained.mean == mean);
	assert_int_equal(s.samples, 50);
	assert_int_equal(s.outliers, 1);
	assert_int_equal(xy__stats_add(&s, 0.1), XY__OUTLIER);
	assert_true(s.median == median && s.gained.mean == mean);
}

static void does_not_believe_it_either_when_it_came_first(void **state)
{
	for (unsigned when = 0; when < 8; when++) {
		struct xy__stats s = { 0 };
		uint64_t seed = when;

		(void)state;
		feed(&s, &seed, 190, when);
		xy__stats_add(&s, 80000);
		feed(&s, &seed, 190, 9);
		assert_near(s.median, 190, 0.05);
		assert_near(s.gained.mean, 190, 0.05);
		assert_int_equal(s.outliers, 1);
		assert_int_equal(s.samples, when + 9);
	}
}

static void median_is_low_from_the_second_sample_on(void **state)
{
	struct xy__stats s = { 0 };

	(void)state;
	xy__stats_add(&s, 80000);
	xy__stats_add(&s, 190);
	assert_near(s.median, 190, 1e-6);
}

static void follows_a_change_after_a_few_measurements(void **state)
{
	struct xy__stats s = { 0 };
	unsigned until = 0;
	uint64_t seed = 3;

	(void)state;
	feed(&s, &seed, 100, 200);
	while (xy__stats_add(&s, 300 * noise(&seed, 0.03)) != XY__DRIFT)
		assert_true(++until < 20);
	assert_int_equal(until, XY__STATS_RUN - 1);
	assert_near(s.median, 300, 0.05);
	assert_near(s.gained.mean, 300, 0.05);
	assert_int_equal(s.samples, XY__STATS_RUN);
	assert_int_equal(s.outliers, 0);
	assert_int_equal(s.drifts, 1);
}

static void outliers_on_both_sides_are_no_change(void **state)
{
	struct xy__stats s = { 0 };
	uint64_t seed = 3;

	(void)state;
	feed(&s, &seed, 100, 200);
	for (int i = 0; i < 50; i++)
		assert_int_equal(xy__stats_add(&s, i % 2 ? 1000 : 1), XY__OUTLIER);
	assert_int_equal(s.drifts, 0);
	assert_int_equal(s.outliers, 50);
}

static void notices_a_slow_drift_once(void **state)
{
	struct xy__stats s = { 0 };
	uint64_t seed = 3;
	unsigned drifts = 0;

	(void)state;
	feed(&s, &seed, 100, 100);
	for (unsigned i = 0; i < 300; i++)
		drifts += xy__stats_add(&s, (100 + i * 0.1) * noise(&seed, 0.01)) == XY__DRIFT;
	assert_int_equal(drifts, 1);
	assert_int_equal(s.drifts, 1);
	assert_near(s.median, 128, 0.05);
	feed(&s, &seed, 130, 100);
	assert_int_equal(s.drifts, 1);
}

static void begins_with_what_was_stored(void **state)
{
	struct xy__moments moments = xy__moments_of(500, 191, 4);
	struct xy__stats s = { 0 };

	(void)state;
	xy__stats_seed(&s, 190, 3, &moments);
	assert_near(s.median, 190, 1e-9);
	assert_near(s.spread, 3, 1e-9);
	assert_int_equal(s.samples, 500);
	assert_int_equal(xy__stats_add(&s, 80000), XY__OUTLIER);
	assert_int_equal(xy__stats_add(&s, 191), XY__BELIEVED);
	assert_near(s.median, 190, 0.01);
	assert_near(s.spread, 3, 0.3);
	assert_int_equal(s.samples, 501);
}

static void merged_moments_are_those_of_all_values(void **state)
{
	struct xy__moments a = { 0 }, b = { 0 }, all = { 0 }, merged;
	uint64_t seed = 11;

	(void)state;
	for (int i = 0; i < 100; i++) {
		double value = 1000 * uniform(&seed);

		xy__moments_add(i < 30 ? &a : &b, value);
		xy__moments_add(&all, value);
	}
	merged = xy__moments_merge(a, b);
	assert_int_equal(merged.n, 100);
	assert_near(merged.mean, all.mean, 1e-12);
	assert_near(merged.squares, all.squares, 1e-9);
	assert_int_equal(xy__moments_merge(a, (struct xy__moments){ 0 }).n, 30);
	assert_int_equal(xy__moments_merge((struct xy__moments){ 0 }, b).n, 70);
}

/* --- curves --- */

enum { POINTS = 20 };

static unsigned power_points(struct xy__point *points, double a, double b, double c, double deviation)
{
	uint64_t seed = 5;

	for (unsigned i = 0; i < POINTS; i++) {
		double size = 1000 * pow(1.6, i);

		points[i] = (struct xy__point){ .size = size,
						.weight = 1 + i % 7,
						.value = (a * pow(size, b) + c) * noise(&seed, deviation) };
	}
	return POINTS;
}

static void finds_a_power(void **state)
{
	struct xy__point points[POINTS];
	struct xy__curve curve;

	(void)state;
	assert_true(xy__fit_power(points, power_points(points, 0.02, 1.5, 0, 0), &curve));
	assert_near(curve.coefficients[0], 0.02, 1e-6);
	assert_near(curve.coefficients[1], 1.5, 1e-6);
	assert_true(curve.error < 1e-6);
	assert_true(xy__fit_power(points, power_points(points, 0.02, 1.5, 0, 0.05), &curve));
	assert_near(curve.coefficients[1], 1.5, 0.02);
	assert_near(xy__curve_power(&curve, 50000), 0.02 * pow(50000, 1.5), 0.05);
	assert_true(curve.error > 0.01 && curve.error < 0.1);
}

static void finds_a_power_and_a_constant(void **state)
{
	struct xy__point points[POINTS];
	struct xy__curve curve;

	(void)state;
	assert_true(xy__fit_power_constant(points, power_points(points, 0.002, 1.2, 40, 0), &curve));
	assert_near(curve.coefficients[0], 0.002, 1e-3);
	assert_near(curve.coefficients[1], 1.2, 1e-4);
	assert_near(curve.coefficients[2], 40, 1e-3);
	assert_true(xy__fit_power_constant(points, power_points(points, 0.002, 1.2, 40, 0.03), &curve));
	assert_near(curve.coefficients[1], 1.2, 0.03);
	assert_near(curve.coefficients[2], 40, 0.15);
	assert_near(xy__curve_power(&curve, 1000), 0.002 * pow(1000, 1.2) + 40, 0.1);
}

static void finds_no_constant_where_there_is_none(void **state)
{
	struct xy__point points[POINTS];
	struct xy__curve curve;

	(void)state;
	assert_true(xy__fit_power_constant(points, power_points(points, 0.5, 1, 0, 0), &curve));
	assert_near(curve.coefficients[0], 0.5, 0.01);
	assert_near(xy__curve_power(&curve, 1e6), 0.5e6, 0.01);
}

static void finds_the_coefficients_of_terms(void **state)
{
	double terms[POINTS][3];
	struct xy__point points[POINTS];
	struct xy__curve curve;
	uint64_t seed = 9;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++) {
		double n = 10 + 100 * uniform(&seed), m = 10 + 100 * uniform(&seed), k = 10 + 100 * uniform(&seed);

		terms[i][0] = n * m * k;
		terms[i][1] = n * m;
		terms[i][2] = k;
		points[i] = (struct xy__point){ .size = 1,
						.weight = 1,
						.terms = terms[i],
						.value = 12 + 2e-3 * terms[i][0] + 0.3 * terms[i][1] + 7 * k };
	}
	assert_true(xy__fit_terms(points, POINTS, 3, &curve));
	assert_near(curve.coefficients[0], 12, 1e-4);
	assert_near(curve.coefficients[1], 2e-3, 1e-4);
	assert_near(curve.coefficients[2], 0.3, 1e-4);
	assert_near(curve.coefficients[3], 7, 1e-4);
	assert_near(xy__curve_terms(&curve, 3, terms[4]), points[4].value, 1e-6);
	for (unsigned i = 0; i < POINTS; i++)
		points[i].value *= noise(&seed, 0.02);
	assert_true(xy__fit_terms(points, POINTS, 3, &curve));
	assert_near(curve.coefficients[1], 2e-3, 0.1);
	assert_true(curve.error > 0.005 && curve.error < 0.04);
}

static void says_when_points_do_not_determine_a_curve(void **state)
{
	double same[XY_NTERMS] = { 3, 3 };
	struct xy__point points[4];
	struct xy__curve curve;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		points[i] = (struct xy__point){ .size = 100, .value = 5, .weight = 1, .terms = same };
	assert_false(xy__fit_power(points, 4, &curve));
	assert_false(xy__fit_power(points, 1, &curve));
	assert_false(xy__fit_power_constant(points, 4, &curve));
	assert_false(xy__fit_power_constant(points, 2, &curve));
	assert_false(xy__fit_terms(points, 4, 2, &curve));
	assert_false(xy__fit_terms(points, 2, 2, &curve));
}

/* --- maps --- */

static void count_value(void *arg, void *value)
{
	(void)value;
	++*(unsigned *)arg;
}

static void map_finds_what_was_added(void **state)
{
	struct xy__map map = { .table = NULL };
	unsigned n = 0;
	int values[1000];

	(void)state;
	assert_null(xy__map_find(&map, 1));
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(xy__map_add(&map, (i + 1) * 64, &values[i]));
	for (uint64_t i = 0; i < 1000; i++)
		assert_ptr_equal(xy__map_find(&map, (i + 1) * 64), &values[i]);
	assert_null(xy__map_find(&map, 63));
	xy__map_each(&map, count_value, &n);
	assert_int_equal(n, 1000);
	xy__map_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_median_and_spread_of_noise),
		cmocka_unit_test(window_is_that_of_the_last_values),
		cmocka_unit_test(does_not_believe_a_kernel_that_once_took_long),
		cmocka_unit_test(does_not_believe_it_either_when_it_came_first),
		cmocka_unit_test(median_is_low_from_the_second_sample_on),
		cmocka_unit_test(follows_a_change_after_a_few_measurements),
		cmocka_unit_test(outliers_on_both_sides_are_no_change),
		cmocka_unit_test(notices_a_slow_drift_once),
		cmocka_unit_test(begins_with_what_was_stored),
		cmocka_unit_test(merged_moments_are_those_of_all_values),
		cmocka_unit_test(finds_a_power),
		cmocka_unit_test(finds_a_power_and_a_constant),
		cmocka_unit_test(finds_no_constant_where_there_is_none),
		cmocka_unit_test(finds_the_coefficients_of_terms),
		cmocka_unit_test(says_when_points_do_not_determine_a_curve),
		cmocka_unit_test(map_finds_what_was_added),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
