/* SPDX-License-Identifier: MIT */
/*
 * The codelets of bed.h for HIP: a file of its own, since the double of HIP's library has the names of CUDA's in its
 * sources.
 */
#ifndef XYLEM_TESTS_STRESS_EVERYWHERE_HIP_H
#define XYLEM_TESTS_STRESS_EVERYWHERE_HIP_H

#include <xylem/task.h>

int everywhere_hip_set(struct xy_call *call);  /* W: y[i] = k + i */
int everywhere_hip_add(struct xy_call *call);  /* RW: y[i] = 3 y[i] + k */
int everywhere_hip_axpy(struct xy_call *call); /* R, RW: y[i] = 3 y[i] + k x[i] */
int everywhere_hip_copy(struct xy_call *call); /* R, W: y[i] = x[i] + k */

/* Memory on a device, from its number and freed; and the address at which the host can use it. */
void *everywhere_hip_allocate(unsigned device, size_t bytes);
void everywhere_hip_free(void *memory);
uint32_t *everywhere_hip_readable(const void *memory);

#endif
