/* SPDX-License-Identifier: MIT */
/*
 * Batches in virtual time: fixed cases give the pieces of tables that were worked out by hand, and balance comes close
 * to the area bound, whatever happens to the devices.
 */
#include "../helper.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xylem/batch.h>

#include "core/data/node.h"
#include "core/runtime/runtime.h"

enum { TRACE = 4096 };

/* Time of a piece: fixed microseconds and some for each item, by architecture. */
static struct {
	double fixed_us[XY_NARCH], item_us[XY_NARCH];
	const struct xy_runtime *rt;
	int slow_worker; /* from a time on it takes four times as long; -1: none */
	double slow_s;
	int lost_node; /* is lost at a time; -1: none */
	double lost_s;
	uint64_t items_of[16]; /* by worker, that it did */
	uint64_t items;
	struct {
		uint64_t start, size;
		unsigned worker;
	} trace[TRACE];
	unsigned ntrace;
} world;

static double world_us(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	struct xy_range range = xy_task_range(task);
	enum xy_arch arch = xy_machine_worker(xy_runtime_machine(world.rt), worker)->arch;
	double us = world.fixed_us[arch] + world.item_us[arch] * (double)(range.stop - range.start);

	(void)implementation;
	return (int)worker == world.slow_worker && xy_now(world.rt) >= world.slow_s ? 4 * us : us;
}

static void world_ended(void *arg, const struct xy_report *report)
{
	struct xy_range range = xy_task_range(report->task);

	(void)arg;
	if (range.stop == range.start || report->status)
		return;
	world.items += range.stop - range.start;
	if (world.ntrace < TRACE) {
		world.trace[world.ntrace].start = range.start;
		world.trace[world.ntrace].size = range.stop - range.start;
		world.trace[world.ntrace++].worker = report->worker;
	}
	if (world.lost_node >= 0 && xy_now(world.rt) >= world.lost_s) {
		xy__node_lose((struct xy_runtime *)world.rt, (unsigned)world.lost_node);
		world.lost_node = -1;
	}
}

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_model model = { .kind = XY_MODEL_WORKER, .per_worker = world_us };
static const struct xy_codelet points = {
	.name = "points",
	.cpu = { nothing },
	.cuda = { nothing },
	.model = &model,
};

static void world_reset(double cpu_fixed, double cpu_item, double cuda_fixed, double cuda_item)
{
	memset(&world, 0, sizeof world);
	world.fixed_us[XY_CPU] = cpu_fixed;
	world.item_us[XY_CPU] = cpu_item;
	world.fixed_us[XY_CUDA] = cuda_fixed;
	world.item_us[XY_CUDA] = cuda_item;
	world.slow_worker = world.lost_node = -1;
}

/* The virtual seconds of a batch. */
static double run(const char *machine, const char *sched, uint64_t items, double noise, uint64_t seed)
{
	struct xy_watch watch = { .ended = world_ended };
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = machine,
								  .machines = MACHINES,
								  .sched = sched,
								  .sim_noise = noise,
								  .seed = seed,
								  .watch = &watch });
	double begin, end;

	world.rt = h->rt;
	begin = xy_now(h->rt);
	assert_int_equal(xy_batch_handles(h->rt, &points, &(struct xy_batch){ .stop = items }), 0);
	end = xy_now(h->rt);
	assert_int_equal(world.items, items);
	assert_int_equal(helper_stop_lines(h, world.lost_s > 0 ? HELPER_ANY_LINES : 0), 0);
	return end - begin;
}

/* --- tables --- */

/* One core and two GPUs. */
static const char little[] = "machine little\n"
			     "topology core:1\n"
			     "class cpu cpu\n"
			     "class gpu cuda speed 10\n"
			     "workers 1 cpu\n"
			     "devices 2 gpu memory 1G title test\n"
			     "link bus 1us 10000MB/s\n"
			     "route ram0 -> cuda0 via bus\n"
			     "route cuda0 -> ram0 via bus\n"
			     "route ram0 -> cuda1 via bus\n"
			     "route cuda1 -> ram0 via bus\n";

static double run_little(const char *sched, uint64_t items, double noise, uint64_t seed)
{
	char path[] = "/tmp/xylem-batch-XXXXXX";
	int fd = mkstemp(path);
	double seconds;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, little, sizeof little - 1), sizeof little - 1);
	close(fd);
	seconds = run(path, sched, items, noise, seed);
	unlink(path);
	return seconds;
}

