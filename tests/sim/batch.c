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
#include <sys/mman.h>
#include <unistd.h>
#include <xylem/batch.h>

#include "core/data/node.h"
#include "core/runtime/runtime.h"
#include "core/task/handle.h"

enum { TRACE = 4096 };

/*
 * Time of a piece by architecture: fixed microseconds and some for each item. Items may run in waves, of which the last
 * takes as long as the others, and larger pieces than `most` may be slower by a factor, as their data leaves a cache.
 */
struct cost {
	double fixed_us, item_us;
	uint64_t wave, most; /* 0: none */
	double slower;
};

static struct {
	struct cost of[XY_NARCH];
	const struct xy_runtime *rt;
	int slow_worker; /* from a time on it takes four times as long; -1: none */
	double slow_s;
	int lost_node; /* is lost at a time; -1: none */
	double lost_s;
	bool data; /* pieces read and write */
	uint64_t items;
	struct {
		uint64_t start, size;
		unsigned worker;
	} trace[TRACE];
	unsigned ntrace;
} world;

static double cost_us(const struct cost *c, uint64_t items)
{
	uint64_t counted = c->wave ? (items + c->wave - 1) / c->wave * c->wave : items;

	return c->fixed_us + c->item_us * (double)counted * (c->most && items > c->most ? c->slower : 1);
}

static double world_us(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	struct xy_range range = xy_task_range(task);
	double us = cost_us(&world.of[xy_machine_worker(xy_runtime_machine(world.rt), worker)->arch],
			    range.stop - range.start);

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
	world.of[XY_CPU] = (struct cost){ cpu_fixed, cpu_item, 0, 0, 0 };
	world.of[XY_CUDA] = (struct cost){ cuda_fixed, cuda_item, 0, 0, 0 };
	world.slow_worker = world.lost_node = -1;
}

/* Bytes of an item that a batch with data reads and writes. */
enum { BYTES_IN = 64, BYTES_OUT = 32 };

