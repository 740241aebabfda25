/* SPDX-License-Identifier: MIT */
/*
 * Random programs of all policies in virtual time: all that an application can do with data and tasks, on machines with
 * one memory node and with several that are too small. Nothing is computed, so contents are not looked at; but nothing
 * gets lost or fails, memory keeps its limits, and the same seed gives the same run to the bit, wherever data are in
 * memory. XYLEM_TEST_SEED=n runs the programs of one seed alone.
 */
#include "../stress/program.h"
#include "sim_bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>
#include <xylem/tree.h>

enum { STEPS = 250, SEEDS = 6, CHUNKS = 200 };

static const char cores[] = "machine cores\n"
			    "topology package:2 core:2\n"
			    "class core cpu\n"
			    "workers 4 core\n";

/* Two workers on one device, a small one, and a device without a way to the others but RAM. */
static const char devices[] = "machine devices\n"
			      "class core cpu\n"
			      "class fast cuda speed 10\n"
			      "class slow cuda speed 3\n"
			      "workers 2 core\n"
			      "devices 1 fast workers 2 memory 12100\n"
			      "devices 2 slow memory 30000\n"
			      "link down 5us 1GB/s\n"
			      "link up 5us 1GB/s\n"
			      "link peer 1us 3GB/s\n"
			      "route ram0 -> cuda* via down\n"
			      "route cuda* -> ram0 via up\n"
			      "route cuda0 <-> cuda1 via peer\n";

static const char *const machines[] = { cores, devices };

/* How long the codelets of programs take, on a power law of their bytes. */
static void add_kernels(char *text, size_t size, const char *machine)
{
	static const char *const kernels[] = { "set", "add",  "axpy", "copy", "scratch", "bump",
					       "sum", "zero", "join", "more", "collect" };
	bool fast = strstr(machine, "class fast");
	size_t n = (size_t)snprintf(text, size, "%s", machine);

	for (unsigned i = 0; i < HELPER_COUNT(kernels); i++) {
		unsigned us = 3 + i % 4;

		n += (size_t)snprintf(text + n, size - n, "kernel %s 1 core %uus%s\nkernel %s 1M core %ums%s\n",
				      kernels[i], us, fast ? " fast 2us slow 4us" : "", kernels[i], us,
				      fast ? " fast 200us slow 900us" : "");
	}
	assert_true(n < size);
}

static uint64_t run_program(const char *machine, const char *sched, uint64_t seed)
{
	char text[4096];
	uint64_t random = seed * 77 + 1, digest;
	struct xy_config config = {
		.seed = seed,
		.sim_noise = seed % 2 ? 0.2 : 0,
		.sim_submit_us = seed % 3 ? 0 : 0.7,
		.sim_overhead_us = seed % 4 ? 0 : 0.1,
		.sim_shared = seed % 5 == 4,
		.prefetch = helper_below(&random, 3) ? XY_YES : XY_NO,
		.arch[XY_CUDA].ahead = helper_below(&random, 3) ? helper_below(&random, 4) : XY_NONE,
		.window = helper_below(&random, 3) ? 0 : 8 + helper_below(&random, 100),
	};
	struct sim_bed *bed;
	struct program program;
	bool well;

	add_kernels(text, sizeof text, machine);
	bed = sim_start(text, sched, &config);
	program_init(&program, bed->rt, seed);
	program_run(&program, STEPS);
	well = program_fini(&program);
	if (!well)
		fail_msg("seed %llu with %s on %.13s", (unsigned long long)seed, sched, machine);
	assert_int_equal(xy_wait(bed->rt), 0);
	for (unsigned i = 1; i < xy_machine_nnodes(xy_runtime_machine(bed->rt)) && !config.sim_shared; i++) {
		struct xy_node_stats stats = sim_stats(bed, i);

		assert_true(stats.most_bytes <= stats.limit_bytes);
	}
	digest = bed->digest;
	assert_int_equal(sim_stop(bed, 0), 0);
	return digest;
}

