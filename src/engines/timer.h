/* SPDX-License-Identifier: MIT */
/*
 * The thread that calls ticks in real time. It exists if some component of a tree has had a tick, and sleeps until one
 * is due.
 */
#ifndef XYLEM_ENGINES_TIMER_H
#define XYLEM_ENGINES_TIMER_H

#include "core/runtime/runtime.h"

/* A timer without a thread; 0 or -ENOMEM. */
int xy__timer_create(struct xy_runtime *rt);
void xy__timer_destroy(struct xy_runtime *rt);

/* The workers run: begins to call ticks. -errno with a line in the log. */
int xy__timer_start(struct xy_runtime *rt);
/* No tick is called after it; may be called without a start. */
void xy__timer_stop(struct xy_runtime *rt);

/* As struct xy__engine_ops says. */
int xy__timer_ticks(struct xy_runtime *rt);
void xy__timer_alarm(struct xy__tree_engine *engine);

#endif