/* A vector that no memory stands behind: a simulation touches none. */
static struct xy_handle *vector(struct xy_runtime *rt, uint64_t items, size_t bytes)
{
	void *nowhere = mmap(NULL, items * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct xy_handle *h;

	assert_ptr_not_equal(nowhere, MAP_FAILED);
	assert_int_equal(xy_vector_register(rt, &h, nowhere, items, bytes), 0);
	return h;
}

static void vector_end(struct xy_handle *h)
{
	void *nowhere = h->view.vector.ptr;
	size_t size = h->size_bytes;

	assert_int_equal(xy_unregister(&h), 0);
	munmap(nowhere, size);
}

static int run_with_data(struct xy_runtime *rt, uint64_t items)
{
	struct xy_handle *in = vector(rt, items, BYTES_IN), *out = vector(rt, items, BYTES_OUT);
	int status = xy_batch_handles(
		rt, &points, &(struct xy_batch){ .stop = items, .handles = XY_ACCESSES({ in, XY_R }, { out, XY_W }) });

	vector_end(in);
	vector_end(out);
	return status;
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
	if (world.data)
		assert_int_equal(run_with_data(h->rt, items), 0);
	else
		assert_int_equal(xy_batch_handles(h->rt, &points, &(struct xy_batch){ .stop = items }), 0);
	end = xy_now(h->rt);
	if (world.lost_s > 0) /* results that are lost with a device are computed again */
		assert_true(world.items >= items);
	else
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

/* A file with that machine, to be removed. */
static char *little_file(void)
{
	static char path[32];
	int fd;

	snprintf(path, sizeof path, "/tmp/xylem-batch-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, little, sizeof little - 1), sizeof little - 1);
	close(fd);
	return path;
}

static double run_little(const char *sched, uint64_t items, double noise, uint64_t seed)
{
	char *path = little_file();
	double seconds = run(path, sched, items, noise, seed);

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

/* The best items per second of a worker with any size of pieces. */
static double cost_rate(const struct cost *c)
{
	double best = 0;

	for (uint64_t items = 1; items < (uint64_t)1 << 32; items *= 2)
		best = fmax(best, (double)items / cost_us(c, items));
	if (c->most)
		best = fmax(best, (double)c->most / cost_us(c, c->most));
	return best * 1e6;
}

/* Items per second of all workers, none of which is slow. */
static double world_rate(const char *machine)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = machine, .machines = MACHINES });
	const struct xy_machine *m = xy_runtime_machine(h->rt);
	double rate = 0;

	for (unsigned i = 0; i < xy_machine_nworkers(m); i++)
		rate += cost_rate(&world.of[xy_machine_worker(m, i)->arch]);
	assert_int_equal(helper_stop(h), 0);
	return rate;
}

/* Costs of items on a core and on a GPU, and the best sub-batch of the GPU: larger ones gain less than 3 %. */
struct curve {
	const char *name;
	struct cost cpu, cuda;
	uint64_t best;
	bool data;
};

static const struct curve curves[] = {
	{ "saturating GPUs", { 5, 10, 0, 0, 0 }, { 1000, 0.32, 0, 0, 0 }, 1 << 17, false },
	{ "GPUs that saturate early", { 5, 10, 0, 0, 0 }, { 50, 0.32, 0, 0, 0 }, 1 << 13, false },
	{ "GPUs with waves", { 5, 10, 0, 0, 0 }, { 500, 0.32, 1 << 10, 0, 0 }, 1 << 16, false },
	{ "GPUs with an optimum", { 5, 10, 0, 0, 0 }, { 200, 0.32, 0, 1 << 16, 1.5 }, 1 << 16, false },
	{ "GPUs with a sharp optimum", { 5, 10, 0, 0, 0 }, { 200, 0.32, 0, 1 << 16, 3 }, 1 << 16, false },
	{ "cores as fast as GPUs", { 2, 0.4, 0, 0, 0 }, { 20, 0.32, 0, 0, 0 }, 1 << 12, false },
	{ "cores that leave their cache", { 1, 2, 0, 1 << 12, 2 }, { 300, 0.32, 0, 0, 0 }, 1 << 15, false },
	{ "items that take long", { 50, 100000, 0, 0, 0 }, { 300, 4000, 0, 0, 0 }, 8, false },
	{ "tiny items", { 1, 0.05, 0, 0, 0 }, { 20, 0.002, 0, 0, 0 }, 1 << 19, false },
	{ "GPUs slower than cores", { 2, 1, 0, 0, 0 }, { 50, 1.5, 0, 0, 0 }, 1 << 11, false },
	{ "GPUs slower than cores, with data", { 2, 1, 0, 0, 0 }, { 50, 1.5, 0, 0, 0 }, 1 << 11, true },
	{ "saturating GPUs with data", { 5, 10, 0, 0, 0 }, { 1000, 0.32, 0, 0, 0 }, 1 << 17, true },
	{ "GPUs that saturate early, with data", { 5, 10, 0, 0, 0 }, { 50, 0.32, 0, 0, 0 }, 1 << 13, true },
};
static const char *const machines[] = { "mirage", "idgraf" };
enum { BATCHES = 200 }; /* a batch has so many times the best sub-batch */

static void world_take(const struct curve *curve)
{
	world_reset(0, 0, 0, 0);
	world.of[XY_CPU] = curve->cpu;
	world.of[XY_CUDA] = curve->cuda;
	world.data = curve->data;
}

static void expect_balanced(const struct curve *curve, const char *machine, double bound_s, double makespan_s,
			    double most)
{
	print_message("# %-36s %-7s %5.1f %% over the bound of %.4g s\n", curve->name, machine,
		      (makespan_s / bound_s - 1) * 100, bound_s);
	if (!(makespan_s < bound_s * most))
		fail_msg("%g s, over %g times the bound", makespan_s, most);
}

static void balance_is_close_to_the_bound(void **state)
{
	(void)state;
	for (unsigned k = 0; k < HELPER_COUNT(curves); k++)
		for (unsigned i = 0; i < HELPER_COUNT(machines); i++) {
			uint64_t items = BATCHES * curves[k].best;
			double bound;

			world_take(&curves[k]);
			bound = (double)items / world_rate(machines[i]);
			expect_balanced(&curves[k], machines[i], bound,
					run(machines[i], "tree-batch-auto", items, 0, 1), 1.05);
		}
}

/* Larger pieces pay up to a size beyond which they are three times slower: one GPU finds out for all. */
static void balance_tries_a_bad_size_on_one_device(void **state)
{
	static const struct curve late = {
		"GPUs with a late sharp optimum", { 5, 10, 0, 0, 0 }, { 1000, 0.32, 0, 1 << 16, 3 }, 1 << 16, false
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(machines); i++) {
		uint64_t items = BATCHES * late.best;
		double bound;

		world_take(&late);
		bound = (double)items / world_rate(machines[i]);
		expect_balanced(&late, machines[i], bound, run(machines[i], "tree-batch-auto", items, 0, 1), 1.06);
	}
}

/* When a schedule ends that knows the costs and gives each GPU one piece of whole waves. */
static double oracle_s(const char *machine, uint64_t items)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sim = machine, .machines = MACHINES });
	const struct xy_machine *m = xy_runtime_machine(h->rt);
	const struct cost *cpu = &world.of[XY_CPU], *cuda = &world.of[XY_CUDA];
	double done = 0, us = 0;

	for (uint64_t size = cuda->wave; done < (double)items; size += cuda->wave) {
		us = cost_us(cuda, size);
		done = 0;
		for (unsigned i = 0; i < xy_machine_nworkers(m); i++)
			done += xy_machine_worker(m, i)->arch == XY_CUDA ? (double)size
									 : floor((us - cpu->fixed_us) / cpu->item_us);
	}
	assert_int_equal(helper_stop(h), 0);
	return us * 1e-6;
}

