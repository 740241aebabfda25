/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL side of the codelets: bed_opencl.c has kernels, bed_no_opencl.c has none.
 */
#ifndef XYLEM_TESTS_CORE_DATA_BED_OPENCL_H
#define XYLEM_TESTS_CORE_DATA_BED_OPENCL_H

#include <xylem.h>

int bed_opencl(struct xy_call *call, const char *kernel);
/* Of the matrix that is the first buffer: m[i][k] = 10 m[i][k] + first + i + k. */
int bed_opencl_rows(struct xy_call *call, const struct xy_matrix *matrix, uint32_t first);

#endif
