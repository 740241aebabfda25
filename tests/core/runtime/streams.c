/* SPDX-License-Identifier: MIT */
/* Which stream a task gets, and what time it is charged with. */
#include "core/runtime/streams.h"

#include "../../helper.h"

static void assert_near(double value, double expected)
{
	assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

static void short_tasks_go_to_the_stream_with_the_fewest(void **state)
{
	struct xy__streams s = { .count = 3 };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		unsigned stream = xy__streams_choose(&s, true);

		assert_int_equal(stream, i % 3);
		xy__streams_launch(&s, stream, 0);
	}
	xy__streams_end(&s, 1, 0);
	assert_int_equal(xy__streams_choose(&s, true), 1);
}

static void other_tasks_go_to_the_first(void **state)
{
	struct xy__streams s = { .count = 3 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(xy__streams_choose(&s, false), 0);
		xy__streams_launch(&s, 0, 0);
	}
}

static void what_runs_alone_has_all_of_the_time(void **state)
{
	struct xy__streams s = { .count = 2 };

	(void)state;
	xy__streams_launch(&s, 0, 10);
	xy__streams_launch(&s, 0, 11); /* behind it */
	assert_near(xy__streams_end(&s, 0, 14), 4);
	assert_near(xy__streams_end(&s, 0, 20), 6);
	xy__streams_launch(&s, 1, 100);
	assert_near(xy__streams_end(&s, 1, 101), 1);
}

static void what_runs_side_by_side_shares_it(void **state)
{
	struct xy__streams s = { .count = 3 };

	(void)state;
	xy__streams_launch(&s, 0, 0);
	xy__streams_launch(&s, 1, 2);
	xy__streams_launch(&s, 2, 6);
	/* 2 alone, 4 for two, 3 for three */
	assert_near(xy__streams_end(&s, 1, 9), 2 + 1);
	assert_near(xy__streams_end(&s, 0, 11), 2 + 2 + 1 + 1);
	assert_near(xy__streams_end(&s, 2, 13), 1 + 1 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_tasks_go_to_the_stream_with_the_fewest),
		cmocka_unit_test(other_tasks_go_to_the_first),
		cmocka_unit_test(what_runs_alone_has_all_of_the_time),
		cmocka_unit_test(what_runs_side_by_side_shares_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
