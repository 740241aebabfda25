/* SPDX-License-Identifier: MIT */
/* The model of the example of batches, and its OpenCL side. */
#ifndef EXAMPLES_BATCH_H
#define EXAMPLES_BATCH_H

#include <xylem.h>

enum { STEPS = 20 };

struct model {
	double exponent, sum;
	bool terminal;
};

/* The load at a point. */
static inline double model_load(uint64_t point)
{
	return 1 + (double)(point % 1000) / 500;
}

/* batch_opencl.c, or batch_no_opencl.c: for devices with OpenCL; piece->data gets the solution at each point. */
extern const bool model_has_opencl;
int model_opencl_begin(struct xy_batch_device *device);
int model_opencl_work(struct xy_batch_piece *piece, struct xy_batch_device *device);

#endif
