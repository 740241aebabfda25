/* SPDX-License-Identifier: MIT */
/* Options as data: what text they take, what they print, and that one gives the other. */
#include "tree_fixture.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include "core/tree/option.h"

#define LONG_TEXT_64 "0123456789012345678901234567890123456789012345678901234567890123"
#define LONG_TEXT LONG_TEXT_64 LONG_TEXT_64 LONG_TEXT_64 LONG_TEXT_64

struct gauge {
	struct xy_component base;
	bool open;
	unsigned count;
	unsigned limit;
	double share;
	char path[XY_OPTION_TEXT_SIZE];
};

static const struct xy_option gauge_options[] = {
	{ .name = "open", .help = "", .type = XY_OPTION_BOOL, .offset = offsetof(struct gauge, open), .initial = 1 },
	{ .name = "count",
	  .help = "",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct gauge, count),
	  .initial = 3,
	  .min = 2,
	  .max = 10 },
	{ .name = "limit",
	  .help = "",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct gauge, limit),
	  .initial = INFINITY,
	  .max = INFINITY },
	{ .name = "share",
	  .help = "",
	  .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct gauge, share),
	  .initial = 0.5,
	  .min = -1,
	  .max = INFINITY },
	{ .name = "path", .help = "", .type = XY_OPTION_TEXT, .offset = offsetof(struct gauge, path) },
	{ 0 }
};

static const struct xy_component_ops gauge_ops = {
	.name = "gauge",
	.size = sizeof(struct gauge),
	.options = gauge_options,
};

static struct gauge gauge_made(void)
{
	struct gauge g = { .base.ops = &gauge_ops };

	xy__options_reset(&g.base);
	return g;
}

static void begins_with_initial_values(void **state)
{
	struct gauge g = gauge_made();

	(void)state;
	assert_true(g.open);
	assert_int_equal(g.count, 3);
	assert_int_equal(g.limit, UINT_MAX);
	assert_true(g.share == 0.5);
	assert_string_equal(g.path, "");
	for (const struct xy_option *o = gauge_options; o->name; o++)
		assert_true(xy__option_is_initial(&g.base, o));
}

static void sets_values_from_text(void **state)
{
	struct gauge g = gauge_made();

	(void)state;
	assert_int_equal(xy_component_set(&g.base, "open", "no"), 0);
	assert_int_equal(xy_component_set(&g.base, "count", "10"), 0);
	assert_int_equal(xy_component_set(&g.base, "limit", "4294967294"), 0);
	assert_int_equal(xy_component_set(&g.base, "share", "-2.5e-1"), 0);
	assert_false(g.open);
	assert_int_equal(g.count, 10);
	assert_int_equal(g.limit, UINT_MAX - 1);
	assert_true(g.share == -0.25);
	assert_int_equal(xy_component_set(&g.base, "path", "../a-b_c.d/%~@:1"), 0);
	assert_string_equal(g.path, "../a-b_c.d/%~@:1");
	assert_int_equal(xy_component_set(&g.base, "path", "a b (c) | d"), 0); /* an expression has it in quotes */
	assert_string_equal(g.path, "a b (c) | d");
	assert_int_equal(xy_component_set(&g.base, "limit", "inf"), 0);
	assert_int_equal(xy_component_set(&g.base, "share", "inf"), 0);
	assert_int_equal(g.limit, UINT_MAX);
	assert_true(isinf(g.share));
}

static void takes_all_words_for_true_and_false(void **state)
{
	static const char *const words[2][4] = { { "false", "no", "off", "0" }, { "true", "yes", "on", "1" } };
	struct gauge g = gauge_made();

	(void)state;
	for (int b = 0; b < 2; b++)
		for (int i = 0; i < 4; i++) {
			g.open = !b;
			assert_int_equal(xy_component_set(&g.base, "open", words[b][i]), 0);
			assert_int_equal(g.open, b);
		}
}

