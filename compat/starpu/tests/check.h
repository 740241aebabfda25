/* SPDX-License-Identifier: MIT */
/* What the programs here check with: a line that says where, and the program ends. */
#ifndef XYLEM_STARPU_TESTS_CHECK_H
#define XYLEM_STARPU_TESTS_CHECK_H

#include <errno.h>
#include <limits.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #x); \
			exit(1); \
		} \
	} while (0)
#define OK(x) \
	do { \
		int result_ = (x); \
		if (result_) { \
			fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #x, result_); \
			exit(1); \
		} \
	} while (0)
#define START() OK(starpu_init(NULL))

#endif
