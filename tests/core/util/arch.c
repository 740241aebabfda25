/* SPDX-License-Identifier: MIT */
/* The table of architectures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <string.h>

#include "core/util/arch.h"

static void has_a_row_for_each_architecture(void **state)
{
	(void)state;
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		assert_non_null(xy__archs[arch].name);
		assert_non_null(xy__archs[arch].title);
		assert_non_null(xy__archs[arch].colour);
		assert_true(xy__archs[arch].speed > 0);
		assert_true(isalpha((unsigned char)xy__archs[arch].mark));
		assert_ptr_equal(xy_arch_name((enum xy_arch)arch), xy__archs[arch].name);
		assert_true((arch >= XY__ARCH_DEVICES) == (xy__archs[arch].devices != NULL));
		assert_true((arch >= XY__ARCH_DEVICES) == (xy__archs[arch].devices_words != NULL));
	}
	assert_null(xy_arch_name(XY_NARCH));
}

static void has_the_name_in_capitals(void **state)
{
	(void)state;
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		size_t length = strlen(xy__archs[arch].name);

		assert_int_equal(strlen(xy__archs[arch].capitals), length);
		for (size_t i = 0; i < length; i++)
			assert_int_equal(xy__archs[arch].capitals[i], toupper((unsigned char)xy__archs[arch].name[i]));
	}
}

static void tells_no_two_architectures_alike(void **state)
{
	(void)state;
	for (unsigned a = 0; a < XY_NARCH; a++)
		for (unsigned b = 0; b < a; b++) {
			assert_string_not_equal(xy__archs[a].name, xy__archs[b].name);
			assert_string_not_equal(xy__archs[a].colour, xy__archs[b].colour);
			assert_int_not_equal(xy__archs[a].mark, xy__archs[b].mark);
		}
}

static void has_the_fields_of_a_codelet_in_order(void **state)
{
	struct xy_codelet codelet = { .name = NULL };

	(void)state;
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		assert_ptr_equal(xy__arch_functions(&codelet, arch), (char *)&codelet + xy__archs[arch].functions);
}

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static void implements_a_codelet_where_it_is_told_to(void **state)
{
	(void)state;
	for (unsigned archs = 0; archs <= XY_ON_ALL; archs++) {
		struct xy_codelet codelet = { .name = NULL };

		xy__arch_implement(&codelet, archs, nothing);
		for (unsigned arch = 0; arch < XY_NARCH; arch++) {
			assert_true((xy__arch_functions(&codelet, arch)[0] == nothing) == (archs >> arch & 1));
			assert_null(xy__arch_functions(&codelet, arch)[1]);
		}
	}
}

static void lists_all_names(void **state)
{
	char text[128], small[4];

	(void)state;
	xy__arch_list(text, sizeof text, ":N");
	assert_memory_equal(text, "cpu:N, cuda:N", 13);
	assert_non_null(strstr(text, " or "));
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		assert_non_null(strstr(text, xy__archs[arch].name));
	xy__arch_list(small, sizeof small, "");
	assert_string_equal(small, "cpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_row_for_each_architecture),
		cmocka_unit_test(has_the_name_in_capitals),
		cmocka_unit_test(tells_no_two_architectures_alike),
		cmocka_unit_test(has_the_fields_of_a_codelet_in_order),
		cmocka_unit_test(implements_a_codelet_where_it_is_told_to),
		cmocka_unit_test(lists_all_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
