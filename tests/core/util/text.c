/* SPDX-License-Identifier: MIT */
/* Numbers are read exactly or refused, in every locale; suggestions are near. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <locale.h>
#include <string.h>

#include "core/util/text.h"

static void reads_whole_numbers(void **state)
{
	const char *text = "042,7";
	uint64_t value = 0;

	(void)state;
	assert_true(xy__text_unsigned(&text, UINT64_MAX, &value));
	assert_int_equal(value, 42);
	assert_string_equal(text, ",7");
	text = "18446744073709551615";
	assert_true(xy__text_unsigned(&text, UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
}

static void refuses_what_is_no_whole_number(void **state)
{
	const char *const texts[] = { "", "-1", "+1", " 1", "x", ".5" };
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i];

		assert_false(xy__text_unsigned(&text, UINT64_MAX, &value));
		assert_ptr_equal(text, texts[i]);
	}
	assert_int_equal(value, 7);
}

static void passes_over_a_number_that_is_too_large(void **state)
{
	const char *const texts[] = { "18446744073709551616x", "99999999999999999999999x", "11x" };
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i];

		assert_false(xy__text_unsigned(&text, i < 2 ? UINT64_MAX : 10, &value));
		assert_string_equal(text, "x");
	}
	assert_int_equal(value, 7);
}

static void reads_bytes(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "7", 7 },
		{ "0K", 0 },
		{ "3K", 3 << 10 },
		{ "5M", 5 << 20 },
		{ "2G", 2ull << 30 },
		{ "17179869183G", 17179869183ull << 30 },
		{ "18446744073709551615", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		uint64_t value = 1;

		assert_true(xy__text_bytes(&text, UINT64_MAX, &value));
		assert_true(value == cases[i].value);
		assert_string_equal(text, "");
	}
}

static void refuses_what_is_no_number_of_bytes(void **state)
{
	static const char *const texts[] = { "", "K", "-1K", "17179869184G", "18446744073709551616", "1K" };
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i];

		assert_false(xy__text_bytes(&text, i < 5 ? UINT64_MAX : 1023, &value));
		assert_string_equal(text, i < 3 ? texts[i] : "");
	}
	assert_int_equal(value, 7);
}

static void reads_fractions(void **state)
{
	const char *text = "1.5e1*";
	double value = 0;

	(void)state;
	assert_true(xy__text_double(&text, &value));
	assert_true(value == 15);
	assert_string_equal(text, "*");
	text = ".25";
	assert_true(xy__text_double(&text, &value));
	assert_true(value == 0.25);
}

static void refuses_what_is_no_fraction(void **state)
{
	const char *const texts[] = { "", "-1", "+1", " 1", "inf", "nan", "0x10", "0X1", ".", "e5", "1e999" };
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i];

		assert_false(xy__text_double(&text, &value));
	}
	assert_true(value == 7);
}

static void reads_fractions_the_same_in_every_locale(void **state)
{
	const char *const comma[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8" };
	const char *text = "2.5", *found = NULL;
	double value = 0;

	(void)state;
	for (size_t i = 0; i < 4 && !found; i++)
		found = setlocale(LC_NUMERIC, comma[i]);
	if (!found)
		skip();
	assert_string_equal(localeconv()->decimal_point, ",");
	assert_true(xy__text_double(&text, &value));
	setlocale(LC_NUMERIC, "C");
	assert_true(value == 2.5);
}

static void counts_letters_that_differ(void **state)
{
	char longer[40];

	(void)state;
	assert_int_equal(xy__text_distance("eager", "eager"), 0);
	assert_int_equal(xy__text_distance("eager", "EAGER"), 0);
	assert_int_equal(xy__text_distance("eager", "eagr"), 1);
	assert_int_equal(xy__text_distance("eager", "xeager"), 1);
	assert_int_equal(xy__text_distance("eager", "eabger"), 1);
	assert_int_equal(xy__text_distance("eager", "eaegr"), 1);
	assert_int_equal(xy__text_distance("fifo", "prio"), 3);
	assert_int_equal(xy__text_distance("", "prio"), 4);
	assert_int_equal(xy__text_distance("prio", ""), 4);
	memset(longer, 'a', 39);
	longer[39] = '\0';
	assert_int_equal(xy__text_distance(longer, "a"), UINT_MAX);
	assert_int_equal(xy__text_distance(longer + 8, longer + 8), 0);
}

static void finds_names_whose_parts_are_swapped(void **state)
{
	(void)state;
	assert_true(xy__text_is_turned("LIMIT_CUDA", "CUDA_LIMIT"));
	assert_true(xy__text_is_turned("A_B_C", "B_C_A"));
	assert_true(xy__text_is_turned("A_B_C", "C_A_B"));
	assert_false(xy__text_is_turned("LIMIT_CUDA", "CUDA-LIMIT"));
	assert_false(xy__text_is_turned("LIMIT", "LIMIT"));
}

static void suggests_only_what_is_near(void **state)
{
	(void)state;
	assert_true(xy__text_is_near("policy", 3));
	assert_false(xy__text_is_near("policy", 4));
	assert_true(xy__text_is_near("ws", 1));
	assert_false(xy__text_is_near("x", 1));
	assert_false(xy__text_is_near("", 0));
}

static void prints_no_more_than_fits(void **state)
{
	char text[6] = "?????";

	(void)state;
	xy__text_print(text, 4, "%d", 12345);
	assert_string_equal(text, "123");
	assert_int_equal(text[4], '?');
	xy__text_print(text, 0, "%d", 9);
	assert_string_equal(text, "123");
	xy__text_print(NULL, 4, "%d", 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole_numbers),
		cmocka_unit_test(refuses_what_is_no_whole_number),
		cmocka_unit_test(passes_over_a_number_that_is_too_large),
		cmocka_unit_test(reads_bytes),
		cmocka_unit_test(refuses_what_is_no_number_of_bytes),
		cmocka_unit_test(reads_fractions),
		cmocka_unit_test(refuses_what_is_no_fraction),
		cmocka_unit_test(reads_fractions_the_same_in_every_locale),
		cmocka_unit_test(counts_letters_that_differ),
		cmocka_unit_test(finds_names_whose_parts_are_swapped),
		cmocka_unit_test(suggests_only_what_is_near),
		cmocka_unit_test(prints_no_more_than_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
