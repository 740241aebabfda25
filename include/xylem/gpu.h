/* SPDX-License-Identifier: MIT */
/*
 * What <xylem/cuda.h> and <xylem/hip.h> share. Include one of those.
 */
#ifndef XYLEM_GPU_H
#define XYLEM_GPU_H

/* Libraries of which a worker has handles. */
enum { XY_GPU_BLAS, XY_GPU_SOLVER, XY_GPU_SPARSE, XY_GPU_NLIBRARIES };

/* What the driver puts at call->services; use the functions of those headers. */
struct xy_gpu_services {
	int device;
	int (*check)(const struct xy_gpu_services *services, int error);
	void *(*library)(const struct xy_gpu_services *services, unsigned which);
};

#endif
