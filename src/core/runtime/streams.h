/* SPDX-License-Identifier: MIT */
/*
 * The streams of a device worker, on which short kernels run beside each other. A kernel is expected to take so long as
 * it would alone, shared: while n streams are busy, each of them gets an n-th of the time.
 */
#ifndef XYLEM_CORE_RUNTIME_STREAMS_H
#define XYLEM_CORE_RUNTIME_STREAMS_H

#include <stdbool.h>

enum {
	XY__STREAMS_MOST = 16,
	XY__STREAMS_SHORT_US = 1000 /* longer kernels have the device busy by themselves */
};

/* One thread uses it. */
struct xy__streams {
	unsigned count;
	double until_s; /* time is accounted for until then */
	struct {
		unsigned launched; /* tasks that have not ended */
		double served_s;   /* its time since the last one of it ended */
	} each[XY__STREAMS_MOST];
};

/* The stream for a task: the one with the fewest. Others than short ones all go to the first. */
unsigned xy__streams_choose(const struct xy__streams *streams, bool is_short);
void xy__streams_launch(struct xy__streams *streams, unsigned stream, double now_s);
/* Returns how long the task took. */
double xy__streams_end(struct xy__streams *streams, unsigned stream, double now_s);

#endif
