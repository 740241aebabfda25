/* SPDX-License-Identifier: MIT */
/*
 * The guard: a tree that holds tasks which its idle workers could run, and in which nothing moves, is replaced by
 * tree-eager. Off unless the settings have a time for it.
 */
#ifndef XYLEM_CORE_RUNTIME_GUARD_H
#define XYLEM_CORE_RUNTIME_GUARD_H

#include "core/runtime/runtime.h"

/* In real time: called every now and then by one thread, and in no agent. Replaces trees that have stalled for as long
 * as the settings say. */
void xy__guard_look(struct xy_runtime *rt);

/* In virtual time: nothing can happen any more. Replaces the trees that hold tasks for their workers; false if there
 * are none, or the guard is off. */
bool xy__guard_end_stall(struct xy_runtime *rt);

#endif
