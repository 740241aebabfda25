/* SPDX-License-Identifier: MIT */
/* Stands in for opencl.c where there are no OpenCL headers. */
#include "internal.h"

void xs_opencl_start(void)
{
}
