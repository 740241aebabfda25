/* SPDX-License-Identifier: MIT */
/*
 * Predictions that only components of the library ask for; xylem/component.h has the others.
 */
#ifndef XYLEM_CORE_MODEL_PREDICT_H
#define XYLEM_CORE_MODEL_PREDICT_H

#include <xylem/component.h>

/* Transfer time of a task's output from one worker's node to another's; unknown parts count as 0. */
double xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to);

#endif
