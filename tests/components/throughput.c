/* SPDX-License-Identifier: MIT */
/* The throughput of a device over the size of pieces: where the search ends, and when it begins again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "components/throughput.h"

static const struct xy__growth growth = { .least_us = 200, .most = 31 };

/* Pieces of the sizes that are asked for, until it is settled. Their number. */
static unsigned settle(struct xy__throughput *t, double fixed_us, double item_us, const struct xy__growth *g)
{
	unsigned n = 0;

	for (; !t->settled && n < 1000; n++) {
		uint64_t items = (uint64_t)xy__throughput_size(t, 4e9);

		xy__throughput_learn(t, items, fixed_us + item_us * (double)items, g);
	}
	assert_true(t->settled);
	return n;
}

static void grows_until_launches_do_not_matter(void **state)
{
	struct xy__throughput t = { .level = 0 };

	(void)state;
	settle(&t, 1000, 0.25, &growth);
	assert_true(1000 < 0.05 * (1000 + 0.25 * xy__throughput_size(&t, 4e9)));
}

static void skips_sizes_that_take_no_longer(void **state)
{
	struct xy__throughput quick = { .level = 0 }, slow = { .level = 0 };

	(void)state;
	/* 21 doublings lead to the best size of the first. */
	assert_true(settle(&quick, 100000, 0.25, &growth) < 16);
	settle(&slow, 0, 10, &growth);
	assert_true(xy__throughput_size(&slow, 4e9) >= 20);
	assert_true(xy__throughput_size(&slow, 4e9) <= 200);
}

static void stops_where_memory_ends(void **state)
{
	const struct xy__growth little = { .least_us = 200, .most = 8 };
	struct xy__throughput t = { .level = 0 };

	(void)state;
	settle(&t, 1000, 0.25, &little);
	assert_int_equal(t.level, 8);
}

static void measures_all_sizes_if_asked(void **state)
{
	const struct xy__growth all = { .least_us = 200, .most = 31, .samples = 3 };
	struct xy__throughput t = { .level = 0 };

	(void)state;
	settle(&t, 1000, 0.25, &all);
	for (unsigned i = 0; i <= t.level; i++)
		assert_true(t.samples[i] >= 3);
}

/* The speed of now is that of the last piece, and is known once a larger piece was not much faster. */
static void knows_the_speed_after_two_sizes(void **state)
{
	struct xy__throughput t = { .level = 0 }, launches = { .level = 0 };

	(void)state;
	xy__throughput_learn(&t, 1, 100, &growth);
	assert_true(t.recent == 100);
	assert_false(t.known);
	xy__throughput_learn(&t, 2, 160, &growth);
	assert_false(t.settled);
	assert_true(t.recent == 80);
	assert_true(t.known);
	xy__throughput_learn(&launches, 1, 100, &growth);
	xy__throughput_learn(&launches, 2, 110, &growth);
	assert_false(launches.known);
}

static void forgets_what_no_longer_holds(void **state)
{
	struct xy__throughput t = { .level = 0 };
	double best;

	(void)state;
	settle(&t, 1000, 0.25, &growth);
	best = xy__throughput_size(&t, 4e9);
	/* A batch of its sort: one short piece confirms it. */
	xy__throughput_doubt(&t);
	assert_true(xy__throughput_size(&t, 4e9) < best);
	xy__throughput_learn(&t, (uint64_t)(best / 8), 1000 + 0.25 * best / 8, &growth);
	assert_true(xy__throughput_size(&t, 4e9) == best);
	/* Items that take a hundred times longer. */
	xy__throughput_doubt(&t);
	xy__throughput_learn(&t, (uint64_t)(best / 8), 1000 + 25 * best / 8, &growth);
	assert_false(t.settled);
	settle(&t, 1000, 25, &growth);
	assert_true(xy__throughput_size(&t, 4e9) < best);
}

static void goes_on_from_earlier_runs(void **state)
{
	struct xy__throughput t = { .level = 0 }, again = { .level = 0 };

	(void)state;
	settle(&t, 1000, 0.25, &growth);
	for (unsigned i = 0; i < XY__THROUGHPUT_LEVELS; i++)
		if (t.samples[i])
			xy__throughput_recall(&again, i, t.us_per_item[i] * (double)((uint64_t)1 << i), t.samples[i]);
	xy__throughput_resume(&again, &growth);
	assert_true(again.settled);
	assert_true(again.trial);
	assert_int_equal(again.level, t.level);
}

/* Sizes of 512 items and fewer take equally long; then so little is left that 32768 can't be tried. */
static void tries_a_skipped_size_if_the_next_one_is_too_large(void **state)
{
	struct xy__throughput t = { .level = 8 };

	(void)state;
	xy__throughput_learn(&t, 256, 1000, &growth);
	xy__throughput_learn(&t, 512, 1000, &growth);
	assert_true(xy__throughput_size(&t, 4e9) == 32768);
	assert_true(xy__throughput_size(&t, 4096) == 4096);
	assert_true(xy__throughput_size(&t, 1000) == 512);
	xy__throughput_learn(&t, 4096, 1000, &growth);
	assert_true(xy__throughput_size(&t, 4e9) > 4096);
}

/* Up to 65536 items take as long as one: the search skips that size, which is the smallest good one. */
static void finds_smaller_sizes_for_the_end(void **state)
{
	struct xy__throughput t = { .level = 8 };
	unsigned n = 0;

	(void)state;
	for (; !t.settled; n++) {
		uint64_t items = (uint64_t)xy__throughput_size(&t, 4e9);

		assert_true(n < 20);
		xy__throughput_learn(&t, items, 1000.0 * (double)((items + 65535) / 65536), &growth);
	}
	assert_true(t.tail > 65536);
	for (n = 0; t.finer > 0; n++) {
		uint64_t items = (uint64_t)t.finer;

		assert_true(n < 10);
		assert_true(t.finer < t.tail);
		xy__throughput_learn(&t, items, 1000.0 * (double)((items + 65535) / 65536), &growth);
	}
	assert_true(t.tail == 65536);
}

/* Small pieces cost twice as much per item, but a large one for few items ends late. */
static void weighs_small_pieces_against_a_late_end(void **state)
{
	const struct xy__throughput t = { .measured = 1 << 3 | 1 << 10,
					  .us_per_item = { [3] = 2, [10] = 1 },
					  .tail = 1024 };

	(void)state;
	assert_true(xy__throughput_last_size(&t, 4000) == 1024);
	assert_true(xy__throughput_last_size(&t, 10) == 8);
	assert_true(xy__throughput_last_size(&t, -10) == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_until_launches_do_not_matter),
		cmocka_unit_test(skips_sizes_that_take_no_longer),
		cmocka_unit_test(stops_where_memory_ends),
		cmocka_unit_test(measures_all_sizes_if_asked),
		cmocka_unit_test(knows_the_speed_after_two_sizes),
		cmocka_unit_test(forgets_what_no_longer_holds),
		cmocka_unit_test(goes_on_from_earlier_runs),
		cmocka_unit_test(tries_a_skipped_size_if_the_next_one_is_too_large),
		cmocka_unit_test(finds_smaller_sizes_for_the_end),
		cmocka_unit_test(weighs_small_pieces_against_a_late_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
