/* SPDX-License-Identifier: MIT */
/*
 * Data on many memory nodes against a simple sequential model: random programs over handles, modes, workers, hints
 * and the application's own accesses, in little memory, on CPUs, two CUDA devices of the test double, two OpenCL
 * devices of PoCL, and NUMA nodes, also when calls of a driver fail. XYLEM_TEST_SEED=n runs the program of one seed
 * alone.
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../double/cudart_double.h"

enum { MOST_THREADS = 3, STEPS = 400 };

/* What there is beside CPUs and CUDA devices. */
enum kind { PLAIN, OPENCL, NUMA, FAULTS };

static const char *const policies[] = {
	"tree-eager",
	"tree-eager-prefetching",
	"tree-prio-prefetching",
	"tree-random",
	"tree-random-prefetching",
	"tree-ws",
	"fifo | eager | each worker { fifo(ntasks=3, ready) | best-implementation }",
	"work-stealing | each worker { fifo(ntasks=2) | best-implementation }",
};

/* What a seed makes of a runtime. */
struct world {
	struct xy_config config;
	char limit_cuda[32], limit_opencl[32];
	unsigned nthreads, ncpu;
	double gigabytes_per_second, launch_us;
};

static unsigned any_depth(uint64_t *random)
{
	unsigned n = helper_below(random, 4);

	return n ? n : XY_NONE;
}

/* From hardly enough to plenty. */
static void any_limit(uint64_t *random, char *text, size_t size)
{
	snprintf(text, size, "%u", PROGRAM_MOST_BYTES + helper_below(random, 4) * helper_below(random, 8000));
}

static void world_make(struct world *w, uint64_t *random)
{
	*w = (struct world){
		.config = {
			.sched = policies[helper_below(random, HELPER_COUNT(policies))],
			.arch[XY_CUDA].workers = 1 + helper_below(random, 2),
			.arch[XY_CUDA].ahead = any_depth(random),
			.arch[XY_OPENCL].ahead = any_depth(random),
			.prefetch = helper_below(random, 3) ? XY_YES : XY_NO,
			.window = helper_below(random, 3) ? 0 : 8 + helper_below(random, 100),
			.seed = helper_random(random),
		},
		.nthreads = 1 + helper_below(random, MOST_THREADS),
		.ncpu = 1 + helper_below(random, 2),
		.gigabytes_per_second = helper_below(random, 3) ? 0 : 0.05,
		.launch_us = helper_below(random, 3) ? 0 : 50,
	};
	any_limit(random, w->limit_cuda, sizeof w->limit_cuda);
	any_limit(random, w->limit_opencl, sizeof w->limit_opencl);
	w->config.arch[XY_CUDA].limit = helper_below(random, 8) ? w->limit_cuda : NULL;
	w->config.arch[XY_OPENCL].limit = helper_below(random, 8) ? w->limit_opencl : NULL;
}

/* --- one program for each thread --- */

struct runner {
	struct program program;
	pthread_t thread;
	unsigned nsteps;
};

static void *runner_main(void *arg)
{
	struct runner *runner = arg;

	program_run(&runner->program, runner->nsteps);
	return NULL;
}

static bool run_threads(struct helper *h, unsigned nthreads, bool faulty, uint64_t *random)
{
	static struct runner runners[MOST_THREADS];
	bool well = true;

	for (unsigned i = 0; i < nthreads; i++) {
		program_init(&runners[i].program, h->rt, helper_random(random));
		runners[i].program.faulty = faulty;
		runners[i].nsteps = STEPS / nthreads;
		assert_int_equal(pthread_create(&runners[i].thread, NULL, runner_main, &runners[i]), 0);
	}
	for (unsigned i = 0; i < nthreads; i++) {
		assert_int_equal(pthread_join(runners[i].thread, NULL), 0);
		well &= program_fini(&runners[i].program);
	}
	return well;
}

/* Nothing is left on any device. */
static bool nodes_are_empty(struct helper *h)
{
	unsigned nnodes = xy_machine_nnodes(xy_runtime_machine(h->rt));
	bool empty = true;

	for (unsigned i = 0; i < nnodes; i++) {
		struct xy_node_stats stats = bed_stats(h, i);

		if (!stats.used_bytes && (!stats.limit_bytes || stats.most_bytes <= stats.limit_bytes))
			continue;
		print_error("node %u: %zu bytes are left, %zu of %zu were used\n", i, stats.used_bytes,
			    stats.most_bytes, stats.limit_bytes);
		empty = false;
	}
	return empty;
}

/* Some that strike sooner or later: calls that fail, no memory, the end of a device. */
static void order_faults(uint64_t *random)
{
	enum { ORDINARY = 1, NO_MEMORY = 2, STICKY = 719 };

	for (unsigned n = 1 + helper_below(random, 3); n; n--)
		switch (helper_below(random, 4)) {
		case 0:
			cudart_double_fail(NULL, 1 + helper_below(random, 6000), STICKY);
			break;
		case 1:
			cudart_double_fail("operation", 1 + helper_below(random, 300), STICKY);
			break;
		case 2:
			cudart_double_fail("cudaMallocFromPoolAsync", 1 + helper_below(random, 30), NO_MEMORY);
			break;
		default:
			cudart_double_fail(NULL, 1 + helper_below(random, 6000), ORDINARY);
		}
}

static void run_seed(uint64_t seed, enum kind kind)
{
	uint64_t random = seed;
	struct world world;
	struct helper *h;
	bool well;
	int status;

	world_make(&world, &random);
	if (kind == NUMA) {
		world.config.numa = true;
		world.config.machine = "this(numa:2 core:1)";
		world.ncpu = 0;
	}
	print_message("# XYLEM_TEST_SEED=%llu: %s\n", (unsigned long long)seed, world.config.sched);
	h = bed_start(world.ncpu, &world.config, kind == OPENCL);
	cudart_double_set_delays(world.gigabytes_per_second, world.launch_us);
	if (kind == FAULTS)
		order_faults(&random);
	well = run_threads(h, world.nthreads, kind == FAULTS, &random);
	well &= nodes_are_empty(h);
	status = bed_stop(h, kind == FAULTS ? HELPER_ANY_LINES : 0);
	assert_true(well);
	assert_true(!status || kind == FAULTS);
}

static void run_seeds(uint64_t first, unsigned n, enum kind kind)
{
	const char *one = getenv("XYLEM_TEST_SEED");

	if (one)
		run_seed(strtoull(one, NULL, 0), kind);
	for (unsigned i = 0; i < n && !one; i++)
		run_seed(first + i, kind);
}

static void programs_on_CPUs_and_CUDA_devices_compute_what_the_model_does(void **state)
{
	(void)state;
	run_seeds(1, helper_scale(30), PLAIN);
}

static void programs_on_OpenCL_devices_too_compute_what_the_model_does(void **state)
{
	(void)state;
	if (!bed_has_opencl())
		skip();
	run_seeds(1001, helper_scale(30), OPENCL);
}

static void programs_on_NUMA_nodes_compute_what_the_model_does(void **state)
{
	(void)state;
	run_seeds(2001, helper_scale(15), NUMA);
}

static void what_there_is_after_faults_is_what_the_model_has(void **state)
{
	(void)state;
	run_seeds(3001, helper_scale(40), FAULTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_on_CPUs_and_CUDA_devices_compute_what_the_model_does),
		cmocka_unit_test(programs_on_OpenCL_devices_too_compute_what_the_model_does),
		cmocka_unit_test(programs_on_NUMA_nodes_compute_what_the_model_does),
		cmocka_unit_test(what_there_is_after_faults_is_what_the_model_has),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
