/* SPDX-License-Identifier: MIT */
/*
 * For heteroprio: how much longer a task takes on each architecture than on the fastest one, in steps of a logarithm,
 * by the forecasts of its workers.
 */
#ifndef XYLEM_COMPONENTS_SLOWNESS_H
#define XYLEM_COMPONENTS_SLOWNESS_H

#include "components/estimate.h"

enum {
	XY__SLOWNESS_NEVER = 10000, /* where a task can't run */
	XY__SLOWNESS_STEPS = 10     /* while a task takes twice as long: steps of 7 % */
};

struct xy__slowness {
	int16_t of[XY_NARCH]; /* 0 for the fastest */
};

/*
 * The slowness of a task on each architecture, on the best worker there. With `near`, the transfer time of its data is
 * included if that changes which one is fastest. *best_us is its shortest time, 0 if none is known.
 */
struct xy__slowness xy__slowness_of(const struct xy__estimate *estimate, const struct xy_task *task, bool near,
				    double *best_us);

/* How well an architecture is suited: how much slower the best of the others is. */
int xy__slowness_affinity(const struct xy__slowness *s, unsigned arch);

/* 0 for equal ones. */
int xy__slowness_distance(const struct xy__slowness *a, const struct xy__slowness *b);

/* The duration on an architecture of what takes best_us on the fastest one. */
double xy__slowness_length_us(const struct xy__slowness *s, unsigned arch, double best_us);

#endif
