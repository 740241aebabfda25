/* SPDX-License-Identifier: MIT */
/*
 * What the engine in real time shares with guests of its workers.
 */
#ifndef XYLEM_ENGINES_THREADS_H
#define XYLEM_ENGINES_THREADS_H

#include "core/runtime/worker.h"

/* Announces that the worker, which looks for tasks, sleeps, and looks once more. True: it may rest now. Else it looks
 * on, or has *task. */
bool xy__threads_announce(struct xy__worker *worker, struct xy_task **task);

#endif
