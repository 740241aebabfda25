/* SPDX-License-Identifier: MIT */
/*
 * Rehearsals: which branch they choose, when they are held, and that the simulated machine is like the real one.
 */
#include "sim_bed.h"

#include <math.h>
#include <stdlib.h>

#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"
#include "engines/sim.h"

#define EARLY "mct | each worker { fifo }"
#define URGENT "prio | eager | each worker { }"
#define LATE "fifo | eager | each worker { }"

enum { TASKS = 60, DATA = 24 };

/* --- choosing --- */

/* Submits a graph that follows from the seed, and returns its makespan with a policy. */
static double makespan_us(const char *machine, const char *sched, uint64_t seed, unsigned bytes)
{
	struct sim_bed *bed = sim_start(machine, sched, NULL);
	struct xy_handle *data[DATA];
	double us;

	for (unsigned i = 0; i < DATA; i++)
		data[i] = sim_vector(bed, bytes);
	for (unsigned i = 0; i < TASKS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		SIM_SUBMIT(bed, i, 10.0 + (double)(seed >> 44) / 1e3, .codelet = &sim_copy,
			   .priority = (int)(seed >> 25) % 8,
			   .handles = { data[(seed >> 33) % DATA],
					data[(seed >> 50) % (DATA - 1)] == data[(seed >> 33) % DATA]
						? data[DATA - 1]
						: data[(seed >> 50) % (DATA - 1)] });
	}
	sim_wait(bed);
	us = sim_now_us(bed);
	for (unsigned i = 0; i < DATA; i++)
		sim_unregister(&data[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
	return us;
}

static void chooses_the_branch_with_the_shorter_makespan(void **state)
{
	unsigned urgent = 0, late = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		const char *machine = seed % 2 ? sim_two_cores : sim_two_gpus;
		double a = makespan_us(machine, URGENT, seed, 30000), b = makespan_us(machine, LATE, seed, 30000);
		double ab = makespan_us(machine, "rehearse { " URGENT ", " LATE " }", seed, 30000);
		double ba = makespan_us(machine, "rehearse { " LATE ", " URGENT " }", seed, 30000);
		double three = makespan_us(machine, "rehearse(first=3) { " EARLY ", " LATE ", " URGENT " }", seed,
					   30000);

		urgent += a < 0.99 * b;
		late += b < 0.99 * a;
		/* a smaller difference is not worth a change */
		assert_true(ab <= 1.003 * fmin(a, b));
		assert_true(ba <= 1.003 * fmin(a, b));
		assert_true(three <= 1.003 * fmin(a, b));
	}
	assert_true(urgent > 2 && late > 2);
}

static void rehearses_again_when_the_graph_has_doubled(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, "rehearse { " LATE ", " EARLY " }", NULL);

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_plain);
		if (i % 7 == 0)
			sim_wait(bed);
	}
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 500 / 7 * 400 + 2 * 100);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- in real time --- */

static _Atomic unsigned spied; /* tasks that passed a component of this type, in any runtime */

static bool spy_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	atomic_fetch_add(&spied, 1);
	return xy_push(self->children[0], task, by);
}

static const struct xy_component_ops spy = {
	.name = "spy", .summary = "counts", .size = sizeof(struct xy_component), .push = spy_push
};
static const struct xy_component_ops *const spies[] = { &spy, NULL };

static int body(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet real = { .name = "real", .cpu = { body } };

/* Runs tasks that are expected to take so long, whatever they take; returns how many passed the spy. */
static unsigned run_in_real_time(double us)
{
	struct helper *h = helper_start_with(&(struct xy_config){
		.sched = "spy | rehearse(first=2) { " EARLY ", fifo | eager | each worker { }, " EARLY " }",
		.machine = "cpu:2",
		.components = spies });

	atomic_store(&spied, 0);
	for (unsigned i = 0; i < TASKS; i++)
		helper_submit(h, &(struct xy_task_desc){ .codelet = &real, .length_us = us });
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
	return atomic_load(&spied);
}

static void rehearses_long_tasks_in_real_time(void **state)
{
	(void)state;
	assert_true(run_in_real_time(1e7) > TASKS);
}

static void does_not_rehearse_short_tasks_in_real_time(void **state)
{
	(void)state;
	assert_int_equal(run_in_real_time(10), TASKS);
	assert_int_equal(run_in_real_time(0), TASKS);
}

static void mappers_take_a_worker_that_rehearses_for_busy(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_cores, EARLY, NULL);

	(void)state;
	xy__worker_occupy(&bed->rt->workers[0], 500);
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_plain);
	sim_wait(bed);
	assert_int_equal(bed->fates[0].worker, 1);
	xy__worker_occupy(&bed->rt->workers[0], -500);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_plain);
	sim_wait(bed);
	assert_int_equal(bed->fates[1].worker, 0);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- the machine --- */

static double transfers_us(const char *machine)
{
	struct sim_bed *bed = sim_start(machine, LATE, NULL);
	struct xy_handle *data = sim_vector(bed, 50000);
	double us;

	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_update_gpu, .handles = { data });
	sim_wait(bed);
	us = sim_now_us(bed);
	sim_unregister(&data);
	us += sim_now_us(bed);
	assert_int_equal(sim_stop(bed, 0), 0);
	return us;
}

static void describes_the_machine_of_a_runtime(void **state)
{
	struct sim_bed *bed = sim_start(sim_two_gpus, LATE, NULL);
	struct xy__buffer text = { 0 };

	(void)state;
	assert_true(xy__sim_describe(bed->rt, &text));
	sim_assert_us(transfers_us(text.at), transfers_us(sim_two_gpus));
	assert_int_equal(sim_stop(bed, 0), 0);
	xy__buffer_fini(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_the_branch_with_the_shorter_makespan),
		cmocka_unit_test(rehearses_again_when_the_graph_has_doubled),
		cmocka_unit_test(rehearses_long_tasks_in_real_time),
		cmocka_unit_test(does_not_rehearse_short_tasks_in_real_time),
		cmocka_unit_test(mappers_take_a_worker_that_rehearses_for_busy),
		cmocka_unit_test(describes_the_machine_of_a_runtime),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
