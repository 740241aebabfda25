/* SPDX-License-Identifier: MIT */
/*
 * A runtime with devices for tests of data: CPUs, CUDA devices of the test double of libcudart, OpenCL devices of
 * PoCL; and codelets for vectors of 32-bit numbers that run on all of them. Arithmetic is modulo 2^32.
 */
#ifndef XYLEM_TESTS_CORE_DATA_BED_H
#define XYLEM_TESTS_CORE_DATA_BED_H

#include "../../helper.h"

/* First in main, before anything starts threads. */
void bed_guard(void);

/* A runtime with so many CPU workers, two CUDA devices, and two OpenCL devices if asked for; the rest as in
 * config, which may be NULL. */
struct helper *bed_start(unsigned ncpu, const struct xy_config *config, bool opencl);
/* Stops it; nothing may be left on the devices. Returns what xy_stop did. */
int bed_stop(struct helper *h, unsigned lines);

/* Whether there is an OpenCL driver with two devices. */
bool bed_has_opencl(void);

/* The index-th worker of an architecture, and its memory node. */
unsigned bed_worker(struct helper *h, enum xy_arch arch, unsigned index);
unsigned bed_node(struct helper *h, enum xy_arch arch, unsigned index);

struct xy_node_stats bed_stats(struct helper *h, unsigned node);

/* The argument of all codelets, copied; without one, k is 1. */
struct bed_arg {
	uint32_t k;
};

extern const struct xy_codelet bed_set;     /* W: y[i] = k + i */
extern const struct xy_codelet bed_add;     /* RW: y[i] = 3 y[i] + k */
extern const struct xy_codelet bed_axpy;    /* R, RW: y[i] = 3 y[i] + k x[i] */
extern const struct xy_codelet bed_copy;    /* R, W: y[i] = x[i] + k */
extern const struct xy_codelet bed_scratch; /* SCRATCH, RW: through the scratch buffer, y[i] = 3 y[i] + k */
extern const struct xy_codelet bed_bump;    /* RW with COMMUTE: y[i] = y[i] + k */
extern const struct xy_codelet bed_sum;     /* R, R, RW: z[i] = z[i] + x[i] + k y[i] */

/* For reductions: */
extern const struct xy_codelet bed_zero;    /* W: y[i] = 0 */
extern const struct xy_codelet bed_join;    /* RW, R: y[i] = y[i] + x[i] */
extern const struct xy_codelet bed_more;    /* REDUX: y[i] = y[i] + k */
extern const struct xy_codelet bed_collect; /* REDUX, R: y[i] = y[i] + k x[i] */

/* Submits it on any worker, or on one. Handles up to the first NULL. */
void bed_submit(struct helper *h, const struct xy_codelet *codelet, uint32_t k, struct xy_handle *a,
		struct xy_handle *b, struct xy_handle *c);
void bed_submit_on(struct helper *h, unsigned worker, const struct xy_codelet *codelet, uint32_t k, struct xy_handle *a,
		   struct xy_handle *b, struct xy_handle *c);

/* A vector of n numbers, in memory at `ptr` or the runtime's. */
struct xy_handle *bed_vector(struct helper *h, uint32_t *ptr, size_t n);
void bed_unregister(struct helper *h, struct xy_handle **v);

#endif
