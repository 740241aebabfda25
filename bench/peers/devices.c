/* SPDX-License-Identifier: MIT */
/*
 * The command line that the programs for OpenCL devices share: a matrix product in tiles, which the runtime spreads
 * over two devices, and a chain that goes from one device to the other with each task. Prints the time and the bytes
 * moved per task, the results' way home included; a wrong result is a failure without a line.
 */
#include "devices.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure.h"

enum { FAILED = 1, USAGE = 2, CANNOT = PEER_CANNOT, MAX_REPEAT = 100, MAX_BLOCKS = 4096 };

static uint32_t *blocks[MAX_BLOCKS];
static unsigned repeat = 5;
static const char *sched;

static int complain(const char *what)
{
	fprintf(stderr, "%s: %s\n", devices_peer.name, what);
	return FAILED;
}

/* --- blocks --- */

static uint32_t initial(size_t block, size_t i)
{
	return (uint32_t)(block * 2654435761u + i * 40503u) >> 7;
}

static int blocks_make(size_t n, size_t elements)
{
	size_t bytes = (elements * sizeof(uint32_t) + 4095) / 4096 * 4096;

	for (size_t b = 0; b < n; b++) {
		blocks[b] = blocks[b] ? blocks[b] : aligned_alloc(4096, bytes);
		if (!blocks[b])
			return complain("no memory");
		for (size_t i = 0; i < elements; i++)
			blocks[b][i] = initial(b, i);
	}
	return 0;
}

static void blocks_free(void)
{
	for (size_t b = 0; b < MAX_BLOCKS; b++)
		free(blocks[b]);
}

/* --- the graphs --- */

/* What is run: tiles * tiles tasks for each of `tiles` steps on blocks of side * side numbers, or a chain of `tasks`
 * on one block. */
struct run {
	size_t tiles, side, tasks, elements;
};

static size_t run_nblocks(const struct run *run)
{
	return run->tiles ? 3 * run->tiles * run->tiles : 1;
}

static int run_submit(const struct run *run)
{
	size_t t = run->tiles;
	int error = 0;

	for (size_t i = 0; i < t * t * t && !error; i++) {
		size_t row = i / t / t, column = i / t % t, k = i % t;

		error = devices_peer.multiply(row * t + k, t * t + k * t + column, 2 * t * t + row * t + column,
					      (uint32_t)run->side);
	}
	for (size_t i = 0; !t && i < run->tasks && !error; i++)
		error = devices_peer.advance(0, i % NDEVICES, (uint32_t)i);
	return error;
}

/* One number of the product, from the blocks' initial values. */
static uint32_t product_at(const struct run *run, size_t c, size_t x, size_t y)
{
	size_t t = run->tiles, side = run->side, row = c / t, column = c % t;
	uint32_t sum = initial(2 * t * t + c, x + y * side);

	for (size_t k = 0; k < t; k++)
		for (size_t i = 0; i < side; i++)
			sum += initial(row * t + k, i + y * side) * initial(t * t + k * t + column, x + i * side);
	return sum;
}

/* Some numbers of each block. */
static bool run_is_right(const struct run *run)
{
	size_t t = run->tiles;

	for (size_t c = 0; c < t * t; c++)
		for (size_t i = 0; i < run->side; i += 7)
			if (blocks[2 * t * t + c][i + i * run->side] != product_at(run, c, i, i))
				return false;
	for (size_t i = 0; !t && i < run->elements; i += 101) {
		uint32_t x = initial(0, i);

		for (size_t k = 0; k < run->tasks; k++)
			x = 3 * x + (uint32_t)k;
		if (x != blocks[0][i])
			return false;
	}
	return true;
}

