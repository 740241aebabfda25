/* SPDX-License-Identifier: MIT */
/* The table of kinds: sorted, complete, and each with a page for the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "components/all.h"
#include "core/tree/tree.h"

static void is_sorted_by_name(void **state)
{
	(void)state;
	assert_non_null(xy__components[0]);
	for (unsigned i = 1; xy__components[i]; i++)
		assert_true(strcmp(xy__components[i - 1]->name, xy__components[i]->name) < 0);
}

static void each_kind_has_a_summary_and_a_page_of_lines_that_fit(void **state)
{
	(void)state;
	for (unsigned i = 0; xy__components[i]; i++) {
		const char *line = xy__components[i]->manual;

		assert_non_null(xy__components[i]->summary);
		assert_null(strchr(xy__components[i]->summary, '\n'));
		assert_non_null(line);
		assert_int_equal(line[strlen(line) - 1], '\n');
		for (; *line; line = strchr(line, '\n') + 1)
			assert_in_range(strchr(line, '\n') - line, 0, 90);
	}
}

static void each_option_has_help_and_lies_inside_the_instance(void **state)
{
	(void)state;
	for (unsigned i = 0; xy__components[i]; i++)
		for (const struct xy_option *o = xy__components[i]->options; o && o->name; o++) {
			assert_non_null(o->help);
			assert_in_range(o->offset, sizeof(struct xy_component), xy__components[i]->size - 1);
			assert_true(o->initial >= o->min && o->initial <= o->max);
		}
}

static void each_reservoir_shows_what_it_holds(void **state)
{
	(void)state;
	for (unsigned i = 0; xy__components[i]; i++) {
		bool stores = xy__components[i]->flags & XY_STORES;

		if (xy__components[i]->flags & XY_LEAF) /* those of teams hold a task without being one */
			continue;
		if (stores != !!xy__components[i]->depth || stores != !!xy__components[i]->each_task)
			fail_msg("%s", xy__components[i]->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_sorted_by_name),
		cmocka_unit_test(each_kind_has_a_summary_and_a_page_of_lines_that_fit),
		cmocka_unit_test(each_option_has_help_and_lies_inside_the_instance),
		cmocka_unit_test(each_reservoir_shows_what_it_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
