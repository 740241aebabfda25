/* SPDX-License-Identifier: MIT */
/*
 * The command line of the Cholesky example. Every value is checked here, so that the rest can trust it.
 */
#include "cholesky_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SIZE = 200000, MOST_TILES = 2000 };

static const char usage[] =
	"usage: cholesky [OPTION]...\n"
	"\n"
	"Factors a random symmetric positive definite matrix by tiles and checks the result.\n"
	"\n"
	"  --size N             rows of the matrix (default 4096 with BLAS, 2048 with own kernels)\n"
	"  --tile N             rows of a tile (default 256)\n"
	"  --seed N             of the random matrix (default 1)\n"
	"  --kernels own|blas   plain C, or the BLAS that the build found (default blas if it did)\n"
	"  --no-check           don't compute the residual\n"
	"  --no-compare         don't run LAPACK's dpotrf on the whole matrix\n"
	"  --indefinite         make the matrix indefinite: shows how a failing task ends\n"
	"  --report FILE        write a page (HTML) about the run\n"
	"  --help               this text\n"
	"\n"
	"SCHED chooses the policy, a name (`xylem policies`) or an expression; `xylem env` lists\n"
	"the other variables. Exit status: 0 correct, 1 wrong result or failed task, 2 trouble.\n";

static const struct option options_table[] = {
	{ "size", required_argument, NULL, 's' }, { "tile", required_argument, NULL, 't' },
	{ "seed", required_argument, NULL, 'd' }, { "kernels", required_argument, NULL, 'k' },
	{ "no-check", no_argument, NULL, 'c' },   { "no-compare", no_argument, NULL, 'p' },
	{ "indefinite", no_argument, NULL, 'i' }, { "report", required_argument, NULL, 'r' },
	{ "help", no_argument, NULL, 'h' },       { 0 }
};

static int options_number(const char *name, const char *text, unsigned long long least, unsigned long long most,
			  unsigned long long *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *value >= least && *value <= most)
		return 0;
	fprintf(stderr, "cholesky: --%s must be a number from %llu to %llu, not '%s'\n", name, least, most, text);
	return 1;
}

static int options_kernels(struct options *options, const char *text)
{
	if (!strcmp(text, "own")) {
		options->kernels = &kernels_own;
		return 0;
	}
	if (!strcmp(text, "blas")) {
		options->kernels = kernels_blas();
		if (options->kernels)
			return 0;
		fputs("cholesky: this build has no BLAS (Debian: libopenblas-dev; then configure again)\n", stderr);
		return 1;
	}
	fprintf(stderr, "cholesky: --kernels must be own or blas, not '%s'\n", text);
	return 1;
}

/* Opened at once: better to know now than after the work. */
static int options_report(struct options *options, const char *path)
{
	if (options->report)
		fclose(options->report);
	options->report = fopen(path, "w");
	if (options->report)
		return 0;
	fprintf(stderr, "cholesky: can't write '%s': %s\n", path, strerror(errno));
	return 1;
}

static int options_one(struct options *options, int letter, const char *value)
{
	unsigned long long number = 0;
	int status = 0;

	switch (letter) {
	case 's':
		status = options_number("size", value, 1, MOST_SIZE, &number);
		options->size = number;
		return status;
	case 't':
		status = options_number("tile", value, 1, MOST_SIZE, &number);
		options->tile = number;
		return status;
	case 'd':
		status = options_number("seed", value, 0, UINT64_MAX, &number);
		options->seed = number;
		return status;
	case 'k':
		return options_kernels(options, value);
	case 'c':
		options->check = false;
		return 0;
	case 'p':
		options->compare = false;
		return 0;
	case 'i':
		options->indefinite = true;
		return 0;
	case 'r':
		return options_report(options, value);
	case 'h':
		fputs(usage, stdout);
		return -1;
	default:
		fputs("Try 'cholesky --help'.\n", stderr);
		return 1;
	}
}

/* The matrix, and a second one in full for dpotrf, must fit into memory: the system would rather kill
 * the program later than say no now. */
static int options_memory(const struct options *options)
{
	double elements = (double)options->size * (double)options->size;
	double bytes = elements * sizeof(double) * (options->compare && kernels_blas() ? 1.5 : 0.5);
	double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	if (memory <= 0 || bytes < memory)
		return 0;
	fprintf(stderr, "cholesky: %zu rows need %.0f MiB, but this computer has %.0f MiB%s\n", options->size,
		bytes / (1 << 20), memory / (1 << 20),
		options->compare && kernels_blas() ? " (--no-compare needs a third of that)" : "");
	return 1;
}

int options_read(struct options *options, int argc, char **argv)
{
	int letter, status;

	*options = (struct options){ .tile = 256,
				     .seed = 1,
				     .check = true,
				     .compare = true,
				     .kernels = kernels_blas() ? kernels_blas() : &kernels_own };
	argv[0] = (char *)"cholesky";
	while ((letter = getopt_long(argc, argv, "", options_table, NULL)) != -1) {
		status = options_one(options, letter, optarg);
		if (status)
			return status;
	}
	if (optind < argc) {
		fprintf(stderr, "cholesky: unexpected '%s'\nTry 'cholesky --help'.\n", argv[optind]);
		return 1;
	}
	if (!options->size)
		options->size = options->kernels == &kernels_own ? 2048 : 4096;
	if (options->tile > options->size)
		options->tile = options->size;
	if ((options->size + options->tile - 1) / options->tile > MOST_TILES) {
		fprintf(stderr, "cholesky: tiles of %zu make more than %d of them in a row; make them larger\n",
			options->tile, MOST_TILES);
		return 1;
	}
	return options_memory(options);
}