static void refuses_what_is_no_value(void **state)
{
	static const struct {
		const char *option, *value;
		int error;
	} cases[] = {
		{ "open", "maybe", -EINVAL },
		{ "open", "", -EINVAL },
		{ "open", "True ", -EINVAL },
		{ "count", "", -EINVAL },
		{ "count", "x", -EINVAL },
		{ "count", "3x", -EINVAL },
		{ "count", "-3", -EINVAL },
		{ "count", "+3", -EINVAL },
		{ "count", " 3", -EINVAL },
		{ "count", "0x3", -EINVAL },
		{ "count", "3.0", -EINVAL },
		{ "count", "1", -ERANGE },
		{ "count", "11", -ERANGE },
		{ "count", "inf", -ERANGE },
		{ "limit", "4294967295", -ERANGE },
		{ "limit", "99999999999999999999999", -ERANGE },
		{ "share", "", -EINVAL },
		{ "share", "-", -EINVAL },
		{ "share", "nan", -EINVAL },
		{ "share", "0x1p3", -EINVAL },
		{ "share", "1e", -EINVAL },
		{ "share", "1,5", -EINVAL },
		{ "share", "-1.5", -ERANGE },
		{ "share", "1e999", -ERANGE },
		{ "share", "-inf", -EINVAL },
		{ "path", "a\"", -EINVAL },
		{ "path", "a\\b", -EINVAL },
		{ "path", "`", -EINVAL },
		{ "path", "a\n", -EINVAL },
		{ "path", "\xc3\xa9", -EINVAL },
		{ "path", LONG_TEXT LONG_TEXT, -ERANGE },
		{ "shar", "1", -ENOENT },
		{ "", "1", -ENOENT },
		{ NULL, "1", -EINVAL },
		{ "share", NULL, -EINVAL },
	};
	struct gauge g = gauge_made(), before = g;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = xy_component_set(&g.base, cases[i].option, cases[i].value);

		if (rc != cases[i].error)
			fail_msg("%s=%s: %d", cases[i].option, cases[i].value, rc);
	}
	assert_memory_equal(&g, &before, sizeof(g));
	assert_int_equal(xy_component_set(NULL, "open", "1"), -EINVAL);
}

static void prints_what_it_reads(void **state)
{
	static const double shares[] = { 0, -0.0, 0.1, 1.0 / 3, 1e300, 5e-324, -1, 123456789, 1e15 + 0.5 };
	const struct xy_option *share = &gauge_options[3], *limit = &gauge_options[2];
	struct gauge g = gauge_made();
	char text[XY__OPTION_TEXT];

	(void)state;
	for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		xy__option_print(share, shares[i], text);
		assert_int_equal(xy__option_set(&g.base, share, text), 0);
		assert_true(g.share == shares[i]);
	}
	xy__option_print(share, 0.1, text);
	assert_string_equal(text, "0.1");
	for (unsigned n = 1; n > 0; n = n * 2) {
		xy__option_print(limit, n, text);
		assert_int_equal(xy__option_set(&g.base, limit, text), 0);
		assert_int_equal(g.limit, n);
	}
	xy__option_print(limit, INFINITY, text);
	assert_string_equal(text, "inf");
	xy__option_print(&gauge_options[0], 1, text);
	assert_string_equal(text, "true");
}

static void does_not_depend_on_the_locale(void **state)
{
	static const char *const commas[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
	struct gauge g = gauge_made();
	char text[XY__OPTION_TEXT];
	bool found = false;

	(void)state;
	for (unsigned i = 0; i < sizeof(commas) / sizeof(commas[0]) && !found; i++)
		found = setlocale(LC_NUMERIC, commas[i]);
	if (!found)
		skip();
	assert_int_equal(xy_component_set(&g.base, "share", "1.5"), 0);
	xy__option_print(&gauge_options[3], g.share, text);
	setlocale(LC_NUMERIC, "C");
	assert_string_equal(text, "1.5");
}

static void describes_its_values(void **state)
{
	char text[100];

	(void)state;
	xy__option_describe(&gauge_options[0], text, sizeof(text));
	assert_string_equal(text, "true or false");
	xy__option_describe(&gauge_options[1], text, sizeof(text));
	assert_string_equal(text, "a whole number from 2 to 10");
	xy__option_describe(&gauge_options[3], text, sizeof(text));
	assert_string_equal(text, "a number from -1 to inf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_with_initial_values),
		cmocka_unit_test(sets_values_from_text),
		cmocka_unit_test(takes_all_words_for_true_and_false),
		cmocka_unit_test(refuses_what_is_no_value),
		cmocka_unit_test(prints_what_it_reads),
		cmocka_unit_test(does_not_depend_on_the_locale),
		cmocka_unit_test(describes_its_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
