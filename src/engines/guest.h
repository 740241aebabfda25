/* SPDX-License-Identifier: MIT */
/*
 * Threads of the application that work while they wait. Such a thread becomes a CPU worker whose own thread rests, and
 * does what that one would have done had it been woken; for everybody else, the two are one worker. worker->tenant says
 * which of them is the worker at the moment: the other one touches nothing of it.
 */
#ifndef XYLEM_ENGINES_GUEST_H
#define XYLEM_ENGINES_GUEST_H

#include "core/runtime/worker.h"

/* The worker's own thread begins to rest: a guest may take its place. */
void xy__guest_offer(struct xy__worker *worker);
/* It got up. False, after a while, if a guest had its place: its state may be another one now. */
bool xy__guest_end(struct xy__worker *worker);

/* Runs up to so many tasks in place of an idle worker; false if there were none. The calling thread waits, and is no
 * agent of the runtime. */
bool xy__guest_run(struct xy_runtime *rt, unsigned most);

#endif
