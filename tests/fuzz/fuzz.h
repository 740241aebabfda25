/* SPDX-License-Identifier: MIT */
/* What fuzz targets share: the entry, which the fuzzer or replay.c calls, and what must always be so. */
#ifndef XYLEM_TESTS_FUZZ_H
#define XYLEM_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ALWAYS(condition) ((condition) ? (void)0 : fuzz_failed(#condition, __FILE__, __LINE__))

static inline void fuzz_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

#endif
