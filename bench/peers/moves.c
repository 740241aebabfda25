/* SPDX-License-Identifier: MIT */
/*
 * The command line that the programs of bench/moves.sh share: patterns of reuse on two OpenCL devices with little
 * memory. Prints how many bytes were moved, the results' way home included; a wrong result is a failure without a line.
 */
#include "moves.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "peer.h"

enum { FAILED = 1, USAGE = 2, CANNOT = PEER_CANNOT, BLOCKS = 64, NUMBERS = 16384, BLOCK_BYTES = NUMBERS * 4 };
enum { SPLIT_NUMBERS = 1 << 20, ROUNDS = 20 };

/* A block, and what is in it once all that was submitted has run. */
struct block {
	uint32_t *numbers, *model;
	size_t n;
};

static struct block blocks[BLOCKS];
static uint64_t state = 1;
static int error;

static unsigned any(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void block_begin(size_t b, size_t n, bool temporary)
{
	struct block *block = &blocks[b];

	*block = (struct block){ .n = n, .model = calloc(n, sizeof *block->model) };
	if (!temporary)
		block->numbers = aligned_alloc(4096, n * sizeof *block->numbers);
	if (!block->model || (!temporary && !block->numbers)) {
		error = FAILED;
		return;
	}
	for (size_t i = 0; i < n && !temporary; i++)
		block->numbers[i] = block->model[i] = (uint32_t)(b * 2654435761u + i * 40503u) >> 7;
	error |= moves_peer.share(b, block->numbers, n);
}

static void blocks_begin(size_t first, size_t count)
{
	for (size_t b = first; b < first + count && !error; b++)
		block_begin(b, NUMBERS, false);
}

/* Of the application's blocks, whether all are as the model says. Frees all. */
static bool blocks_end(void)
{
	bool right = true;

	for (size_t b = 0; b < BLOCKS; b++) {
		for (size_t i = 0; blocks[b].numbers && i < blocks[b].n; i++)
			right &= blocks[b].numbers[i] == blocks[b].model[i];
		free(blocks[b].numbers);
		free(blocks[b].model);
	}
	return right;
}

static void blocks_unshare(void)
{
	for (size_t b = 0; b < BLOCKS; b++)
		if (blocks[b].numbers)
			error |= moves_peer.unshare(b);
}

/* --- tasks --- */

static void sum_on(size_t a, size_t b, size_t c, int device)
{
	uint32_t k = any(1000);

	for (size_t i = 0; i < blocks[c].n && !error; i++)
		blocks[c].model[i] = 3 * blocks[c].model[i] + blocks[a].model[i] + k * blocks[b].model[i];
	error = error || moves_peer.sum(a, b, c, k, device);
}

static void sum(size_t a, size_t b, size_t c)
{
	sum_on(a, b, c, MOVES_ANY);
}

static void copy(size_t a, size_t b)
{
	uint32_t k = any(1000);

	for (size_t i = 0; i < blocks[b].n && !error; i++)
		blocks[b].model[i] = blocks[a].model[i] + k;
	error = error || moves_peer.copy(a, b, k, MOVES_ANY);
}

static void advance(size_t b, unsigned piece, int device)
{
	size_t n = blocks[b].n / MOVES_PIECES;
	uint32_t k = any(1000);

	for (size_t i = piece * n; i < (piece + 1) * n && !error; i++)
		blocks[b].model[i] = 3 * blocks[b].model[i] + k;
	error = error || moves_peer.advance(b, piece, k, device);
}

/* --- patterns --- */

/* Rows of a grid, one from the other: each cell reads two neighbours. */
static void stencil(void)
{
	enum { WIDTH = 12, STEPS = 30 };

	blocks_begin(0, 2 * WIDTH);
	for (unsigned s = 0; s < STEPS; s++)
		for (unsigned i = 0; i < WIDTH; i++) {
			size_t old = s % 2 * WIDTH, new = WIDTH - old;

			sum(old + (i + WIDTH - 1) % WIDTH, old + (i + 1) % WIDTH, new + i);
		}
}

/* More blocks than there is room for, again and again in the same order. */
static void cyclic(void)
{
	blocks_begin(0, 48);
	for (unsigned i = 0; i < 12 * 40; i++)
		sum(i % 40, (i + 1) % 40, 40 + i % 8);
}

static void random_reuse(void)
{
	blocks_begin(0, 48);
	for (unsigned i = 0; i < 500; i++)
		sum(any(40), any(40), 40 + any(8));
}

/* All that is evicted was changed. */
static void dirty(void)
{
	blocks_begin(0, 48);
	for (unsigned i = 0; i < 10 * 46; i++)
		sum(46 + i % 2, 46 + i % 2, i % 46);
}

/* Each could stay on its device. */
static void chains(void)
{
	enum { CHAINS = 13 };

	blocks_begin(0, CHAINS + 1);
	for (unsigned i = 0; i < 40 * CHAINS; i++)
		sum(CHAINS, CHAINS, i % CHAINS);
}

static void rank1(void)
{
	enum { SIDE = 4, STEPS = 5 };

	blocks_begin(0, SIDE * SIDE + 2 * SIDE * STEPS);
	for (unsigned k = 0; k < STEPS; k++)
		for (unsigned i = 0; i < SIDE * SIDE; i++)
			sum(SIDE * SIDE + k * SIDE + i / SIDE, SIDE * SIDE + (STEPS + k) * SIDE + i % SIDE, i);
}

/* Written, read twice and dropped: nothing of that has to come home. */
static void temporaries(void)
{
	enum { RESULTS = 8, INPUTS = 8, TEMPORARIES = 40 };

	blocks_begin(0, RESULTS + INPUTS);
	for (unsigned i = 0; i < 160 && !error; i++) {
		size_t temporary = RESULTS + INPUTS + i % TEMPORARIES;

		block_begin(temporary, NUMBERS, true);
		copy(RESULTS + i % INPUTS, temporary);
		sum(temporary, temporary, i % RESULTS);
		error |= moves_peer.unshare(temporary);
		free(blocks[temporary].model);
		blocks[temporary].model = NULL;
	}
}

/* All happens on one device. */
static void partitions(void)
{
	block_begin(0, SPLIT_NUMBERS, false);
	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		error |= moves_peer.split(0);
		for (unsigned piece = 0; piece < MOVES_PIECES; piece++)
			advance(0, piece, 0);
		error |= moves_peer.join(0, 0);
		sum_on(0, 0, 0, 0);
	}
}

