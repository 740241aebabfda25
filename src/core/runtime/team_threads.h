/* SPDX-License-Identifier: MIT */
/*
 * Threads that libraries start inside a codelet.
 */
#ifndef XYLEM_CORE_RUNTIME_TEAM_THREADS_H
#define XYLEM_CORE_RUNTIME_TEAM_THREADS_H

#include "core/runtime/team.h"

/* The calling thread is a worker's: what it calls uses one thread. */
void xy__team_threads_of_one(void);

/* What to restore after a fork-join call. */
struct xy__team_threads_before {
	int openmp, mkl, openblas; /* -1: nothing */
};

/* The calling thread leads a team: its calls may use one thread per member, on the cores of all members. */
struct xy__team_threads_before xy__team_threads_of_team(const struct xy__team *team);
void xy__team_threads_put_back(const struct xy__team *team, const struct xy__team_threads_before *before);

#endif
