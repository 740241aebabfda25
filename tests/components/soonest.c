/* SPDX-License-Identifier: MIT */
/* Finding the seat that is free first in a large group: against looking at all of them, and in simulations. */
#include "../engines/sim_bed.h"

#include <math.h>
#include "components/soonest.h"

enum { MEMBERS = 100, ROUNDS = 20000, CORES = 40, TASKS = 600 };

/* --- the heap --- */

struct seats {
	double free_us[MEMBERS], now_us;
};

static double seat_free_us(void *arg, unsigned member)
{
	const struct seats *seats = arg;

	return seats->free_us[member] > seats->now_us ? seats->free_us[member] : seats->now_us;
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void finds_the_first_however_expectations_change(void **state)
{
	struct xy__soonest soonest;
	struct seats seats = { .now_us = 0 };
	uint64_t seed = 1;

	(void)state;
	assert_int_equal(xy__soonest_init(&soonest, MEMBERS), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned member = (unsigned)(draw(&seed) % MEMBERS), found;
		double start_us, least_us = INFINITY;

		seats.now_us += (double)(draw(&seed) % 3);
		if (draw(&seed) % 2) { /* a rise needs no notice */
			seats.free_us[member] = seat_free_us(&seats, member) + (double)(draw(&seed) % 100);
		} else {
			seats.free_us[member] = draw(&seed) % 2 ? 0 : seats.free_us[member] / 2;
			xy__soonest_set(&soonest, member, seats.free_us[member]);
		}
		found = xy__soonest_find(&soonest, seat_free_us, &seats, seats.now_us, &start_us);
		for (unsigned k = 0; k < MEMBERS; k++)
			least_us = seat_free_us(&seats, k) < least_us ? seat_free_us(&seats, k) : least_us;
		assert_true(start_us <= least_us && start_us >= least_us);
		assert_true(seat_free_us(&seats, found) <= least_us);
	}
	xy__soonest_fini(&soonest);
}

/* All are busy, and every change is told. */
static void finds_the_first_of_those_that_are_busy(void **state)
{
	struct xy__soonest soonest;
	struct seats seats = { .now_us = 0 };
	uint64_t seed = 1;

	(void)state;
	assert_int_equal(xy__soonest_init(&soonest, MEMBERS), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned member = i < MEMBERS ? i : (unsigned)(draw(&seed) % MEMBERS), first = 0;
		double start_us;

		seats.free_us[member] = 1 + (double)(draw(&seed) % 1000000);
		xy__soonest_set(&soonest, member, seats.free_us[member]);
		for (unsigned k = 0; k < MEMBERS && i >= MEMBERS; k++)
			first = seats.free_us[k] < seats.free_us[first] ? k : first;
		if (i >= MEMBERS)
			assert_int_equal(xy__soonest_find(&soonest, seat_free_us, &seats, 0, &start_us), first);
	}
	xy__soonest_fini(&soonest);
}

static void prefers_the_first_of_those_that_are_idle(void **state)
{
	struct xy__soonest soonest;
	struct seats seats = { .now_us = 10 };
	double start_us;

	(void)state;
	assert_int_equal(xy__soonest_init(&soonest, MEMBERS), 0);
	for (unsigned i = 0; i < MEMBERS; i++) {
		assert_int_equal(xy__soonest_find(&soonest, seat_free_us, &seats, seats.now_us, &start_us), i);
		seats.free_us[i] = 1000 - i;
	}
	assert_int_equal(xy__soonest_find(&soonest, seat_free_us, &seats, seats.now_us, &start_us), MEMBERS - 1);
	seats.free_us[7] = 0;
	seats.free_us[3] = 0;
	xy__soonest_set(&soonest, 7, 0);
	xy__soonest_set(&soonest, 3, 0);
	assert_int_equal(xy__soonest_find(&soonest, seat_free_us, &seats, seats.now_us, &start_us), 3);
	xy__soonest_fini(&soonest);
}

/* --- mappers on many workers --- */

/* The makespan if each task, in order, goes to the core that is free first. */
static double greedy_us(const double *us)
{
	double free_us[CORES] = { 0 }, makespan_us = 0;

	for (unsigned i = 0; i < TASKS; i++) {
		unsigned first = 0;

		for (unsigned k = 1; k < CORES; k++)
			first = free_us[k] < free_us[first] ? k : first;
		free_us[first] += us[i];
		makespan_us = free_us[first] > makespan_us ? free_us[first] : makespan_us;
	}
	return makespan_us;
}

static void maps_like_a_look_at_all_workers(void **state)
{
	static const char *const policies[] = { "tree-dmda", "tree-dmdas", "tree-heft", "mct | each worker { fifo }" };
	double us[TASKS];
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < TASKS; i++)
		us[i] = 10 + (double)(draw(&seed) % 1000);
	for (unsigned k = 0; k < HELPER_COUNT(policies); k++) {
		struct sim_bed *bed = sim_start("machine many\nclass core cpu\nworkers 40 core\n", policies[k], NULL);

		for (unsigned i = 0; i < TASKS; i++)
			SIM_SUBMIT(bed, i, us[i], .codelet = &sim_plain);
		sim_wait(bed);
		sim_assert_us(sim_now_us(bed), greedy_us(us));
		assert_int_equal(sim_stop(bed, 0), 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first_however_expectations_change),
		cmocka_unit_test(finds_the_first_of_those_that_are_busy),
		cmocka_unit_test(prefers_the_first_of_those_that_are_idle),
		cmocka_unit_test(maps_like_a_look_at_all_workers),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
