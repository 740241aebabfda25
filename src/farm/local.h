/* SPDX-License-Identifier: MIT */
/*
 * Jobs of this computer. A job is a supervisor and all that it started, in one session. All of them have the job's file
 * open, which is locked: the job lives as long as the lock, whatever happens to manager and supervisor.
 */
#ifndef XYLEM_FARM_LOCAL_H
#define XYLEM_FARM_LOCAL_H

#include "farm/farm.h"

/* What the manager passes to the supervisor on its command line. */
struct farm_local_order {
	const char *folder, *job, *script;
	const char *cores, *gpus; /* lists such as 0,1,5; "": none */
	unsigned time_limit_s, warning_s;
	uint64_t memory_bytes; /* 0: no limit */
};

/* The supervisor: runs the script with the limits; returns its exit status. */
int farm_local_supervise(const struct farm_local_order *order, const struct farm_report *report);

/* Sends a signal to all processes of a session but the caller; how many there are, and their memory. */
struct farm_session {
	unsigned count;
	uint64_t bytes;
};
struct farm_session farm_local_session(long session, int signal);

#endif
