/* SPDX-License-Identifier: MIT */
/* The codelet of doc/devices.md: y += a * x, in an implementation for each kind of worker. */
#ifndef DOC_DEVICES_H
#define DOC_DEVICES_H

#include <xylem.h>

int axpy_cpu(struct xy_call *call);
int axpy_opencl(struct xy_call *call);
int axpy_cuda(struct xy_call *call); /* in examples/cuda, for nvcc */

extern struct xy_codelet axpy;

#endif
