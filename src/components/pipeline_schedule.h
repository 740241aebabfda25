/* SPDX-License-Identifier: MIT */
/*
 * A schedule of a pipeline, as sched-pipeline writes it: which layers are whose.
 */
#ifndef XYLEM_COMPONENTS_PIPELINE_SCHEDULE_H
#define XYLEM_COMPONENTS_PIPELINE_SCHEDULE_H

#include <stdio.h>

#include "core/util/message.h"

/* Layers are counted from 1; each stage begins after the one before it. */
struct xy__schedule_stage {
	char *host;
	unsigned first, last;
};

struct xy__schedule {
	unsigned nstages;
	struct xy__schedule_stage *stages;
};

/* Reads a file: 0, or -errno with what is wrong, and in which line. */
int xy__schedule_read(struct xy__schedule *schedule, const char *path, struct xy__message *error);
/* xy__schedule_read from an open file; the path is for messages. */
int xy__schedule_parse(struct xy__schedule *schedule, FILE *file, const char *path, struct xy__message *error);
void xy__schedule_fini(struct xy__schedule *schedule);

#endif
