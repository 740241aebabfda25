/* SPDX-License-Identifier: MIT */
/*
 * The GPUs that a job was given, as ids for CUDA_VISIBLE_DEVICES: numbers, or UUIDs of GPUs and of
 * MIG instances.
 */
#ifndef XYLEM_FARM_SLOTS_GPUS_H
#define XYLEM_FARM_SLOTS_GPUS_H

#include <stddef.h>

enum { SLOTS_GPUS_MAX = 256, SLOTS_GPUS_ID = 80 };

struct slots_gpus {
	unsigned count;
	char ids[SLOTS_GPUS_MAX][SLOTS_GPUS_ID];
};

/* Where ids may come from; the first text that is not NULL counts, and counts as none if it is empty.
 * CUDA's own variable stands first because SLURM renumbers it where it hides the other devices. */
struct slots_gpus_source {
	const char *visible;    /* CUDA_VISIBLE_DEVICES */
	const char *step, *job; /* SLURM_STEP_GPUS, SLURM_JOB_GPUS */
	const char *wanted;     /* how many the user wants, as slots_gpus_count reads it; NULL: all */
};

/* Reads the ids. Without any, `wanted` of them are numbered from 0; with more than that, the first
 * ones are taken; with fewer it fails. 0, or -EINVAL with a sentence in error. */
int slots_gpus_read(struct slots_gpus *gpus, const struct slots_gpus_source *source, char *error, size_t size);

/* The number of GPUs in a text: "4", or a list of generic resources in SLURM's notation such as gpu,
 * gpu:4, gpu:a100:2, gpu:4(S:0-1) or nvme:1,gpu:2. 0, or -EINVAL with a sentence in error. */
int slots_gpus_count(const char *text, unsigned *count, char *error, size_t size);

#endif