static int trace_compare(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

/* worker:size for each piece, in the order in which they were sent. */
static void expect_trace(const char *table)
{
	char text[512] = "";
	size_t used = 0;

	qsort(world.trace, world.ntrace, sizeof world.trace[0], trace_compare);
	for (unsigned i = 0; i < world.ntrace; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%u", i ? " " : "",
					 world.trace[i].worker, (unsigned)world.trace[i].size);
	assert_string_equal(text, table);
}

/*
 * One core (worker 0) at 10 us per item, two GPUs (1 and 2) at 1 us per item:
 *   at 0 us   20 and 20 items to cuda:0, whose capacity is 40, 20 to cuda:1, 4 to the core
 *   at 20 us  cuda:0 has done 20 items and is listed before cuda:1, which has too: it gets the last 20
 *   at 40 us  the core has done its 4; cuda:0 begins its third piece, which ends at 60 us
 */
static void hybrid_follows_a_table(void **state)
{
	static const char sched[] =
		"prio | hybrid(devices=cpu+cuda:0+cuda:1, batch_sizes=4+20+20, "
		"capacities=4+40+20, priorities=1+2+2) | each node { fifo | eager | each worker { } }";
	char first[sizeof world.trace];
	unsigned n;

	(void)state;
	world_reset(0, 10, 0, 1);
	assert_int_equal(lrint(run_little(sched, 84, 0, 1) * 1e6), 60);
	expect_trace("1:20 1:20 2:20 0:4 1:20");
	world_reset(0, 10, 0, 1);
	run_little(sched, 2000, 0.1, 7);
	n = world.ntrace;
	memcpy(first, world.trace, sizeof first);
	world_reset(0, 10, 0, 1);
	run_little(sched, 2000, 0.1, 7);
	assert_int_equal(world.ntrace, n);
	assert_memory_equal(world.trace, first, sizeof first);
}

static void simple_uses_one_device(void **state)
{
	(void)state;
	world_reset(0, 10, 0, 1);
	assert_int_equal(lrint(run_little("simple", 2500, 0, 1) * 1e6), 2500);
	expect_trace("1:1000 1:1000 1:500");
}

/* --- balance --- */

/* Items per second of all workers, none of which is slow. */
static double world_rate(const char *machine)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = machine, .machines = MACHINES });
	const struct xy_machine *m = xy_runtime_machine(h->rt);
	double rate = 0;

	for (unsigned i = 0; i < xy_machine_nworkers(m); i++)
		rate += 1e6 / world.item_us[xy_machine_worker(m, i)->arch];
	assert_int_equal(helper_stop(h), 0);
	return rate;
}

/* A GPU loses 2.7 % in pieces of this size: the best sub-batch is no larger. */
enum { BEST = 1 << 17 };

static void expect_balanced(double bound_s, double makespan_s, double most)
{
	if (!(makespan_s < bound_s * most))
		fail_msg("%g s, %.1f %% over the bound of %g s", makespan_s, (makespan_s / bound_s - 1) * 100, bound_s);
}

static void balance_is_close_to_the_bound(void **state)
{
	static const char *const machines[] = { "mirage", "idgraf" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		double bound, rate;

		world_reset(5, 10, 1000, 0.32);
		rate = world_rate(machines[i]);
		bound = 200.0 * BEST / rate;
		expect_balanced(bound, run(machines[i], "tree-batch-auto", 200u * BEST, 0, 1), 1.05);
		for (uint64_t seed = 1; seed <= 3; seed++) {
			world_reset(5, 10, 1000, 0.32);
			expect_balanced(bound, run(machines[i], "tree-batch-auto", 200u * BEST, 0.1, seed), 1.10);
		}
	}
}

/* The first GPU of mirage is worker 9, in node 1; idgraf's is worker 4. */
static void balance_bears_a_device_that_becomes_slow(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *machine = i ? "idgraf" : "mirage";
		double rate, slow, bound;

		world_reset(5, 10, 1000, 0.32);
		rate = world_rate(machine);
		slow = rate - 0.75e6 / 0.32;
		bound = 100.0 * BEST / rate;
		world.slow_s = bound;
		world.slow_worker = i ? 4 : 9;
		bound += 100.0 * BEST / slow;
		expect_balanced(bound, run(machine, "tree-batch-auto", 200u * BEST, 0, 1), 1.10);
	}
}

static void balance_bears_a_device_that_dies(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *machine = i ? "idgraf" : "mirage";
		double rate, bound;

		world_reset(5, 10, 1000, 0.32);
		rate = world_rate(machine);
		bound = 100.0 * BEST / rate;
		world.lost_s = bound;
		world.lost_node = 1;
		bound += 100.0 * BEST / (rate - 1e6 / 0.32);
		expect_balanced(bound, run(machine, "tree-batch-auto", 200u * BEST, 0, 1), 1.10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hybrid_follows_a_table),
		cmocka_unit_test(simple_uses_one_device),
		cmocka_unit_test(balance_is_close_to_the_bound),
		cmocka_unit_test(balance_bears_a_device_that_becomes_slow),
		cmocka_unit_test(balance_bears_a_device_that_dies),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
