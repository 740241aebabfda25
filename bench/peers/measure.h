/* SPDX-License-Identifier: MIT */
/*
 * Clock, calibrated work, tallies and memory growth: what main.c measures with.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "peer.h"

/* The sum over all threads. Only while no task runs. */
struct bench_tally bench_tally_sum(void);

/* Spins of bench_spin that take a nanosecond on an undisturbed core. */
double bench_calibrate(void);

double bench_median(double *values, size_t n); /* sorts them */

/* Notes the memory in use now and closes the gate, and how much more bench_all_wait found, in bytes. */
void bench_memory_begin(void);
struct bench_memory {
	double resident; /* pages of the process */
	double heap;     /* malloc's account */
};
struct bench_memory bench_memory_growth(void);

#endif
