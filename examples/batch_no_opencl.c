/* SPDX-License-Identifier: MIT */
/* Without OpenCL: the model runs on CPUs only. */
#include "batch.h"

const bool model_has_opencl = false;

int model_opencl_begin(struct xy_batch_device *device)
{
	(void)device;
	return -1;
}

int model_opencl_work(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	(void)piece;
	(void)device;
	return -1;
}
