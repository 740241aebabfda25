/* SPDX-License-Identifier: MIT */
/* The codelet with everything. */
#include "devices.h"

struct xy_codelet axpy = {
	.name = "axpy",
	.cpu = { axpy_cpu },
	.cuda = { axpy_cuda },
	.opencl = { axpy_opencl },
	.modes = { XY_R, XY_RW },
};
