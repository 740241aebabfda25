/* SPDX-License-Identifier: MIT */
/* The version is the package's, as users compare it. */
#include "build-config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <xylem.h>

static void is_the_version_of_the_package(void **state)
{
	(void)state;
	assert_string_equal(xy_version(), PACKAGE_VERSION);
}

static void has_three_numbers(void **state)
{
	int major, minor, patch;

	(void)state;
	assert_int_equal(sscanf(xy_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_version_of_the_package),
		cmocka_unit_test(has_three_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
