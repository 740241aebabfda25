/* SPDX-License-Identifier: MIT */
/*
 * Finds the seat of a group that is free first without looking at all of them: a heap by when each was last expected to
 * be free. Expectations that have risen since are noticed at the top; those that have fallen, when the worker asks.
 *
 * Locking key: (c) constant after init, (l) lock.
 */
#ifndef XYLEM_COMPONENTS_SOONEST_H
#define XYLEM_COMPONENTS_SOONEST_H

#include "components/estimate.h"

/* Smaller groups are looked at one by one. */
enum { XY__SOONEST_LEAST = 17 };

struct xy__soonest {
	_Atomic int lock;
	unsigned count;   /* (c) */
	unsigned *heap;   /* (l) members of the group, by number within it */
	unsigned *places; /* (l) of each in the heap */
	double *keys;     /* (l) of each: when it was last expected to be free; 0: idle */
};

/* When a seat of a group is free; not before the time of the comparison. */
typedef double xy__soonest_free(void *arg, unsigned member);

/* 0 or -ENOMEM; after that fini does no harm. */
int xy__soonest_init(struct xy__soonest *soonest, unsigned count);
void xy__soonest_fini(struct xy__soonest *soonest);

/* The member that is free first, and when; among those that are idle, the first. */
unsigned xy__soonest_find(struct xy__soonest *soonest, xy__soonest_free *free_us, void *arg, double now_us,
			  double *start_us);
/* A member is expected to be free at another time; 0: it is idle. */
void xy__soonest_set(struct xy__soonest *soonest, unsigned member, double free_us);

#endif
