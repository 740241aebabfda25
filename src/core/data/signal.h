/* SPDX-License-Identifier: MIT */
/*
 * A thread of the application that waits for one callback.
 */
#ifndef XYLEM_CORE_DATA_SIGNAL_H
#define XYLEM_CORE_DATA_SIGNAL_H

#include <stdatomic.h>

struct xy_runtime;

/* Zero before use. */
struct xy__signal {
	_Atomic int done;
	int status;
};

/* The callback: `signal` is a struct xy__signal. */
void xy__signal_give(void *signal, int status);
/* Sleeps until the callback has been called. Polls transfers meanwhile. */
void xy__signal_await(struct xy__signal *signal, struct xy_runtime *rt);

#endif