static const struct pattern {
	const char *name, *summary;
	void (*run)(void);
	size_t limit_mib;
} patterns[] = {
	{ "stencil", "two rows of 12 blocks, 30 steps", stencil, 1 },
	{ "cyclic", "480 tasks read 40 blocks in turn and change 8", cyclic, 1 },
	{ "random", "500 tasks read any of 40 blocks and change any of 8", random_reuse, 1 },
	{ "dirty", "460 tasks change 46 blocks in turn", dirty, 1 },
	{ "chains", "13 chains of 40 tasks on a block each", chains, 8 },
	{ "rank1", "5 updates of 4 x 4 blocks by a row and a column of blocks", rank1, 1 },
	{ "temporaries", "160 blocks, each written, read and dropped", temporaries, 1 },
	{ "partitions", "20 times 4 pieces of 4 MiB, then the whole, on one device", partitions, 16 },
};
enum { NPATTERNS = sizeof patterns / sizeof patterns[0] };

static void usage(FILE *to)
{
	fprintf(to,
		"usage: moves-RUNTIME PATTERN [POLICY]\n\nMoves blocks of %d KiB between RAM and two OpenCL devices of "
		"PoCL in %s.\n\n",
		BLOCK_BYTES / 1024, moves_peer.name);
	for (unsigned i = 0; i < NPATTERNS; i++)
		fprintf(to, "  %-12s %s; %zu MiB on each device\n", patterns[i].name, patterns[i].summary,
			patterns[i].limit_mib);
	fputs("\nExit status: 0 done, 1 failed or wrong result, 2 wrong usage, 77 not possible here.\n", to);
}

static int run(const struct pattern *pattern, const char *sched)
{
	double moved;

	if (moves_peer.start(sched, pattern->limit_mib)) {
		fprintf(stderr, "%s: not possible here, or not with two OpenCL devices\n", moves_peer.name);
		return CANNOT;
	}
	moves_peer.moved();
	pattern->run();
	error |= moves_peer.wait();
	blocks_unshare();
	error |= moves_peer.wait();
	moved = moves_peer.moved();
	error |= moves_peer.stop();
	if (!blocks_end() || error) {
		fprintf(stderr, "%s: %s\n", moves_peer.name, error ? "a call failed" : "wrong result");
		return FAILED;
	}
	printf("mib %.3f\n", moved / 1048576);
	return 0;
}

int main(int argc, char **argv)
{
	setenv("POCL_DEVICES", "pthread pthread", 1);
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	for (unsigned i = 0; i < NPATTERNS && argc >= 2 && argc <= 3; i++)
		if (!strcmp(argv[1], patterns[i].name))
			return run(&patterns[i], argc == 3 && *argv[2] ? argv[2] : NULL);
	usage(stderr);
	return USAGE;
}
