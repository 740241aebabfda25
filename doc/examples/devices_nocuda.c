/* SPDX-License-Identifier: MIT */
/* The codelet where there is no nvcc. */
#include "devices.h"

struct xy_codelet axpy = {
	.name = "axpy",
	.cpu = { axpy_cpu },
	.opencl = { axpy_opencl },
	.modes = { XY_R, XY_RW },
};