static void run_policy(const char *sched, unsigned seeds)
{
	const char *only = getenv("XYLEM_TEST_SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, last = only ? first : seeds;

	for (uint64_t seed = first; seed <= last; seed++)
		for (unsigned m = 0; m < HELPER_COUNT(machines); m++) {
			uint64_t digest = run_program(machines[m], sched, seed);

			if (run_program(machines[m], sched, seed) != digest)
				fail_msg("seed %llu with %s on %.13s: not the same run again", (unsigned long long)seed,
					 sched, machines[m]);
		}
}

static void programs_run_with_all_policies(void **state)
{
	struct xy_registry *registry;
	const struct xy_policy *policy;

	(void)state;
	assert_int_equal(xy_registry_create(&registry, NULL, NULL, 0), 0);
	for (unsigned i = 0; (policy = xy_registry_policy_at(registry, i)); i++) {
		print_message("# %s, seeds 1 to %u\n", policy->name, helper_scale(SEEDS));
		run_policy(policy->name, helper_scale(SEEDS));
	}
	xy_registry_destroy(registry);
}

/* --- other addresses --- */

/* What is allocated next comes in another order. Some chunks are left for the caller to free. */
static void shuffle_memory(uint64_t salt, void **chunks)
{
	for (unsigned i = 0; i < CHUNKS; i++)
		chunks[i] = aligned_alloc(64, 64 * (1 + i % 16));
	for (unsigned i = 0; i < CHUNKS; i++) {
		unsigned other = i + helper_below(&salt, CHUNKS - i);
		void *chunk = chunks[other];

		chunks[other] = chunks[i];
		chunks[i] = i % 3 ? NULL : chunk;
		if (i % 3)
			free(chunk);
	}
}

static const char *const repeated[] = {
	"tree-eager", "tree-ws", "tree-dmdas", "tree-heft", "tree-random-prefetching", "tree-parallel-random"
};

/* In a process of its own: prints what happened. */
static int print_digests(uint64_t salt)
{
	void *chunks[CHUNKS];
	uint64_t digest = 0;

	shuffle_memory(salt, chunks);
	for (unsigned i = 0; i < HELPER_COUNT(repeated); i++)
		for (unsigned m = 0; m < HELPER_COUNT(machines); m++)
			for (uint64_t seed = 5 + i; seed < 100; seed += 27)
				digest = digest * 31 + run_program(machines[m], repeated[i], seed);
	printf("%016llx\n", (unsigned long long)digest);
	for (unsigned i = 0; i < CHUNKS; i++)
		free(chunks[i]);
	return 0;
}

static void read_digest(const char *arguments, char *text, size_t size)
{
	char command[4096], program[2048];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	FILE *child;

	assert_true(n > 0);
	program[n] = '\0';
	snprintf(command, sizeof command, "'%s' %s", program, arguments);
	child = popen(command, "r");
	assert_non_null(child);
	assert_non_null(fgets(text, (int)size, child));
	assert_int_equal(pclose(child), 0);
	assert_int_equal(strlen(text), 17);
}

static void addresses_make_no_difference(void **state)
{
	static const char *const others[] = { "--digest 2", "--digest 3", "--still 4" };
	char first[32], text[32];

	(void)state;
	read_digest("--digest 1", first, sizeof first);
	for (unsigned i = 0; i < HELPER_COUNT(others); i++) {
		read_digest(others[i], text, sizeof text);
		assert_string_equal(text, first);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_run_with_all_policies),
		cmocka_unit_test(addresses_make_no_difference),
	};

	if (argc == 3 && !strcmp(argv[1], "--digest"))
		return print_digests(strtoull(argv[2], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "--still")) { /* where nothing is put at random addresses */
		personality(ADDR_NO_RANDOMIZE);
		execl("/proc/self/exe", argv[0], "--digest", argv[2], (char *)NULL);
		return 1;
	}
	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
