/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL side of the codelets: bed_opencl.c has kernels, bed_no_opencl.c has none.
 */
#ifndef XYLEM_TESTS_CORE_DATA_BED_OPENCL_H
#define XYLEM_TESTS_CORE_DATA_BED_OPENCL_H

#include <xylem.h>

int bed_opencl(struct xy_call *call, const char *kernel);

#endif
