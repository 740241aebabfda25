/* SPDX-License-Identifier: MIT */
/*
 * Slots: equal shares of the GPUs and processors of one allocation, each for one repetition at a time.
 * slots_division_init is a pure function, so every rule is testable without a GPU. Invariants of a division:
 * no slot has parts of two GPUs that it shares, no GPU carries more than 1.0, no processor is in two
 * slots, and all slots are equal.
 */
#ifndef XYLEM_FARM_SLOTS_H
#define XYLEM_FARM_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

#define SLOTS_MAX 4096u /* slots, GPUs and processors of a computer */

struct slots_request {
	unsigned ngpus, ncpus; /* what the job may use */
	/* near[gpu * ncpus + cpu]: whether they are close to each other; NULL: not known. */
	const bool *near;
	double gpus_per_rep;   /* below 1: a share; 0: GPUs are not divided, a repetition sees all */
	unsigned cpus_per_rep; /* 0: processors are divided evenly */
	bool share_cpus;       /* processors are not divided; cpus_per_rep must be 0 */
	unsigned parallel;     /* repetitions at once that the user expects; 0: as many as there are slots */
};

struct slots_division {
	unsigned nslots;        /* at least 1 */
	bool divides_gpus;      /* otherwise every slot sees all GPUs */
	unsigned reps_per_gpu;  /* slots that share a GPU; 1: no GPU is shared */
	unsigned gpus_per_slot; /* GPUs that a slot sees */
	unsigned cpus_per_slot; /* 0: processors are not divided */
	unsigned *cpus;         /* cpus[slot * cpus_per_slot + i]: index of a processor, ascending in a slot */
	unsigned idle_gpus, idle_cpus;
	double unused; /* part of each shared GPU that no repetition may use, 0 to below 0.5 */
};

/* Computes the slots. 0, -ENOMEM, or -EINVAL with a sentence that has the numbers in error. The
 * division needs slots_division_fini only after 0. */
int slots_division_init(struct slots_division *division, const struct slots_request *request, char *error, size_t size);
void slots_division_fini(struct slots_division *division);

/* The first GPU of a slot, which has gpus_per_slot of them in a row. */
unsigned slots_division_gpu(const struct slots_division *division, unsigned slot);

#endif
