/* SPDX-License-Identifier: MIT */
/* The inside of a job: claim a piece, run its command, report its end. */
#ifndef XYLEM_FARM_JOB_H
#define XYLEM_FARM_JOB_H

#include "farm/claim.h"

/* Runs one piece; the exit status for the scheduler. */
int farm_job_run(const struct farm_claimant *claimant, const struct farm_report *report);

#endif
