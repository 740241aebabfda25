/* SPDX-License-Identifier: MIT */
/*
 * The command line of the Cholesky example.
 */
#ifndef EXAMPLES_CHOLESKY_OPTIONS_H
#define EXAMPLES_CHOLESKY_OPTIONS_H

#include "cholesky.h"

struct options {
	size_t size, tile;
	uint64_t seed;
	bool check, compare, indefinite;
	const struct kernels *kernels;
	FILE *report; /* open for writing, or NULL; the caller closes it */
};

/* 0, 1 after a message about what is wrong, -1 when the help was asked for and printed. */
int options_read(struct options *options, int argc, char **argv);

#endif