static int run_once(const struct run *run, double *ns, double *bytes)
{
	double begin;
	int error;

	if (blocks_make(run_nblocks(run), run->elements))
		return FAILED;
	devices_peer.moved();
	if (devices_peer.share(blocks, run_nblocks(run), run->elements))
		return complain("does not take the data");
	begin = bench_now_ns();
	error = run_submit(run);
	error = devices_peer.wait() || error;
	*ns = bench_now_ns() - begin;
	error = devices_peer.unshare() || error;
	*bytes = devices_peer.moved();
	if (error)
		return complain("a task failed");
	return run_is_right(run) ? 0 : complain("wrong result");
}

/* The first run has the kernels compiled. */
static int bench(const struct run *run)
{
	double ns[MAX_REPEAT], bytes[MAX_REPEAT];
	size_t ntasks = run->tiles ? run->tiles * run->tiles * run->tiles : run->tasks;
	int status;

	if (devices_peer.start(sched))
		return CANNOT;
	status = run_once(run, &ns[0], &bytes[0]);
	for (unsigned i = 0; i < repeat && !status; i++)
		status = run_once(run, &ns[i], &bytes[i]);
	if (devices_peer.stop())
		status = complain("does not stop");
	blocks_free();
	if (!status)
		printf("us_per_task %.2f\nkib_per_task %.3f\n", bench_median(ns, repeat) / (double)ntasks / 1e3,
		       bench_median(bytes, repeat) / (double)ntasks / 1024);
	return status;
}

static int bench_bandwidth(void)
{
	if (!devices_peer.bandwidth)
		return CANNOT;
	if (devices_peer.start(sched))
		return CANNOT;
	if (devices_peer.bandwidth(repeat))
		return complain("a copy failed");
	return devices_peer.stop() ? complain("does not stop") : 0;
}

/* --- the command line --- */

static void usage(FILE *to)
{
	fprintf(to,
		"Runs one bench on two OpenCL devices of PoCL in %s.\n\n"
		"  product TILES SIDE   a product of TILES x TILES tiles with SIDE x SIDE numbers\n"
		"  chain N KIB          N tasks on a block of KIB KiB, on the devices in turn\n",
		devices_peer.name);
	if (devices_peer.bandwidth)
		fputs("  bandwidth            16 MiB to a device and back\n", to);
	fputs("\n  --sched POLICY       scheduling policy\n"
	      "  --repeat R           so many repetitions, of which the median counts (5)\n"
	      "\nExit status: 0 done, 1 failed or wrong result, 2 wrong usage, 77 not possible here.\n",
	      to);
}

static bool parse_count(const char *text, size_t most, size_t *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *value >= 1 && *value <= most;
}

static bool parse_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "sched", required_argument, NULL, 's' },
		{ "repeat", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	size_t value = 0;
	int c;

	while ((c = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		} else if (c == 'r' && parse_count(optarg, MAX_REPEAT, &value)) {
			repeat = (unsigned)value;
		} else if (c == 's') {
			sched = optarg;
		} else {
			return false;
		}
	}
	return optind < argc;
}

static int run_bench(int n, char **arguments)
{
	struct run run = { 0 };
	size_t kib;

	if (n == 1 && !strcmp(arguments[0], "bandwidth"))
		return bench_bandwidth();
	if (n == 3 && !strcmp(arguments[0], "product") && parse_count(arguments[1], 32, &run.tiles) &&
	    parse_count(arguments[2], 1024, &run.side)) {
		run.elements = run.side * run.side;
		return bench(&run);
	}
	if (n == 3 && !strcmp(arguments[0], "chain") && parse_count(arguments[1], 1000000, &run.tasks) &&
	    parse_count(arguments[2], 65536, &kib)) {
		run.elements = kib * 1024 / sizeof(uint32_t);
		return bench(&run);
	}
	return USAGE;
}

int main(int argc, char **argv)
{
	int status;

	setenv("POCL_DEVICES", "pthread pthread", 1);
	status = parse_options(argc, argv) ? run_bench(argc - optind, argv + optind) : USAGE;
	if (status == USAGE)
		usage(stderr);
	if (status == CANNOT)
		fprintf(stderr, "%s: not possible here, or not with two OpenCL devices\n", devices_peer.name);
	return status;
}
