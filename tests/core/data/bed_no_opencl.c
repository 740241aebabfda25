/* SPDX-License-Identifier: MIT */
/*
 * Without OpenCL there are no devices for these codelets to run on.
 */
#include "bed_opencl.h"

#include <errno.h>

int bed_opencl(struct xy_call *call, const char *kernel)
{
	(void)call;
	(void)kernel;
	return -ENODEV;
}

int bed_opencl_rows(struct xy_call *call, const struct xy_matrix *matrix, uint32_t first)
{
	(void)call;
	(void)matrix;
	(void)first;
	return -ENODEV;
}