/* Any piece up to the best size takes equally long: each one that measures costs one of the 25 of a GPU of idgraf. */
static void balance_measures_long_waves_at_a_price(void **state)
{
	static const struct curve waves = {
		"GPUs with long waves", { 5, 10, 0, 0, 0 }, { 500, 0.32, 1 << 16, 0, 0 }, 1 << 16, false
	};
	static const double most[] = { 1.07, 1.17 };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(machines); i++) {
		uint64_t items = BATCHES * waves.best;
		double bound, oracle;

		world_take(&waves);
		bound = (double)items / world_rate(machines[i]);
		oracle = oracle_s(machines[i], items);
		print_message("# a schedule that knows the costs: %.1f %% over the bound\n",
			      (oracle / bound - 1) * 100);
		assert_true(oracle < bound * 1.02);
		expect_balanced(&waves, machines[i], bound, run(machines[i], "tree-batch-auto", items, 0, 1), most[i]);
	}
}

static void balance_bears_noise(void **state)
{
	(void)state;
	for (unsigned k = 0; k < HELPER_COUNT(curves); k++)
		for (unsigned i = 0; i < HELPER_COUNT(machines); i++)
			for (uint64_t seed = 1; seed <= 20; seed++) {
				uint64_t items = BATCHES * curves[k].best;
				double bound;

				world_take(&curves[k]);
				bound = (double)items / world_rate(machines[i]);
				expect_balanced(&curves[k], machines[i], bound,
						run(machines[i], "tree-batch-auto", items, 0.1, seed), 1.10);
			}
}

/* The first GPU of mirage is worker 9, in node 1; idgraf's is worker 4. */
static void balance_bears_a_device_that_becomes_slow(void **state)
{
	(void)state;
	for (unsigned k = 0; k < HELPER_COUNT(curves); k++)
		for (unsigned i = 0; i < HELPER_COUNT(machines); i++) {
			double half = BATCHES / 2 * (double)curves[k].best, rate, bound;

			world_take(&curves[k]);
			rate = world_rate(machines[i]);
			world.slow_s = half / rate;
			world.slow_worker = i ? 4 : 9;
			bound = half / rate + half / (rate - 0.75 * cost_rate(&curves[k].cuda));
			expect_balanced(&curves[k], machines[i], bound,
					run(machines[i], "tree-batch-auto", (uint64_t)(2 * half), 0, 1), 1.10);
		}
}

static void balance_bears_a_device_that_dies(void **state)
{
	(void)state;
	for (unsigned k = 0; k < HELPER_COUNT(curves); k++)
		for (unsigned i = 0; i < HELPER_COUNT(machines); i++) {
			double half = BATCHES / 2 * (double)curves[k].best, rate, bound;

			world_take(&curves[k]);
			rate = world_rate(machines[i]);
			world.lost_s = half / rate;
			world.lost_node = 1;
			bound = half / rate + half / (rate - cost_rate(&curves[k].cuda));
			expect_balanced(&curves[k], machines[i], bound,
					run(machines[i], "tree-batch-auto", (uint64_t)(2 * half), 0, 1), 1.10);
		}
}

/* Each GPU of the little machine has 1 GiB, of which a piece gets a quarter. */
static void balance_minds_the_memory_of_a_device(void **state)
{
	const struct xy_batch_ops ops = { .codelet = &points, .item_bytes = 1 << 20 };
	struct xy_batch_job *job;
	struct helper *h;
	char *path = little_file();

	(void)state;
	world_reset(0, 1000, 500, 1);
	h = helper_start_with(&(struct xy_config){
		.sim = path, .sched = "tree-batch-auto", .watch = &(struct xy_watch){ .ended = world_ended } });
	unlink(path);
	world.rt = h->rt;
	assert_int_equal(xy_batch_submit(h->rt, &ops, &(struct xy_batch){ .stop = 100000 }, &job), 0);
	assert_int_equal(xy_batch_wait(job), 0);
	xy_batch_release(job);
	assert_int_equal(world.items, 100000);
	assert_true(world.ntrace > 100000 / 256);
	for (unsigned i = 0; i < world.ntrace; i++)
		assert_true(world.trace[i].size <= 256);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hybrid_follows_a_table),
		cmocka_unit_test(simple_uses_one_device),
		cmocka_unit_test(balance_is_close_to_the_bound),
		cmocka_unit_test(balance_tries_a_bad_size_on_one_device),
		cmocka_unit_test(balance_measures_long_waves_at_a_price),
		cmocka_unit_test(balance_bears_noise),
		cmocka_unit_test(balance_bears_a_device_that_becomes_slow),
		cmocka_unit_test(balance_bears_a_device_that_dies),
		cmocka_unit_test(balance_minds_the_memory_of_a_device),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
